//! Ways from what git obeys to somewhere else: work trees behind links, scripts that hooks call, folders above.

use super::{House, Writes};
use std::os::unix::fs::{PermissionsExt, symlink};

/// A workspace in which git takes its hooks as husky has them: from a folder whose scripts start those of the folder above.
fn with_husky() -> House {
    let house = House::new();
    let workspace = house.workspace();
    for folder in [".git/objects", ".git/refs", ".husky/_", "tools/deep"] {
        std::fs::create_dir_all(workspace.join(folder)).unwrap();
    }
    let starts = "s=$(dirname \"$(dirname \"$0\")\")/$(basename \"$0\")\n[ ! -f \"$s\" ] || sh -e \"$s\" \"$@\"\n";
    for (path, text) in [
        (".git/HEAD", "ref: refs/heads/main\n"),
        (
            ".git/config",
            "[core]\n\trepositoryformatversion = 0\n\thooksPath = .husky/_\n",
        ),
        (".husky/_/h", starts),
        (".husky/_/pre-commit", ". \"$(dirname \"$0\")/h\"\n"),
        (".husky/_/pre-push", ". \"$(dirname \"$0\")/h\"\n"),
        (".husky/pre-commit", "sh tools/deep/check.sh data.json\n"),
        ("tools/deep/check.sh", "exit 0\n"),
        ("data.json", "{}\n"),
    ] {
        std::fs::write(workspace.join(path), text).unwrap();
        let mode = if path.contains("/_/") { 0o755 } else { 0o644 };
        std::fs::set_permissions(workspace.join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    }
    house
}

#[test]
fn what_hooks_call_can_be_read_and_not_changed_and_what_leads_there_not_moved() {
    for asked in [true, false] {
        let mut house = with_husky();
        (house.asked, house.writes) = (asked, Writes::Allowed);
        for line in [
            "echo evil > .husky/pre-commit",
            "echo evil > .husky/_/pre-commit",
            "echo evil > tools/deep/check.sh",
            "rm -f .husky/pre-commit",
            "mv tools/deep/check.sh tools/other",
            "mv .husky h2",
            "mv tools t2",
            "mv tools/deep tools/d2",
        ] {
            house.refuses(line);
        }
        let others =
            house.run("cat .husky/pre-commit && echo x > data.json && echo x > .husky/README && mkdir -p tools/new");
        assert_eq!((others.exit_code, &others.notes), (Some(0), &Vec::new()), "{others:?}");
    }
    // Without the jail each of them would have done it.
    let house = with_husky();
    assert!(house.works_outside("echo evil > .husky/pre-commit && mv .husky h2 && mv tools/deep tools/d2"));
}

#[test]
fn in_whatever_way_a_hook_calls_a_script_it_can_not_be_changed() {
    let mut house = with_husky();
    (house.asked, house.writes) = (false, Writes::Allowed);
    let workspace = house.workspace();
    let hook = "run-parts s/d\nfor i in s/e/*.sh; do\n  sh \"$i\"\ndone\n. s/f/*\nfish s/x.fish\nmake -f s/check.mk\n\
                python3 -m tools.check\n\"s/w w.sh\"\nR=s/r\n\"$R/r.sh\"\nmake -C s check\nnpx prettier src/*.js\n";
    std::fs::write(workspace.join(".husky/pre-commit"), hook).unwrap();
    let scripts = [
        "s/d/one",
        "s/e/two.sh",
        "s/f/three.weird",
        "s/x.fish",
        "s/check.mk",
        "tools/check.py",
        "tools/check/__main__.py",
        "tools/__init__.py",
        "s/w w.sh",
        "s/r/r.sh",
        "s/Makefile",
        "s/run",
        "s/deep.tcl",
    ];
    for path in scripts.into_iter().chain(["s/e/data.json", "src/main.js"]) {
        let place = workspace.join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, "").unwrap();
    }
    std::fs::write(workspace.join("s/r/r.sh"), "#!s/run\ntclsh s/deep.tcl\n").unwrap();
    for script in scripts {
        house.refuses(&format!("echo evil > '{script}'"));
    }
    house.refuses("mv s/r s/q");
    let output =
        house.run("echo x > src/main.js && echo x > src/new.js && echo x > s/e/data.json && echo x > s/notes");
    assert_eq!((output.exit_code, &output.notes), (Some(0), &Vec::new()), "{output:?}");
    // What would be called too, had it stayed.
    for path in ["s/d/new", "s/e/new.sh", "s/f/new", "s/GNUmakefile"] {
        let output = house.run(&format!("echo evil > {path}"));
        assert!(workspace.join(format!("{path}.untrusted")).exists(), "{output:?}");
        assert!(!workspace.join(path).exists(), "{output:?}");
        std::fs::remove_file(workspace.join(format!("{path}.untrusted"))).unwrap();
    }
    // Without the jail each of them would have done it.
    for script in scripts {
        assert!(house.works_outside(&format!("echo evil > '{script}'")), "{script}");
    }
}

#[test]
fn a_script_that_hooks_would_call_and_that_was_not_there_is_put_away() {
    let mut house = with_husky();
    (house.asked, house.writes) = (false, Writes::Allowed);
    let output = house.run("echo evil > .husky/pre-push");
    assert!(
        house.workspace().join(".husky/pre-push.untrusted").exists(),
        "{output:?}"
    );
    assert!(!house.workspace().join(".husky/pre-push").exists(), "{output:?}");
    assert!(
        output.notes.iter().any(|note| note.contains(".husky/pre-push was new")),
        "{output:?}"
    );
}

#[test]
fn a_script_that_a_hook_is_a_link_to_can_not_be_changed() {
    let house = House::new();
    let workspace = house.workspace();
    for folder in [".git/hooks", "scripts"] {
        std::fs::create_dir_all(workspace.join(folder)).unwrap();
    }
    std::fs::write(workspace.join("scripts/commit"), "exit 0\n").unwrap();
    symlink("../../scripts/commit", workspace.join(".git/hooks/pre-commit")).unwrap();
    house.refuses("echo evil > scripts/commit");
    house.refuses("mv scripts s2");
    assert_eq!(house.run("echo x > scripts/other").notes, Vec::<String>::new());
    assert!(house.works_outside("echo evil > scripts/commit"));
}

#[test]
fn a_new_repository_has_no_work_tree_behind_a_link() {
    let house = House::new();
    let outside = house.path("victim");
    std::fs::create_dir(&outside).unwrap();
    std::fs::create_dir(house.workspace().join("real")).unwrap();
    let make = |name: &str, tree: &str| {
        format!(
            "mkdir -p {name}/.git/objects {name}/.git/refs && echo 'ref: refs/heads/main' > {name}/.git/HEAD && printf \
             '[core]\\n\\trepositoryformatversion = 0\\n\\tworktree = {tree}\\n' > {name}/.git/config"
        )
    };
    let away = |name: &str| house.workspace().join(name).join(".git/config.untrusted").exists();
    for (name, link) in [
        ("a", format!("ln -s {} t", outside.display())),
        ("b", "ln -s ../victim u".to_owned()),
        ("c", "ln -s real v".to_owned()),
    ] {
        let tree = ["t", "u", "v"][usize::from(name.as_bytes()[0] - b'a')];
        let output = house.run(&format!("{link} && {}", make(name, &format!("../../{tree}"))));
        assert!(away(name), "{output:?}");
    }
    // A link that comes later is as good.
    let output = house.run(&make("d", "../../later"));
    assert!(!away("d") && output.notes.is_empty(), "{output:?}");
    let output = house.run(&format!("ln -s {} later", outside.display()));
    assert!(away("d"), "{output:?}");
    let output = house.run(&make("e", "../../real"));
    assert!(!away("e") && output.notes.is_empty(), "{output:?}");
}

#[test]
fn what_git_obeyed_and_is_gone_is_said() {
    let house = House::new();
    let nested = house.workspace().join("r/.git");
    for folder in ["objects", "refs", "hooks"] {
        std::fs::create_dir_all(nested.join(folder)).unwrap();
    }
    std::fs::write(nested.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(nested.join("hooks/pre-commit"), "exit 0\n").unwrap();
    assert_eq!(house.run("true").notes, Vec::<String>::new());
    let output = house.run("mv r s");
    let said = |part: &str| output.notes.iter().any(|note| note.contains(part));
    assert!(said("r/.git/hooks is gone, which git ran or obeyed"), "{output:?}");
    assert!(said("s/.git/hooks was new"), "{output:?}");
}
