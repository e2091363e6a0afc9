//! A gate: no message to the user is in capitals only.

use passepartout_sdk::{
    Action, Description, Function, Rejection, Signal, Skill, Verdict, export, settings,
};

/// What stands at this path of an action is the text that the user would read.
const TEXT: &str = "payload.text";

/// The skill.
#[derive(Debug)]
pub struct NoShouting;

impl Skill for NoShouting {
    fn describe() -> Description {
        Description::new("no-shouting", env!("CARGO_PKG_VERSION"))
            .priority(100)
            .function(Function::Gate)
    }

    fn gate(action: &Action, _signal: &Signal) -> Verdict {
        match action.text(TEXT) {
            Some(text) if is_shouted(&text) => {
                Rejection::new("shouting", "the message is in capitals only")
                    .field(TEXT)
                    .repair("write it in lower case")
                    .into()
            }
            _ => Verdict::Pass,
        }
    }
}

export!(NoShouting);

/// Short words, such as OK, are no shouting, nor are names that the operator says are written so.
fn is_shouted(text: &str) -> bool {
    let names = settings::list("no-shouting.names");
    let least = settings::get("no-shouting.letters").and_then(|number| number.parse().ok());
    let letters: Vec<char> = text
        .split(|char: char| !char.is_alphanumeric())
        .filter(|word| !names.iter().any(|name| name == word))
        .flat_map(str::chars)
        .filter(|char| char.is_alphabetic())
        .collect();
    letters.len() >= least.unwrap_or(4) && letters.iter().all(|char| char.is_uppercase())
}

#[cfg(test)]
mod tests {
    use passepartout_sdk::test::Harness;

    use super::*;

    fn verdict(text: &str) -> Verdict {
        let message =
            format!("(:TYPE :REQUEST :TARGET :CLI :PAYLOAD (:ACTION :MESSAGE :TEXT \"{text}\"))");
        Harness::new().action(&message).gate::<NoShouting>()
    }

    #[test]
    fn a_calm_message_passes() {
        assert_eq!(verdict("Hello, all is well."), Verdict::Pass);
        assert_eq!(verdict("OK"), Verdict::Pass);
    }

    #[test]
    fn a_message_in_capitals_is_rejected_and_the_model_is_told_what_to_do() {
        let Verdict::Reject(rejection) = verdict("ALL IS WELL!") else {
            panic!("it passed");
        };
        assert_eq!(rejection.rule, "shouting");
        assert_eq!(rejection.repair, "write it in lower case");
    }

    #[test]
    fn the_settings_say_which_names_are_no_shouting_and_how_many_letters_are() {
        let message = "(:TARGET :CLI :PAYLOAD (:ACTION :MESSAGE :TEXT \"NASA, ESA!\"))";
        let harness = || Harness::new().action(message);
        let verdict = harness().gate::<NoShouting>();
        assert!(matches!(verdict, Verdict::Reject(_)));
        // A list has one item a line.
        let names = harness().setting("no-shouting.names", "NASA\nESA");
        assert_eq!(names.gate::<NoShouting>(), Verdict::Pass);
        let letters = harness().setting("no-shouting.letters", "20");
        assert_eq!(letters.gate::<NoShouting>(), Verdict::Pass);
    }

    #[test]
    fn what_has_no_text_is_none_of_its_business() {
        let command = "(:TYPE :REQUEST :TARGET :SHELL :PAYLOAD (:CMD \"LS\"))";
        assert_eq!(
            Harness::new().action(command).gate::<NoShouting>(),
            Verdict::Pass
        );
    }
}
