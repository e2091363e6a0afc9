//! What a command plants for git: judged by what it would run, by whatever way it came there.

use crate::{House, binary, runs_on_host, wait_until};
use passepartout_host::capability::process::{self, Command, View};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

/// A line of configuration that makes git run something.
const EVIL: &str = "[core]\\n\\tfsmonitor = evil\\n";

/// A line that makes a folder which git takes for a repository, with such a configuration.
pub(crate) fn repository(folder: &str) -> String {
    format!(
        "mkdir -p {folder}/objects {folder}/refs && echo 'ref: refs/heads/main' > {folder}/HEAD && printf '{EVIL}' > \
         {folder}/config"
    )
}

/// Runs `line`, which must end well, and asserts that what it put at `path` was put away and said.
pub(crate) fn is_put_away(house: &House, line: &str, path: &str) {
    let output = house.run(line);
    assert_eq!(output.exit_code, Some(0), "{line}: {output:?}");
    let file = house.workspace().join(path);
    assert!(file.symlink_metadata().is_err(), "{path} is there: {output:?}");
    let beside = PathBuf::from(format!("{}.untrusted", file.display()));
    assert!(beside.symlink_metadata().is_ok(), "{path}.untrusted is not there");
    assert!(
        output
            .notes
            .iter()
            .any(|note| note.starts_with(&format!("{path} was "))),
        "{path}: {:?}",
        output.notes
    );
}

/// Whether git, asked by the operator about the work tree at `folder`, would run something of the configuration there.
fn git_obeys(house: &House, folder: &str) -> bool {
    house.works_outside(&format!("cd {folder} && git config core.fsmonitor > /dev/null"))
}

#[test]
fn a_configuration_with_another_name_is_put_away_and_so_is_what_was_written_through_it() {
    let house = House::new();
    let make = "mkdir -p r/.git/objects r/.git/refs && echo 'ref: refs/heads/main' > r/.git/HEAD && printf \
                '[core]\\n\\tbare = false\\n' > r/.git/config";
    // A harmless one stays, unless it can be changed later by a name that has no cover.
    house.prints(make);
    assert!(house.workspace().join("r/.git/config").exists());
    house.prints("rm -r r 2> /dev/null; mv r old");
    is_put_away(&house, &format!("{make} && ln r/.git/config r/x"), "r/.git/config");
    // The operator's own may have more names, and is the operator's only as long as it says the same.
    let own = house.workspace().join("own/.git");
    for folder in ["objects", "refs"] {
        std::fs::create_dir_all(own.join(folder)).unwrap();
    }
    std::fs::write(own.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(own.join("config"), "[alias]\n\tst = !status\n").unwrap();
    std::fs::hard_link(own.join("config"), house.workspace().join("x")).unwrap();
    assert_eq!(house.run("true").notes, Vec::<String>::new());
    house.refuses(&format!("printf '{EVIL}' >> own/.git/config"));
    is_put_away(&house, &format!("printf '{EVIL}' >> x"), "own/.git/config");
}

#[test]
fn a_repository_is_found_inside_another_and_below_whatever_is_covered() {
    let mut house = House::new();
    house.protected = vec!["private".to_owned()];
    let git = house.works_outside("git --version > /dev/null");
    for (top, below, away) in [
        ("r", ".git/foo", ".git/foo/config"),
        (".git", "objects/ab", "objects/ab/config"),
        ("r", ".git/hooks/foo", ".git/hooks"),
        ("k", ".aws/foo", ".aws/foo/config"),
        ("k", ".config/fish/foo", ".config/fish/foo/config"),
        ("k", "private/foo", "private/foo/config"),
        ("k", "id_rsa/foo", "id_rsa/foo/config"),
    ] {
        let folder = format!("{top}/{below}");
        let line = format!(
            "{} && mkdir v && echo 'gitdir: ../{folder}' > v/.git",
            repository(&folder)
        );
        let clean = format!("rm -r {top} v");
        assert!(house.works_outside(&line));
        assert!(!git || git_obeys(&house, "v"), "{folder}");
        assert!(house.works_outside(&clean));
        is_put_away(&house, &line, &format!("{top}/{away}"));
        assert!(!git_obeys(&house, "v"), "{folder}");
        assert!(house.works_outside(&clean));
    }
}

#[test]
fn a_folder_that_cannot_be_listed_hides_nothing() {
    let house = House::new();
    let hides = format!(
        "{} && chmod 0311 hid && mkdir v && echo 'gitdir: ../hid/e' > v/.git",
        repository("hid/e")
    );
    let output = house.run(&hides);
    assert_eq!(output.exit_code, Some(0), "{output:?}");
    assert!(house.workspace().join("hid/e/config.untrusted").exists(), "{output:?}");
    // Nor does one that was so before: what is in it can't be covered one by one.
    let closed = house.workspace().join("closed");
    std::fs::create_dir_all(closed.join("keys")).unwrap();
    std::fs::write(closed.join("keys/id_rsa"), "secret").unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o311)).unwrap();
    house.refuses("cat closed/keys/id_rsa");
    house.refuses("chmod 700 closed && cat closed/keys/id_rsa");
    assert!(house.works_outside("cat closed/keys/id_rsa > /dev/null"));
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_folder_deeper_than_a_path_can_be_hides_nothing() {
    let house = House::new();
    let name = "d".repeat(200);
    let line = format!(
        "for i in $(seq 25); do mkdir {name} && cd {name} || exit 1; done; {} && pwd | wc -c",
        repository("r")
    );
    let output = house.run(&line);
    assert_eq!(output.exit_code, Some(0), "{output:?}");
    assert!(output.stdout.trim().parse::<usize>().unwrap() > 5_000, "{output:?}");
    assert!(
        output.notes.iter().any(|note| note.contains("/r/config was new")),
        "{:?}",
        output.notes
    );
    assert!(house.works_outside("rm -r d*"));
}

#[test]
fn hooks_behind_a_link_and_files_that_the_configuration_names_are_the_operators_only_as_they_were() {
    for (link, line) in [
        (
            "../ghooks",
            "rm .git/hooks && mkdir .git/hooks && echo evil > .git/hooks/pre-commit",
        ),
        (
            "../way/hooks",
            "rm way && mkdir -p way/hooks && echo evil > way/hooks/pre-commit",
        ),
        (
            "../ghooks",
            "rm .git/hooks && ln -s ../other .git/hooks && mkdir other && echo evil > other/pre-commit",
        ),
    ] {
        let house = House::new();
        let root = house.workspace();
        for folder in [".git/objects", ".git/refs", "ghooks", "real/hooks"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        for hooks in ["ghooks", "real/hooks"] {
            std::fs::write(root.join(hooks).join("pre-commit"), "mine").unwrap();
        }
        symlink("real", root.join("way")).unwrap();
        symlink(link, root.join(".git/hooks")).unwrap();
        std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        assert_eq!(house.run("true").notes, Vec::<String>::new(), "{link}");
        house.refuses("echo evil > .git/hooks/pre-commit");
        is_put_away(&house, line, ".git/hooks");
    }
    let house = House::new();
    let root = house.workspace();
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::fs::write(
        root.join(".git/config"),
        "[core]\n\thooksPath = made/hooks\n[include]\n\tpath = ../shared\n",
    )
    .unwrap();
    std::fs::write(root.join("shared"), "[user]\n\tname = me\n").unwrap();
    house.refuses("echo >> shared");
    assert_eq!(house.run("true").notes, Vec::<String>::new());
    // It was not there yet, so that nothing could cover it.
    is_put_away(
        &house,
        "mkdir -p made/hooks && echo evil > made/hooks/pre-commit",
        "made/hooks",
    );
}

#[test]
fn what_holds_variables_is_not_replaced_by_renaming_the_folder_above() {
    let house = House::new();
    for (file, text) in [
        ("sub/.env", "mine"),
        ("a/.config/git/config", "[user]\n"),
        ("tree/.git", "gitdir: ../x\n"),
    ] {
        let path = house.workspace().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    for (line, file) in [
        ("mv sub sub2; mkdir sub; echo evil > sub/.env", "sub/.env"),
        (
            "mv a a2; mkdir -p a/.config/git; echo evil > a/.config/git/config",
            "a/.config/git",
        ),
        ("mv tree t2; mkdir tree; echo 'gitdir: ../y' > tree/.git", "tree/.git"),
    ] {
        let output = house.run(line);
        assert_eq!(output.exit_code, Some(0), "{output:?}");
        assert!(!house.workspace().join(file).exists(), "{file}");
        let said = format!("{file} is not the one that was there");
        assert!(
            output.notes.iter().any(|note| note.starts_with(&said)),
            "{:?}",
            output.notes
        );
    }
    assert_eq!(
        std::fs::read_to_string(house.workspace().join("sub2/.env")).unwrap(),
        "mine"
    );
    let output = house.run("mv sub2 sub3; mkdir evil; echo evil > evil/.env; ln -s evil sub2");
    assert!(
        output.notes.iter().any(|note| note.starts_with("sub2 is not the one")),
        "{:?}",
        output.notes
    );
    assert!(!house.workspace().join("sub2").exists());
    assert!(house.works_outside("mv sub3 sub2"));
    // Moving such a folder is no fault, nor is making a file where there was none.
    assert_eq!(
        house.run("mv sub2 sub3; mkdir new; echo mine > new/.env").notes,
        Vec::<String>::new()
    );
    assert!(house.workspace().join("new/.env").exists());
    // A person's editor replaces files, also while a command runs.
    let edited = std::thread::scope(|scope| {
        scope.spawn(|| {
            wait_until("the command runs", || house.workspace().join("begun").exists());
            std::fs::write(house.workspace().join("new/.env.edited"), "edited").unwrap();
            std::fs::rename(
                house.workspace().join("new/.env.edited"),
                house.workspace().join("new/.env"),
            )
            .unwrap();
            std::fs::write(house.workspace().join("done"), "").unwrap();
        });
        house.run("touch begun; until test -e done; do sleep 0.02; done")
    });
    assert_eq!(edited.notes, Vec::<String>::new());
    assert_eq!(
        std::fs::read_to_string(house.workspace().join("new/.env")).unwrap(),
        "edited"
    );
}

#[test]
fn what_is_protected_by_the_way_to_it_keeps_that_way() {
    let mut house = House::new();
    house.protected = vec!["dir/priv".to_owned()];
    for file in ["dir/priv/f", "app/.docker/config.json"] {
        let path = house.workspace().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "secret").unwrap();
    }
    for (line, file) in [
        ("mv dir d2", "d2/priv/f"),
        ("mv app/.docker x; mv app a2", "x/config.json"),
    ] {
        house.refuses(line);
        house.refuses(&format!("cat {file}"));
        assert!(house.works_outside("rm -rf d2 x a2"));
        assert!(house.works_outside(line) && house.works_outside(&format!("cat {file} > /dev/null")));
    }
}

#[test]
fn a_pipe_in_place_of_configuration_keeps_nobody_waiting() {
    let house = House::new();
    let make = "mkdir -p r/.git/objects r/.git/refs && mkfifo r/.git/config";
    let output = house.run(make);
    assert_eq!(output.exit_code, Some(0), "{output:?}");
    assert!(house.workspace().join("r/.git/config.untrusted").exists(), "{output:?}");
    house.prints("ls r/.git > /dev/null");
    assert!(house.works_outside("mkfifo r/.git/hooks r/.git/commondir && ln -sf hooks r/.git/config"));
    house.prints("ls r/.git > /dev/null");
}

#[test]
fn a_common_folder_without_a_head_of_its_own_is_judged() {
    let house = House::new();
    let line = "mkdir -p cm/objects cm/refs cm/worktrees/w v && printf '[core]\n\tfsmonitor = evil\n' > cm/config && echo \
                'ref: refs/heads/main' > cm/worktrees/w/HEAD && echo ../.. > cm/worktrees/w/commondir && echo \"$PWD/v/.git\" > \
                cm/worktrees/w/gitdir && echo 'gitdir: ../cm/worktrees/w' > v/.git";
    let git = house.works_outside("git --version > /dev/null");
    assert!(house.works_outside(line));
    assert!(!git || git_obeys(&house, "v"));
    assert!(house.works_outside("rm -r cm v"));
    is_put_away(&house, line, "cm/config");
    assert!(!git_obeys(&house, "v"));
}

#[test]
fn names_in_the_workspace_need_not_be_text() {
    let house = House::new();
    let folder = house.workspace().join(OsStr::from_bytes(b"a\xff"));
    house.prints("mkdir $'a\\xff' && echo x > $'a\\xff/.env'");
    assert!(folder.join(".env").exists());
    house.refuses("echo y >> $'a\\xff/.env'");
    let output = house.run(&format!("cd $'a\\xff' && {}", repository("r")));
    assert_eq!(output.exit_code, Some(0), "{output:?}");
    assert!(folder.join("r/config.untrusted").exists(), "{output:?}");
}

#[test]
fn what_one_command_plants_is_not_taken_for_the_operators_by_another() {
    let house = House::new();
    let root = house.workspace();
    std::thread::scope(|scope| {
        let planter = scope.spawn(|| {
            house.run(&format!(
                "{}; touch planted; until test -e ended; do sleep 0.02; done",
                repository("r/.git")
            ))
        });
        wait_until("it is planted", || root.join("planted").exists());
        // This one begins after it was planted, and ends before the other.
        let second = house.run("true");
        std::fs::write(root.join("ended"), "").unwrap();
        assert!(
            second
                .notes
                .iter()
                .any(|note| note.starts_with("r/.git/config was new")),
            "{second:?}"
        );
        planter.join().unwrap();
    });
    assert!(!root.join("r/.git/config").exists());
    assert_eq!(
        std::fs::read_dir(house.path("state/commands")).unwrap().count(),
        1,
        "only the lock stays"
    );
}

/// Where a second run of the test below finds the house of the first, in which it is killed.
const KILLED: &str = "JAIL_TEST_TO_BE_KILLED_IN";

#[test]
fn what_was_planted_when_the_daemon_was_killed_is_put_away_by_the_next() {
    if let Some(root) = std::env::var_os(KILLED) {
        let (root, house) = (PathBuf::from(root), House::new());
        let line = format!(
            "{}; touch planted; sleep 288.{}",
            repository("r/.git"),
            std::process::id()
        );
        let command = Command {
            line: &line,
            workspace: &root.join("workspace"),
            state: &root.join("state"),
            view: View::Machine,
            hidden: &[],
            protected: &[],
            closed_ports: &[],
            config: &house.config,
            cancel: &house.cancel,
        };
        process::run_from(&binary(), &command).unwrap();
        return;
    }
    let house = House::new();
    let root = house.workspace();
    let mut daemon = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "planted::what_was_planted_when_the_daemon_was_killed_is_put_away_by_the_next",
        ])
        .env(KILLED, house.root.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    wait_until("it is planted", || root.join("planted").exists());
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    assert!(root.join("r/.git/config").exists());
    let notes = process::look_after_killed(&root, &house.path("state")).unwrap();
    assert!(
        notes.iter().any(|note| note.starts_with("r/.git/config was new")),
        "{notes:?}"
    );
    assert!(!root.join("r/.git/config").exists());
    assert!(!runs_on_host(&format!("288.{}", daemon.id())));
    assert_eq!(process::look_after_killed(&root, &house.path("state")), Ok(Vec::new()));
}
