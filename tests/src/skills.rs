//! The skills folder of a running daemon: putting files there, and seeing what becomes of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use passepartout_host::sexp::{Digest, Form};

use crate::daemon::PATIENCE;
use crate::guest::Guest;
use crate::{Daemon, Home, Peer};

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(4);

/// One line of the list of skills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The skill's name.
    pub name: String,
    /// `discovered`, `waiting`, `ready`, `failed` or `quarantined`.
    pub state: String,
    /// `bundled`, or the file.
    pub source: String,
    /// Its own version.
    pub version: String,
    /// The digest of its bytes.
    pub digest: String,
    /// Why it is not ready.
    pub reason: String,
    /// The rights it has, with spaces between.
    pub rights: String,
}

/// The skills folder of a home.
pub struct Folder(PathBuf);

impl Folder {
    /// That of `home`.
    pub fn of(home: &Home) -> Folder {
        let folder = home.path().join("skills");
        fs::create_dir_all(&folder).expect("create the skills folder");
        Folder(folder)
    }

    /// The file of the skill `name`.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.wasm"))
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Copies a file there, as `cp` does.
    pub fn copy(&self, name: &str, bytes: &[u8]) {
        fs::write(self.file(name), bytes).expect("write a skill");
    }

    /// Moves a finished file there, as `mv` does.
    pub fn moved(&self, name: &str, bytes: &[u8]) {
        let aside = self.0.join(format!(".{name}.aside"));
        fs::write(&aside, bytes).expect("write a skill aside");
        fs::rename(&aside, self.file(name)).expect("move a skill");
    }

    /// Deletes a file.
    pub fn delete(&self, name: &str) {
        fs::remove_file(self.file(name)).expect("delete a skill");
    }
}

/// What a daemon says of its skills.
pub struct Watcher(Peer);

impl Watcher {
    /// Over a connection of its own.
    pub fn of(daemon: &Daemon<'_>) -> Watcher {
        Watcher(daemon.connect())
    }

    /// The whole list.
    pub fn rows(&mut self) -> Vec<Row> {
        let answer = self.0.admin("(:ACTION :SKILLS)");
        let skills = answer.get("SKILLS").and_then(Form::items).unwrap_or_default();
        skills.iter().map(row).collect()
    }

    /// The lines about `name`.
    pub fn rows_of(&mut self, name: &str) -> Vec<Row> {
        self.rows().into_iter().filter(|row| row.name == name).collect()
    }

    /// Waits until a line about `name` is as `wanted`, and returns it.
    pub fn wait(&mut self, name: &str, wanted: impl Fn(&Row) -> bool) -> Row {
        let begun = Instant::now();
        loop {
            let rows = self.rows_of(name);
            if let Some(row) = rows.iter().find(|row| wanted(row)) {
                return row.clone();
            }
            assert!(
                begun.elapsed() < PATIENCE,
                "`{name}` never became what was waited for: {rows:#?}"
            );
            std::thread::sleep(PAUSE);
        }
    }

    /// Waits until `name` is in this state.
    pub fn wait_state(&mut self, name: &str, state: &str) -> Row {
        self.wait(name, |row| row.state == state)
    }

    /// Waits until `name` is in use in this version.
    pub fn wait_version(&mut self, name: &str, version: &str) -> Row {
        self.wait(name, |row| row.state == "ready" && row.version == version)
    }

    /// Waits until the file with this digest is in use as `name`.
    pub fn wait_digest(&mut self, name: &str, digest: &str) -> Row {
        self.wait(name, |row| row.state == "ready" && row.digest == digest)
    }

    /// Waits until the file with these bytes is in use as `name`.
    pub fn wait_file(&mut self, name: &str, bytes: &[u8]) -> Row {
        self.wait_digest(name, &Digest::of_file(bytes).to_string())
    }

    /// Waits until nothing of `name` is listed.
    pub fn wait_gone(&mut self, name: &str) {
        let begun = Instant::now();
        while !self.rows_of(name).is_empty() {
            assert!(begun.elapsed() < PATIENCE, "`{name}` stays: {:#?}", self.rows_of(name));
            std::thread::sleep(PAUSE);
        }
    }

    /// What is in use: name and digest of each skill that is ready.
    pub fn in_use(&mut self) -> Vec<(String, String)> {
        let ready = self.rows().into_iter().filter(|row| row.state == "ready");
        ready.map(|row| (row.name, row.digest)).collect()
    }
}

fn row(form: &Form) -> Row {
    let text = |key: &str| form.text_at(key).unwrap_or_default().to_owned();
    Row {
        name: text("name"),
        state: text("state"),
        source: text("source"),
        version: text("version"),
        digest: text("digest"),
        reason: text("reason"),
        rights: form
            .get("RIGHTS")
            .and_then(Form::items)
            .map(|rights| rights.iter().filter_map(Form::as_str).collect::<Vec<_>>().join(" "))
            .unwrap_or_default(),
    }
}

/// A gate that rejects everything, by a rule that is its version.
pub fn gate(name: &str, version: &str) -> Vec<u8> {
    gate_with(name, version, "")
}

/// The same, with more to say of itself.
pub fn gate_with(name: &str, version: &str, more: &str) -> Vec<u8> {
    let mut guest = Guest::new(format!(
        "(:NAME \"{name}\" :VERSION \"{version}\" :FUNCTIONS (:GATE) {more})"
    ));
    let text = guest.text(&format!("(:RULE \"{version}\" :REASON \"always\")"));
    guest.gate = format!("(call $say (i32.const 2) {text})");
    guest.build()
}

/// Asserts that `name` rejects by `version`, now.
pub fn assert_judges(peer: &mut Peer, name: &str, version: &str) {
    let turn = peer.ask("hello");
    assert_eq!(turn.rejections().first(), Some(&(name, version)), "{turn:#?}");
}

/// A gate with some megabytes of code.
pub fn large_gate(name: &str) -> Vec<u8> {
    enlarged(Guest::gate(name), 600)
}

/// A skill with so many functions more, of some kilobytes each, which it never runs.
pub fn enlarged(mut guest: Guest, functions: usize) -> Vec<u8> {
    let work: String = (0..300)
        .map(|n| format!("(local.set 0 (i32.add (i32.mul (local.get 0) (i32.const {n})) (i32.rotl (local.get 0) (i32.const 7))))"))
        .collect();
    guest.more = (0..functions)
        .map(|n| format!("(func (param i32) (result i32) (local.set 0 (i32.const {n})) {work} (local.get 0))"))
        .collect();
    guest.build()
}
