//! What a standing approval does in the chain, and what it can't do. They are made as everywhere: with a plan that a person
//! approved.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

use proptest::prelude::*;

use super::tests::{FREE, Says, ask_of, dynamic, gate, offer_of, rejected_by, subject};
use super::*;
use crate::audit::Writes;
use crate::gate::approval::{Approver, PlanStore};
use crate::gate::standing::StandingStore;
use crate::signal::SessionId;

/// What stands once a person approved `asks` about `action` once and for all.
fn standing(action: &Action, asks: Vec<Ask>) -> StandingNow {
    let folder = tempfile::tempdir().unwrap();
    let (mut plans, _) = PlanStore::open(
        &folder.path().join("plans.log"),
        std::path::Path::new("/workspace"),
        &Writes::default(),
    )
    .unwrap();
    let mut store = StandingStore::open(
        &folder.path().join("approvals"),
        Path::new("/workspace"),
        &Writes::default(),
    );
    let session = SessionId::random().unwrap();
    let id = plans.new_id().unwrap();
    let plan = plans.add(id, action.clone(), asks, session, Form::Nil, 0..100).unwrap();
    let (plan, approval) = plans.consume(&plan.id, Approver::Chat(session), 1).unwrap();
    let drafts = store.drafts(&plan, None, 1).unwrap();
    store.keep(drafts, &approval, 1).unwrap();
    store.at(2)
}

fn run(gates: &[(&str, i64, Says)], standing: &StandingNow) -> Judgement {
    let gates: Vec<_> = gates
        .iter()
        .map(|(name, priority, says)| gate(name, *priority, says.clone()))
        .collect();
    let rules = Rules {
        standing: Some(standing),
        ..FREE
    };
    verify(&dynamic(&gates), &subject(), &rules)
}

#[test]
fn what_was_approved_once_and_for_all_is_cleared_and_named() {
    let standing = standing(&subject().action, vec![offer_of("a")]);
    let judgement = run(&[("a", 2, Says::Offer), ("b", 1, Says::Pass)], &standing);
    assert!(matches!(&judgement.outcome, Outcome::Cleared(cleared) if cleared.consent() == Consent::Standing));
    assert_eq!(judgement.standing.len(), 1);
    assert_eq!(judgement.steps.len(), 2, "every gate is asked all the same");
}

#[test]
fn a_new_rule_and_another_gate_are_asked_about_all_the_same() {
    let standing = standing(&subject().action, vec![offer_of("a")]);
    let judgement = run(
        &[("a", 3, Says::Offer), ("b", 2, Says::Offer), ("c", 1, Says::Ask)],
        &standing,
    );
    let Outcome::Waiting { asks, .. } = judgement.outcome else {
        panic!("{:?}", judgement.outcome)
    };
    assert_eq!(asks, [offer_of("b"), ask_of("c")]);
    let judgement = run(&[("a", 1, Says::Ask)], &standing);
    assert!(
        matches!(judgement.outcome, Outcome::Waiting { .. }),
        "it no longer offers it"
    );
}

#[test]
fn a_rejection_wins_over_a_standing_approval() {
    let standing = standing(&subject().action, vec![offer_of("a")]);
    let judgement = run(&[("a", 2, Says::Offer), ("b", 1, Says::Reject)], &standing);
    assert_eq!(rejected_by(&judgement), ("b", "no"));
}

#[test]
fn what_a_gate_made_of_the_action_is_asked_about_anew() {
    let standing = standing(&subject().action, vec![offer_of("a")]);
    let judgement = run(&[("a", 2, Says::Offer), ("r", 1, Says::Revise)], &standing);
    let Outcome::Waiting { asks, .. } = judgement.outcome else {
        panic!("{:?}", judgement.outcome)
    };
    assert_eq!(asks, [offer_of("a")]);
    assert!(judgement.standing.is_empty(), "what was approved is not what would run");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Invariant 1: an action is cleared only if each ask is one that a standing approval names.
    #[test]
    fn invariant_1_a_standing_approval_clears_only_the_asks_it_names(
        gates in proptest::collection::vec((0_u8..4, any::<bool>()), 1..6),
    ) {
        let names: Vec<String> = (0..gates.len()).map(|at| format!("g{at}")).collect();
        let all = || names.iter().zip(&gates);
        let named: Vec<Ask> = all().filter(|(_, (_, named))| *named).map(|(name, _)| offer_of(name)).collect();
        let chain: Vec<(&str, i64, Says)> = all()
            .map(|(name, (says, _))| {
                let says = match says { 0 => Says::Pass, 1 => Says::Ask, _ => Says::Offer };
                (name.as_str(), 0, says)
            })
            .collect();
        let left = chain.iter().filter_map(|(name, _, says)| match says {
            Says::Ask => Some(ask_of(name)),
            Says::Offer => Some(offer_of(name)).filter(|ask| !named.contains(ask)),
            _ => None,
        });
        let left: Vec<Ask> = left.collect();
        let judgement = run(&chain, &standing(&subject().action, named.clone()));
        match judgement.outcome {
            Outcome::Cleared(_) => prop_assert!(left.is_empty()),
            Outcome::Waiting { asks, .. } => prop_assert_eq!(asks, left),
            Outcome::Rejected { .. } => prop_assert!(false, "nothing rejected"),
        }
    }
}
