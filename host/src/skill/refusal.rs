//! Why a file, or a bundled skill, is not in use.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::grants::Grants;
use super::inspect::FileFault;
use super::loaded::{Skill, Source};
use super::right;
use super::status::{SkillState, SkillStatus};
use super::workshop::{Bundled, LoadFault, Workshop};
use crate::gate::GateFault;
use crate::sexp::Digest;

/// How long what may pass by itself is left alone before it is tried again: so long at first, twice as long each time, and no
/// longer than this.
const AGAIN: Duration = Duration::from_secs(2);
const AGAIN_AT_LAST: Duration = Duration::from_secs(300);

/// Why something is not in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) state: SkillState,
    pub(super) reason: String,
    /// After how long it is tried again by itself, if it is.
    pub(super) again: Option<Duration>,
    digest: Option<Digest>,
    /// Whether there will be room at the next start, if it is a gate's.
    is_for_room: bool,
}

impl Refusal {
    pub(super) fn of(fault: &LoadFault, digest: Option<Digest>) -> Refusal {
        Refusal {
            state: fault.state(),
            reason: fault.to_string(),
            again: None,
            digest,
            is_for_room: matches!(fault, LoadFault::NoRoom { .. }),
        }
    }

    /// The same, of a file that failed with `fault` after it did so `before` times in a row.
    pub(super) fn after(self, fault: &LoadFault, before: u32) -> Refusal {
        if !fault.may_pass() {
            return self;
        }
        let pause = AGAIN.saturating_mul(1 << before.min(16)).min(AGAIN_AT_LAST);
        let at = humantime::format_rfc3339_seconds(SystemTime::now() + pause);
        Refusal {
            reason: format!("{}; it is tried again by itself, the next time at {at}", self.reason),
            again: Some(pause),
            ..self
        }
    }

    /// Of a file that may not be complete yet.
    pub(super) fn discovered(why: &str) -> Refusal {
        Refusal {
            state: SkillState::Discovered,
            reason: why.to_owned(),
            again: None,
            digest: None,
            is_for_room: false,
        }
    }

    /// The same, where the grants have this fault: what waits may wait for nothing else.
    pub(super) fn without_grants(self, fault: Option<&str>) -> Refusal {
        match fault {
            Some(fault) if self.state == SkillState::Waiting => Refusal {
                reason: format!("{fault}; as long as nothing is granted, {}", self.reason),
                ..self
            },
            _ => self,
        }
    }

    /// The same, of a file in whose place nothing is in use, where that has actions rejected: because a gate `was_ready` in
    /// that place, or because `gates.required` names it, where `bundled` says whether one comes back without the file.
    pub(super) fn in_place_of_gate(self, was_ready: bool, required: bool, bundled: bool) -> Refusal {
        let follows = match (was_ready, required, bundled) {
            (false, false, _) => return self,
            (true, false, _) => {
                "a gate was ready here before, so what it was about is rejected until one loads again, or the file is deleted"
            }
            (_, true, true) => {
                "it is a required gate, so nothing passes until one loads again, or the file is deleted"
            }
            (_, true, false) => {
                "`gates.required` in config.toml names it, so nothing passes until one loads in its place, also without the file"
            }
        };
        let reason = format!("{}; {follows}", self.reason);
        Refusal { reason, ..self }
    }

    /// The line of the list. `stays` is what is in use under the name instead, if anything is.
    pub(super) fn status(self, name: &str, source: Source, stays: Option<&Arc<Skill>>) -> SkillStatus {
        let reason = match stays {
            // At a start there is no earlier version: a gate's place is closed then, not open.
            Some(skill) if skill.is_gate() && skill.source != Source::Bundled && !self.is_for_room => format!(
                "{}; meanwhile {} stays in use, until a restart: if the file is still so then, what it is about is rejected",
                self.reason,
                about(skill)
            ),
            Some(skill) => format!("{}; meanwhile {} stays in use", self.reason, about(skill)),
            None => self.reason,
        };
        SkillStatus {
            digest: self.digest.map(|digest| digest.to_string()),
            ..SkillStatus::absent(name, source, self.state, Some(reason))
        }
    }
}

/// A version of a skill, in a few words.
pub(super) fn about(skill: &Skill) -> String {
    let origin = if skill.source == Source::Bundled {
        ", bundled"
    } else {
        ""
    };
    format!(
        "version {} ({}{origin})",
        skill.description().version,
        skill.digest().short()
    )
}

impl LoadFault {
    /// Whether a file with this fault may be one that is still being written.
    pub(super) fn may_be_incomplete(&self) -> bool {
        matches!(
            self,
            LoadFault::File(
                FileFault::Empty
                    | FileFault::Cut { .. }
                    | FileFault::Malformed { .. }
                    | FileFault::NoExport
                    | FileFault::NoFunction { .. }
            )
        )
    }

    /// Whether it could be a skill, had there been more time.
    pub(super) fn is_for_want_of_time(&self) -> bool {
        matches!(self, LoadFault::TooSlow { .. } | LoadFault::Stalled { .. })
    }

    /// Whether it may be otherwise in a while though nobody changes the file: the system could not read it just then, or could
    /// not do the work.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            // Without a number it is what the file is.
            LoadFault::Unreadable(error) => error.raw_os_error().is_some(),
            LoadFault::NoCompiler(_) | LoadFault::Stalled { .. } => true,
            _ => false,
        }
    }

    /// Whether these bytes fail in this way whenever they are tried by this host.
    pub(super) fn is_about_the_bytes(&self) -> bool {
        match self {
            LoadFault::File(_)
            | LoadFault::Compile(_)
            | LoadFault::Code { .. }
            | LoadFault::TooSlow { .. }
            | LoadFault::Link(_)
            | LoadFault::Describe(_)
            | LoadFault::BadStem(_)
            | LoadFault::WrongName { .. } => true,
            // Time and room may be the machine's fault.
            LoadFault::Start(fault) => !matches!(fault, GateFault::Time { .. } | GateFault::Unavailable { .. }),
            LoadFault::Unreadable(_)
            | LoadFault::NoCompiler(_)
            | LoadFault::Stalled { .. }
            | LoadFault::TooBig { .. }
            | LoadFault::TooMany { .. }
            | LoadFault::NotGranted { .. }
            | LoadFault::NotTrusted { .. }
            | LoadFault::NoGate { .. }
            | LoadFault::NoRoom { .. }
            | LoadFault::Claimed { .. }
            | LoadFault::Order(_) => false,
        }
    }
}

impl Workshop {
    /// Whether a skill that was made before may still be used.
    ///
    /// # Errors
    /// What it would have to be granted again.
    pub(super) fn check_allowed(&self, skill: &Skill, bundled: &[Bundled], grants: &Grants) -> Result<(), LoadFault> {
        let (name, digest) = (skill.name(), skill.digest());
        if let Source::File(path) = &skill.source
            && let Some(what) = self.needs_trust(name, bundled)
            && !grants.trusts(name, &digest)
        {
            return Err(LoadFault::NotTrusted {
                what,
                path: path.display().to_string(),
            });
        }
        // Bounds of capabilities too: a skill that reaches further than it may now is made again.
        let rights: Vec<_> = skill
            .rights
            .difference(&right::granted(name, &digest, &skill.source, grants))
            .cloned()
            .collect();
        if rights.is_empty() {
            return Ok(());
        }
        Err(LoadFault::NotGranted {
            name: name.to_owned(),
            rights,
            open: Vec::new(),
        })
    }

    /// Whether a file of this name needs the operator's word, and why.
    pub(super) fn needs_trust(&self, name: &str, bundled: &[Bundled]) -> Option<&'static str> {
        if bundled.iter().any(|own| own.name == name) {
            Some("bundled")
        } else if self.is_required(name) {
            Some("required")
        } else {
            None
        }
    }

    pub(super) fn check_trusted(
        &self,
        name: &str,
        path: &Path,
        bytes: &[u8],
        bundled: &[Bundled],
        grants: &Grants,
    ) -> Result<(), LoadFault> {
        match self.needs_trust(name, bundled) {
            Some(what) if !grants.trusts(name, &Digest::of_file(bytes)) => Err(LoadFault::NotTrusted {
                what,
                path: path.display().to_string(),
            }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_is_tried_again_with_growing_pauses_and_nothing_else_is() {
        let pauses =
            |fault: &LoadFault| [0, 1, 2, 40].map(|before| Refusal::of(fault, None).after(fault, before).again);
        let unreadable = LoadFault::Unreadable(std::io::Error::from_raw_os_error(libc::EAGAIN));
        let seconds = [2, 4, 8, 300].map(|seconds| Some(Duration::from_secs(seconds)));
        assert_eq!(pauses(&unreadable), seconds);
        assert_eq!(pauses(&LoadFault::NoCompiler("it was killed".to_owned())), seconds);
        assert!(
            Refusal::of(&unreadable, None)
                .after(&unreadable, 0)
                .reason
                .contains("tried again by itself, the next time at 2")
        );
        let folder = LoadFault::Unreadable(std::io::Error::other("it is no plain file"));
        assert_eq!(pauses(&folder), [None; 4]);
        assert_eq!(pauses(&LoadFault::File(FileFault::Text)), [None; 4]);
    }
}
