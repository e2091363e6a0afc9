//! Something that the model is told: how texts of a kind are to be written, where a person speaks of one.

use passepartout_sdk::{Description, Function, Signal, Skill, Trigger, export, settings};

/// What is meant when the person says so.
const WORD: &str = "changelog";
const STYLE: &str = "Entries of the changelog are one line each, in the imperative.";

/// The skill.
#[derive(Debug)]
pub struct HouseStyle;

impl Skill for HouseStyle {
    fn describe() -> Description {
        Description::new("house-style", env!("CARGO_PKG_VERSION"))
            // The host asks for the prompt only where a person says something, or by way of a messenger.
            .trigger(Trigger::new().sensor("user-input"))
            .trigger(Trigger::new().sensor("chat-message"))
            .function(Function::Prompt)
    }

    fn prompt(signal: &Signal) -> Option<String> {
        let said = signal.text("payload.text")?.to_lowercase();
        let style = settings::get("house-style.changelog").unwrap_or_else(|| STYLE.to_owned());
        said.contains(WORD).then_some(style)
    }
}

export!(HouseStyle);

#[cfg(test)]
mod tests {
    use passepartout_sdk::test::Harness;

    use super::*;

    fn said(text: &str) -> Harness {
        Harness::new().signal(&format!(
            "(:TYPE :EVENT :META (:SOURCE :CLI) :DEPTH 0 :PAYLOAD (:SENSOR :USER-INPUT :TEXT \"{text}\"))"
        ))
    }

    #[test]
    fn the_model_is_told_where_the_person_speaks_of_it() {
        let told = said("Write the Changelog, please").prompt::<HouseStyle>();
        assert_eq!(told.as_deref(), Some(STYLE));
        assert_eq!(said("What is the time?").prompt::<HouseStyle>(), None);
    }

    #[test]
    fn the_operator_decides_what_it_is_told() {
        let harness =
            said("the changelog").setting("house-style.changelog", "Ask before you write it.");
        let told = harness.prompt::<HouseStyle>();
        assert_eq!(told.as_deref(), Some("Ask before you write it."));
    }
}
