//! What `config` and `doctor` find in how the models are configured, with a daemon and without one, and that both say the same.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_tests::Home;
use passepartout_tests::daemon::make_private;

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

const UNUSABLE: &str =
    "[model]\ncascade = [\"opennai\"]\n[select.x]\ncascade = [\"nope\"]\nsensor = \"heartbeats\"\n";

/// What `doctor` says, without a daemon and then with one, and how it ended.
fn doctor(home: &Home) -> [(i32, String); 2] {
    let said = || {
        let ran = home.run(&["doctor"]);
        (ran.code, one_line(&ran.out))
    };
    let without = said();
    let _daemon = home.start();
    [without, said()]
}

#[test]
fn config_finds_what_is_wrong_with_the_models_and_says_that_it_closes_no_gate() {
    let home = Home::new().config(UNUSABLE);
    let ran = home.run(&["config", "shell"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    for told in [
        "model.cascade: there is no provider `opennai`; did you mean `openai`?",
        "select.x.cascade: there is no provider `nope`; use one of",
        "select.x holds for no question: no turn begins with the sensor \"HEARTBEATS\"",
    ] {
        let file = home.path().join("config/config.toml");
        let is_told =
            |line: &str| line.starts_with(&format!("models: {} line ", file.display())) && line.contains(told);
        assert!(ran.err.lines().any(is_told), "{told}: {ran:?}");
    }
    assert!(!ran.err.contains("fault:"), "{ran:?}");
    let home = Home::new().config("[model]\ncascade = [\"local\"]\n[providers.local]\nmodel = \"tiny\"\n");
    let ran = home.run(&["config", "shell"]);
    assert!(
        ran.code == 1
            && ran
                .err
                .contains(" line 3: providers.local.base_url: `base_url` is missing"),
        "{ran:?}"
    );
    assert_eq!(Home::new().run(&["config", "shell"]).code, 0);
}

#[test]
fn doctor_says_that_every_question_is_refused_and_does_not_call_good_what_cant_be_used() {
    let home = Home::new().config(UNUSABLE);
    for (code, out) in doctor(&home) {
        assert_eq!(code, 1, "{out}");
        assert!(
            out.contains("broken model nobody in model.cascade (opennai) can be used"),
            "{out}"
        );
        assert!(!out.contains("good provider"), "{out}");
    }
}

#[test]
fn doctor_says_who_is_asked_with_a_daemon_and_without_one() {
    for (config, told) in [
        ("", "good model no provider is configured: the offline one answers"),
        ("[model]\ncascade = []\n", "line 2: model.cascade names nobody"),
        (
            "[model]\ncascade = [\"ollama\"]\n[providers.ollama]\nmodel = \"tiny\"\n",
            "good model the cascade is ollama",
        ),
    ] {
        for (_, out) in doctor(&Home::new().config(config)) {
            assert!(out.contains(told), "{told}: {out}");
        }
    }
}

#[test]
fn a_key_with_a_blank_in_it_and_a_misspelt_variable_are_told() {
    let config = "[model]\ncascade = [\"openai\"]\n[providers.openai]\nmodel = \"tiny\"\n";
    for (env, told) in [
        (
            "OPENAI_API_KEY=sk-123456789 # mine\n",
            "the key in OPENAI_API_KEY has a blank in it",
        ),
        (
            "OPENAI_APIKEY=sk-123456789\n",
            "OPENAI_APIKEY is set, and nothing reads a variable of that name",
        ),
        (
            "openai_api_key=sk-123456789\n",
            "openai_api_key is set, and nothing reads a variable of that name",
        ),
    ] {
        let home = Home::new().config(config);
        let file = home.file("config/env", env.as_bytes());
        make_private(&file);
        for (code, out) in doctor(&home) {
            assert!(code == 1 && out.contains(told), "{told}: {out}");
            assert!(!out.contains("sk-123456789"), "{out}");
        }
    }
}

#[test]
fn a_change_of_models_that_was_taken_up_is_no_reason_to_start_the_daemon_again() {
    let home = Home::new().config("[loop]\nmax_depth = 7\n");
    let daemon = home.start();
    let models = "[model]\ncascade = [\"ollama\"]\n[providers.ollama]\nmodel = \"tiny\"\n";
    home.file(
        "config/config.toml",
        format!("[loop]\nmax_depth = 7\n{models}").as_bytes(),
    );
    daemon.wait_until("the models are taken up", || {
        home.run(&["doctor"]).out.contains("the cascade is ollama")
    });
    for word in ["status", "doctor"] {
        let ran = home.run(&[word]);
        assert!(!ran.out.contains("changed after"), "{ran:?}");
    }
    home.file(
        "config/config.toml",
        format!("[loop]\nmax_depth = 8\n{models}").as_bytes(),
    );
    assert!(home.run(&["doctor"]).out.contains("changed after"));
}
