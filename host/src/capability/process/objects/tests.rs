//! What was committed, told from what was only added, with the real git.

#![allow(clippy::unwrap_used)]
use super::super::head::{Head, written};
use super::*;
use std::collections::BTreeMap;
use std::process::Command;

struct Repository(tempfile::TempDir);

impl Repository {
    fn new() -> Repository {
        let made = Repository(tempfile::tempdir().unwrap());
        made.git(&["init", "-q"]);
        made
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments);
        let done = git
            .current_dir(self.0.path())
            .env("HOME", self.0.path())
            .output()
            .unwrap();
        assert!(done.status.success(), "{arguments:?}: {done:?}");
        String::from_utf8(done.stdout).unwrap()
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", "one"]);
    }

    /// Whether the last commit has what is at `name` now, where the index notes no folder.
    fn has(&self, name: &str) -> bool {
        let object = self.git(&["hash-object", name]);
        let object = hex::decode(object.trim()).unwrap().try_into().unwrap();
        let root = Root::open(self.0.path()).unwrap();
        Head::of(&root, Path::new(".git")).has(&root, Path::new(name), &object, &BTreeMap::new())
    }
}

#[test]
fn what_was_committed_is_told_from_what_was_only_added_however_git_keeps_it() {
    let repository = Repository::new();
    repository.put("a", "1");
    repository.git(&["add", "-A"]);
    assert!(!repository.has("a"), "nothing was committed");
    // Enough for git to tell folders by what is different in them.
    for number in 0..200 {
        repository.put(&format!("deep/er/{number}"), &number.to_string());
    }
    for number in 0..30 {
        repository.put("deep/er/own", &format!("a rather long text of version {number}"));
        repository.put(&format!("deep/er/{number}"), "other");
        repository.commit();
    }
    repository.put("deep/er/added", "2");
    repository.git(&["add", "-A"]);
    for how in [
        &["status"][..],
        &["gc", "-q"],
        &["repack", "-adfq", "--depth=50", "--window=250"],
        &["pack-refs", "--all"],
        &["checkout", "-q", "--detach"],
    ] {
        repository.git(how);
        for name in ["a", "deep/er/own", "deep/er/29", "deep/er/199"] {
            assert!(repository.has(name), "{name} after {how:?}");
        }
        assert!(!repository.has("deep/er/added"), "after {how:?}");
        repository.put("deep/er/own", "changed");
        assert!(!repository.has("deep/er/own"), "after {how:?}");
        repository.git(&["checkout", "-q", "deep/er/own"]);
    }
    let listed = repository.git(&["verify-pack", "-v", &pack_of(&repository)]);
    assert!(
        listed.contains("chain length = 2"),
        "no object is told by another one: {listed}"
    );
}

fn pack_of(repository: &Repository) -> String {
    let folder = repository.0.path().join(".git/objects/pack");
    let mut names = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    names
        .find(|path| path.extension().is_some_and(|end| end == "idx"))
        .unwrap()
        .display()
        .to_string()
}

#[test]
fn what_is_broken_off_or_not_there_was_not_committed() {
    let repository = Repository::new();
    for number in 0..50 {
        repository.put(&number.to_string(), "text");
    }
    repository.commit();
    repository.git(&["gc", "-q"]);
    assert!(repository.has("7"));
    let pack = Path::new(&pack_of(&repository)).with_extension("pack");
    let whole = std::fs::read(&pack).unwrap();
    std::fs::remove_file(&pack).unwrap();
    for cut in (0..whole.len()).step_by(3) {
        std::fs::write(&pack, &whole[..cut]).unwrap();
        // It may have broken off behind what is needed.
        let _ = repository.has("7");
    }
    std::fs::write(&pack, &whole[..20]).unwrap();
    assert!(!repository.has("7"));
    std::fs::write(&pack, &whole).unwrap();
    assert!(repository.has("7"));
    std::fs::write(repository.0.path().join(".git/HEAD"), "ref: refs/../../x\n").unwrap();
    assert!(!repository.has("7"));
}

#[test]
fn a_difference_makes_what_git_makes_of_it_and_nothing_else() {
    let base = b"hello world";
    // Copies "hello", inserts "!", copies "world".
    let difference = [11, 11, 0x90, 5, 1, b'!', 0x91, 6, 5];
    assert_eq!(apply(base, &difference).as_deref(), Some(&b"hello!world"[..]));
    for cut in 0..difference.len() {
        assert_eq!(apply(base, &difference[..cut]), None, "{cut}");
    }
    for wrong in [
        &[12, 1, 0x90, 1][..],
        &[11, 1, 0x90, 2],
        &[11, 2, 0x91, 10, 2],
        &[11, 1, 0],
        &[11, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
    ] {
        assert_eq!(apply(base, wrong), None, "{wrong:?}");
    }
}

#[test]
fn folders_that_an_index_notes_are_read_by_their_paths() {
    let name = |byte: u8| [byte; NAME];
    let noted = [
        &b"\x00-1 2\n"[..],
        b"a\x003 1\n",
        &name(1),
        b"b\x001 0\n",
        &name(2),
        b"c\x002 0\n",
        &name(3),
    ]
    .concat();
    let found = written(&noted).unwrap();
    let wanted = [("a", 1), ("a/b", 2), ("c", 3)].map(|(path, byte)| (path.as_bytes().to_owned(), name(byte)));
    assert_eq!(found, wanted.into());
    assert_eq!(written(&noted[..noted.len() - 1]), None);
}
