//! What a command that was approved can see and do, through the whole daemon. The jail's own tests are the host's.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_tests::{Home, message, proposal};

/// Has `command` proposed, approved and run, and returns what the model is told of it.
fn output_of(home: &Home, command: &str) -> String {
    let daemon = home.start_scripted(&[proposal(command), message("done")]);
    let mut peer = daemon.connect();
    let asked = peer.ask("go");
    let done = peer.ask(&format!("/approve {}", asked.plan_id()));
    assert_eq!(done.reply(), "done", "{done:#?}");
    home.prompts()
        .pop()
        .expect("the model is asked about the output")
        .to_string()
}

#[test]
fn a_command_sees_the_workspace_and_neither_our_own_folders_nor_the_persons_keys() {
    // Not in /tmp, which is another one inside the jail.
    let home = Home::below(std::path::Path::new(env!("CARGO_TARGET_TMPDIR")));
    home.file("workspace/seen.txt", b"in the workspace");
    home.file("user/.ssh/id_ed25519", b"a private key");
    home.file("user/notes.txt", b"no key");
    let root = home.path().display();
    let told = output_of(
        &home,
        &format!("cat seen.txt; ls {root}; ls -a {root}/user; cat {root}/user/notes.txt"),
    );
    assert!(told.contains("in the workspace") && told.contains("no key"), "{told}");
    for hidden in ["config", "data", "state", "skills", ".ssh"] {
        assert!(
            !told.lines().any(|line| line.trim() == hidden),
            "{hidden} is there: {told}"
        );
    }
}

#[test]
fn a_command_inherits_nothing_from_the_daemons_environment() {
    let home = Home::new();
    let provider = home.script(&[proposal("env; echo end-of-env"), message("done")]);
    let mut command = home.command();
    command
        .args(["run", "--no-chat", "--provider", &provider])
        .env("VERY_PRIVATE", "do-not-show");
    let daemon = home.start_command(&mut command);
    let mut peer = daemon.connect();
    let asked = peer.ask("go");
    peer.ask(&format!("/approve {}", asked.plan_id()));
    let told = home.prompts().pop().unwrap().to_string();
    assert!(told.contains("end-of-env") && !told.contains("do-not-show"), "{told}");
}
