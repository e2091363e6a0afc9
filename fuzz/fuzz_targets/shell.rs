//! Any command line: the dispatcher says something of it, the same each time, and no less of it behind another command.
#![no_main]

use dispatcher::{Settings, Subject, judge};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if text.trim().is_empty() {
        return;
    }
    let alone = subject(text);
    let verdict = judge(&alone);
    assert_eq!(verdict, judge(&alone), "two verdicts of one command");
    if verdict.is_some() {
        // What runs the command runs what was not let by.
        let behind = subject(&format!("true\n{text}"));
        assert!(judge(&behind).is_some(), "behind another command it passes");
    }
});

fn subject(command: &str) -> Subject {
    let quoted = command.replace('\\', "\\\\").replace('"', "\\\"");
    let settings = Settings::read(
        |key| (key == "workspace").then(|| "/home/me/work".to_owned()),
        "shell",
        None,
    );
    Subject {
        target: "SHELL".to_owned(),
        payload: format!("(:CMD \"{quoted}\" :EXPLANATION \"to see what happens\")"),
        source: "CLI".to_owned(),
        settings,
        ..Subject::default()
    }
}
