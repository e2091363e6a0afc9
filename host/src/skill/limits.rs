//! The bounds on one store, enforced and remembered.
//!
//! A guest that is refused memory mostly ends in `unreachable`; only who refused it knows the true reason, so the
//! limiter keeps it. Memory and tables are summed over all of a store's, however many there are.

use wasmtime::ResourceLimiter;

use super::engine::{MEMORIES, TABLES};
use crate::config::SkillLimits;
use crate::gate::GateFault;

/// Refuses what is beyond the bounds, and remembers it.
#[derive(Debug)]
pub(super) struct Limiter {
    memory: Sum,
    tables: Sum,
    instances: usize,
    refused: Option<GateFault>,
}

#[derive(Debug)]
struct Sum {
    used: u64,
    allowed: u64,
}

impl Sum {
    /// Adds a growth, or says what was asked for in all.
    fn grow(&mut self, current: usize, desired: usize) -> Result<(), u64> {
        let asked = self.used.saturating_add(desired.saturating_sub(current) as u64);
        if asked > self.allowed {
            return Err(asked);
        }
        self.used = asked;
        Ok(())
    }
}

impl Limiter {
    pub(super) fn new(limits: &SkillLimits) -> Limiter {
        Limiter {
            memory: Sum {
                used: 0,
                allowed: limits.memory,
            },
            tables: Sum {
                used: 0,
                allowed: limits.table_entries,
            },
            instances: usize::try_from(limits.instances).unwrap_or(usize::MAX),
            refused: None,
        }
    }

    /// What was refused last, if anything was.
    pub(super) fn refused(&self) -> Option<&GateFault> {
        self.refused.as_ref()
    }

    /// Begins another call, in which nothing has been refused yet.
    pub(super) fn forget_refusal(&mut self) {
        self.refused = None;
    }

    /// How much memory is used, in bytes.
    pub(super) fn memory(&self) -> u64 {
        self.memory.used
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let granted = self.memory.grow(current, desired);
        if let Err(asked) = granted {
            self.refused = Some(GateFault::Memory {
                asked,
                allowed: self.memory.allowed,
            });
        }
        Ok(granted.is_ok())
    }

    fn table_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let granted = self.tables.grow(current, desired);
        if let Err(asked) = granted {
            self.refused = Some(GateFault::Table {
                asked,
                allowed: self.tables.allowed,
            });
        }
        Ok(granted.is_ok())
    }

    fn instances(&self) -> usize {
        self.instances
    }

    fn tables(&self) -> usize {
        TABLES as usize
    }

    fn memories(&self) -> usize {
        MEMORIES as usize
    }
}
