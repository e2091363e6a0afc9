//! What `skill list` shows of one skill.

use std::fmt;
use std::sync::atomic::Ordering;

use serde_json::json;

use super::loaded::{Skill, Source};
use super::right::Right;

/// Where a skill stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkillState {
    /// For a grant, for trust, or for a skill it depends on.
    Waiting,
    /// In use.
    Ready,
    /// Not usable.
    Failed,
}

impl fmt::Display for SkillState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SkillState::Waiting => "waiting",
            SkillState::Ready => "ready",
            SkillState::Failed => "failed",
        })
    }
}

/// One skill, or one file that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillStatus {
    /// Its name: the stem of its file.
    pub name: String,
    /// Where it came from.
    pub source: Source,
    /// Where it stands.
    pub state: SkillState,
    /// Why it is not ready, and what to do.
    pub reason: Option<String>,
    /// Its own version.
    pub version: Option<String>,
    /// The digest of its file.
    pub digest: Option<String>,
    /// Its priority.
    pub priority: Option<i64>,
    /// Its functions.
    pub functions: Vec<String>,
    /// The interfaces of ours that it imports.
    pub capabilities: Vec<String>,
    /// The rights it has.
    pub rights: Vec<String>,
    /// Calls so far.
    pub calls: u64,
    /// Calls that failed.
    pub faults: u64,
    /// Most memory that one instance had, in bytes.
    pub memory: u64,
    /// Sessions for which it keeps state.
    pub sessions: usize,
}

impl SkillStatus {
    /// A skill that is in use.
    pub(super) fn of(skill: &Skill) -> SkillStatus {
        let description = skill.description();
        SkillStatus {
            version: Some(description.version.clone()),
            digest: Some(skill.digest().to_string()),
            priority: Some(description.priority),
            functions: description.functions.iter().map(|function| function.name()).collect(),
            capabilities: capabilities(&skill.imports),
            rights: skill.rights.iter().map(Right::to_string).collect(),
            calls: skill.tally.calls.load(Ordering::Relaxed),
            faults: skill.tally.faults.load(Ordering::Relaxed),
            memory: skill.tally.memory.load(Ordering::Relaxed),
            sessions: skill.sessions.count(),
            ..SkillStatus::absent(skill.name(), skill.source.clone(), SkillState::Ready, None)
        }
    }

    /// A skill that is not in use, or a file that is none.
    pub(super) fn absent(name: &str, source: Source, state: SkillState, reason: Option<String>) -> SkillStatus {
        SkillStatus {
            name: name.to_owned(),
            source,
            state,
            reason,
            version: None,
            digest: None,
            priority: None,
            functions: Vec::new(),
            capabilities: Vec::new(),
            rights: Vec::new(),
            calls: 0,
            faults: 0,
            memory: 0,
            sessions: 0,
        }
    }

    /// For programs.
    pub fn json(&self) -> serde_json::Value {
        json!({
            "name": self.name,
            "source": self.source.to_string(),
            "state": self.state.to_string(),
            "reason": self.reason,
            "version": self.version,
            "digest": self.digest,
            "priority": self.priority,
            "functions": self.functions,
            "capabilities": self.capabilities,
            "rights": self.rights,
            "calls": self.calls,
            "traps": self.faults,
            "memory": self.memory,
            "sessions": self.sessions,
        })
    }
}

/// The names of our own interfaces among `imports`, without package and version.
fn capabilities(imports: &[String]) -> Vec<String> {
    let own = |import: &String| {
        let (name, _) = import.strip_prefix("passepartout:skill/")?.split_once('@')?;
        Some(name.to_owned())
    };
    imports.iter().filter_map(own).collect()
}
