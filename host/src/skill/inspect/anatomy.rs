//! What a file asks for and offers, read off its types.

use serde::{Deserialize, Serialize};
use wasmparser::component_types::ComponentEntityType;
use wasmparser::{BinaryReaderError, Parser, Payload};

use super::beginning::Sizes;
use super::fault::FileFault;
use super::{check_kind, interfaces, nesting, work};
use crate::capability::Interface;
use crate::sexp::Digest;
use crate::skill::component::INTERFACE;

/// The functions of the exported interface.
const FUNCTIONS: &[&str] = &[
    "describe",
    "trigger",
    "prompt",
    "mandate",
    "gate",
    "act",
    "call-tool",
    "recover",
];

/// What a file asks for and offers, read off its types.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anatomy {
    /// How long the file is, in bytes.
    pub size: usize,
    /// Its digest: plain SHA-256, as other tools print it.
    pub digest: Digest,
    /// What compiling it takes, in units of about a microsecond.
    pub work: u64,
    /// The most code that it may be compiled to, in bytes: as many as what is in it stands for.
    pub most_code: u64,
    /// Memory that its modules begin with, all together, in bytes.
    pub memory: u64,
    /// Entries of tables that its modules begin with, all together.
    pub table_entries: u64,
    /// What it imports, in the file's order.
    pub imports: Vec<String>,
    /// What it exports.
    pub exports: Vec<String>,
}

impl Anatomy {
    /// The interfaces of ours that it imports.
    pub fn interfaces(&self) -> Vec<Interface> {
        interfaces(&self.imports)
    }
}

/// What a file that is part of the host asks for and offers. The build compiled it, and so found it valid: its code is not gone
/// through again, and what compiling it would take is not told.
///
/// # Errors
/// When it is larger, or begins with more, than a skill may.
pub(in crate::skill) fn built_in(bytes: &[u8], most: &Sizes) -> Result<Anatomy, FileFault> {
    check_kind(bytes, most.file)?;
    let (beginning, bulk) = work::measure(bytes, most).map_err(|fault| of_work(fault, bytes))?;
    let (imports, exports) = names(bytes)?;
    Ok(Anatomy {
        size: bytes.len(),
        digest: Digest::of_file(bytes),
        work: 0,
        most_code: bulk.most_code(),
        memory: beginning.memory,
        table_entries: beginning.table_entries,
        imports,
        exports,
    })
}

fn malformed(error: &BinaryReaderError, bytes: &[u8]) -> FileFault {
    if error.message().contains("unexpected end") || error.message().contains("unexpected EOF") {
        FileFault::Cut { size: bytes.len() }
    } else {
        FileFault::Malformed {
            problem: error.message().to_owned(),
            at: error.offset() as u64,
        }
    }
}

fn of_work(fault: work::Fault, bytes: &[u8]) -> FileFault {
    match fault {
        work::Fault::Invalid(error) => malformed(&error, bytes),
        work::Fault::Costly(fault) => fault,
    }
}

/// What a component imports and exports, by name.
fn names(bytes: &[u8]) -> Result<(Vec<String>, Vec<String>), FileFault> {
    let malformed = |error: BinaryReaderError| malformed(&error, bytes);
    let (mut imports, mut exports) = (Vec::new(), Vec::new());
    let mut depth = 0_u32;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(malformed)? {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if depth == 0 => {
                for import in section {
                    imports.push(import.map_err(malformed)?.name.name.to_owned());
                }
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                for export in section {
                    exports.push(export.map_err(malformed)?.name.name.to_owned());
                }
            }
            _ => {}
        }
    }
    Ok((imports, exports))
}

/// What a component imports and exports, and what its exports lack.
pub(super) fn read_types(bytes: &[u8], most: &Sizes) -> Result<(Anatomy, Vec<FileFault>), FileFault> {
    nesting::check(bytes)?;
    let (types, work, beginning, bulk) = work::validate(bytes, most).map_err(|fault| of_work(fault, bytes))?;
    let (imports, exports) = names(bytes)?;
    let types = types.as_ref();
    let lacking = match types.component_item_for_export(INTERFACE).map(|item| item.ty) {
        Some(ComponentEntityType::Instance(interface)) => FUNCTIONS
            .iter()
            .filter(|name| !types[interface].exports.contains_key(**name))
            .map(|function| FileFault::NoFunction {
                function: (*function).into(),
            })
            .collect(),
        _ => vec![FileFault::NoExport],
    };
    let anatomy = Anatomy {
        size: bytes.len(),
        digest: Digest::of_file(bytes),
        work,
        most_code: bulk.most_code(),
        memory: beginning.memory,
        table_entries: beginning.table_entries,
        imports,
        exports,
    };
    Ok((anatomy, lacking))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::skill::BUNDLED;
    use crate::skill::inspect::survey;

    const MOST: Sizes = Sizes {
        file: 16 << 20,
        memory: 64 << 20,
        table_entries: 100_000,
    };

    #[test]
    fn of_a_bundled_skill_the_same_is_found_as_by_going_through_all_of_it() {
        for own in BUNDLED {
            let whole = survey(own.wasm, &MOST).whole().unwrap();
            assert!(whole.work > 0 && !whole.exports.is_empty(), "{}", own.name);
            let found = built_in(own.wasm, &MOST).unwrap();
            assert_eq!(found, Anatomy { work: 0, ..whole }, "{}", own.name);
        }
    }

    #[test]
    fn a_bundled_skill_that_begins_with_more_than_it_may_have_is_refused_as_any_other() {
        let [own, ..] = BUNDLED else {
            panic!("nothing is bundled");
        };
        let most = Sizes { memory: 1, ..MOST };
        let fault = built_in(own.wasm, &most).unwrap_err();
        assert_eq!(fault, survey(own.wasm, &most).whole().unwrap_err());
        assert!(matches!(fault, FileFault::Begins { asked, .. } if asked > 1), "{fault}");
    }
}
