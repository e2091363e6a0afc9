#![allow(clippy::unwrap_used, clippy::expect_used)]

mod behaviour;
mod hostile;
mod properties;
mod sbcl;
mod skill;

use crate::Session;

/// What one text of code gives in a new session; errors are marked.
fn evaluated(code: &str) -> String {
    match Session::new().unwrap().evaluate(code) {
        Ok(text) => text,
        Err(text) => format!("error: {text}"),
    }
}

/// Checks a table of code and of what it gives.
fn check(cases: &[(&str, &str)]) {
    for (code, expected) in cases {
        assert_eq!(evaluated(code), *expected, "for {code}");
    }
}

/// Checks that each code ends in an error that says this.
fn check_errors(cases: &[(&str, &str)]) {
    for (code, expected) in cases {
        let text = evaluated(code);
        assert!(text.starts_with("error: "), "{code} should be an error and gave {text}");
        assert!(text.contains(expected), "for {code}: {text}");
    }
}
