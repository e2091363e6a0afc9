#![allow(clippy::unwrap_used)]
use super::super::private::suspect;
use super::table::{Effect, Match, ROWS};
use super::*;

#[test]
fn what_links_of_our_own_lead_to_and_what_another_layout_keeps_is_closed_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for name in [
        "config",
        "dots",
        "user/.config/passepartout",
        "user/.local/share/passepartout/workspace",
    ] {
        std::fs::create_dir_all(root.join(name)).unwrap();
    }
    std::fs::write(root.join("dots/env"), "KEY=secret").unwrap();
    std::os::unix::fs::symlink("../dots/env", root.join("config/env")).unwrap();
    let home = Home {
        config: root.join("config"),
        data: root.join("data"),
        state: root.join("state"),
        skills: root.join("skills"),
        workspace: root.join("user/.local/share/passepartout/workspace"),
        user: Some(root.join("user")),
    };
    let closed = closed_places(&home);
    for name in ["config", "data", "dots/env", "user/.config/passepartout"] {
        assert!(closed.contains(&root.join(name)), "{name}: {closed:?}");
    }
    assert!(
        !closed.iter().any(|place| home.workspace.starts_with(place)),
        "{closed:?}"
    );
    assert!(home_in_the_database().is_some_and(|home| home.is_absolute()));
}

#[test]
fn what_the_dispatcher_asks_about_by_name_is_looked_into_or_not_there_for_what_nobody_was_asked_about() {
    let asked = ROWS.iter().filter(|(_, read, ..)| *read == Effect::Ask);
    let (mut seen, mut open) = (0, Vec::new());
    for (what, ..) in asked {
        let name = match what {
            Match::Name(name) => (*name).to_owned(),
            Match::Suffix(ending) => format!("a{ending}"),
            _ => continue,
        };
        seen += 1;
        let name = OsStr::new(&name);
        // Git obeys that one.
        let by_name = name == ".gitconfig" || is_key_place(&[name]) || is_key(name) || is_environment(name);
        if !by_name && suspect(Path::new(name)).is_none() {
            open.push(what);
        }
    }
    assert!(seen > 20, "{seen} rows");
    assert!(open.is_empty(), "a command nobody was asked about could read {open:?}");
}

#[test]
fn words_that_the_dispatcher_asks_about_in_a_name_hide_the_file_from_what_nobody_was_asked_about() {
    use super::super::private::Suspect;
    let hidden = |path: String| suspect(Path::new(&path)) == Some(Suspect::Surely);
    for word in words::WORDS {
        for path in [
            "{}",
            ".{}",
            "{}.json",
            "a-{}_1.txt",
            "config/{}.yml",
            "{}/prod.txt",
            ".{}/a/b",
        ] {
            for word in [(*word).to_owned(), word.to_uppercase()] {
                let path = path.replace("{}", &word);
                assert!(hidden(path.clone()), "{path}");
            }
        }
        for ending in words::SOURCES.iter().chain(words::SAMPLES) {
            for path in [
                format!("{word}.{ending}"),
                format!("{word}/a.{ending}"),
                format!("a{word}.x{ending}"),
            ] {
                assert!(!hidden(path.clone()), "{path}");
            }
        }
    }
    assert!(hidden("token.js.map".to_owned()));
}

/// Places that the jail has of its own, or that its own root is needed for.
const OWN: [&str; 4] = ["proc", "dev", "run", "var/run"];

#[test]
fn what_the_dispatcher_lets_nobody_read_is_hidden_or_the_jails_own() {
    let rejected = ROWS.iter().filter(|(_, read, ..)| *read == Effect::Reject);
    let (mut seen, mut open) = (0, Vec::new());
    for (what, ..) in rejected {
        seen += 1;
        let hidden = match what {
            Match::Name(name) => is_key(OsStr::new(name)) || is_key_place(&[OsStr::new(name)]),
            Match::Stem(stem) => is_key(OsStr::new(&format!("{stem}gpg"))),
            Match::Part(steps) => {
                let steps: Vec<&OsStr> = steps.iter().map(OsStr::new).collect();
                is_key_place(&steps) || steps.iter().any(|step| is_key(step))
            }
            Match::Root(steps) => {
                let path = steps.join("/");
                OF_THE_MACHINE.contains(&format!("/{path}").as_str())
                    || OWN.iter().any(|own| Path::new(&path).starts_with(own))
            }
            Match::Suffix(_) => false,
        };
        if !hidden {
            open.push(what);
        }
    }
    assert!(seen > 50, "{seen} rows");
    assert!(
        open.is_empty(),
        "a command could read {open:?}: add them to the lists above"
    );
}
