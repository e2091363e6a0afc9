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

use super::loaded::Skill;
use crate::audit::{LogError, write_private};
use crate::gate::verdict::{Gate, GateFault, Subject, Verdict};
use crate::sexp::{Brackets, Digest, Form, ReadError, kw, read_prefix};

/// Beside the files; hidden, so that it is never taken for one.
const FILE: &str = ".gates-once-ready";

/// What a gate was about when it was last ready: all targets, or these.
type About = Option<Vec<String>>;

/// The gates from files that have been ready, and are not deleted.
#[derive(Debug, Default)]
pub(super) struct OnceReady(BTreeMap<String, About>);

impl OnceReady {
    /// What is kept in `folder`. What can't be read is said in the log and counts as nothing known.
    pub(super) fn load(folder: &Path) -> OnceReady {
        match fs::read_to_string(folder.join(FILE)) {
            Ok(text) => OnceReady(parse(&text)),
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::error!("which gates were ready before is not known: {FILE}: {error}");
                }
                OnceReady::default()
            }
        }
    }

    /// Remembers the gates among `ready` that came from files, and forgets those for which there is no file.
    pub(super) fn update<'a>(
        &mut self,
        folder: &Path,
        files: &BTreeSet<&String>,
        ready: impl Iterator<Item = &'a Skill>,
    ) {
        let before = self.0.clone();
        self.0.retain(|name, _| files.contains(name));
        for skill in ready.filter(|skill| skill.is_gate() && files.contains(&skill.name().to_owned())) {
            self.0
                .insert(skill.name().to_owned(), skill.description().gate_targets.clone());
        }
        if self.0 != before
            && let Err(error) = self.store(folder)
        {
            tracing::error!("which gates are ready could not be kept: {FILE}: {error}");
        }
    }

    /// The gates that have been ready and are not among `ready` now.
    pub(super) fn fallen(&self, ready: &[String]) -> Vec<Arc<dyn Gate>> {
        let fallen = self.0.iter().filter(|(name, _)| !ready.contains(name));
        fallen
            .map(|(name, about)| {
                Arc::new(Fallen {
                    name: name.clone(),
                    about: about.clone(),
                }) as Arc<dyn Gate>
            })
            .collect()
    }

    fn store(&self, folder: &Path) -> Result<(), LogError> {
        let mut text = String::new();
        for (name, about) in &self.0 {
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

/// The entries that can be read. One that can't be is said in the log: it may have been a gate.
fn parse(text: &str) -> BTreeMap<String, About> {
    let mut known = BTreeMap::new();
    let mut rest = text;
    loop {
        let (form, length) = match read_prefix(rest, Brackets::Refuse) {
            Ok(found) => found,
            Err(ReadError::Empty) => return known,
            Err(error) => {
                tracing::error!("which gates were ready before is known in part only: {FILE}: {error}");
                return known;
            }
        };
        rest = &rest[length..];
        let targets = match form.get("TARGETS") {
            Some(Form::List(items)) => Some(items.iter().filter_map(Form::designator).map(str::to_owned).collect()),
            Some(Form::Nil) => Some(Vec::new()),
            // Whatever else stands there: about everything is the safe side.
            _ => None,
        };
        if let Some(name) = form.text_at("gate") {
            known.insert(name.to_owned(), targets);
        }
    }
}

/// The place of a gate that no longer loads.
struct Fallen {
    name: String,
    about: About,
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
            reason:
                "it was ready before and no longer loads; see `passepartout-host skill list`, and mend its file or \
                     delete it"
                    .to_owned(),
        })
    }
}
