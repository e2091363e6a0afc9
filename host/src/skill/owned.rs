//! Which skills were in use last and what they claimed, kept on disk, so that who had a target or a tool has it after a
//! restart as well.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::describe::Description;
use super::loaded::{Skill, Source};
use crate::audit::{LogError, Writes};
use crate::sexp::{Brackets, Form, ReadError, read_prefix};

/// In the folder for the host's state.
const FILE: &str = "skills-in-use";

/// What a skill claims: targets with their action, if only one is meant, and tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Claims {
    pub(super) targets: Vec<(String, Option<String>)>,
    pub(super) tools: Vec<String>,
}

impl Claims {
    /// What a skill of this description claims.
    pub(super) fn of(own: &Description) -> Claims {
        Claims {
            targets: own
                .targets
                .iter()
                .map(|claim| (claim.target.clone(), claim.action.clone()))
                .collect(),
            tools: own.tools.iter().map(|tool| tool.name.clone()).collect(),
        }
    }
}

/// Who was in use last.
#[derive(Debug, Default)]
pub(super) struct Owned {
    path: Option<PathBuf>,
    writes: Writes,
    /// Whether the file says something else, because the last write failed.
    unwritten: bool,
    skills: BTreeMap<String, Claims>,
}

impl Owned {
    /// What is kept in the folder `state`. What can't be read is not known: then who was there first is decided anew. How
    /// writing it goes is noted in `writes`.
    pub(super) fn load(state: &Path, writes: Writes) -> Owned {
        let path = state.join(FILE);
        let skills = match fs::read_to_string(&path) {
            Ok(text) => parse(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => {
                tracing::warn!("which skills were in use is not known: {}: {error}", path.display());
                BTreeMap::new()
            }
        };
        Owned {
            path: Some(path),
            writes,
            unwritten: false,
            skills,
        }
    }

    /// Writes nothing from now on.
    pub(super) fn only_seen(self) -> Owned {
        Owned { path: None, ..self }
    }

    /// What `name` claimed when it was last in use, if it was.
    pub(super) fn of(&self, name: &str) -> Option<&Claims> {
        self.skills.get(name)
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = (&String, &Claims)> {
        self.skills.iter()
    }

    /// Remembers those `in_use` that came from files, and those that `stay` because it is not decided yet what becomes of
    /// them.
    pub(super) fn update(&mut self, in_use: &BTreeMap<String, Arc<Skill>>, stay: &BTreeSet<String>) {
        let before = self.skills.clone();
        self.skills.retain(|name, _| stay.contains(name));
        let from_files = in_use.iter().filter(|(_, skill)| skill.source != Source::Bundled);
        self.skills
            .extend(from_files.map(|(name, skill)| (name.clone(), Claims::of(skill.description()))));
        if (self.skills != before || self.unwritten)
            && let Err(error) = self.save()
        {
            tracing::error!("which skills are in use could not be kept: {error}");
        }
    }

    /// Writes it where the last write failed. That it still can't be written was said then.
    pub(super) fn save_again(&mut self) {
        if self.unwritten {
            let _ = self.save();
        }
    }

    fn save(&mut self) -> Result<(), LogError> {
        let Some(path) = &self.path else { return Ok(()) };
        let lines: Vec<String> = self.skills.iter().map(|(name, claims)| line(name, claims)).collect();
        let written = self.writes.private(path, lines.concat().as_bytes());
        self.unwritten = written.is_err();
        written
    }
}

fn line(name: &str, claims: &Claims) -> String {
    let target = |(target, action): &(String, Option<String>)| {
        let parts = std::iter::once(target).chain(action);
        Form::list(parts.map(|part| part.as_str().into()).collect())
    };
    let form = Form::plist([
        ("SKILL", name.into()),
        ("TARGETS", Form::list(claims.targets.iter().map(target).collect())),
        (
            "TOOLS",
            Form::list(claims.tools.iter().map(|tool| tool.as_str().into()).collect()),
        ),
    ]);
    format!("{form}\n")
}

/// The entries up to the first that can't be read.
fn parse(text: &str) -> BTreeMap<String, Claims> {
    let (mut known, mut rest) = (BTreeMap::new(), text);
    loop {
        let (form, length) = match read_prefix(rest, Brackets::Refuse) {
            Ok(found) => found,
            Err(ReadError::Empty) => return known,
            Err(error) => {
                tracing::warn!("which skills were in use is known in part only: {FILE}: {error}");
                return known;
            }
        };
        rest = &rest[length..];
        let text = |form: &Form| form.as_str().map(str::to_owned);
        let list = |key: &str| form.get(key).and_then(Form::items).unwrap_or_default();
        let target = |form: &Form| {
            let parts = form.items()?;
            Some((parts.first().and_then(text)?, parts.get(1).and_then(text)))
        };
        let claims = Claims {
            targets: list("TARGETS").iter().filter_map(target).collect(),
            tools: list("TOOLS").iter().filter_map(text).collect(),
        };
        if let Some(name) = form.text_at("skill") {
            known.insert(name.to_owned(), claims);
        }
    }
}
