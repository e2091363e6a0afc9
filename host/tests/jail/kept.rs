//! What lies in the workspace and is not the command's: what git and shells run or obey, and keys.

use crate::{House, left_out};
use std::path::Path;

/// A house whose workspace has a repository, as git makes it, and one more below a folder.
fn with_repositories() -> House {
    let house = House::new();
    for repository in [".git", "deep/er/.git", "bare"] {
        let folder = house.workspace().join(repository);
        for part in ["hooks", "objects", "refs", "info"] {
            std::fs::create_dir_all(folder.join(part)).unwrap();
        }
        std::fs::write(folder.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(folder.join("config"), "[core]\n\tbare = false\n").unwrap();
    }
    house
}

#[test]
fn hooks_and_configuration_of_every_repository_can_be_read_and_not_changed() {
    let house = with_repositories();
    for repository in [".git", "deep/er/.git", "bare"] {
        for line in [
            format!("echo evil > {repository}/hooks/pre-commit"),
            format!("echo evil >> {repository}/config"),
            format!("mv {repository}/config {repository}/other"),
            format!("mv {repository} other"),
            format!("rm -r {repository}"),
        ] {
            house.refuses(&line);
        }
        assert_eq!(
            house.prints(&format!("cat {repository}/config; touch {repository}/index")),
            "[core]\n\tbare = false\n"
        );
        assert!(house.works_outside(&format!("echo evil > {repository}/hooks/pre-commit")));
        assert!(house.works_outside(&format!("echo '# more' >> {repository}/config")));
    }
}

#[test]
fn hooks_that_the_configuration_puts_elsewhere_can_not_be_changed_either() {
    let house = with_repositories();
    std::fs::write(house.workspace().join(".git/config"), "[core]\n\thooksPath = checks\n").unwrap();
    std::fs::create_dir(house.workspace().join("checks")).unwrap();
    let line = "echo evil > checks/pre-commit";
    house.refuses(line);
    house.refuses("mv checks others");
    assert!(house.works_outside(line));
}

#[test]
fn what_would_lead_git_to_another_configuration_is_put_away_afterwards() {
    let house = with_repositories();
    std::fs::remove_dir(house.workspace().join(".git/hooks")).unwrap();
    let output = house.run(
        "mkdir .git/hooks && echo evil > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && echo ../evil > \
         .git/commondir",
    );
    assert_eq!(output.exit_code, Some(0), "{output:?}");
    for name in ["hooks", "commondir"] {
        assert!(!house.workspace().join(".git").join(name).exists(), "{name}");
        let said = format!(".git/{name} was new");
        assert!(
            output.notes.iter().any(|note| note.contains(&said)),
            "{:?}",
            output.notes
        );
    }
    assert!(house.workspace().join(".git/config").exists());
}

#[test]
fn a_repository_that_is_swapped_for_another_is_found_out() {
    let house = with_repositories();
    let output = house.run(
        "mv deep old && mkdir -p deep/er/.git/objects deep/er/.git/refs && cp old/er/.git/HEAD deep/er/.git/ && printf \
         '[core]\\n\\tfsmonitor = evil\\n' > deep/er/.git/config",
    );
    assert_eq!(output.exit_code, Some(0), "{output:?}");
    assert!(!house.workspace().join("deep/er/.git/config").exists());
    assert!(
        output.complaints().contains("[jail] deep/er/.git/config was new"),
        "{output:?}"
    );
}

#[test]
fn a_time_out_does_not_keep_what_was_planted() {
    let mut house = House::new();
    house.config.timeout = std::time::Duration::from_millis(900);
    let output = house.run(
        "mkdir -p .git/objects .git/refs && touch .git/HEAD && printf '[alias]\\nst = !evil\\n' > .git/config && sleep 60",
    );
    assert!(
        output.timed_out && output.notes.iter().any(|note| note.contains(".git/config")),
        "{output:?}"
    );
    assert!(house.workspace().join(".git/config.untrusted").exists());
}

#[test]
fn git_makes_a_repository_and_works_in_it() {
    let house = House::new();
    if !house.works_outside("git --version > /dev/null") {
        left_out("git in the jail: git is not installed");
        return;
    }
    let output = house.run(
        "git init -q . && echo text > file && git add file && git -c user.name=a -c user.email=b commit -qm first && git \
         worktree add -q ../workspace/tree 2> /dev/null; git log --oneline | wc -l",
    );
    assert_eq!((output.exit_code, output.stdout.trim()), (Some(0), "1"), "{output:?}");
    assert_eq!(output.notes, Vec::<String>::new());
    let later =
        house.run("echo more >> file && git -c user.name=a -c user.email=b commit -qam second && git status -s file");
    assert_eq!((later.exit_code, later.stdout.as_str()), (Some(0), ""), "{later:?}");
    house.refuses("git config core.fsmonitor evil");
    assert!(house.works_outside("git config core.fsmonitor true"));
}

#[test]
fn keys_in_the_workspace_are_not_there_and_what_holds_variables_is_not_changed() {
    let mut house = House::new();
    house.protected = vec!["private".to_owned(), "*.vault".to_owned()];
    let files = [
        ".ssh/id_rsa",
        "keys/id_ed25519",
        "private/notes",
        "a.vault",
        ".env",
        "sub/.bashrc",
    ];
    for file in files {
        let path = house.workspace().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "the secret").unwrap();
    }
    for file in &files[..4] {
        let said = house.refuses(&format!("cat {file}"));
        assert!(
            said.contains("No such file") || said.contains("Permission denied"),
            "{said}"
        );
        house.refuses(&format!("rm -r {file}"));
        house.refuses(&format!("chmod 777 {file} && cat {file}"));
        assert!(house.works_outside(&format!("cat {file} > /dev/null")));
    }
    assert!(
        !house
            .run("grep -r 'the secret' keys private a.vault .ssh")
            .stdout
            .contains("secret")
    );
    for file in &files[4..] {
        assert_eq!(house.prints(&format!("cat {file}")), "the secret");
        for line in [
            format!("echo more >> {file}"),
            format!("mv {file} x"),
            format!("rm {file}"),
        ] {
            house.refuses(&line);
        }
        assert!(house.works_outside(&format!("echo more >> {file}")));
    }
    let note = house.run("cat a.vault");
    let path = house.workspace().join("a.vault");
    assert!(
        note.complaints()
            .contains(&format!("{} is the program's own", path.display()))
            || note.complaints().contains("Permission denied"),
        "{note:?}"
    );
}

#[test]
fn a_heap_of_files_does_not_keep_the_repository_from_being_covered() {
    let house = with_repositories();
    for number in 0..1_500 {
        std::fs::write(house.workspace().join(format!(".env.{number}")), "").unwrap();
    }
    house.refuses("echo evil >> .git/config");
    let output = house.run("true");
    assert!(
        output.notes.iter().any(|note| note.contains("more files")),
        "{:?}",
        output.notes
    );
    assert!(Path::new(&house.workspace().join(".env.0")).exists());
}
