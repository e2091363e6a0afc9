//! What is taken from a cleared action, and how often.

use super::*;
use crate::gate::chain::verify;
use crate::gate::{Consent, Outcome, Rules, Subject};
use crate::vault::SecretSet;

/// Effects that are never reached: only what is taken is looked at.
struct Nothing(Turn);

impl Effects for Nothing {
    fn clear(&self, _: &str, _: &str, _: Form) -> Result<Cleared<Action>, Failure> {
        Err(Failure::Rejected("no".to_owned()))
    }

    fn run(&self, _: &str, _: Consent) -> Result<crate::capability::Output, Failure> {
        Err(Failure::Rejected("no".to_owned()))
    }

    fn turn(&self) -> &Turn {
        &self.0
    }
}

/// The action, cleared by a chain without gates.
fn cleared(action: Action) -> Cleared<Action> {
    let subject = Subject {
        action,
        signal: Arc::new(Form::Nil),
        settings: Arc::default(),
        secrets: SecretSet::default(),
        trial: false,
    };
    let rules = Rules {
        required: &[],
        revisions: 0,
        closed: None,
        approval: None,
        standing: None,
    };
    match verify(&[], &subject, &rules).outcome {
        Outcome::Cleared(cleared) => cleared,
        other => panic!("not cleared: {other:?}"),
    }
}

#[test]
fn a_file_is_written_once_and_only_from_where_gates_look() {
    let deed = |target: &str, payload: &str| {
        let house = House::granting(&[]);
        let action = Action::close(target, Origin::Model, crate::sexp::read(payload).unwrap());
        Deed::new(&cleared(action), 7, Arc::new(Nothing(house.turn)))
    };
    let take = |deed: &mut Deed, handle, path: &str, text: &str| deed.take(&WRITE, handle, &[path, text], Order::of);
    let arguments = ("payload.args.path", "Payload.Args.Text");
    let tool = r#"(:TOOL "note" :ARGS (:PATH "a" :TEXT "b" :OTHER "c"))"#;
    let mut cleared = deed("TOOL", tool);
    for (handle, path, text) in [
        (8, arguments.0, arguments.1),
        (7, arguments.1, arguments.0),
        (7, arguments.0, "payload.args.other"),
        (7, "payload.path", "payload.text"),
    ] {
        let refused = take(&mut cleared, handle, path, text);
        assert!(
            matches!(refused, Err(Failure::NotCleared(_))),
            "{handle} {path} {text}: {refused:?}"
        );
    }
    // What was refused has not happened.
    assert_eq!(take(&mut cleared, 7, arguments.0, arguments.1).unwrap().text, "b");
    let again = why(take(&mut cleared, 7, arguments.0, arguments.1));
    assert!(again.contains("each effect happens once"), "{again}");
    // The same fields mean nothing to the gates under another target.
    let refused = why(take(&mut deed("SHELL", tool), 7, arguments.0, arguments.1));
    assert!(refused.contains("payload.path and payload.text of :FILES"), "{refused}");
    let own = &mut deed("FILES", r#"(:PATH "a" :TEXT "b")"#);
    assert_eq!(take(own, 7, "payload.path", "payload.text").unwrap().path, "a");
}
