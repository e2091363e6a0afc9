//! A guard against turns that repeat themselves: the same action, whatever its explanation, with the same result, again
//! and again. A model that does so once hears of it; one that goes on is stopped, and a person may let it go on.

use crate::sexp::{Digest, Form, kw};
use crate::signal::Action;

/// What a model hears whose action gave the same result as the last time.
pub(super) const HEARD: &str =
    "[the same action gave this same result right before; do something else, or tell the user what is in the way]";

/// How often the same action may give the same result in a row: the turn ends with the last of these.
pub(super) const MOST: u32 = 3;

/// What makes an action this action: all of it but its explanation, and the order in which arguments are given.
pub(super) fn substance(action: &Action) -> Digest {
    let payload = by_key(sorted(action.payload().clone().without("EXPLANATION")));
    let payload = match payload.get("ARGS").cloned() {
        Some(args) => payload.with("ARGS", by_key(args)),
        None => payload,
    };
    let text = action.form().clone().with("PAYLOAD", payload).to_string();
    Digest::of("passepartout-substance-1", text.as_bytes())
}

/// The same, with all pairs of keys and values in it in the order of their keys. Lists stay as they are, and what may be one:
/// `(:RED :GREEN :BLUE :WHITE)` looks like a plist. Recursion goes as deep as the bounds on what is read let a form be.
fn sorted(form: Form) -> Form {
    let Form::List(items) = form else { return form };
    let of_keys = items.iter().skip(1).step_by(2).all(|value| value.keyword().is_none());
    let form = Form::List(items.into_iter().map(sorted).collect());
    if of_keys { by_key(form) } else { form }
}

/// A plist, with its pairs in the order of their keys; anything else as it is.
fn by_key(form: Form) -> Form {
    if form.check_plist("").is_err() {
        return form;
    }
    let mut pairs: Vec<(&str, &Form)> = form.pairs().collect();
    pairs.sort_by_key(|(key, _)| *key);
    let items = pairs.into_iter().flat_map(|(key, value)| [kw(key), value.clone()]);
    Form::list(items.collect())
}

/// What a turn has done last.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    doing: Option<Digest>,
    last: Option<(Digest, Digest)>,
    times: u32,
}

impl Repeats {
    /// Notes that `action` is carried out.
    pub(super) fn begin(&mut self, action: &Action) {
        self.doing = Some(substance(action));
    }

    /// Whether something is being carried out that has not had its result.
    pub(super) fn is_doing(&self) -> bool {
        self.doing.is_some()
    }

    /// Notes what came of it; how often in a row the same came of the same, this time included.
    pub(super) fn came(&mut self, result: &Form) -> u32 {
        let Some(action) = self.doing.take() else {
            return 1;
        };
        let now = Some((
            action,
            Digest::of("passepartout-result-1", result.to_string().as_bytes()),
        ));
        self.times = if self.last == now { self.times + 1 } else { 1 };
        self.last = now;
        self.times
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::plist;
    use crate::sexp::read;
    use crate::signal::Origin;

    fn shell(command: &str, why: &str) -> Action {
        Action::close("SHELL", Origin::Model, plist!("CMD" => command, "EXPLANATION" => why))
    }

    #[test]
    fn only_the_same_action_with_the_same_result_right_behind_counts() {
        let mut repeats = Repeats::default();
        let mut times = |command: &str, why: &str, result: &str| {
            repeats.begin(&shell(command, why));
            repeats.came(&result.into())
        };
        assert_eq!(times("ls", "to see", "a"), 1);
        assert_eq!(times("ls", "to see it again", "a"), 2);
        assert_eq!(times("ls", "to see", "b"), 1, "the result is another");
        assert_eq!(times("ls", "to see", "b"), 2);
        assert_eq!(times("pwd", "to see", "b"), 1, "the action is another");
        assert_eq!(times("ls", "to see", "b"), 1, "another stood between");
        assert_eq!(times("ls", "", "b"), 2);
        assert_eq!(times("ls", "once more", "b"), 3);
    }

    #[test]
    fn what_no_action_led_to_repeats_nothing() {
        let mut repeats = Repeats::default();
        repeats.begin(&shell("ls", "to see"));
        assert_eq!(repeats.came(&"a".into()), 1);
        assert_eq!(repeats.came(&"a".into()), 1);
    }

    #[test]
    fn arguments_are_the_same_in_any_order_and_lists_are_not() {
        let same = |one: &str, other: &str| {
            let of = |args: &str| {
                let payload = format!("(:TOOL \"t\" :ARGS {args} :EXPLANATION \"x\")");
                substance(&Action::close("TOOL", Origin::Model, read(&payload).unwrap()))
            };
            of(one) == of(other)
        };
        for (one, other) in [
            ("(:PATH \"c\" :TEXT \"a\")", "(:TEXT \"a\" :PATH \"c\")"),
            ("(:MODE :FAST :PATH \"c\")", "(:PATH \"c\" :MODE :FAST)"),
            ("(:A (:B 1 :C (2 (:D 3 :E 4))))", "(:A (:C (2 (:E 4 :D 3)) :B 1))"),
            ("(:A ((:B 1 :C 2) (:B 3 :C 4)))", "(:A ((:C 2 :B 1) (:C 4 :B 3)))"),
        ] {
            assert!(same(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("(:PATH \"c\" :TEXT \"a\")", "(:PATH \"a\" :TEXT \"c\")"),
            ("(:A (1 2))", "(:A (2 1))"),
            ("(:A (:RED :GREEN :BLUE :WHITE))", "(:A (:BLUE :WHITE :RED :GREEN))"),
            ("(:A (\"b\" 1 \"a\" 2))", "(:A (\"a\" 2 \"b\" 1))"),
            ("(:A (:B 1 :B 2))", "(:A (:B 2 :B 1))"),
            ("(:A #((:B 1) (:C 2)))", "(:A #((:C 2) (:B 1)))"),
        ] {
            assert!(!same(one, other), "{one} {other}");
        }
        let code = |text: &str| substance(&shell(text, "x"));
        assert_ne!(code("a b"), code("b a"));
    }
}
