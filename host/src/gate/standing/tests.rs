#![allow(clippy::unwrap_used, clippy::expect_used)]

mod model;

use std::path::{Path, PathBuf};

use super::*;
use crate::audit::Writes;
use crate::gate::approval::{Approval, Approver, Plan, PlanStore};
use crate::signal::{Origin, SessionId};

const WORKSPACE: &str = "/work/space";

fn action(payload: Form) -> Action {
    Action::close("SHELL", Origin::Model, payload)
}

fn listing(explanation: &str) -> Action {
    action(plist!("CMD" => "ls -l /srv", "EXPLANATION" => explanation))
}

fn ask() -> Ask {
    Ask {
        gate: "dispatcher".into(),
        rule: "path-outside".into(),
        field: "payload.cmd".into(),
        summary: "lists /srv".into(),
        risk: "medium".into(),
        part: String::new(),
        remember: Some("ls '-l' '/srv'".into()),
        within: false,
    }
}

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        Place {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("approvals")
    }

    fn store(&self) -> StandingStore {
        StandingStore::open(&self.path(), Path::new(WORKSPACE), &Writes::default())
    }

    /// A plan that a person approved at once.
    fn approved(&self, action: &Action, asks: Vec<Ask>) -> (Plan, Approval) {
        let (mut plans, _) = PlanStore::open(
            &self.folder.path().join("plans.log"),
            Path::new(WORKSPACE),
            &Writes::default(),
        )
        .unwrap();
        let session = SessionId::random().unwrap();
        let id = plans.new_id().unwrap();
        let plan = plans
            .add(id, action.clone(), asks, session, Form::Nil, 0..1_000)
            .unwrap();
        plans.consume(&plan.id, Approver::Operator(plan.digest), 1).unwrap()
    }

    /// Remembers `ask` about `action` for 100 seconds from 10 on.
    fn remember(&self, store: &mut StandingStore, action: &Action, ask: &Ask) -> Result<Vec<String>, StandingError> {
        let (plan, approval) = self.approved(action, vec![ask.clone()]);
        let drafts = store.drafts(&plan, Some(100), 10)?;
        store.keep(drafts.clone(), &approval, 10)?;
        Ok(drafts.into_iter().map(|own| own.id).collect())
    }
}

/// A store in which the listing is remembered, and the id under which it is.
fn remembered() -> (Place, StandingStore, String) {
    let place = Place::new();
    let mut store = place.store();
    let id = place
        .remember(&mut store, &listing("to see it"), &ask())
        .unwrap()
        .remove(0);
    (place, store, id)
}

#[test]
fn what_was_remembered_covers_the_same_again_whatever_its_explanation_also_after_a_restart() {
    let (place, store, id) = remembered();
    for store in [store, place.store()] {
        let now = store.at(50);
        assert_eq!(
            now.covers(&listing("for another reason altogether"), &ask()),
            Some(id.as_str())
        );
        let spelt = action(plist!("CMD" => "ls  '-l' /srv", "EXPLANATION" => "spelt otherwise"));
        assert_eq!(
            now.covers(&spelt, &ask()),
            Some(id.as_str()),
            "the gate says that it comes to the same"
        );
    }
}

#[test]
fn what_took_the_place_of_another_and_is_undone_lets_that_stand_again() {
    let (place, mut store, before) = remembered();
    let (plan, approval) = place.approved(&listing("to see it again"), vec![ask()]);
    let drafts = store.drafts(&plan, Some(100), 10).unwrap();
    let replaced = store.keep(drafts.clone(), &approval, 10).unwrap();
    assert_eq!(replaced.len(), 1);
    store.undo(&drafts, &replaced).unwrap();
    for store in [&store, &place.store()] {
        let ids: Vec<&str> = store.list(50).map(|own| own.id.as_str()).collect();
        assert_eq!(ids, [before.as_str()]);
    }
    // But not where it was taken back meanwhile.
    let replaced = store.keep(drafts.clone(), &approval, 10).unwrap();
    store.revoke(&drafts[0].id).unwrap();
    store.undo(&drafts, &replaced).unwrap();
    assert_eq!(store.list(50).count(), 0);
}

#[test]
fn nothing_else_is_covered() {
    let (_place, store, _) = remembered();
    let now = store.at(50);
    let same = listing("to see it");
    type Change = fn(&mut Ask);
    let changes: [(&str, Change); 6] = [
        ("gate", |ask| ask.gate = "other".into()),
        ("rule", |ask| ask.rule = "tainted-turn".into()),
        ("field", |ask| ask.field = "payload".into()),
        ("summary", |ask| {
            ask.summary.push_str("; runs a command after reading text from outside")
        }),
        ("risk", |ask| ask.risk = "high".into()),
        ("scope", |ask| ask.remember = Some("ls '-l' '/srv' '/etc'".into())),
    ];
    for (what, change) in changes {
        let mut other = ask();
        change(&mut other);
        assert_eq!(now.covers(&same, &other), None, "another {what}");
    }
    let never = Ask {
        remember: None,
        ..ask()
    };
    assert_eq!(now.covers(&same, &never), None, "the gate no longer offers it");
    let others = [
        (
            "payload",
            action(plist!("CMD" => "ls -l /srv", "TIMEOUT" => 5, "EXPLANATION" => "to see it")),
        ),
        (
            "origin",
            Action::close("SHELL", Origin::Skill("agent".into()), same.payload().clone()),
        ),
        ("target", Action::close("TOOL", Origin::Model, same.payload().clone())),
        (
            "field",
            action(plist!("COMMAND" => "ls -l /srv", "EXPLANATION" => "to see it")),
        ),
    ];
    for (what, other) in others {
        assert_eq!(now.covers(&other, &ask()), None, "another {what}");
    }
}

#[test]
fn it_counts_in_its_own_workspace_only() {
    let (place, _, _) = remembered();
    let elsewhere = StandingStore::open(&place.path(), Path::new("/work/other"), &Writes::default());
    assert_eq!(elsewhere.at(50).covers(&listing("to see it"), &ask()), None);
}

#[test]
fn it_lapses_and_stays_so_when_the_clock_is_set_back() {
    let (place, mut store, id) = remembered();
    assert!(store.at(109).covers(&listing("to see it"), &ask()).is_some());
    assert_eq!(store.at(110).covers(&listing("to see it"), &ask()), None);
    assert!(store.expire(109).is_empty());
    assert_eq!(store.expire(110), [id]);
    store.save().unwrap();
    for store in [store, place.store()] {
        assert_eq!(store.at(50).covers(&listing("to see it"), &ask()), None);
    }
}

#[test]
fn what_a_clock_that_was_ahead_made_does_not_stand_before_its_time_and_can_be_taken_back() {
    let place = Place::new();
    let mut store = place.store();
    let ahead = 3 * 86_400;
    let (plan, approval) = place.approved(&listing("to see it"), vec![ask()]);
    let drafts = store.drafts(&plan, Some(60), ahead).unwrap();
    store.keep(drafts.clone(), &approval, ahead).unwrap();
    let id = &drafts[0].id;
    for mut store in [store, place.store()] {
        assert_eq!(store.at(100).covers(&listing("to see it"), &ask()), None);
        assert!(!store.stands(id, 100));
        assert_eq!(
            store.at(ahead + 59).covers(&listing("to see it"), &ask()),
            Some(id.as_str())
        );
        assert_eq!(store.list(100).count(), 1, "it is shown, so that it can be taken back");
        assert!(store.expire(100).is_empty());
    }
}

#[test]
fn what_is_revoked_counts_no_more() {
    let (place, mut store, id) = remembered();
    store.revoke(&id).unwrap();
    for mut store in [store, place.store()] {
        assert_eq!(store.at(50).covers(&listing("to see it"), &ask()), None);
        assert!(matches!(store.revoke(&id), Err(StandingError::NoSuchApproval { .. })));
    }
}

#[test]
fn the_beginning_of_an_id_names_its_approval_where_no_other_begins_so() {
    let (_place, store, id) = remembered();
    assert_eq!(store.named(&id).unwrap(), id);
    assert_eq!(store.named(&id[..4]).unwrap(), id);
    assert_eq!(store.named(&id.to_uppercase()).unwrap(), id);
    assert_eq!(store.named(&id[..5].to_uppercase()).unwrap(), id);
    let longer = store.named(&format!("{id}0"));
    assert!(matches!(longer, Err(StandingError::NoSuchApproval { .. })));
    for other in ["zzzz", "z"] {
        let told = store.named(other).unwrap_err().to_string();
        assert!(told.contains("eight hexadecimal digits"), "{told}");
    }
    for short in ["", &id[..3]] {
        let told = store.named(short).unwrap_err().to_string();
        assert!(told.contains("at least 4 of its eight digits"), "{told}");
    }
}

#[test]
fn an_ask_that_must_be_looked_at_is_not_remembered_nor_what_is_beside_it() {
    let place = Place::new();
    let mut store = place.store();
    let never = Ask {
        remember: None,
        rule: "shell-interpreter".into(),
        ..ask()
    };
    let (plan, _) = place.approved(&listing("to see it"), vec![ask(), never]);
    let error = store.drafts(&plan, None, 10).unwrap_err();
    assert!(error.to_string().contains("shell-interpreter"), "{error}");
    let long = action(plist!("CMD" => "x", "TEXT" => "y".repeat(20_000), "EXPLANATION" => "to see it"));
    assert!(matches!(
        place.remember(&mut store, &long, &ask()),
        Err(StandingError::TooLong)
    ));
    let (plan, _) = place.approved(&listing("to see it"), vec![ask()]);
    for seconds in [0, LONGEST_LIFETIME + 1, u64::MAX] {
        let error = store.drafts(&plan, Some(seconds), 10).unwrap_err();
        assert!(matches!(error, StandingError::Lifetime { .. }), "{seconds}");
    }
}

#[test]
fn what_is_not_the_same_any_more_once_it_is_carried_out_is_not_remembered() {
    let place = Place::new();
    let mut store = place.store();
    let replaces = action(plist!("CMD" => "x", "BASE-SHA256" => "ab", "EXPLANATION" => "to mend it"));
    let error = place.remember(&mut store, &replaces, &ask()).unwrap_err().to_string();
    assert!(
        error.contains("BASE-SHA256") && error.contains("without --remember"),
        "{error}"
    );
    let makes = action(plist!("CMD" => "x", "BASE-SHA256" => Form::Nil, "EXPLANATION" => "to make it"));
    assert!(place.remember(&mut store, &makes, &ask()).is_ok());
}

#[test]
fn only_what_was_just_approved_is_kept() {
    let place = Place::new();
    let mut store = place.store();
    let (_, other) = place.approved(&listing("another plan"), vec![ask()]);
    let (plan, _) = place.approved(&listing("to see it"), vec![ask()]);
    let drafts = store.drafts(&plan, None, 10).unwrap();
    store.keep(drafts, &other, 10).unwrap();
    assert_eq!(store.list(10).count(), 0);
}

#[test]
fn the_same_remembered_again_takes_the_place_of_the_first() {
    let (place, mut store, first) = remembered();
    let second = place.remember(&mut store, &listing("once more"), &ask()).unwrap();
    let ids: Vec<&str> = store.list(50).map(|own| own.id.as_str()).collect();
    assert_eq!(ids, second);
    assert_ne!(ids, [first]);
}

#[test]
fn a_file_with_an_error_approves_nothing_and_names_line_and_reason() {
    let (place, store, id) = remembered();
    let good = std::fs::read_to_string(place.path()).unwrap();
    assert!(store.fault().is_none());
    let entry = good.lines().nth(1).unwrap();
    let cases = [
        (format!("{good}(:STANDING \"x\""), 3, "ends"),
        (format!("{good}nonsense\n"), 3, "list"),
        (format!("{good}{entry}\n"), 3, "twice"),
        (good.replace(":EXPIRES 110", ":EXPIRES \"110\""), 2, "EXPIRES"),
        (good.replace(":EXPIRES 110", ":EXPIRES 99999999999"), 2, "366 days"),
        (good.replace(":EXPIRES 110", ":EXPIRES 110 :ALWAYS T"), 2, "ALWAYS"),
        (good.replace(":REMEMBER", ":REMEMBRE"), 2, "ASK"),
        (good.replace(":SCOPE (:TARGET", ":SCOPE (:ANY"), 2, "SCOPE"),
    ];
    for (text, line, reason) in cases {
        assert_ne!(text, good, "the case changes nothing");
        std::fs::write(place.path(), &text).unwrap();
        let mut store = place.store();
        let fault = store.fault().expect(&text).to_string();
        assert!(
            fault.contains(&format!("line {line}:")) && fault.contains(reason),
            "{text}\n{fault}"
        );
        assert_eq!(store.at(50).covers(&listing("to see it"), &ask()), None, "{text}");
        // Nothing is written over it, but all can be taken back.
        assert!(place.remember(&mut store, &listing("to see it"), &ask()).is_err());
        assert!(matches!(store.revoke(&id), Err(StandingError::Closed { .. })));
        assert_eq!(std::fs::read_to_string(place.path()).unwrap(), text);
        store.revoke_all().unwrap();
        assert!(place.store().fault().is_none());
        assert_eq!(place.store().list(50).count(), 0);
    }
}

#[test]
fn what_can_be_read_beside_an_error_is_known_and_counts_for_nothing() {
    let (place, _, id) = remembered();
    let good = std::fs::read(place.path()).unwrap();
    let text = String::from_utf8(good.clone()).unwrap();
    let entry = text.lines().nth(1).unwrap();
    let later = entry.replace(&id, "0000aaaa");
    for (between, faults) in [
        (&b"(:STANDING \"x\" :ANYTHING T)\n"[..], 1),
        (b"(:STANDING \"x\"\n", 1),
        (b"(((\n)\nnonsense\n", 3),
        (b"(:STANDING \"\xff\")\n\xff\n", 2),
    ] {
        let shown = String::from_utf8_lossy(between);
        let bytes = [&good, between, later.as_bytes(), b"\n"].concat();
        std::fs::write(place.path(), bytes).unwrap();
        let mut store = place.store();
        let held: Vec<&str> = store.held().map(|own| own.id.as_str()).collect();
        assert_eq!(held, [id.as_str(), "0000aaaa"], "{shown}");
        assert_eq!(store.list(50).count(), 0, "{shown}");
        assert_eq!(store.at(50).covers(&listing("to see it"), &ask()), None, "{shown}");
        let what = store.fault().unwrap().what();
        assert!(what.contains("line 3: "), "{what}");
        let more = match faults {
            1 => "",
            2 => "another entry",
            _ => "2 other entries",
        };
        assert!(what.contains(more), "{what}");
        assert!(
            !what.contains("revoke --all"),
            "what to do is said of no mended file: {what}"
        );
        store.revoke_all().unwrap();
        assert_eq!((store.held().count(), place.store().held().count()), (0, 0), "{shown}");
    }
}

#[test]
fn a_file_that_others_can_write_approves_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let (place, _, _) = remembered();
    let mode = std::fs::metadata(place.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    for mode in [0o660, 0o606, 0o640] {
        std::fs::set_permissions(place.path(), std::fs::Permissions::from_mode(mode)).unwrap();
        let store = place.store();
        assert!(store.fault().is_some(), "{mode:o}");
        assert_eq!(store.at(50).covers(&listing("to see it"), &ask()), None, "{mode:o}");
    }
}
