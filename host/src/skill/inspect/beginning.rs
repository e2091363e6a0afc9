//! How large the memories and tables are that the modules of a file begin with. The compiler writes down what they begin with,
//! up to all of it: a line that sets one entry of a table makes megabytes of code. So modules that nothing instantiates count
//! too, and what no instance may have is never compiled.

use wasmparser::Payload;

use super::work::Fault;
use super::{Anatomy, FileFault};
use crate::config::SkillLimits;
use crate::skill::engine::{MEMORIES_EACH, TABLE_ENTRIES, TABLES_EACH};

/// What a page of memory is, as a power of two, where a module says nothing of it.
const PAGE: u32 = 16;

/// How large a file may be, and what its modules begin with, all together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::skill) struct Sizes {
    /// The file, in bytes.
    pub(in crate::skill) file: u64,
    /// Memories, in bytes.
    pub(in crate::skill) memory: u64,
    /// Entries of tables.
    pub(in crate::skill) table_entries: u64,
}

impl Sizes {
    /// For a skill with these bounds.
    pub(in crate::skill) fn of(limits: &SkillLimits) -> Sizes {
        Sizes {
            file: limits.file,
            memory: limits.memory,
            table_entries: limits.table_entries,
        }
    }

    /// Whether a file that was found to be like this is within these bounds.
    pub(in crate::skill) fn hold(&self, anatomy: &Anatomy) -> bool {
        anatomy.size as u64 <= self.file
            && anatomy.memory <= self.memory
            && anatomy.table_entries <= self.table_entries
    }
}

/// What the modules of a file begin with, as far as it was read.
#[derive(Default)]
pub(super) struct Beginning {
    pub(super) memory: u64,
    pub(super) table_entries: u64,
    /// Of the module that is read now.
    memories: u64,
    tables: u64,
}

impl Beginning {
    /// Takes in what was found valid.
    ///
    /// # Errors
    /// When it is more than a skill may have, or a module; or can't be read after all.
    pub(super) fn take(&mut self, payload: &Payload<'_>, most: &Sizes) -> Result<(), Fault> {
        match payload {
            Payload::ModuleSection { .. } => (self.memories, self.tables) = (0, 0),
            Payload::MemorySection(section) => {
                self.memories = self.memories.saturating_add(u64::from(section.count()));
                of_a_module("memories", self.memories, u64::from(MEMORIES_EACH))?;
                for memory in section.clone() {
                    let memory = memory?;
                    let page = 1_u64
                        .checked_shl(memory.page_size_log2.unwrap_or(PAGE))
                        .unwrap_or(u64::MAX);
                    self.memory = self.memory.saturating_add(memory.initial.saturating_mul(page));
                }
            }
            Payload::TableSection(section) => {
                self.tables = self.tables.saturating_add(u64::from(section.count()));
                of_a_module("tables", self.tables, u64::from(TABLES_EACH))?;
                for table in section.clone() {
                    let entries = table?.ty.initial;
                    of_a_module("entries in one table", entries, TABLE_ENTRIES as u64)?;
                    self.table_entries = self.table_entries.saturating_add(entries);
                }
            }
            _ => return Ok(()),
        }
        together("bytes of memory", self.memory, most.memory, "memory_bytes")?;
        together(
            "entries of tables",
            self.table_entries,
            most.table_entries,
            "table_entries",
        )
    }
}

fn of_a_module(what: &'static str, asked: u64, allowed: u64) -> Result<(), Fault> {
    if asked <= allowed {
        return Ok(());
    }
    Err(Fault::Costly(FileFault::Crowded {
        what: what.into(),
        asked,
        allowed,
    }))
}

fn together(what: &'static str, asked: u64, allowed: u64, key: &'static str) -> Result<(), Fault> {
    if asked <= allowed {
        return Ok(());
    }
    Err(Fault::Costly(FileFault::Begins {
        what: what.into(),
        asked,
        allowed,
        key: key.into(),
    }))
}
