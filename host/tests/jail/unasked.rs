//! What a command sees that no person was asked about: no link in the workspace leads it out of what is everyone's.

use crate::House;
use passepartout_host::capability::process::{self, Writes};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// A house whose commands nobody was asked about. Its root is the operator's home.
pub(crate) fn unasked() -> House {
    let mut house = House::new();
    house.asked = false;
    house
}

#[test]
fn a_link_out_of_the_workspace_leads_only_what_a_person_approved() {
    let mut house = unasked();
    std::fs::create_dir_all(house.path(".config/rclone")).unwrap();
    std::fs::write(house.path(".config/rclone/rclone.conf"), "pass = secret\n").unwrap();
    std::fs::write(house.path("letter"), "private\n").unwrap();
    for (target, link) in [
        (house.path(".config/rclone/rclone.conf"), "notes.txt"),
        (house.root.path().to_owned(), "home"),
        ("../letter".into(), "sibling"),
        ("home/letter".into(), "twice"),
    ] {
        symlink(target, house.workspace().join(link)).unwrap();
    }
    std::fs::write(house.workspace().join("own.txt"), "mine\n").unwrap();
    for (line, name) in [
        ("cat notes.txt", "notes.txt"),
        ("cat home/letter", "home/letter"),
        ("cat sibling", "sibling"),
        ("cat twice", "twice"),
        ("head -n 1 ./sibling", "./sibling"),
        ("grep -r . home/.config/", "home/.config/"),
    ] {
        let output = house.run(line);
        assert_ne!(output.exit_code, Some(0), "{line}: {output:?}");
        assert_eq!(output.stdout, "", "{line}");
        let said =
            format!("{name} leads to a part of the machine that is not visible to commands that no person approved");
        assert!(output.complaints().contains(&said), "{line}: {output:?}");
        assert!(house.works_outside(&format!("{line} > /dev/null")), "{line}");
    }
    assert_eq!(house.prints("ls -A home/"), "workspace\n");
    assert_eq!(house.prints("cat own.txt; cat home/workspace/own.txt"), "mine\nmine\n");
    house.asked = true;
    assert_eq!(house.prints("cat sibling home/letter"), "private\nprivate\n");
}

#[test]
fn nothing_at_the_top_is_there_but_what_is_everyones() {
    let house = unasked();
    let home = house
        .root
        .path()
        .ancestors()
        .find(|path| path.parent() == Some(Path::new("/")));
    let top = home
        .and_then(|home| home.file_name())
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    let listed = house.prints("ls -A /");
    let known = [
        "bin", "dev", "etc", "gnu", "lib", "lib32", "lib64", "libx32", "nix", "opt", "proc", "run", "sbin", "sys",
        "tmp", "usr", "var",
    ];
    for name in listed.lines() {
        assert!(known.contains(&name) || name == top, "{name} is there");
    }
    assert_eq!(house.prints("ls -A /var | grep -v '^lib$\\|^tmp$'; true"), "");
    house.refuses("ls /root /home");
    assert!(house.works_outside("ls -d /var/log > /dev/null"));
    house.refuses("ls /var/log");
    // What everyday commands need is there.
    house.prints("bash -c 'date && ls -l /etc/passwd && sort --version && perl -e 1' > /dev/null");
    house.prints("echo new > /tmp/made && cat /tmp/made");
}

#[test]
fn settings_of_the_system_are_there_as_far_as_they_are_everyones() {
    let house = unasked();
    house.prints("cat /etc/passwd > /dev/null");
    // Root could read them all the same: its own files are its own without any privilege.
    let private = |path: &Path| {
        path.symlink_metadata()
            .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o004 == 0)
    };
    let entries = std::fs::read_dir("/etc").unwrap().flatten().map(|entry| entry.path());
    for path in entries.filter(|path| private(path)) {
        house.refuses(&format!("cat {}", path.display()));
        let shown = house.prints(&format!(
            "ls -A /etc | grep -xF {} ; true",
            path.file_name().unwrap().to_str().unwrap()
        ));
        assert_eq!(shown, "", "{}", path.display());
    }
}

/// Whether `line` fails where nobody was asked, and works once a person agreed.
fn only_agreed(house: &mut House, line: &str) {
    house.asked = false;
    house.refuses(line);
    house.asked = true;
    let output = house.run(line);
    assert_eq!(output.exit_code, Some(0), "{line}: {output:?}");
    house.asked = false;
}

#[test]
fn what_nobody_was_asked_about_writes_nowhere_and_reaches_nobody() {
    let mut house = unasked();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    house.config.network = true;
    for name in ["own", "gone", ".env", "sub/.env.local", ".npmrc"] {
        let path = house.workspace().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "KEY=secret\n").unwrap();
    }
    for line in [
        "touch y",
        "sh -c 'echo x > z'",
        "echo more >> own",
        "rm gone",
        "mkdir -p .git/hooks",
        "chmod 700 own",
        "ln own second",
        "mv sub other && mv other sub",
        "cat .env",
        "cat sub/.env.local",
        "cat .npmrc",
        &format!("exec 3<> /dev/tcp/127.0.0.1/{port}"),
    ] {
        only_agreed(&mut house, line);
    }
    let output = house.run("touch nothing");
    assert!(
        output
            .complaints()
            .contains("no person was asked about can write to the temporary folders only"),
        "{output:?}"
    );
    symlink(".env", house.workspace().join("notes")).unwrap();
    house.refuses("cat notes");
    assert!(!house.run("grep -r secret .").stdout.contains(".env"));
    assert_eq!(house.prints("cat own"), "KEY=secret\nmore\n");
    assert!(!house.run("true").network);
}

#[test]
fn where_nothing_can_be_planted_nothing_is_looked_for() {
    let mut house = unasked();
    house.prints("ls");
    assert!(!house.path("state/commands").exists());
    // What a reading command finds is no less than before: git's own settings are no secret.
    std::fs::create_dir(house.workspace().join(".git")).unwrap();
    std::fs::write(house.workspace().join(".git/config"), "[core]\n").unwrap();
    assert_eq!(house.prints("cat .git/config"), "[core]\n");
    house.asked = true;
    house.prints("ls");
    assert!(house.path("state/commands").exists());
}

#[test]
fn where_the_operator_lets_writes_pass_they_do_and_the_rest_stays() {
    let mut house = unasked();
    house.writes = Writes::Allowed;
    house.config.network = true;
    std::fs::write(house.workspace().join(".env"), "KEY=secret\n").unwrap();
    symlink(house.root.path(), house.workspace().join("home")).unwrap();
    std::fs::write(house.path("letter"), "private\n").unwrap();
    house.prints("echo text > made && mkdir new && mv made new/");
    house.refuses("cat .env");
    house.refuses("echo more >> .env");
    house.refuses("cat home/letter");
    let output = house.run("mkdir -p r/.git && printf '[alias]\\nst = !evil\\n' > r/.git/config");
    assert!(
        output
            .notes
            .iter()
            .any(|note| note.starts_with("r/.git/config was new")),
        "{output:?}"
    );
    assert!(!output.network);
    house.run("mkdir d && mv .env d/ ; rm .env");
    assert_eq!(
        std::fs::read_to_string(house.workspace().join(".env")).unwrap(),
        "KEY=secret\n"
    );
}

#[test]
fn where_not_all_secrets_can_be_hidden_one_by_one_their_folder_is_and_without_one_nothing_runs() {
    let mut house = House::new();
    house.prints("mkdir d d/sub; for i in $(seq 1100); do echo SECRET > d/.env.$i; done; echo SECRET > d/sub/other");
    std::fs::write(house.workspace().join("d/id_rsa"), "SECRET\n").unwrap();
    std::fs::write(house.workspace().join("own"), "mine\n").unwrap();
    house.asked = false;
    for writes in [Writes::Refused, Writes::Allowed] {
        house.writes = writes;
        let output = house.run("cat own; grep -r SECRET .; cat d/id_rsa d/.env.1 d/.env.1100 d/sub/other");
        assert_eq!(output.stdout, "mine\n", "{output:?}");
        assert!(
            output.complaints().contains("[jail] d is not there for this command"),
            "{output:?}"
        );
    }
    // What a person agreed to is told, and keys are hidden before what can be read anyway.
    house.asked = true;
    let output = house.run("cat d/id_rsa");
    assert!(!output.stdout.contains("SECRET"), "{output:?}");
    assert!(output.complaints().contains("holds more files"), "{output:?}");
    assert!(house.works_outside("mv d/.env.* ."));
    house.asked = false;
    for writes in [Writes::Refused, Writes::Allowed] {
        house.writes = writes;
        let said = house.try_run("true").unwrap_err().to_string();
        assert!(
            said.contains("nothing was run") && said.contains("let a person approve"),
            "{said}"
        );
    }
}

#[test]
fn a_folder_that_is_moved_while_the_jail_is_made_shows_nothing() {
    let mut house = House::new();
    let root = house.workspace();
    for folder in ["d", "a", "b"] {
        std::fs::create_dir(root.join(folder)).unwrap();
    }
    std::fs::write(root.join("d/id_rsa"), "SECRET\n").unwrap();
    let mover = House::new();
    let (state, cancel) = (house.path("state"), mover.cancel.clone());
    house.asked = false;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let line = "touch begun; while :; do mv d d2; mv d2 a/d; mv a/d b/d; mv b/d d; done 2> /dev/null";
            let command = process::Command {
                line,
                workspace: &root,
                state: &state,
                view: process::View::Machine,
                hidden: &house.hidden,
                protected: &[],
                closed_ports: &[],
                config: &house.config,
                cancel: &cancel,
            };
            process::run_from(&crate::binary(), &command)
        });
        crate::wait_until("it moves", || root.join("begun").exists());
        for _ in 0..10 {
            match house.try_run("grep -r SECRET .; cat d/id_rsa d2/id_rsa a/d/id_rsa") {
                Ok(output) => assert!(!output.stdout.contains("SECRET"), "{output:?}"),
                Err(error) => assert!(error.to_string().contains("other commands are changing"), "{error}"),
            }
        }
        cancel.cancel();
    });
    // Alone again it runs, and so it does beside a command that changes nothing just now.
    house.prints("true");
    std::fs::remove_file(root.join("begun")).unwrap();
    house.asked = true;
    std::thread::scope(|scope| {
        let resting = scope.spawn(|| house.run("touch begun; until test -e done; do sleep 0.05; done"));
        crate::wait_until("it rests", || root.join("begun").exists());
        let mut other = House::new();
        other.asked = false;
        let (hidden, state) = (&house.hidden, house.path("state"));
        let command = process::Command {
            line: "echo fine",
            workspace: &root,
            state: &state,
            view: process::View::Commons {
                home: None,
                writes: Writes::Refused,
            },
            hidden,
            protected: &[],
            closed_ports: &[],
            config: &other.config,
            cancel: &other.cancel,
        };
        let output = process::run_from(&crate::binary(), &command);
        std::fs::write(root.join("done"), "").unwrap();
        assert_eq!(output.unwrap().stdout, "fine\n");
        assert_eq!(resting.join().unwrap().exit_code, Some(0));
    });
}

#[test]
fn where_it_may_write_no_link_of_the_workspace_is_followed() {
    let mut house = unasked();
    house.writes = Writes::Allowed;
    std::fs::create_dir(house.workspace().join(".vscode")).unwrap();
    std::fs::write(house.workspace().join("own.txt"), "mine\n").unwrap();
    for (target, link) in [(".bashrc", "start"), (".vscode", "editor"), ("own.txt", "other.txt")] {
        symlink(target, house.workspace().join(link)).unwrap();
    }
    for (line, made) in [
        ("echo id > start", ".bashrc"),
        ("cat own.txt >> start", ".bashrc"),
        ("echo {} > editor/tasks.json", ".vscode/tasks.json"),
        ("cd editor && touch mcp.json", ".vscode/mcp.json"),
    ] {
        let output = house.run(line);
        assert_ne!(output.exit_code, Some(0), "{line}: {output:?}");
        let said = "no link is followed by a command that may write and that no person was asked about";
        assert!(output.complaints().contains(said), "{line}: {output:?}");
        assert!(!house.workspace().join(made).exists(), "{line}");
        assert!(house.works_outside(line), "{line}");
        std::fs::remove_file(house.workspace().join(made)).unwrap();
    }
    assert_eq!(
        house.prints("echo new > own.txt; readlink other.txt; rm other.txt"),
        "own.txt\n"
    );
    house.asked = true;
    assert_eq!(house.prints("echo id > start; cat .bashrc"), "id\n");
}

#[test]
fn private_keys_are_not_there_by_any_way_and_certificates_are() {
    let mut house = unasked();
    let put = |name: &str, text: &str| std::fs::write(house.workspace().join(name), text).unwrap();
    put("server.key", "-----BEGIN PRIVATE KEY-----\nTOKEN\n");
    put("terraform.tfstate", "TOKEN\n");
    put(
        "id_rsa_work",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAA\nTOKEN\n",
    );
    put("prod.env", "A=TOKEN\n");
    put("server.pem", "-----BEGIN CERTIFICATE-----\nTOKEN\n");
    symlink("server.key", house.workspace().join("notes.txt")).unwrap();
    let output = house.run("grep -rh TOKEN . ; cat notes.txt");
    assert_eq!(output.stdout, "TOKEN\n", "{output:?}");
    assert!(house.works_outside("grep -q TOKEN notes.txt && grep -q TOKEN server.key"));
    house.asked = true;
    assert_eq!(
        house.prints("grep -rh TOKEN . | wc -l; tail -n 1 notes.txt"),
        "5\nTOKEN\n"
    );
}

#[test]
fn a_key_that_git_tracks_is_no_secret_and_git_says_what_was_changed() {
    let house = unasked();
    let put = |name: &str, text: &str| std::fs::write(house.workspace().join(name), text).unwrap();
    put("tracked.key", "-----BEGIN PRIVATE KEY-----\nTOKEN\n");
    put("code.rs", "fn one() {}\n");
    assert!(house.works_outside("git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm one"));
    put("code.rs", "fn two() {}\n");
    put("own.key", "-----BEGIN PRIVATE KEY-----\nOWN\n");
    assert_eq!(house.prints("git status --short"), " M code.rs\n?? own.key\n");
    let shown = house.prints("git diff");
    assert!(shown.contains("+fn two() {}") && !shown.contains("key"), "{shown}");
    let output = house.run("cat *.key");
    assert!(
        output.stdout.contains("TOKEN") && !output.stdout.contains("OWN"),
        "{output:?}"
    );
}
