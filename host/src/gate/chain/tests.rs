//! Invariants 1, 2, 3 and 5 of the gates as properties, with gates whose answers are scripted.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::sync::Mutex;

use proptest::prelude::*;

use super::*;
use crate::signal::Origin;
use crate::vault::SecretSet;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Says {
    Pass,
    Ask,
    Reject,
    /// Revises once, adding a mark of its own.
    Revise,
    /// Revises whatever it sees.
    ReviseForEver,
    ReviseExplanation,
    Fault,
    Panic,
    /// An ask that may be remembered.
    Offer,
}

#[derive(Debug)]
pub(super) struct Scripted {
    name: String,
    priority: i64,
    says: Says,
    targets: Option<Vec<&'static str>>,
    right: bool,
    seen: Mutex<Vec<(Digest, Option<Verdict>)>>,
}

impl Gate for Scripted {
    fn name(&self) -> &str {
        &self.name
    }
    fn priority(&self) -> i64 {
        self.priority
    }
    fn digest(&self) -> Digest {
        Digest::of_file(self.name.as_bytes())
    }
    fn is_about(&self, target: &str) -> bool {
        self.targets.as_ref().is_none_or(|targets| targets.contains(&target))
    }
    fn may_revise(&self) -> bool {
        self.right
    }
    fn judge(&self, subject: &Subject) -> Result<Verdict, GateFault> {
        let payload = subject.action.payload().clone();
        let mark = self.name.to_uppercase();
        let answer = match self.says {
            Says::Pass => Ok(Verdict::Pass),
            Says::Ask => Ok(Verdict::Ask(ask_of(&self.name))),
            Says::Offer => Ok(Verdict::Ask(offer_of(&self.name))),
            Says::Reject => Ok(Verdict::Reject(Rejection {
                rule: "no".into(),
                ..Rejection::default()
            })),
            Says::Revise if payload.get(&mark).is_some() => Ok(Verdict::Pass),
            Says::Revise => Ok(Verdict::Revise(payload.with(&mark, true))),
            Says::ReviseForEver => {
                let count = payload.at("n").and_then(Form::as_int).unwrap_or(0);
                Ok(Verdict::Revise(payload.with("N", count + 1)))
            }
            Says::ReviseExplanation => Ok(Verdict::Revise(payload.with("EXPLANATION", "trust me, it is fine"))),
            Says::Fault => Err(GateFault::Fuel { allowed: 7 }),
            Says::Panic => {
                self.seen.lock().unwrap().push((subject.action.digest(), None));
                panic!("a gate that panics")
            }
        };
        self.seen
            .lock()
            .unwrap()
            .push((subject.action.digest(), answer.clone().ok()));
        answer
    }
}

pub(super) fn ask_of(name: &str) -> Ask {
    Ask {
        gate: name.to_owned(),
        rule: "look".into(),
        field: "payload.cmd".into(),
        ..Ask::default()
    }
}

pub(super) fn offer_of(name: &str) -> Ask {
    Ask {
        remember: Some("ls".into()),
        ..ask_of(name)
    }
}

pub(super) fn gate(name: &str, priority: i64, says: Says) -> Arc<Scripted> {
    let (name, seen) = (name.to_owned(), Mutex::default());
    Arc::new(Scripted {
        name,
        priority,
        says,
        targets: None,
        right: true,
        seen,
    })
}

pub(super) fn dynamic(gates: &[Arc<Scripted>]) -> Vec<Arc<dyn Gate>> {
    gates.iter().map(|gate| gate.clone() as Arc<dyn Gate>).collect()
}

pub(super) fn subject() -> Subject {
    let payload = plist!("CMD" => "ls", "EXPLANATION" => "to see what is there");
    Subject {
        action: Action::close("SHELL", Origin::Model, payload),
        signal: Arc::new(Form::Nil),
        settings: Arc::default(),
        secrets: SecretSet::default(),
        trial: false,
    }
}

pub(super) const FREE: Rules<'static> = Rules {
    required: &[],
    revisions: 8,
    closed: None,
    approval: None,
    standing: None,
};

fn run(gates: &[Arc<Scripted>]) -> Judgement {
    verify(&dynamic(gates), &subject(), &FREE)
}

pub(super) fn rejected_by(judgement: &Judgement) -> (&str, &str) {
    match &judgement.outcome {
        Outcome::Rejected { rejection, .. } => (&rejection.gate, &rejection.rule),
        other => panic!("not rejected: {other:?}"),
    }
}

#[test]
fn gates_run_by_priority_highest_first_and_ties_by_name() {
    let gates = [
        gate("b", 1, Says::Pass),
        gate("low", -5, Says::Pass),
        gate("a", 1, Says::Pass),
        gate("z", 9, Says::Pass),
    ];
    let order: Vec<String> = run(&gates).steps.into_iter().map(|step| step.gate).collect();
    assert_eq!(order, ["z", "a", "b", "low"]);
}

#[test]
fn asks_are_collected_while_the_chain_goes_on_and_a_later_rejection_wins() {
    let two = [gate("a", 2, Says::Ask), gate("b", 1, Says::Ask)];
    match run(&two).outcome {
        Outcome::Waiting { asks, .. } => assert_eq!(asks, [ask_of("a"), ask_of("b")]),
        other => panic!("not waiting: {other:?}"),
    }
    assert_eq!(
        rejected_by(&run(&[gate("a", 2, Says::Ask), gate("b", 1, Says::Reject)])),
        ("b", "no")
    );
}

#[test]
fn after_a_revise_every_gate_judges_the_new_text_and_earlier_asks_stay() {
    let gates = [gate("first", 9, Says::Ask), gate("reviser", 1, Says::Revise)];
    let judgement = run(&gates);
    let Outcome::Waiting { action, asks } = judgement.outcome else {
        panic!("not waiting")
    };
    assert_eq!(asks, [ask_of("first")]);
    assert!(action.payload().get("REVISER").is_some());
    assert_eq!(gates[0].seen.lock().unwrap().last().unwrap().0, action.digest());
    assert_eq!(judgement.revisions.len(), 1);
}

#[test]
fn gates_that_revise_without_end_are_stopped_after_the_eighth_time() {
    let judgement = run(&[gate("r", 1, Says::ReviseForEver)]);
    assert_eq!(rejected_by(&judgement), ("r", "revise-without-end"));
    assert_eq!(judgement.revisions.len(), 8);
}

#[test]
fn a_gate_may_not_revise_without_the_right_nor_change_the_explanation() {
    let mut sneaky = Arc::into_inner(gate("sneaky", 1, Says::Revise)).unwrap();
    sneaky.right = false;
    assert_eq!(
        rejected_by(&run(&[Arc::new(sneaky)])),
        ("sneaky", "revise-without-right")
    );
    assert_eq!(
        rejected_by(&run(&[gate("liar", 1, Says::ReviseExplanation)])),
        ("liar", "revise-fixed-field")
    );
}

#[test]
fn a_required_gate_that_is_missing_rejects_everything() {
    let required = ["policy".to_owned()];
    let rules = Rules {
        required: &required,
        ..FREE
    };
    let judgement = verify(&dynamic(&[gate("other", 1, Says::Pass)]), &subject(), &rules);
    assert_eq!(rejected_by(&judgement), (HOST, "required-gate"));
}

#[test]
fn a_required_gate_runs_also_where_it_says_that_it_is_not_concerned() {
    let mut shy = Arc::into_inner(gate("policy", 1, Says::Reject)).unwrap();
    shy.targets = Some(vec!["TOOL"]);
    let gates = [Arc::new(shy)];
    assert!(
        matches!(run(&gates).outcome, Outcome::Cleared(_)),
        "not required: skipped"
    );
    let required = ["policy".to_owned()];
    let judgement = verify(
        &dynamic(&gates),
        &subject(),
        &Rules {
            required: &required,
            ..FREE
        },
    );
    assert_eq!(rejected_by(&judgement), ("policy", "no"));
}

#[test]
fn a_fault_in_the_configuration_closes_every_gate() {
    let judgement = verify(
        &[],
        &subject(),
        &Rules {
            closed: Some("line 3: no such key"),
            ..FREE
        },
    );
    let Outcome::Rejected { rejection, .. } = judgement.outcome else {
        panic!("passed")
    };
    assert!(rejection.reason.contains("line 3"), "{}", rejection.reason);
}

fn says() -> impl Strategy<Value = Says> {
    prop_oneof![
        4 => Just(Says::Pass), 2 => Just(Says::Ask), 1 => Just(Says::Reject), 2 => Just(Says::Revise),
        1 => Just(Says::Fault), 1 => Just(Says::Panic), 1 => Just(Says::ReviseForEver),
        1 => Just(Says::ReviseExplanation),
    ]
}

prop_compose! {
    fn scripted()(
        says in says(), priority in -3_i64..3, right in any::<bool>(), narrow in any::<bool>(), mine in any::<bool>(),
    ) -> (Says, i64, bool, Option<Vec<&'static str>>) {
        (says, priority, right, narrow.then(|| vec![if mine { "SHELL" } else { "TOOL" }]))
    }
}

fn chains() -> impl Strategy<Value = Vec<Arc<Scripted>>> {
    proptest::collection::vec(scripted(), 0..7).prop_map(|gates| {
        gates
            .into_iter()
            .enumerate()
            .map(|(at, (says, priority, right, targets))| {
                let seen = Mutex::default();
                Arc::new(Scripted {
                    name: format!("g{at}"),
                    priority,
                    says,
                    targets,
                    right,
                    seen,
                })
            })
            .collect()
    })
}

/// What matters of an outcome: which kind, which text, which gate.
fn gist(judgement: &Judgement) -> (u8, Digest, String, Vec<Ask>) {
    match &judgement.outcome {
        Outcome::Cleared(cleared) => (0, cleared.get().digest(), String::new(), Vec::new()),
        Outcome::Waiting { action, asks } => (1, action.digest(), String::new(), asks.clone()),
        Outcome::Rejected { action, rejection } => (2, action.digest(), rejection.gate.clone(), Vec::new()),
    }
}

proptest! {
    #[test]
    fn invariant_1_what_is_cleared_every_gate_about_it_passed_on_exactly_that_text(gates in chains()) {
        let judgement = run(&gates);
        if let Outcome::Cleared(cleared) = &judgement.outcome {
            for gate in gates.iter().filter(|gate| gate.is_about("SHELL")) {
                let seen = gate.seen.lock().unwrap();
                let last = seen.last().expect("a gate that is about the action was not asked");
                prop_assert_eq!(last, &(cleared.get().digest(), Some(Verdict::Pass)));
            }
        }
        if let Outcome::Waiting { asks, .. } = &judgement.outcome {
            prop_assert!(!asks.is_empty());
        }
        prop_assert!(judgement.revisions.len() <= 8);
    }

    #[test]
    fn invariant_2_a_gate_that_gives_no_verdict_has_rejected(gates in chains()) {
        let judgement = run(&gates);
        let broken = gates.iter().any(|gate| {
            gate.is_about("SHELL") && matches!(gate.says, Says::Fault | Says::Panic | Says::Reject | Says::ReviseForEver)
        });
        let rejected = matches!(judgement.outcome, Outcome::Rejected { .. });
        prop_assert!(!broken || rejected);
    }

    #[test]
    fn invariant_3_the_same_action_signal_and_gates_give_the_same_outcome(gates in chains()) {
        prop_assert_eq!(gist(&run(&gates)), gist(&run(&gates)));
    }

    #[test]
    fn invariant_5_load_order_does_not_matter(gates in chains(), turn in 0_usize..7) {
        let mut turned = gates.clone();
        let by = turn.min(turned.len());
        turned.rotate_left(by);
        prop_assert_eq!(gist(&run(&gates)), gist(&run(&turned)));
    }

    #[test]
    fn invariant_5_no_gate_weakens_anothers_verdict(gates in chains(), more in scripted()) {
        let before = run(&gates);
        let (says, priority, right, targets) = more;
        let extra = Scripted { name: "extra".into(), priority, says, targets, right, seen: Mutex::default() };
        let mut with = gates.clone();
        with.push(Arc::new(extra));
        let after = run(&with);
        // Cleared, waiting, rejected, in this order: another gate can only make it stricter.
        prop_assert!(gist(&after).0 >= gist(&before).0);
    }
}
