//! What `skill list` shows of one skill.

use std::fmt;

use serde_json::json;

use super::idle::idle;
use super::inspect::interfaces;
use super::loaded::{Skill, Source};
use super::right::Right;
use super::tally::Counts;

/// Where a skill stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkillState {
    /// Seen, and perhaps not yet complete.
    Discovered,
    /// For a grant, for trust, or for a skill it depends on.
    Waiting,
    /// In use.
    Ready,
    /// Not usable.
    Failed,
    /// Left alone for a while, because its calls failed again and again.
    Quarantined,
}

impl SkillState {
    /// As it is said of a skill, behind its name.
    pub fn told(self) -> &'static str {
        match self {
            SkillState::Discovered => "is discovered",
            SkillState::Waiting => "is waiting",
            SkillState::Ready => "is ready",
            SkillState::Failed => "has failed",
            SkillState::Quarantined => "is quarantined",
        }
    }
}

impl fmt::Display for SkillState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SkillState::Discovered => "discovered",
            SkillState::Waiting => "waiting",
            SkillState::Ready => "ready",
            SkillState::Failed => "failed",
            SkillState::Quarantined => "quarantined",
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
    /// What it imports or asks for and can't make use of, a sentence each.
    pub notes: Vec<String>,
    /// What happened with it so far.
    pub counts: Counts,
    /// Sessions for which it keeps state.
    pub sessions: usize,
}

impl SkillStatus {
    /// A skill that is in use.
    pub(super) fn of(skill: &Skill) -> SkillStatus {
        let description = skill.description();
        let (state, reason) = match skill.left_alone() {
            None => (SkillState::Ready, None),
            Some(alone) => (SkillState::Quarantined, Some(alone.to_string())),
        };
        SkillStatus {
            version: Some(description.version.clone()),
            digest: Some(skill.digest().to_string()),
            priority: Some(description.priority),
            functions: description.functions.iter().map(|function| function.name()).collect(),
            capabilities: capabilities(&skill.imports),
            rights: skill.rights.iter().map(Right::to_string).collect(),
            notes: idle(&interfaces(&skill.imports), description),
            counts: skill.tally.counts(),
            sessions: skill.sessions.count(),
            ..SkillStatus::absent(skill.name(), skill.source.clone(), state, reason)
        }
    }

    /// A bundled gate that judges beside a file that was ready in its place and is not now.
    pub(super) fn beside_fallen(skill: &Skill) -> SkillStatus {
        let name = skill.name();
        let reason = format!(
            "it judges, but a file of its name was ready in its place and is not now, so that what that one was about is \
             rejected: mend that file, or have this one back with `passepartout-host skill remove {name}`"
        );
        SkillStatus {
            state: SkillState::Waiting,
            reason: Some(reason),
            ..SkillStatus::of(skill)
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
            notes: Vec::new(),
            counts: Counts::default(),
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
            "notes": self.notes,
            "calls": self.counts.calls,
            "traps": self.counts.faults,
            "last_fault": self.counts.last_fault,
            "p50_us": self.counts.p50_us,
            "p99_us": self.counts.p99_us,
            "memory": self.counts.memory,
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
