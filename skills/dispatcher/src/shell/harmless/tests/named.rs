//! What is written under another name than the command gives it.

use super::{Doubt, Level, proof};

fn writes(command: &str) -> bool {
    proof(command) == Ok(Level::Writes)
}

#[test]
fn what_asks_when_it_is_named_asks_when_a_folder_gives_it_that_name() {
    for command in [
        "cp mydir/.bashrc .",
        "cp mydir/.bashrc sub",
        "cp mydir/.bashrc sub/",
        "cp a mydir/.bashrc b .",
        "mv mydir/.bashrc .",
        "cp sub/sitecustomize.py .",
        "mv sub/sitecustomize.py lib",
        "cp sub/.env.local .",
        "cp sub/key.pem .",
        "mkdir .cargo; echo x > config.toml; cp config.toml .cargo",
        "cp config.toml .cargo/",
        "cp x/tasks.json .vscode",
        "cp sub/x.secret .",
        "cp git/config .git",
        "cp sub/.b* .",
        "cp sub/s*.py .",
        "cp sub/*.py .",
        "cp sub/* .",
        "cp sub/site[abc]ustomize.py .",
        "find . -name x -exec cp {} out \\;",
        "ls | xargs -I{} cp {} out",
        "mkdir vs; echo x > vs/tasks.json; mv vs .vscode",
        "mv x .vscode",
        "mv d/.vscode lib",
        "mv d/.config lib",
        "mv x .config",
        "mv fish .config",
        "mv x .local/share",
        "mv .vscode old",
        "mv d/* lib",
        "cd sub; mv x .cargo",
        "gunzip .bashrc.gz",
        "gunzip sub/sitecustomize.py.gz",
        "gzip -d .env.local.gz",
        "unxz x.secret.xz",
    ] {
        assert!(!writes(command), "{command}");
    }
}

#[test]
fn what_asks_when_it_is_named_asks_when_unpacking_gives_it_that_name() {
    // gzip(1), bzip2(1), xz(1): each ending that they know, with a dot before it and without one.
    let endings = [
        ".gz", "-gz", ".z", "-z", "_z", ".Z", "-GZ", "_Z", ".bz2", ".bz", ".xz", ".lzma", ".lz", ".zst", ".lz4",
    ];
    for program in ["gunzip", "gzip -d", "bunzip2", "unxz", "xz -d", "lzma -dk"] {
        for ending in endings {
            for name in [
                ".bashrc",
                ".envrc",
                ".vscode/tasks.json",
                ".cargo/config.toml",
                "sub/x.secret",
            ] {
                let command = format!("{program} {name}{ending}");
                assert!(!writes(&command), "{command}");
            }
        }
    }
    let mut roots = super::roots();
    for (pattern, command) in [
        ("x.tar", "gunzip x.tgz"),
        ("x.tar", "gunzip x.TAZ"),
        ("x.tar", "unxz x.txz"),
        ("x.tar", "bunzip2 x.tbz2"),
        ("x.out", "bunzip2 x"),
        ("x.gz", "gzip x"),
        ("*.xz", "xz x"),
    ] {
        roots.protected = vec![pattern.to_owned()];
        let proved = super::super::prove(command, &roots);
        assert!(proved.is_err(), "{command} with {pattern}: {proved:?}");
    }
}

#[test]
fn a_folder_that_a_pattern_of_the_operator_begins_with_is_not_moved() {
    let mut roots = super::roots();
    roots.protected = vec!["notes/own/*".to_owned(), "/home/me/work/project/a/b".to_owned()];
    let proved = |command: &str| super::super::prove(command, &roots);
    for command in [
        "mv notes n2",
        "mv notes/own n2",
        "mv x notes",
        "mv x sub/notes/own",
        "mv a c",
        "mv b a",
    ] {
        let Err(Doubt { why, .. }) = proved(command) else {
            panic!("{command}")
        };
        assert!(why.contains("protected"), "{command}: {why}");
    }
    for command in ["mv b c", "cp notes/x notes/y", "mv notes/x notes/y"] {
        assert_eq!(proved(command), Ok(Level::Writes), "{command}");
    }
}

#[test]
fn what_is_copied_or_moved_under_plain_names_changes_the_workspace_and_nothing_else() {
    for command in [
        "cp a b",
        "cp src/a.rs src/b.rs lib",
        "cp src/*.rs lib",
        "mv a b",
        "mv src/a.rs lib",
        "mv notes.txt old.txt",
        "cp Cargo.toml .cargo.bak",
        "gzip notes.v1",
    ] {
        assert_eq!(proof(command), Ok(Level::Writes), "{command}");
    }
    for command in [
        "echo x | gzip -c | gzip -cd | head",
        "xz -lv a.tar.xz",
        "gzip -c sitecustomize.py | wc -c",
    ] {
        assert_eq!(proof(command), Ok(Level::Reads), "{command}");
    }
    for command in [
        "gunzip x.gz",
        "gunzip notes-gz",
        "gunzip -k x.gz; cat x",
        "bunzip2 notes.bz2",
        "gzip -d x.gz",
    ] {
        assert!(proof(command).is_err(), "{command}");
    }
}
