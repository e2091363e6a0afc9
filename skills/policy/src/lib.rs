//! The gate that lets nothing happen without a reason: each action, messages too, says why in `:payload :explanation`. It
//! judges whether an explanation is there, not whether it is a good one; what an action does is other gates' business.

mod explanation;

use explanation::Fault;
use passepartout_sdk::{Action, Description, Function, Kind, Origin, Rejection, Signal, Skill, Verdict, export};

const FIELD: &str = "payload.explanation";

const MANDATE: &str = "Every proposal says why, in :EXPLANATION of its :PAYLOAD: one sentence of more than 10 characters. \
    Messages too: (:TYPE :REQUEST :TARGET :CLI :PAYLOAD (:ACTION :MESSAGE :TEXT \"Done.\" :EXPLANATION \"Tells the user \
    that the file was written\")). A proposal without one is refused.";

/// The skill. Its gate is about every target.
#[derive(Debug)]
pub struct Policy;

impl Skill for Policy {
    fn describe() -> Description {
        Description::new("policy", env!("CARGO_PKG_VERSION"))
            .priority(500)
            .function(Function::Gate)
            .function(Function::Mandate)
    }

    fn mandate(_signal: &Signal) -> Option<String> {
        Some(MANDATE.to_owned())
    }

    fn gate(action: &Action, _signal: &Signal) -> Verdict {
        // What a person typed needs no reason; the host, not the proposal, says who that was.
        if action.origin() == Origin::Person {
            return Verdict::Pass;
        }
        let given = match action.kind(FIELD) {
            Kind::Missing | Kind::Nil => Err(Fault::Missing),
            Kind::Text => explanation::check(&action.text(FIELD).unwrap_or_default()),
            _ => Err(Fault::NoText),
        };
        match given {
            Ok(()) => Verdict::Pass,
            Err(fault) => Rejection::new(fault.rule(), fault.to_string())
                .field(FIELD)
                .repair(fault.repair())
                .into(),
        }
    }
}

export!(Policy);

#[cfg(test)]
mod tests {
    use passepartout_sdk::test::Harness;

    use super::*;

    const SHELL: &str = "(:TYPE :REQUEST :TARGET :SHELL :ORIGIN";

    fn verdict(action: &str) -> Verdict {
        Harness::new().action(action).gate::<Policy>()
    }

    fn rule(action: &str) -> Option<String> {
        match verdict(action) {
            Verdict::Reject(rejection) => {
                assert_eq!(rejection.field, "payload.explanation");
                assert!(
                    rejection.repair.contains(":EXPLANATION \""),
                    "the model is shown how: {}",
                    rejection.repair
                );
                Some(rejection.rule)
            }
            Verdict::Pass => None,
            other => panic!("policy never says {other:?}"),
        }
    }

    #[test]
    fn an_action_of_a_model_with_an_explanation_passes() {
        let action = format!("{SHELL} :MODEL :PAYLOAD (:CMD \"ls\" :EXPLANATION \"Lists what the folder holds\"))");
        assert_eq!(verdict(&action), Verdict::Pass);
    }

    #[test]
    fn an_action_without_an_explanation_is_rejected() {
        assert_eq!(
            rule(&format!("{SHELL} :MODEL :PAYLOAD (:CMD \"ls\"))")).as_deref(),
            Some("missing-explanation")
        );
        let empty = format!("{SHELL} :MODEL :PAYLOAD (:CMD \"ls\" :EXPLANATION NIL))");
        assert_eq!(rule(&empty).as_deref(), Some("missing-explanation"));
        assert_eq!(
            rule(&format!("{SHELL} :MODEL :PAYLOAD NIL)")).as_deref(),
            Some("missing-explanation")
        );
    }

    #[test]
    fn a_short_explanation_is_rejected() {
        let action = format!("{SHELL} :MODEL :PAYLOAD (:CMD \"ls\" :EXPLANATION \"  because   \"))");
        assert_eq!(rule(&action).as_deref(), Some("short-explanation"));
    }

    #[test]
    fn an_explanation_that_is_no_string_is_rejected_however_long() {
        for value in [
            ":A-VERY-LONG-KEYWORD",
            "12345678901234",
            "(\"a list with a long text\")",
            "A-LONG-SYMBOL",
        ] {
            let action = format!("{SHELL} :MODEL :PAYLOAD (:CMD \"ls\" :EXPLANATION {value}))");
            assert_eq!(rule(&action).as_deref(), Some("malformed-explanation"), "for {value}");
        }
    }

    #[test]
    fn an_explanation_anywhere_but_in_the_payload_does_not_count() {
        let action = format!("{SHELL} :MODEL :EXPLANATION \"Lists what the folder holds\" :PAYLOAD (:CMD \"ls\"))");
        assert_eq!(rule(&action).as_deref(), Some("missing-explanation"));
    }

    #[test]
    fn messages_need_one_too() {
        let message =
            "(:TYPE :REQUEST :TARGET :CLI :ORIGIN :MODEL :PAYLOAD (:ACTION :MESSAGE :TEXT \"Hello there!\"))";
        assert_eq!(rule(message).as_deref(), Some("missing-explanation"));
    }

    #[test]
    fn what_a_person_typed_is_exempt() {
        assert_eq!(
            verdict(&format!("{SHELL} :PERSON :PAYLOAD (:CMD \"ls\"))")),
            Verdict::Pass
        );
    }

    #[test]
    fn what_a_skill_proposes_is_not_exempt_even_one_called_person() {
        let action = format!("{SHELL} (:SKILL \"PERSON\") :PAYLOAD (:CMD \"ls\"))");
        assert_eq!(rule(&action).as_deref(), Some("missing-explanation"));
    }

    #[test]
    fn an_approval_that_the_proposal_claims_changes_nothing() {
        let action = format!("{SHELL} :MODEL :APPROVED T :PAYLOAD (:CMD \"ls\" :APPROVED T :ORIGIN :PERSON))");
        assert_eq!(rule(&action).as_deref(), Some("missing-explanation"));
    }

    #[test]
    fn the_mandate_shows_an_explanation_that_the_gate_lets_pass() {
        let mandate = Harness::new().mandate::<Policy>().unwrap_or_default();
        let example = mandate
            .split_once(":EXPLANATION \"")
            .and_then(|(_, rest)| rest.split_once('"'));
        assert_eq!(example.map(|(text, _)| explanation::check(text)), Some(Ok(())));
    }
}
