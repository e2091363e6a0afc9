//! How much of a file can become code, and to how much it may be compiled: what only lies in it buys nothing.

use std::ops::Range;

use wasmparser::Payload;

/// The most code for a file, in bytes: so much, and so much more for each of its bytes that become code. What compilers make
/// comes to three or four for each, and what surrounds it to some tens of thousands. What a few bytes can ask for beside that,
/// tables that are written out, adds up over all files that lie in the folder.
const CODE: u64 = 256 << 10;
const FOR_EACH_BYTE: u64 = 16;

/// So much more for each byte that is kept as it is: data, and the names of functions. It begins on a page of its own.
const FOR_EACH_KEPT: u64 = 2;

/// The section with the names of functions.
const NAMES: &str = "name";

/// What of a file comes into what it is compiled to, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bulk {
    /// What is compiled: instructions, types, and what puts components together.
    pub(super) compiled: u64,
    /// What is copied.
    pub(super) kept: u64,
}

impl Bulk {
    /// Takes in a part of the file. What lies within a part comes by itself.
    pub(super) fn take(&mut self, payload: &Payload<'_>) {
        match payload {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => {}
            Payload::DataSection(section) => self.kept += length(&section.range()),
            Payload::CustomSection(section) if section.name() == NAMES => self.kept += length(&section.range()),
            // What says where each line is in the source, and the like: nobody reads it.
            Payload::CustomSection(_) => {}
            section => {
                if let Some((_, range)) = section.as_section() {
                    self.compiled += length(&range);
                }
            }
        }
    }

    /// Both, in bytes.
    pub(super) fn whole(&self) -> u64 {
        self.compiled + self.kept
    }

    /// The most code that it may be compiled to, in bytes: it is held as long as the skill is in use.
    pub(super) fn most_code(&self) -> u64 {
        CODE.saturating_add(FOR_EACH_BYTE.saturating_mul(self.compiled))
            .saturating_add(FOR_EACH_KEPT.saturating_mul(self.kept))
    }
}

fn length(range: &Range<usize>) -> u64 {
    range.end.saturating_sub(range.start) as u64
}
