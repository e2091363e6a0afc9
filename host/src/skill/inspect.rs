//! Looking at a file before anything of it runs: what it is, what it exports, what it asks for.
//!
//! Every kind of wrong file has its own message. Nothing is compiled or executed here.

mod anatomy;
mod asked;
mod assembly;
mod beginning;
mod bulk;
mod fault;
mod nesting;
mod outside;
mod work;

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::json;
use wasmparser::Parser;
use wasmtime::Engine;

use super::describe::Description;
use super::grants::Grants;
use super::loaded::Source;
use super::right::{self, Needs, Right};
use crate::capability::{Interface, PACKAGE, PACKAGE_VERSION};
use crate::config::meant;
use crate::sexp::visible_line;

pub use anatomy::Anatomy;
pub(super) use anatomy::built_in;
use anatomy::read_types;
pub use asked::Asked;
pub(super) use beginning::Sizes;
pub use fault::FileFault;
pub use outside::Outside;

/// The interfaces of ours among `imports`.
pub(super) fn interfaces(imports: &[String]) -> Vec<Interface> {
    let own = |import: &String| Interface::named(interface_of(import)?.0);
    imports.iter().filter_map(own).collect()
}

/// The interface and the version of an import or export of our package.
fn interface_of(name: &str) -> Option<(&str, &str)> {
    let (interface, version) = name.strip_prefix(PACKAGE)?.strip_prefix('/')?.split_once('@')?;
    Some((interface, version))
}

/// Most faults of one file that are told.
const FAULTS: usize = 1_000;

/// What is found in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Survey {
    /// What the file has, as far as it can be read.
    pub(super) anatomy: Option<Anatomy>,
    /// What is wrong with it, the first thing first.
    pub(super) faults: Vec<FileFault>,
}

impl Survey {
    fn only(fault: FileFault) -> Survey {
        Survey {
            anatomy: None,
            faults: vec![fault],
        }
    }

    /// What it is.
    ///
    /// # Errors
    /// The first thing because of which it can't be a skill of this host.
    pub(super) fn whole(self) -> Result<Anatomy, FileFault> {
        match (self.faults.into_iter().next(), self.anatomy) {
            (None, Some(anatomy)) => Ok(anatomy),
            (Some(fault), _) => Err(fault),
            (None, None) => Err(FileFault::NoExport),
        }
    }
}

/// Looks at a file's bytes.
pub(super) fn survey(bytes: &[u8], most: &Sizes) -> Survey {
    if let Err(fault) = check_kind(bytes, most.file) {
        return Survey::only(fault);
    }
    match read_types(bytes, most) {
        Err(fault) => Survey::only(fault),
        Ok((anatomy, lacking)) => {
            let mut faults = other_versions(anatomy.imports.iter().chain(&anatomy.exports));
            // An interface of another version is there, in its way.
            if faults.is_empty() || lacking != [FileFault::NoExport] {
                faults.extend(lacking);
            }
            faults.extend(unknown_imports(&anatomy.imports).take(FAULTS));
            faults.truncate(FAULTS);
            Survey {
                anatomy: Some(anatomy),
                faults,
            }
        }
    }
}

/// How libraries and programs for a machine begin: ELF, Mach-O in both widths and byte orders, PE, and archives as ar(1)
/// makes them.
const NATIVE: [&[u8]; 7] = [
    b"\x7fELF",
    b"\xcf\xfa\xed\xfe",
    b"\xce\xfa\xed\xfe",
    b"\xfe\xed\xfa\xcf",
    b"\xfe\xed\xfa\xce",
    b"MZ",
    b"!<arch>\n",
];

/// Whether it is a component at all, which is seen at once.
pub(super) fn check_kind(bytes: &[u8], longest: u64) -> Result<(), FileFault> {
    if bytes.is_empty() {
        return Err(FileFault::Empty);
    }
    if bytes.len() as u64 > longest {
        return Err(FileFault::TooLong {
            asked: bytes.len() as u64,
            allowed: longest,
        });
    }
    if Engine::detect_precompiled(bytes).is_some() {
        return Err(FileFault::Precompiled);
    }
    if NATIVE.iter().any(|magic| bytes.starts_with(magic)) {
        return Err(FileFault::Native);
    }
    if !bytes.starts_with(b"\0asm") {
        let head = &bytes[..bytes.len().min(4096)];
        let text = match std::str::from_utf8(head) {
            Ok(text) => text,
            Err(error) if error.error_len().is_none() => {
                std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or("\0")
            }
            Err(_) => "\0",
        };
        if b"\0asm".starts_with(bytes) {
            return Err(FileFault::Cut { size: bytes.len() });
        }
        return Err(if text.contains('\0') {
            FileFault::NotWasm
        } else {
            FileFault::Text
        });
    }
    if bytes.len() < 8 {
        return Err(FileFault::Cut { size: bytes.len() });
    }
    if Parser::is_core_wasm(bytes) {
        return Err(FileFault::CoreModule);
    }
    Ok(())
}

/// Each other version of our package that is named, once.
fn other_versions<'a>(names: impl Iterator<Item = &'a String>) -> Vec<FileFault> {
    let mut found: Vec<&str> = Vec::new();
    let mut known = BTreeSet::new();
    for (_, version) in names.filter_map(|name| interface_of(name)) {
        if version != PACKAGE_VERSION && known.insert(version) {
            found.push(version);
        }
    }
    let fault = |version: &str| FileFault::OtherVersion {
        found: version.to_owned(),
        ours: PACKAGE_VERSION.into(),
    };
    found.into_iter().map(fault).collect()
}

/// Each import that this host does not have, unless it is of another version of our package, which is said already.
fn unknown_imports(imports: &[String]) -> impl Iterator<Item = FileFault> {
    imports
        .iter()
        .filter(|import| interface_of(import).is_none_or(|(_, version)| version == PACKAGE_VERSION))
        .filter(|import| !is_provided(import))
        .map(|import| FileFault::UnknownImport {
            import: import.clone(),
            remedy: remedy(import),
        })
}

fn is_provided(import: &str) -> bool {
    match interface_of(import) {
        Some((interface, _)) => Interface::named(interface).is_some(),
        // Which of WASI's there are is for the linker to say.
        None => import.starts_with("wasi:"),
    }
}

fn remedy(import: &str) -> String {
    match interface_of(import) {
        Some((interface, _)) => {
            format!(
                "a later version of the host may bring `{interface}`; with this one the skill must do without: {}",
                meant(interface, Interface::ALL.iter().map(|own| own.name()))
            )
        }
        None => {
            "a skill can import only passepartout:skill and wasi interfaces: rebuild it without this one".to_owned()
        }
    }
}

/// What `skill inspect FILE` shows.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// What it is, read off its types.
    pub anatomy: Anatomy,
    /// What it says of itself, or why it says nothing.
    pub description: Result<Description, String>,
    /// Every right that it asks for, and how far it would like its capabilities to reach. Capitals stand for what the
    /// operator must choose.
    pub rights: Vec<String>,
    /// Which of those it has.
    pub asked: Asked,
    pub(super) needs: Needs,
}

impl Inspection {
    /// The same, with what the skill `name` from `source` has by `grants`. `called` is what a command that grants more calls
    /// it: its name, or its file.
    #[must_use]
    pub fn beside(mut self, name: &str, source: &Source, called: &str, grants: &Grants) -> Inspection {
        let granted = right::granted(name, &self.anatomy.digest, source, grants);
        self.asked = Asked::new(called, &self.needs, &granted);
        self
    }

    /// Whether the right can make a difference to it.
    pub fn can_use(&self, right: &Right) -> bool {
        let is_import = matches!(right, Right::Process | Right::ContainsSecret | Right::Capability(_));
        // What it asks for is not known where it says nothing of itself.
        self.needs.can_use(right) || self.description.is_err() && !is_import
    }

    /// For programs.
    pub fn json(&self) -> serde_json::Value {
        let mut value = json!({
            "size": self.anatomy.size,
            "digest": self.anatomy.digest.to_string(),
            "imports": self.anatomy.imports,
            "exports": self.anatomy.exports,
            "rights": self.rights,
        });
        self.asked.add_to(&mut value);
        match &self.description {
            Ok(description) => {
                let functions: Vec<String> = description.functions.iter().map(|function| function.name()).collect();
                let tools: Vec<&str> = description.tools.iter().map(|tool| tool.name.as_str()).collect();
                value["name"] = json!(description.name);
                value["version"] = json!(description.version);
                value["priority"] = json!(description.priority);
                value["functions"] = json!(functions);
                let judged = description.gate_targets.as_ref();
                let judged = judged.map(|own| own.iter().map(|target| target.to_lowercase()).collect::<Vec<_>>());
                value["judges"] = json!(judged);
                let targets: Vec<String> = description.targets.iter().map(ToString::to_string).collect();
                value["acts-for"] = json!(targets);
                value["triggers"] = json!(description.triggers());
                value["tools"] = json!(tools);
                value["depends-on"] = json!(description.depends_on);
                value["state"] = json!(description.state);
            }
            Err(problem) => value["problem"] = json!(problem),
        }
        value
    }
}

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.description {
            Ok(own) => {
                let head = format!("{} {}, priority {}", own.name, own.version, own.priority);
                writeln!(f, "{}", visible_line(&head))?;
                for (about, text) in own.lines() {
                    writeln!(f, "{about:<10} {}", visible_line(&text))?;
                }
            }
            Err(problem) => writeln!(f, "no description: {}", visible_line(&problem.to_string()))?,
        }
        writeln!(f, "size       {} bytes", self.anatomy.size)?;
        writeln!(f, "digest     {}", self.anatomy.digest)?;
        write!(f, "{}", self.asked)?;
        f.write_str(&outside::names(&self.anatomy.exports, &self.anatomy.imports))
    }
}
