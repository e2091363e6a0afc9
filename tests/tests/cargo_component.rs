//! The path that authors were promised: `skill new`, `cargo component build --release`, copy, live. It needs cargo-component,
//! so it is run last and on its own: `cargo xtask test` does it.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_tests::author::{Crate, drop_in};
use passepartout_tests::skills::Watcher;
use passepartout_tests::{Home, message};

#[test]
fn a_skill_built_with_cargo_component_is_live_in_a_daemon() {
    let home = Home::new();
    let skill = Crate::new(&home, "loud-guard", "gate");
    for target in ["wasm32-wasip1", "wasm32-unknown-unknown"] {
        match target {
            // What cargo component builds for of itself.
            "wasm32-wasip1" => skill.cargo(&["component", "build", "--release"]),
            other => skill.cargo(&["component", "build", "--release", "--target", other]),
        };
        let answers = [message("IT IS DONE"), message("IT IS DONE"), message("it is done")];
        let daemon = home.start_scripted(&answers);
        // One that was deleted while no daemon ran might still come back.
        Watcher::of(&daemon).wait_gone("loud-guard");
        assert_eq!(
            daemon.connect().ask("hello").reply(),
            "IT IS DONE",
            "no gate is against it yet"
        );
        drop_in(&home, &daemon, "loud-guard", &skill.built(target));
        let turn = daemon.connect().ask("hello");
        assert_eq!(
            (turn.reply(), turn.outcome()),
            ("it is done", "ANSWERED"),
            "{target}: {turn:#?}"
        );
        let told = home.prompts().last().expect("a prompt").to_string();
        assert!(
            told.contains("write it in lower case"),
            "the model is told what to do: {told}"
        );
        assert!(daemon.stop().success());
        std::fs::remove_file(home.path().join("skills/loud-guard.wasm")).unwrap();
    }
}
