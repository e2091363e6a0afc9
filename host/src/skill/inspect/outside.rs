//! What can be read off a file, whether it is a skill or not.

use std::fmt::{self, Write};

use serde_json::json;
use wasmparser::{BinaryReaderError, Parser, Payload};

use crate::sexp::{Digest, visible_line};

/// Most names of each kind that are read off a file that is no skill, and of each so many characters.
const NAMES: usize = 200;
const LENGTH: usize = 200;

/// A file from outside: what it has without being judged, as far as it can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// How long it is, in bytes.
    pub size: usize,
    /// Its digest: plain SHA-256, as other tools print it.
    pub digest: Digest,
    /// What it imports, before the first thing that can't be read.
    pub imports: Vec<String>,
    /// What it exports, likewise.
    pub exports: Vec<String>,
}

impl Outside {
    /// Reads names off `bytes`. Nothing is validated.
    pub fn of(bytes: &[u8]) -> Outside {
        let mut outside = Outside {
            size: bytes.len(),
            digest: Digest::of_file(bytes),
            imports: Vec::new(),
            exports: Vec::new(),
        };
        // What was read before a fault stays.
        let _ = outside.read(bytes);
        outside
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(), BinaryReaderError> {
        let mut depth = 0_u32;
        for payload in Parser::new(0).parse_all(bytes) {
            match payload? {
                Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
                Payload::End(_) => depth = depth.saturating_sub(1),
                Payload::ComponentImportSection(section) if depth == 0 => {
                    for import in section {
                        take(&mut self.imports, import?.name.name);
                    }
                }
                Payload::ComponentExportSection(section) if depth == 0 => {
                    for export in section {
                        take(&mut self.exports, export?.name.name);
                    }
                }
                Payload::ImportSection(section) if depth == 0 => {
                    for import in section.into_imports() {
                        let import = import?;
                        take(&mut self.imports, &format!("{} {}", import.module, import.name));
                    }
                }
                Payload::ExportSection(section) if depth == 0 => {
                    for export in section {
                        take(&mut self.exports, export?.name);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// For programs.
    pub fn json(&self) -> serde_json::Value {
        json!({
            "size": self.size,
            "digest": self.digest.to_string(),
            "imports": self.imports,
            "exports": self.exports,
        })
    }
}

fn take(names: &mut Vec<String>, name: &str) {
    match names.len() {
        ..NAMES => names.push(match name.char_indices().nth(LENGTH) {
            Some((end, _)) => format!("{}…", &name[..end]),
            None => name.to_owned(),
        }),
        NAMES => names.push("… and others, of which nothing is read".to_owned()),
        _ => {}
    }
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "size       {} bytes", self.size)?;
        writeln!(f, "digest     {}", self.digest)?;
        f.write_str(&names(&self.exports, &self.imports))
    }
}

/// Exports and imports, each in a line of its own.
pub(super) fn names(exports: &[String], imports: &[String]) -> String {
    let mut lines = String::new();
    for (title, names) in [("exports", exports), ("imports", imports)] {
        let none = if names.is_empty() { "    none" } else { "" };
        let _ = writeln!(lines, "{title}{none}");
        for name in names {
            let _ = writeln!(lines, "  {}", visible_line(name));
        }
    }
    lines.trim_end().to_owned()
}
