#![allow(clippy::unwrap_used, clippy::expect_used)]

mod model;
mod named;

use super::*;
use crate::plist;
use crate::sexp::kw;
use crate::signal::Origin;

const WORKSPACE: &str = "/work/space";

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
    PlanStore::open(&place.path, Path::new(WORKSPACE), &Writes::default())
        .unwrap()
        .0
}

fn session() -> SessionId {
    SessionId::random().unwrap()
}

fn add(store: &mut PlanStore, session: SessionId, cmd: &str) -> Plan {
    let id = store.new_id().unwrap();
    store
        .add(id, action(cmd), vec![ask("shell")], session, Form::Nil, 0..1000)
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
fn what_became_of_a_plan_is_untold_until_it_was_told_however_often_the_store_is_opened() {
    let place = place();
    let session = session();
    let mut first = store(&place);
    let plans: Vec<Plan> = ["ls", "rm x", "cat y"].map(|cmd| add(&mut first, session, cmd)).into();
    first.consume(&plans[0].id, Approver::Chat(session), 10).unwrap();
    let reason = Some("never do this".to_owned());
    first
        .deny(&plans[1].id, Approver::Chat(session), reason.clone(), 10)
        .unwrap();
    first.expire(&plans[2].id).unwrap();
    drop(first);
    for _ in 0..3 {
        let again = store(&place);
        let mut untold = again.untold();
        untold.sort_by_key(|plan| plan.state.name());
        let states: Vec<PlanState> = untold.iter().map(|plan| plan.state).collect();
        assert_eq!(states, [PlanState::Denied, PlanState::Expired, PlanState::Unknown]);
        assert_eq!(untold[0].reason, reason);
    }
    let mut last = store(&place);
    last.told(&plans[0].id).unwrap();
    last.told(&plans[1].id).unwrap();
    drop(last);
    let again = store(&place);
    assert_eq!(again.untold().len(), 1);
    assert_eq!(again.get(&plans[0].id).unwrap().state, PlanState::Unknown);
    let denied = again.get(&plans[1].id).unwrap();
    assert_eq!((denied.state, &denied.reason), (PlanState::Denied, &reason));
}

#[test]
fn a_chat_cannot_approve_another_sessions_plan() {
    let place = place();
    let mut store = store(&place);
    let plan = add(&mut store, session(), "ls");
    let error = store.consume(&plan.id, Approver::Chat(session()), 10).unwrap_err();
    let with = format!("; approve it there, or with `passepartout-host approve {}`", plan.id);
    assert!(error.to_string().contains(&with), "{error}");
    let error = store.deny(&plan.id, Approver::Chat(session()), None, 10).unwrap_err();
    let with = format!("; deny it there, or with `passepartout-host deny {}`", plan.id);
    assert!(error.to_string().contains(&with), "{error}");
    assert_eq!(store.get(&plan.id).unwrap().state, PlanState::Waiting);
}

#[test]
fn a_plan_is_approved_in_the_workspace_it_was_shown_for_alone_and_waits_until_that_is_back() {
    let place = place();
    let session = session();
    let plan = add(&mut store(&place), session, "rm -r build");
    let mut elsewhere = PlanStore::open(&place.path, Path::new("/work/other"), &Writes::default())
        .unwrap()
        .0;
    let error = elsewhere.consume(&plan.id, Approver::Chat(session), 10).unwrap_err();
    assert!(matches!(error, ApprovalError::OtherWorkspace { .. }), "{error}");
    let same = add(&mut elsewhere, session, "rm -r build");
    assert_ne!(same.digest, plan.digest);
    drop(elsewhere);
    assert!(store(&place).consume(&plan.id, Approver::Chat(session), 10).is_ok());
}

#[test]
fn a_plan_that_a_clock_made_that_was_ahead_waits_no_longer_than_others_over_restarts_too() {
    let place = place();
    let id = store(&place).new_id().unwrap();
    let (made, start) = (900_000, Instant::now());
    let waits = made..made + 1000;
    let added = store(&place).add(id, action("ls"), vec![ask("shell")], session(), Form::Nil, waits);
    let id = added.unwrap().id;
    // It is no new life, however often the daemon is started.
    for now in [5_000, 5_600, 5_999] {
        let mut again = store(&place);
        again.look(now, start).unwrap();
        assert_eq!(again.get(&id).unwrap().until(), 6_000);
        assert!(again.over(now).is_empty());
    }
    let noted = std::fs::read_to_string(&place.path).unwrap();
    assert_eq!(noted.matches(":EARLIER 5000").count(), 1, "{noted}");
    let mut again = store(&place);
    again.look(6_000, start).unwrap();
    assert_eq!(again.over(6_000).len(), 1);
}

#[test]
fn a_clock_that_is_behind_for_a_moment_lapses_no_plan_and_takes_no_time_from_it() {
    let place = place();
    let mut own = store(&place);
    let id = own.new_id().unwrap();
    let (made, start) = (900_000, Instant::now());
    let after = |seconds| start + std::time::Duration::from_secs(seconds);
    let waits = made..made + 1000;
    own.add(
        id.clone(),
        action("ls"),
        vec![ask("shell")],
        session(),
        Form::Nil,
        waits,
    )
    .unwrap();
    for behind in [800_000, 1_000, 3] {
        own.look(made + 5, after(5)).unwrap();
        own.look(made + 10 - behind, after(10)).unwrap();
        assert!(own.over(made + 10 - behind).is_empty());
        own.look(made + 15, after(15)).unwrap();
        assert!(own.over(made + 15).is_empty());
        if behind > 10 {
            assert_eq!(own.get(&id).unwrap().until(), made + 1000);
        }
    }
    drop(own);
    let again = store(&place);
    assert!(again.over(made + 15).is_empty());
    assert_eq!(again.over(made + 1000).len(), 1);
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

/// The log of so many plans that were denied, between one that waits and one that was approved when the daemon ended.
fn long_log(place: &Place, session: SessionId, denied: usize) -> [String; 3] {
    let plan = |at: usize| {
        let (action, asks) = (action(&format!("echo {at}")), vec![ask("shell")]);
        Plan {
            id: format!("{at:08x}"),
            digest: digest(&action, session, &asks, WORKSPACE),
            action,
            session,
            asks,
            workspace: WORKSPACE.to_owned(),
            signal: Form::Nil,
            made: 0,
            expires: 1000,
            earlier: None,
            answers: 0,
            state: PlanState::Waiting,
            untold: false,
            reason: None,
        }
    };
    let (mut log, ..) = AppendLog::open(&place.path, &Writes::default()).unwrap();
    let mut write = |entry: Form| log.append(&entry, Durability::Written).unwrap();
    for at in 0..denied + 2 {
        let own = plan(at);
        write(own.to_entry());
        if at == 1 {
            write(plist!("PLAN" => &own.id, "STATE" => kw("APPROVED")));
        } else if at > 1 {
            write(plist!("PLAN" => &own.id, "STATE" => kw("DENIED")));
        }
    }
    [0, 1, denied + 1].map(|at| plan(at).id)
}

#[test]
fn of_ten_thousand_plans_that_are_over_the_last_ones_are_kept_and_one_that_waits_survives() {
    let (place, session) = (place(), session());
    let [waits, unknown, last] = long_log(&place, session, 10_000);
    let before = std::fs::metadata(&place.path).unwrap().len();
    for opened in 0..3 {
        let mut store = store(&place);
        assert_eq!(store.plans.len(), KEPT + 2, "opening {opened}");
        assert_eq!(store.get(&unknown).unwrap().state, PlanState::Unknown);
        // A late answer hears what became of its plan.
        let late = store
            .consume(&last, Approver::Chat(session), 10)
            .unwrap_err()
            .to_string();
        assert!(late.contains("it is denied"), "{late}");
        let forgotten = store.consume("00000002", Approver::Chat(session), 10).unwrap_err();
        assert!(matches!(forgotten, ApprovalError::NoSuchPlan { .. }));
        assert_eq!(store.get(&waits).unwrap().state, PlanState::Waiting);
        let after = std::fs::metadata(&place.path).unwrap().len();
        assert!(after < before / 10, "{after} of {before} bytes");
    }
    let mut store = store(&place);
    assert!(store.consume(&waits, Approver::Chat(session), 10).is_ok());
    store.finish(&waits).unwrap();
    assert_eq!(
        (store.plans.len(), store.get(&waits).unwrap().state),
        (KEPT + 1, PlanState::Done)
    );
    // Of one it was not told yet what became of it.
    store.forget(1000 + KEPT_FOR);
    assert_eq!(store.plans.keys().collect::<Vec<_>>(), [&unknown]);
    store.told(&unknown).unwrap();
    store.forget(1000 + KEPT_FOR);
    assert!(store.plans.is_empty() && store.over.is_empty());
}

#[test]
fn whoever_is_killed_while_plans_are_summed_up_loses_none_that_waits() {
    let (place, session) = (place(), session());
    let [waits, _, last] = long_log(&place, session, 10_000);
    let whole = std::fs::read(&place.path).unwrap();
    drop(store(&place));
    let summed_up = std::fs::read(&place.path).unwrap();
    let beside = place.path.with_file_name("plans.log.new");
    for part in 0..8 {
        // So much of the new file is there, and it was not moved into place.
        std::fs::write(&place.path, &whole).unwrap();
        std::fs::write(&beside, &summed_up[..summed_up.len() * part / 7]).unwrap();
        let store = store(&place);
        assert_eq!(store.get(&waits).unwrap().state, PlanState::Waiting);
        assert_eq!(store.get(&last).unwrap().state, PlanState::Denied);
        assert!(!beside.exists());
    }
    // A folder in its place: nothing can be summed up, and all is as it was.
    std::fs::write(&place.path, &whole).unwrap();
    std::fs::create_dir_all(beside.join("x")).unwrap();
    let mut store = store(&place);
    store.deny(&waits, Approver::Chat(session), None, 10).unwrap();
    drop(store);
    assert_eq!(self::store(&place).get(&waits).unwrap().state, PlanState::Denied);
}
