//! What an approval does in the chain, and what it can't do. The approvals are made as everywhere: by consuming a plan.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use proptest::prelude::*;

use super::tests::{FREE, Says, ask_of, dynamic, gate, rejected_by, subject};
use super::*;
use crate::audit::Writes;
use crate::gate::approval::{Approver, PlanStore};
use crate::signal::SessionId;

/// An approval of `action` by a person who was asked `asks`.
fn approval(action: &Action, asks: Vec<Ask>) -> Approval {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, _) = PlanStore::open(
        &folder.path().join("plans.log"),
        std::path::Path::new("/workspace"),
        &Writes::default(),
    )
    .unwrap();
    let session = SessionId::random().unwrap();
    let id = store.new_id().unwrap();
    let plan = store.add(id, action.clone(), asks, session, Form::Nil, 0..100).unwrap();
    store.consume(&plan.id, Approver::Chat(session), 1).unwrap().1
}

fn run(gates: &[(&str, i64, Says)], approved: &Approval) -> Judgement {
    let gates: Vec<_> = gates
        .iter()
        .map(|(name, priority, says)| gate(name, *priority, says.clone()))
        .collect();
    verify(
        &dynamic(&gates),
        &subject(),
        &Rules {
            approval: Some(approved),
            ..FREE
        },
    )
}

#[test]
fn what_a_person_approved_is_cleared() {
    let approved = approval(&subject().action, vec![ask_of("a"), ask_of("b")]);
    let judgement = run(&[("a", 2, Says::Ask), ("b", 1, Says::Ask)], &approved);
    let Outcome::Cleared(cleared) = judgement.outcome else {
        panic!("{:?}", judgement.outcome)
    };
    assert_eq!(cleared.get(), &subject().action);
    assert_eq!(cleared.consent(), Consent::Person);
}

#[test]
fn a_person_agreed_to_the_text_that_was_approved_whatever_gates_ask_by_then_and_to_no_other() {
    let consent = |approved: &Approval| match run(&[("a", 1, Says::Pass)], approved).outcome {
        Outcome::Cleared(cleared) => cleared.consent(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        consent(&approval(&subject().action, vec![ask_of("b")])),
        Consent::Person
    );
    let payload = crate::sexp::read("(:TEXT \"another\")").unwrap();
    let other = subject().action.with_payload(payload);
    assert_eq!(consent(&approval(&other, vec![ask_of("b")])), Consent::Nobody);
    let gates = dynamic(&[gate("a", 1, Says::Pass)]);
    let Outcome::Cleared(cleared) = verify(&gates, &subject(), &FREE).outcome else {
        panic!("nothing is asked")
    };
    assert_eq!(cleared.consent(), Consent::Nobody);
}

#[test]
fn an_ask_that_was_not_approved_waits_again_and_with_it_all_that_is_asked() {
    let approved = approval(&subject().action, vec![ask_of("a")]);
    let judgement = run(&[("a", 2, Says::Ask), ("new", 1, Says::Ask)], &approved);
    let Outcome::Waiting { asks, .. } = judgement.outcome else {
        panic!("{:?}", judgement.outcome)
    };
    assert_eq!(asks, [ask_of("a"), ask_of("new")]);
    // Whoever approves that has answered everything.
    let approved = approval(&subject().action, asks);
    let judgement = run(&[("a", 2, Says::Ask), ("new", 1, Says::Ask)], &approved);
    assert!(matches!(judgement.outcome, Outcome::Cleared(_)));
}

#[test]
fn a_rejection_wins_over_an_approval() {
    let approved = approval(&subject().action, vec![ask_of("a")]);
    assert_eq!(
        rejected_by(&run(&[("a", 2, Says::Ask), ("b", 1, Says::Reject)], &approved)),
        ("b", "no")
    );
}

#[test]
fn a_text_that_a_person_approved_is_not_revised() {
    let approved = approval(&subject().action, vec![ask_of("a")]);
    let judgement = run(&[("a", 2, Says::Ask), ("r", 1, Says::Revise)], &approved);
    assert_eq!(rejected_by(&judgement), ("r", "revise-approved"));
}

#[test]
fn an_approval_of_another_text_clears_nothing() {
    let other = subject()
        .action
        .with_payload(crate::plist!("CMD" => "ls ", "EXPLANATION" => "to see what is there"));
    let approved = approval(&other, vec![ask_of("a")]);
    assert!(matches!(
        run(&[("a", 1, Says::Ask)], &approved).outcome,
        Outcome::Waiting { .. }
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Invariants 1 and 4: with an approval of some asks, an action is cleared only if no other ask is left.
    #[test]
    fn invariant_1_an_approval_clears_only_the_asks_it_names(
        gates in proptest::collection::vec((any::<bool>(), any::<bool>()), 0..6),
    ) {
        let names: Vec<String> = (0..gates.len()).map(|at| format!("g{at}")).collect();
        let asking = names.iter().zip(&gates).filter(|(_, (asks, _))| *asks).map(|(name, _)| ask_of(name));
        let asking: Vec<Ask> = asking.collect();
        let named: Vec<Ask> = names.iter().zip(&gates).filter(|(_, (_, named))| *named).map(|(name, _)| ask_of(name)).collect();
        let is_answered = asking.iter().all(|ask| named.contains(ask));
        let approved = approval(&subject().action, named);
        let chain: Vec<(&str, i64, Says)> = names
            .iter()
            .zip(&gates)
            .map(|(name, (asks, _))| (name.as_str(), 0, if *asks { Says::Ask } else { Says::Pass }))
            .collect();
        match run(&chain, &approved).outcome {
            Outcome::Cleared(_) => prop_assert!(is_answered),
            Outcome::Waiting { asks, .. } => {
                prop_assert!(!is_answered);
                prop_assert_eq!(asks, asking);
            }
            Outcome::Rejected { .. } => prop_assert!(false, "nothing rejected"),
        }
    }
}
