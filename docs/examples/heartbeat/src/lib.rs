//! Something on the heartbeat: the skill is called on each beat, and tells the person to stand up on some.

use std::cell::Cell;

use passepartout_sdk::{Action, Description, Right, Signal, Skill, Trigger, export, settings};

/// On each how many beats it says something, unless the settings say otherwise.
const EVERY: u64 = 60;

thread_local! {
    // The heartbeat has a session of its own. As the description says that state is kept, what
    // stands here outlasts the beat.
    static BEATS: Cell<u64> = const { Cell::new(0) };
}

/// The skill.
#[derive(Debug)]
pub struct StandUp;

impl Skill for StandUp {
    fn describe() -> Description {
        Description::new("stand-up", env!("CARGO_PKG_VERSION"))
            .trigger(Trigger::new().sensor("heartbeat"))
            .right(Right::Heartbeat)
            // `act` is what is called on a beat, and who acts has a target.
            .target("stand-up")
            .keeps_state()
    }

    fn act(action: &Action, _signal: &Signal) -> Result<String, String> {
        if action.target() != "SCHEDULE" {
            return Err(
                "nothing is done for this target; it is called on the heartbeat".to_owned(),
            );
        }
        let every = settings::get("stand-up.beats").and_then(|number| number.parse().ok());
        let beats = BEATS.get() + 1;
        if beats < every.unwrap_or(EVERY) {
            BEATS.set(beats);
            // An empty text is no message: nobody hears of this beat.
            return Ok(String::new());
        }
        BEATS.set(0);
        Ok("Stand up for a moment.".to_owned())
    }
}

export!(StandUp);

#[cfg(test)]
mod tests {
    use passepartout_sdk::test::Harness;

    use super::*;

    const BEAT: &str =
        "(:TARGET :SCHEDULE :PAYLOAD (:ACTION :FIRED :ID \"heartbeat\" :TEXT \"heartbeat\"))";

    #[test]
    fn it_says_nothing_until_as_many_beats_went_by_as_the_settings_say() {
        let mut harness = Harness::new().action(BEAT).setting("stand-up.beats", "3");
        let said: Vec<String> = (0..6).map(|_| harness.act::<StandUp>().unwrap()).collect();
        let due = "Stand up for a moment.";
        assert_eq!(said, ["", "", due, "", "", due]);
    }

    #[test]
    fn an_action_that_is_no_beat_changes_nothing() {
        let other = "(:TARGET :STAND-UP :PAYLOAD (:TEXT \"now\"))";
        assert!(Harness::new().action(other).act::<StandUp>().is_err());
    }
}
