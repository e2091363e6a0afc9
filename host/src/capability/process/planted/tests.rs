//! What is put away after a command, and what is not.

#![allow(clippy::unwrap_used)]
use super::super::guarded::Look;
use super::super::walk::survey;
use super::*;
use std::os::unix::fs::symlink;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

const INITIAL: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n";

/// Makes what `make` makes, and answers what was said about it.
fn after(known: &[&str], make: impl Fn(&Path)) -> (tempfile::TempDir, Vec<String>) {
    let workspace = tempfile::tempdir().unwrap();
    for folder in known {
        std::fs::create_dir_all(workspace.path().join(folder)).unwrap();
    }
    let before = survey(workspace.path(), &[], Look::Before, Time::of(MINUTE));
    make(workspace.path());
    let after = survey(workspace.path(), &[], Look::After(&before), Time::of(MINUTE));
    let notes = disarm(workspace.path(), &before, &after, Time::of(MINUTE)).notes;
    (workspace, notes)
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn a_repository_as_git_makes_it_stays_as_it_is() {
    let (workspace, notes) = after(&[], |root| {
        write(root, "new/.git/HEAD", "ref: refs/heads/main\n");
        write(root, "new/.git/config", INITIAL);
        write(root, "new/.git/hooks/pre-commit.sample", "");
    });
    assert_eq!(notes, Vec::<String>::new());
    assert!(workspace.path().join("new/.git/config").exists());
}

#[test]
fn hooks_and_configuration_that_run_something_are_renamed_and_named() {
    let outside = tempfile::tempdir().unwrap();
    let (workspace, notes) = after(&[".git/refs"], |root| {
        write(root, ".git/hooks/pre-commit", "#!/bin/sh\n");
        write(root, ".git/commondir", "../evil\n");
        write(root, "evil/HEAD", "");
        write(root, "evil/objects/x", "");
        write(root, "evil/refs/x", "");
        write(root, "evil/config", "[core]\n\tfsmonitor = evil\n");
        symlink(outside.path(), root.join("evil/hooks")).unwrap();
    });
    assert_eq!(notes.len(), 4, "{notes:?}");
    for gone in [".git/hooks", ".git/commondir", "evil/config", "evil/hooks"] {
        assert!(workspace.path().join(gone).symlink_metadata().is_err(), "{gone}");
        assert!(notes.iter().any(|note| note.starts_with(gone)), "{gone}: {notes:?}");
    }
    assert!(workspace.path().join("evil/config.untrusted").exists());
}

#[test]
fn hooks_that_were_there_are_left_alone_and_others_are_not_added_to_them() {
    let workspace = tempfile::tempdir().unwrap();
    for name in ["pre-commit", "lib/more"] {
        write(workspace.path(), &format!(".git/hooks/{name}"), "#!/bin/sh\n");
    }
    let before = survey(workspace.path(), &[], Look::Before, Time::of(MINUTE));
    let again = || survey(workspace.path(), &[], Look::After(&before), Time::of(MINUTE));
    assert!(
        disarm(workspace.path(), &before, &again(), Time::of(MINUTE))
            .notes
            .is_empty()
    );
    std::fs::remove_file(workspace.path().join(".git/hooks/pre-commit")).unwrap();
    write(workspace.path(), ".git/hooks/pre-push.sample", "");
    assert!(
        disarm(workspace.path(), &before, &again(), Time::of(MINUTE))
            .notes
            .is_empty()
    );
    write(workspace.path(), ".git/hooks/lib/more", "changed");
    let notes = disarm(workspace.path(), &before, &again(), Time::of(MINUTE)).notes;
    assert!(
        notes.len() == 1 && notes[0].starts_with(".git/hooks was changed"),
        "{notes:?}"
    );
}

#[test]
fn what_was_not_looked_at_before_is_left_alone_unless_it_is_new() {
    let workspace = tempfile::tempdir().unwrap();
    write(workspace.path(), "old/.git/config", "[alias]\nst = !status\n");
    let mut before = survey(workspace.path(), &[], Look::Before, Time::of(MINUTE));
    before.repositories.clear();
    before.cut = true;
    let again = || survey(workspace.path(), &[], Look::After(&before), Time::of(MINUTE));
    // As if it had been taken later.
    let later = Survey {
        taken: i64::MAX,
        ..before.clone()
    };
    assert!(
        disarm(workspace.path(), &later, &again(), Time::of(MINUTE))
            .notes
            .is_empty()
    );
    let notes = disarm(workspace.path(), &before, &again(), Time::of(MINUTE)).notes;
    assert!(
        notes.len() == 1 && notes[0].starts_with("old/.git/config was new"),
        "{notes:?}"
    );
}

/// Makes that no thread which calls this can list a folder.
fn list_nothing() {
    let rules = [(libc::SYS_getdents64, Vec::new())].into();
    let (allow, refuse) = (
        seccompiler::SeccompAction::Allow,
        seccompiler::SeccompAction::Errno(libc::EIO.unsigned_abs()),
    );
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let filter = seccompiler::SeccompFilter::new(rules, allow, refuse, arch).unwrap();
    let filter: seccompiler::BpfProgram = filter.try_into().unwrap();
    seccompiler::apply_filter(&filter).unwrap();
}

#[test]
fn what_cannot_be_looked_at_afterwards_is_owed_unless_it_could_not_be_before() {
    let workspace = tempfile::tempdir().unwrap();
    let root = workspace.path();
    write(root, ".git/config", INITIAL);
    write(root, "sub/file", "");
    let before = survey(root, &[], Look::Before, Time::of(MINUTE));
    let unlisted = |before: &Survey| {
        let look = || {
            list_nothing();
            let after = survey(root, &[], Look::After(before), Time::of(MINUTE));
            disarm(root, before, &after, Time::of(MINUTE))
        };
        std::thread::scope(|scope| scope.spawn(look).join().unwrap())
    };
    let done = unlisted(&before);
    assert_eq!(done.owed, BTreeSet::from([".git", ""].map(PathBuf::from)));
    assert_eq!(done.notes.len(), 2, "{done:?}");
    let opened = Root::open(root).unwrap();
    let mut shut = before.clone();
    shut.shut = [".git", ""]
        .map(|path| opened.about(path.as_ref()).unwrap().identity)
        .into();
    assert!(unlisted(&shut).owed.is_empty());
    let gone = disarm(&root.join("nowhere"), &before, &Survey::default(), Time::of(MINUTE));
    assert_eq!(gone.owed, BTreeSet::from([PathBuf::new()]));
}

#[test]
fn what_was_not_looked_up_for_a_repository_afterwards_is_owed_unless_it_was_not_before() {
    let workspace = tempfile::tempdir().unwrap();
    write(workspace.path(), ".git/config", INITIAL);
    let mut before = survey(workspace.path(), &[], Look::Before, Time::of(MINUTE));
    let mut after = survey(workspace.path(), &[], Look::After(&before), Time::of(MINUTE));
    after.repositories[0].cut = true;
    let owed = |before: &Survey| disarm(workspace.path(), before, &after, Time::of(MINUTE)).owed;
    assert_eq!(owed(&before), BTreeSet::from([PathBuf::from(".git")]));
    (before.cut, before.repositories[0].cut) = (true, true);
    assert!(owed(&before).is_empty());
}

#[test]
fn what_there_was_no_time_to_put_away_is_owed() {
    let workspace = tempfile::tempdir().unwrap();
    let before = survey(workspace.path(), &[], Look::Before, Time::of(MINUTE));
    write(workspace.path(), "r/.git/config", "[core]\n\tfsmonitor = evil\n");
    let after = survey(workspace.path(), &[], Look::After(&before), Time::of(MINUTE));
    let done = disarm(workspace.path(), &before, &after, Time::of(Duration::ZERO));
    assert_eq!(done.owed, BTreeSet::from([PathBuf::new()]));
    assert!(workspace.path().join("r/.git/config").exists());
    let done = disarm(workspace.path(), &before, &after, Time::of(MINUTE));
    assert!(done.owed.is_empty() && !workspace.path().join("r/.git/config").exists());
}
