//! What a command that was approved can see and do, through the whole daemon. The jail's own tests are the host's.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::path::PathBuf;

use passepartout_tests::{Home, message, proposal};

/// A folder of this machine that a command in the jail sees: not one of those that are private to it.
fn shown_folder() -> PathBuf {
    let private = ["/tmp", "/var/tmp", "/run", "/dev"];
    let mut places = vec![PathBuf::from(env!("CARGO_TARGET_TMPDIR"))];
    places.extend(std::env::var_os("HOME").map(PathBuf::from));
    places.extend(["/srv", "/opt", "/var/lib"].map(PathBuf::from));
    let shown = |place: &PathBuf| !private.iter().any(|hidden| place.starts_with(hidden));
    let writable = |place: &PathBuf| tempfile::tempdir_in(place).is_ok();
    let place = places.into_iter().filter(shown).find(writable);
    place.expect("a folder outside /tmp that can be written: set HOME to one")
}

#[test]
fn a_command_sees_the_workspace_and_neither_our_own_folders_nor_the_persons_keys() {
    let home = Home::below(&shown_folder());
    home.file("workspace/seen.txt", b"in the workspace");
    home.file("user/.ssh/id_ed25519", b"a private key");
    home.file("user/notes.txt", b"no key");
    let root = home.path().display();
    let seen = format!("cat seen.txt; ls {root}; ls -a {root}/user; find {root}/user -type f -exec cat {{}} +");
    let daemon = home.start_scripted(&[proposal(&seen), message("done")]);
    let mut peer = daemon.connect();
    let asked = peer.ask("go");
    let done = peer.ask(&format!("/approve {}", asked.plan_id()));
    assert_eq!(done.reply(), "done", "{done:#?}");
    let told = home
        .prompts()
        .pop()
        .expect("the model is asked about the output")
        .to_string();
    assert!(told.contains("in the workspace") && told.contains("no key"), "{told}");
    assert!(!told.contains("a private key"), "{told}");
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
