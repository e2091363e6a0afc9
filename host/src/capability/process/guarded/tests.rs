//! Which places of a workspace are covered.

#![allow(clippy::unwrap_used)]
use super::super::time::{Time, Timing};
use super::super::walk::{Most, survey, survey_of};
use super::*;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const MINUTE: Duration = Duration::from_secs(60);

fn workspace(files: &[&str]) -> tempfile::TempDir {
    let workspace = tempfile::tempdir().unwrap();
    for file in files {
        let path = workspace.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if file.ends_with('/') {
            std::fs::create_dir_all(path).unwrap();
        } else {
            std::fs::write(path, "").unwrap();
        }
    }
    workspace
}

fn covered(files: &[&str], protected: &[&str]) -> Vec<(String, Cover)> {
    let workspace = workspace(files);
    let protected: Vec<String> = protected.iter().map(|&pattern| pattern.to_owned()).collect();
    survey(workspace.path(), &protected, Look::Before, Time::of(MINUTE))
        .guarded
        .into_iter()
        .map(|place| (place.path.display().to_string(), place.cover))
        .collect()
}

fn look_at(workspace: &tempfile::TempDir, look: Look<'_>, entries: usize, bytes: usize) -> Survey {
    survey_of(workspace.path(), &[], look, Most { entries, bytes }, Time::of(MINUTE))
}

fn look_for(workspace: &tempfile::TempDir, look: Look<'_>, time: Time<'_>) -> Survey {
    survey(workspace.path(), &[], look, time)
}

fn place(path: &str, cover: Cover) -> (String, Cover) {
    (path.to_owned(), cover)
}

#[test]
fn what_git_obeys_is_read_only_in_every_repository_there_is() {
    let files = [
        ".git/HEAD",
        ".git/hooks/",
        ".git/config",
        ".git/modules/a/HEAD",
        ".git/modules/a/objects/",
        ".git/modules/a/refs/",
        ".git/modules/a/config",
        ".git/worktrees/w/HEAD",
        ".git/worktrees/w/commondir",
        "bare/HEAD",
        "bare/objects/",
        "bare/refs/",
        "bare/hooks/",
        "deep/er/.git/config",
        "tree/.git",
    ];
    let found = covered(&files, &[]);
    for (path, cover) in [
        (".git", Cover::Pinned),
        (".git/hooks", Cover::ReadOnly),
        (".git/config", Cover::ReadOnly),
        (".git/modules/a/config", Cover::ReadOnly),
        (".git/worktrees/w/commondir", Cover::ReadOnly),
        ("bare", Cover::Pinned),
        ("bare/hooks", Cover::ReadOnly),
        ("deep/er/.git/config", Cover::ReadOnly),
        ("tree/.git", Cover::ReadOnly),
    ] {
        assert!(found.contains(&place(path, cover)), "{path}: {found:?}");
    }
    let at = |path: &str| found.iter().position(|(own, _)| own == path);
    assert!(at(".git") < at(".git/hooks"), "{found:?}");
}

#[test]
fn keys_are_absent_and_what_is_started_or_holds_variables_is_read_only() {
    let files = [
        ".env",
        ".env.example",
        "sub/.env.local",
        ".bashrc",
        ".npmrc",
        "keys/id_ed25519",
        ".ssh/known_hosts",
        "a/.config/fish/config.fish",
        "src/environment.rs",
    ];
    assert_eq!(
        covered(&files, &[]),
        [
            place(".bashrc", Cover::ReadOnly),
            place(".env", Cover::ReadOnly),
            place(".npmrc", Cover::ReadOnly),
            place(".ssh", Cover::Absent),
            place("sub/.env.local", Cover::ReadOnly),
            place("keys/id_ed25519", Cover::Absent),
            place("a/.config/fish", Cover::ReadOnly),
        ]
    );
}

#[test]
fn what_the_operator_protects_is_absent() {
    let files = ["private/a", "b/private/c", "notes.secret", "privately", "x1"];
    assert_eq!(
        covered(&files, &["private", "*.secret", "x[0-9]"]),
        [
            place("notes.secret", Cover::Absent),
            place("private", Cover::Absent),
            place("x1", Cover::Absent),
            place("b/private", Cover::Absent),
        ]
    );
}

#[test]
fn the_way_to_what_is_protected_by_its_way_is_pinned() {
    assert_eq!(
        covered(&["a/b/private/c", "x/.docker/config.json"], &["b/private"]),
        [
            place("a", Cover::Pinned),
            place("x", Cover::Pinned),
            place("a/b", Cover::Pinned),
            place("x/.docker", Cover::Pinned),
            place("a/b/private", Cover::Absent),
            place("x/.docker/config.json", Cover::Absent),
        ]
    );
}

#[test]
fn a_link_is_not_followed_and_a_folder_without_end_is_cut() {
    let workspace = workspace(&["a/.env"]);
    std::os::unix::fs::symlink("..", workspace.path().join("a/up")).unwrap();
    assert_eq!(
        survey(workspace.path(), &[], Look::Before, Time::of(MINUTE))
            .guarded
            .len(),
        1
    );
    for number in 0..=20 {
        std::fs::write(workspace.path().join(number.to_string()), "").unwrap();
    }
    let cut = |entries| look_at(&workspace, Look::Before, entries, 1 << 20).cut;
    assert!(cut(20) && !cut(30));
}

#[test]
fn a_folder_that_is_made_to_look_like_a_repository_leaves_no_key_uncovered() {
    let files = [
        "HEAD",
        "objects/",
        "refs/",
        ".env",
        "id_rsa",
        "sub/.env",
        "refs/heads/id_rsa",
    ];
    let found = covered(&files, &[]);
    for (path, cover) in [
        (".env", Cover::ReadOnly),
        ("id_rsa", Cover::Absent),
        ("sub/.env", Cover::ReadOnly),
    ] {
        assert!(found.contains(&place(path, cover)), "{path}: {found:?}");
    }
    // A branch may be called what it likes.
    assert!(!found.iter().any(|(path, _)| path.starts_with("refs")), "{found:?}");
}

#[test]
fn what_a_repository_takes_from_elsewhere_is_covered_there() {
    let workspace = workspace(&["tree/.git/HEAD", "tree/checks/pre-commit", "shared"]);
    std::fs::write(
        workspace.path().join("tree/.git/config"),
        "[core]\n hooksPath = checks\n[include]\n path = ../../shared\n",
    )
    .unwrap();
    let root = workspace.path().canonicalize().unwrap();
    let found = survey(&root, &[], Look::Before, Time::of(MINUTE));
    for path in ["tree/checks", "shared"] {
        let cover = found
            .guarded
            .iter()
            .find(|own| own.path == Path::new(path))
            .map(|own| own.cover);
        assert_eq!(cover, Some(Cover::ReadOnly), "{path}: {found:?}");
    }
}

#[test]
fn where_paths_take_more_room_than_there_is_that_is_cut_and_owed() {
    let workspace = workspace(&[]);
    let clean = look_at(&workspace, Look::Before, 1_000, 5_000);
    assert!(!clean.cut);
    for number in 0..50 {
        std::fs::create_dir(workspace.path().join(format!("{number}{}", "n".repeat(200)))).unwrap();
    }
    for look in [
        Look::Before,
        Look::Unasked(Writes::Refused),
        Look::Unasked(Writes::Allowed),
        Look::After(&clean),
    ] {
        let (short, enough) = (
            look_at(&workspace, look, 1_000, 5_000),
            look_at(&workspace, look, 1_000, 1 << 20),
        );
        assert!(short.cut && !enough.cut, "{short:?}");
        let owes = matches!(look, Look::After(_));
        assert_eq!((!short.unseen.is_empty(), enough.unseen.len()), (owes, 0), "{short:?}");
    }
    // What is found takes room as well: here nothing waits but the one folder.
    let many = self::workspace(&[]);
    for number in 0..50 {
        std::fs::write(many.path().join(format!("{number}{}.env", "n".repeat(100))), "").unwrap();
        std::fs::write(many.path().join(format!(".env.{number}{}", "n".repeat(100))), "").unwrap();
    }
    assert!(look_at(&many, Look::Unasked(Writes::Refused), 1_000, 5_000).cut);
    assert!(!look_at(&many, Look::Unasked(Writes::Refused), 1_000, 1 << 20).cut);
}

#[test]
fn what_lies_too_deep_is_hidden_and_a_command_that_makes_such_a_thing_owes_it() {
    let (workspace, below) = (workspace(&[]), "d/".repeat(256));
    let clean = look_at(&workspace, Look::Before, 1_000, 1 << 20);
    std::fs::create_dir_all(workspace.path().join(&below)).unwrap();
    let whole = look_at(&workspace, Look::After(&clean), 1_000, 1 << 20);
    assert!(whole.deep.is_empty() && whole.unseen.is_empty(), "{whole:?}");
    std::fs::create_dir_all(workspace.path().join(&below).join("d/e/f/.git")).unwrap();
    std::fs::create_dir_all(workspace.path().join("other")).unwrap();
    let after = look_at(&workspace, Look::After(&clean), 1_000, 1 << 20);
    assert_eq!(after.unseen, [Path::new("d/d/d/d/d/d/d/d")]);
    for look in [
        Look::Before,
        Look::Unasked(Writes::Refused),
        Look::Unasked(Writes::Allowed),
    ] {
        let found = look_at(&workspace, look, 1_000, 1 << 20);
        let covered: Vec<(PathBuf, Cover)> = found
            .guarded
            .iter()
            .map(|place| (place.path.clone(), place.cover))
            .collect();
        assert_eq!(covered, [(Path::new(&below).join("d"), Cover::Absent)]);
        assert!(!found.cut && found.deep.len() == 1);
    }
    // One that was there is the operator's, as long as it is that one.
    let before = look_at(&workspace, Look::Before, 1_000, 1 << 20);
    let unseen = || look_at(&workspace, Look::After(&before), 1_000, 1 << 20).unseen;
    assert_eq!(unseen(), Vec::<PathBuf>::new());
    let deep = workspace.path().join(&below);
    std::fs::rename(deep.join("d"), workspace.path().join("old")).unwrap();
    std::fs::create_dir_all(deep.join("d")).unwrap();
    assert_eq!(unseen().len(), 1);
}

#[test]
fn where_there_is_no_time_that_is_cut_and_owed() {
    let workspace = workspace(&["a/b/c"]);
    let clean = look_for(&workspace, Look::Before, Time::of(MINUTE));
    let late = look_for(&workspace, Look::Before, Time::of(Duration::ZERO));
    assert!(late.cut && late.late && !clean.cut && !clean.late);
    assert!(look_for(&workspace, Look::Unasked(Writes::Refused), Time::of(Duration::ZERO)).cut);
    // Also where there was too much before, as long as that was not for time.
    for (before, owed) in [
        (&clean, 1),
        (
            &Survey {
                cut: true,
                ..clean.clone()
            },
            1,
        ),
        (&late, 0),
    ] {
        let after = look_for(&workspace, Look::After(before), Time::of(Duration::ZERO));
        assert!(after.late && after.unseen.len() == owed, "{after:?}");
    }
    // Who stops the turn does not wait for what is before a command, but a little for what is after it.
    let (cancel, timeout) = (CancellationToken::new(), MINUTE);
    cancel.cancel();
    let timing = Timing {
        timeout,
        cancel: &cancel,
    };
    assert!(look_for(&workspace, Look::Before, timing.before()).late);
    assert!(!look_for(&workspace, Look::After(&clean), timing.after()).late);
}
