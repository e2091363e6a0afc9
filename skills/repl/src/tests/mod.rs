#![allow(clippy::unwrap_used, clippy::expect_used)]

mod behaviour;
mod hostile;
mod properties;
mod sbcl;
mod skill;

use crate::Session;

/// What a text of code gives; errors are marked.
fn evaluated(session: &mut Session, code: &str) -> String {
    session.evaluate(code).unwrap_or_else(|text| format!("error: {text}"))
}

/// Checks a table of code and of what it gives, in one session.
fn check(cases: &[(&str, &str)]) {
    let mut session = Session::new().unwrap();
    for (code, expected) in cases {
        assert_eq!(evaluated(&mut session, code), *expected, "for {code}");
    }
}

/// Checks that each code ends in an error that says this.
fn check_errors(cases: &[(&str, &str)]) {
    let mut session = Session::new().unwrap();
    for (code, expected) in cases {
        let text = evaluated(&mut session, code);
        assert!(text.starts_with("error: "), "{code} should be an error and gave {text}");
        assert!(text.contains(expected), "for {code}: {text}");
    }
}
