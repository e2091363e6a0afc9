#![allow(clippy::unwrap_used, clippy::expect_used)]

mod model;

use super::*;
use crate::signal::Origin;

fn action(cmd: &str) -> Action {
    Action::close(
        "SHELL",
        Origin::Model,
        plist!("CMD" => cmd, "EXPLANATION" => "because it is asked"),
    )
}

fn ask(rule: &str) -> Ask {
    Ask {
        gate: "dispatcher".into(),
        rule: rule.into(),
        summary: "runs something".into(),
        ..Ask::default()
    }
}

struct Place {
    _folder: tempfile::TempDir,
    path: std::path::PathBuf,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plans.log");
    Place { _folder: folder, path }
}

fn store(place: &Place) -> PlanStore {
    PlanStore::open(&place.path).unwrap().0
}

fn session() -> SessionId {
    SessionId::random().unwrap()
}

fn add(store: &mut PlanStore, session: SessionId, cmd: &str) -> Plan {
    let id = store.new_id().unwrap();
    store
        .add(id, action(cmd), vec![ask("shell")], session, Form::Nil, 1000)
        .unwrap()
}

#[test]
fn a_plan_survives_a_restart_and_can_then_be_approved_once() {
    let place = place();
    let session = session();
    let plan = add(&mut store(&place), session, "ls");
    let mut again = store(&place);
    let (kept, approval) = again.consume(&plan.id, Approver::Chat(session), 10).unwrap();
    assert_eq!(kept.action.canonical(), plan.action.canonical());
    assert!(approval.covers(&plan.action, &ask("shell")));
    let second = again.consume(&plan.id, Approver::Chat(session), 10).unwrap_err();
    assert!(
        second.to_string().contains("no longer waiting: it is approved"),
        "{second}"
    );
}

#[test]
fn after_a_crash_between_approval_and_outcome_the_plan_is_unknown_and_not_tried_again() {
    let place = place();
    let session = session();
    let mut first = store(&place);
    let plan = add(&mut first, session, "ls");
    first.consume(&plan.id, Approver::Chat(session), 10).unwrap();
    drop(first);
    let mut again = store(&place);
    assert_eq!(again.get(&plan.id).unwrap().state, PlanState::Unknown);
    assert!(again.consume(&plan.id, Approver::Chat(session), 10).is_err());
}

#[test]
fn a_chat_cannot_approve_another_sessions_plan() {
    let place = place();
    let mut store = store(&place);
    let plan = add(&mut store, session(), "ls");
    let error = store.consume(&plan.id, Approver::Chat(session()), 10).unwrap_err();
    assert!(matches!(error, ApprovalError::OtherSession { .. }));
    assert_eq!(store.get(&plan.id).unwrap().state, PlanState::Waiting);
}

#[test]
fn the_operator_must_name_the_text_that_was_shown() {
    let place = place();
    let mut store = store(&place);
    let session = session();
    let (one, other) = (add(&mut store, session, "ls"), add(&mut store, session, "ls -l"));
    let error = store
        .consume(&one.id, Approver::Operator(other.digest), 10)
        .unwrap_err();
    assert!(matches!(error, ApprovalError::OtherText { .. }));
    assert!(store.consume(&one.id, Approver::Operator(one.digest), 10).is_ok());
}

#[test]
fn an_approval_covers_no_other_action_and_no_other_ask() {
    let place = place();
    let mut store = store(&place);
    let session = session();
    let plan = add(&mut store, session, "ls");
    let (_, approval) = store.consume(&plan.id, Approver::Chat(session), 10).unwrap();
    assert!(!approval.covers(&action("ls "), &ask("shell")));
    assert!(!approval.covers(&plan.action, &ask("secrets")));
}

#[test]
fn a_plan_lapses_by_the_wall_clock_also_across_a_restart() {
    let place = place();
    let session = session();
    let plan = add(&mut store(&place), session, "ls");
    let mut again = store(&place);
    assert!(again.over(999).is_empty());
    let error = again.consume(&plan.id, Approver::Chat(session), 1000).unwrap_err();
    assert!(error.to_string().contains("expired"), "{error}");
    let over: Vec<String> = again.over(1000).into_iter().map(|plan| plan.id).collect();
    assert_eq!(over, [plan.id.as_str()], "whoever looks after time-outs learns of it");
    again.expire(&plan.id).unwrap();
    assert_eq!(store(&place).get(&plan.id).unwrap().state, PlanState::Expired);
}
