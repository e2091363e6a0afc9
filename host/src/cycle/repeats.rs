//! A guard against turns that repeat themselves: the same action, whatever its explanation, with the same result, again
//! and again. A model that does so once hears of it; one that goes on is stopped, and a person may let it go on.

use crate::sexp::{Digest, Form};
use crate::signal::Action;

/// What a model hears whose action gave the same result as the last time.
pub(super) const HEARD: &str =
    "[the same action gave this same result right before; do something else, or tell the user what is in the way]";

/// How often the same action may give the same result in a row: the turn ends with the last of these.
pub(super) const MOST: u32 = 3;

/// What makes an action this action: all of it but its explanation.
pub(super) fn substance(action: &Action) -> Digest {
    let payload = action.payload().clone().without("EXPLANATION");
    let text = action.form().clone().with("PAYLOAD", payload).to_string();
    Digest::of("passepartout-substance-1", text.as_bytes())
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
    use super::*;
    use crate::plist;
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
}
