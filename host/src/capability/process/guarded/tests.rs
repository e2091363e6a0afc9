//! Which places of a workspace are covered.

#![allow(clippy::unwrap_used)]
use super::*;

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
    survey(workspace.path(), &protected, Look::Before)
        .guarded
        .into_iter()
        .map(|place| (place.path.display().to_string(), place.cover))
        .collect()
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
    assert_eq!(survey(workspace.path(), &[], Look::Before).guarded.len(), 1);
    for number in 0..=20 {
        std::fs::write(workspace.path().join(number.to_string()), "").unwrap();
    }
    assert!(survey_of(workspace.path(), &[], Look::Before, 20).cut);
    assert!(!survey_of(workspace.path(), &[], Look::Before, 30).cut);
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
    let found = survey(&root, &[], Look::Before);
    for path in ["tree/checks", "shared"] {
        let cover = found
            .guarded
            .iter()
            .find(|own| own.path == Path::new(path))
            .map(|own| own.cover);
        assert_eq!(cover, Some(Cover::ReadOnly), "{path}: {found:?}");
    }
}
