//! Which skills were in use last and what they claimed, kept on disk, so that who had a target or a tool has it after a
//! restart as well.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::describe::Description;
use super::folder::read_whole;
use super::loaded::{Skill, Source};
use super::workshop::LoadFault;
use crate::audit::{LogError, Writes};
use crate::sexp::{Form, read};

/// In the folder for the host's state.
const FILE: &str = "skills-in-use";

/// Longest file that is read or written, in bytes. A thousand files that claim all that a description may have less.
const LONGEST: usize = 64 << 20;

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
        let skills = match read_whole(&path, LONGEST as u64) {
            Ok(bytes) => parse(&String::from_utf8_lossy(&bytes)),
            Err(LoadFault::Unreadable(error)) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
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
        let mut lines: Vec<String> = self.skills.iter().map(|(name, claims)| line(name, claims)).collect();
        let mut length = 0;
        // What is longer than is read would be the end of what all the others had.
        lines.retain(|line| {
            length += line.len();
            length <= LONGEST
        });
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

/// The entries that can be read, one a line.
fn parse(text: &str) -> BTreeMap<String, Claims> {
    let mut known = BTreeMap::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match entry(line) {
            Ok((name, claims)) => drop(known.insert(name, claims)),
            Err(problem) => tracing::warn!(
                "which skills were in use is known in part only: {FILE}, line {}: {problem}",
                number + 1
            ),
        }
    }
    known
}

fn entry(line: &str) -> Result<(String, Claims), String> {
    let form = read(line).map_err(|error| error.to_string())?;
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
    let name = form.text_at("skill").ok_or("it names no skill")?;
    Ok((name.to_owned(), claims))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_a_skill_had_is_known_again_whatever_stands_beside_it() {
        let state = tempfile::tempdir().unwrap();
        let claims = Claims {
            targets: vec![("MINE".to_owned(), None), ("OURS".to_owned(), Some("ADD".to_owned()))],
            tools: vec!["count".to_owned()],
        };
        let own = line("own", &claims);
        // More than may stand in one form, and lines of a target that once had a line break.
        let long = line(
            "long",
            &Claims {
                targets: vec![("X".repeat(5 << 20), None)],
                ..Claims::default()
            },
        );
        std::fs::write(state.path().join(FILE), format!("{long}(:SKILL \"a\n\" b)\n{own}")).unwrap();
        let owned = Owned::load(state.path(), Writes::default());
        assert_eq!(owned.all().collect::<Vec<_>>(), [(&"own".to_owned(), &claims)]);
    }

    #[test]
    fn what_can_not_be_read_without_waiting_is_not_waited_for() {
        let state = tempfile::tempdir().unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(state.path().join(FILE))
            .status();
        assert!(made.unwrap().success());
        assert_eq!(Owned::load(state.path(), Writes::default()).all().count(), 0);
    }
}
