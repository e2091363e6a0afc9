//! Gates that were once ready and no longer load.
//!
//! A gate that disappears because its file broke would be a hole that nobody sees, so it stays in the chain and
//! rejects what it is about, until its file is deleted. Which gates have been ready is kept beside the files, so that
//! a restart forgets nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::loaded::{Skill, Source};
use crate::audit::{LogError, write_private};
use crate::gate::verdict::{Gate, GateFault, Subject, Verdict};
use crate::sexp::{Brackets, Digest, Form, ReadError, kw, read_prefix};

/// Beside the files; hidden, so that it is never taken for one.
const FILE: &str = ".gates-once-ready";

/// What a gate was about when it was last ready: all targets, or these.
type About = Option<Vec<String>>;

/// The gates from files that have been ready, and are not deleted.
#[derive(Debug, Default)]
pub(super) struct OnceReady {
    gates: BTreeMap<String, About>,
    /// What is wrong with the file: then it may have held gates that are not known, and nothing may pass.
    damage: Option<String>,
}

impl OnceReady {
    /// What is kept in `folder`. Where it can't be read, there is one gate more, which rejects everything.
    pub(super) fn load(folder: &Path) -> OnceReady {
        let path = folder.join(FILE);
        let (gates, damage) = match fs::read_to_string(&path) {
            Ok(text) => parse(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => (BTreeMap::new(), None),
            Err(error) => (BTreeMap::new(), Some(error.to_string())),
        };
        let damage = damage.map(|damage| {
            format!(
                "which gates were ready before is known in part only ({}: {damage}); see with `passepartout-host skill list` \
                 that every gate of yours is there, delete that file, and start the daemon again",
                path.display()
            )
        });
        if let Some(damage) = &damage {
            tracing::error!("{damage}");
        }
        OnceReady { gates, damage }
    }

    /// Whether the gate `name` was ready, and its file was not deleted since.
    pub(super) fn has(&self, name: &str) -> bool {
        self.gates.contains_key(name)
    }

    /// Remembers the gates among `ready` that came from files. Forgets those for which there is no file, and those in whose
    /// place something is ready that is no gate: the operator said so.
    pub(super) fn update<'a>(
        &mut self,
        folder: &Path,
        files: &BTreeSet<&String>,
        ready: impl Iterator<Item = &'a Skill>,
    ) {
        let before = self.gates.clone();
        self.gates.retain(|name, _| files.contains(name));
        for skill in ready.filter(|skill| files.contains(&skill.name().to_owned())) {
            let name = skill.name().to_owned();
            if skill.is_gate() {
                self.gates.insert(name, skill.description().gate_targets.clone());
            } else if skill.source != Source::Bundled {
                self.gates.remove(&name);
            }
        }
        if self.gates != before
            && self.damage.is_none()
            && let Err(error) = self.store(folder)
        {
            tracing::error!("which gates are ready could not be kept: {FILE}: {error}");
        }
    }

    /// The gates that have been ready and are not now, as `is_ready` says. Of those that `is_coming` knows it is not decided
    /// yet whether they will be.
    pub(super) fn fallen(
        &self,
        is_ready: impl Fn(&str) -> bool,
        is_coming: impl Fn(&str) -> bool,
    ) -> Vec<Arc<dyn Gate>> {
        let fallen = self.gates.iter().filter(|(name, _)| !is_ready(name));
        let known = fallen.map(|(name, about)| Fallen {
            name: name.clone(),
            about: about.clone(),
            reason: if is_coming(name) { COMING } else { GONE }.to_owned(),
        });
        let unknown = self.damage.iter().map(|damage| Fallen {
            name: FILE.to_owned(),
            about: None,
            reason: damage.clone(),
        });
        known
            .chain(unknown)
            .map(|gate| Arc::new(gate) as Arc<dyn Gate>)
            .collect()
    }

    fn store(&self, folder: &Path) -> Result<(), LogError> {
        let mut text = String::new();
        for (name, about) in &self.gates {
            let targets = match about {
                None => Form::truth(true),
                Some(targets) => Form::list(targets.iter().map(|target| kw(target)).collect()),
            };
            text.push_str(&Form::plist([("GATE", name.into()), ("TARGETS", targets)]).to_string());
            text.push('\n');
        }
        write_private(&folder.join(FILE), text.as_bytes())
    }
}

/// The entries that can be read, and what is wrong with the first one that can't be.
fn parse(text: &str) -> (BTreeMap<String, About>, Option<String>) {
    let mut known = BTreeMap::new();
    let mut rest = text;
    loop {
        let (form, length) = match read_prefix(rest, Brackets::Refuse) {
            Ok(found) => found,
            Err(ReadError::Empty) => return (known, None),
            Err(error) => return (known, Some(error.to_string())),
        };
        rest = &rest[length..];
        let targets = match form.get("TARGETS") {
            Some(Form::List(items)) => Some(items.iter().filter_map(Form::designator).map(str::to_owned).collect()),
            Some(Form::Nil) => Some(Vec::new()),
            // Whatever else stands there: about everything is the safe side.
            _ => None,
        };
        match form.text_at("gate") {
            Some(name) => drop(known.insert(name.to_owned(), targets)),
            None => return (known, Some(format!("{} names no gate", form.shortened(40)))),
        }
    }
}

/// Why a gate that once was ready rejects.
const GONE: &str =
    "it was ready before and no longer loads; see `passepartout-host skill list`, and mend its file or delete it";

/// Why one that is still to be loaded rejects.
const COMING: &str = "it was ready before and is being loaded; try again in a moment";

/// The place of a gate that no longer loads.
struct Fallen {
    name: String,
    about: About,
    reason: String,
}

impl Gate for Fallen {
    fn name(&self) -> &str {
        &self.name
    }

    fn priority(&self) -> i64 {
        0
    }

    fn digest(&self) -> Digest {
        Digest::of("passepartout-fallen-gate-1", self.name.as_bytes())
    }

    fn is_about(&self, target: &str) -> bool {
        self.about
            .as_ref()
            .is_none_or(|own| own.iter().any(|own| own == target))
    }

    fn may_revise(&self) -> bool {
        false
    }

    fn judge(&self, _: &Subject) -> Result<Verdict, GateFault> {
        Err(GateFault::Unavailable {
            reason: self.reason.clone(),
        })
    }
}
