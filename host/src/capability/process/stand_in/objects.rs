//! What git has under names.

use super::line::Line;
use std::io::{Read, Write};
use std::process::Stdio;

/// What git has under a name.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) name: String,
    /// `blob`, `tree`, `commit`, `tag`, or something else if there is none.
    pub(super) kind: String,
}

impl Object {
    fn read(line: &str) -> Object {
        let (name, kind) = line.rsplit_once(' ').unwrap_or_default();
        Object {
            name: name.to_owned(),
            kind: kind.to_owned(),
        }
    }

    /// It, if there is one.
    pub(super) fn there(self) -> Option<Object> {
        matches!(self.kind.as_str(), "blob" | "commit" | "tag" | "tree").then_some(self)
    }
}

impl Line<'_> {
    /// How git calls each of these and what it is, one after the other, if it says it: in other places than a repository
    /// nothing.
    pub(super) fn objects(&self, names: &[String]) -> Option<Vec<Object>> {
        if let Some(objects) = self.told(names) {
            return Some(objects);
        }
        if self.is_nowhere()? {
            return Some(Vec::new());
        }
        // At some names that mean nothing it gives up: `@{u}` where nothing is followed.
        let hash = |name: &String| {
            let hash = self.object(name).unwrap_or_default();
            String::from_utf8_lossy(hash.trim_ascii_end()).into_owned()
        };
        let hashes: Vec<String> = names.iter().map(hash).collect();
        self.told(&hashes)
    }

    fn told(&self, names: &[String]) -> Option<Vec<Object>> {
        if names.is_empty() {
            return Some(Vec::new());
        }
        let mut child = { self.question() }
            .args(["cat-file", "--batch-check=%(objectname) %(objecttype)"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let (mut ask, mut answers) = (child.stdin.take()?, child.stdout.take()?);
        let lines: String = names.iter().map(|name| format!("{name}\n")).collect();
        let mut text = String::new();
        let is_read = std::thread::scope(|scope| {
            scope.spawn(move || ask.write_all(lines.as_bytes()));
            answers.read_to_string(&mut text).is_ok()
        });
        let is_done = child.wait().ok()?.success() && is_read;
        let objects: Vec<Object> = text.lines().map(Object::read).collect();
        (is_done && objects.len() == names.len()).then_some(objects)
    }

    /// How git calls what is meant, if it can be told and is one thing.
    pub(super) fn object(&self, name: &str) -> Option<Vec<u8>> {
        let asked = self.asked(["rev-parse", "-q", "--verify", "--end-of-options", name])?;
        asked.status.success().then_some(asked.stdout)
    }

    /// The kinds of what all names stand for in the end: a tag may be one of another tag.
    pub(super) fn kinds_of_all(&self) -> Option<Vec<String>> {
        let asked = self.asked(["for-each-ref", "--format=%(objectname)^{}"])?;
        if !asked.status.success() {
            return None;
        }
        let text = String::from_utf8_lossy(&asked.stdout).into_owned();
        let names: Vec<String> = text.lines().map(str::to_owned).collect();
        let objects = self.objects(&names)?;
        Some(objects.into_iter().map(|object| object.kind).collect())
    }
}
