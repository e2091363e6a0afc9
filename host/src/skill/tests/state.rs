//! What a skill keeps for a session, and what is said where it is lost.

use super::acts::{Recorder, cleared};
use super::*;
use crate::skill::SkillFault;

/// Answers with as many letters as it was called before, traps at the command `trap`, and computes for ever at `spins`.
fn counter() -> Guest {
    let mut guest = Guest::new("(:NAME \"counts\" :VERSION \"1\" :FUNCTIONS (:ACT) :TARGETS (:COUNT) :STATE T)");
    guest = guest.import(&super::guest::TEXT);
    let (path, letters) = (guest.text("payload.cmd"), guest.text(&"a".repeat(100)));
    let at = letters
        .split_whitespace()
        .nth(1)
        .unwrap()
        .trim_end_matches(')')
        .to_owned();
    guest.more = "(global $calls (mut i32) (i32.const 0))".to_owned();
    guest.act = format!(
        "(call $text (local.get 0) {path} (i32.const 64))
         (if (i32.eq (i32.load (i32.const 72)) (i32.const 4)) (then unreachable))
         (if (i32.eq (i32.load (i32.const 72)) (i32.const 5)) (then (loop $on (br $on))))
         (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
         (call $say (i32.const 0) (i32.const {at}) (global.get $calls))"
    );
    guest
}

fn count(skill: &Skill, about: &Signal, command: &str) -> Result<String, SkillFault> {
    let action = Action::close("COUNT", Origin::Model, plist!("CMD" => command));
    skill.act(&cleared(action), about, Arc::new(Recorder::default()))
}

#[test]
fn state_is_kept_by_session_and_gone_after_a_trap() {
    let skill = make("counts", counter(), &[]);
    let (one, other) = (signal(), signal());
    assert_eq!(count(&skill, &one, "x"), Ok("a".to_owned()));
    assert_eq!(count(&skill, &one, "x"), Ok("aa".to_owned()));
    assert_eq!(count(&skill, &other, "x"), Ok("a".to_owned()));
    let fault = count(&skill, &one, "trap").unwrap_err();
    assert!(
        fault.to_string().contains("what it kept for this session is gone"),
        "{fault}"
    );
    assert_eq!(count(&skill, &one, "x"), Ok("a".to_owned()));
    assert_eq!(count(&skill, &other, "x"), Ok("aa".to_owned()));
}

#[test]
fn what_computes_in_a_turn_that_is_stopped_ends_and_the_session_goes_on_and_hears_what_it_lost() {
    let skill = make("counts", counter(), &[]);
    let one = signal();
    for _ in 0..4 {
        assert_eq!(count(&skill, &one, "x"), Ok("a".to_owned()));
        let effects = Arc::new(Recorder::default());
        let cancel = effects.turn.cancel().clone();
        let stops = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(50));
            cancel.cancel();
        });
        let action = Action::close("COUNT", Origin::Model, plist!("CMD" => "spins"));
        let stopped = skill.act(&cleared(action), &one, effects).unwrap_err();
        assert!(stopped.to_string().contains("the turn was stopped"), "{stopped}");
        stops.join().unwrap();
        let told = count(&skill, &one, "x").unwrap();
        assert!(
            told.contains("went with the call that was stopped") && told.ends_with("\na"),
            "{told}"
        );
        let _ = count(&skill, &one, "trap");
    }
}

#[test]
fn a_place_in_which_nothing_is_kept_is_given_up_before_one_that_keeps_something_and_without_a_word() {
    let skill = make("counts", counter(), &[]);
    let (kept, trapped) = (signal(), signal());
    assert_eq!(count(&skill, &kept, "x"), Ok("a".to_owned()));
    assert!(count(&skill, &trapped, "trap").is_err());
    for _ in 0..63 {
        count(&skill, &signal(), "x").unwrap();
    }
    assert_eq!(count(&skill, &kept, "x"), Ok("aa".to_owned()));
    assert_eq!(
        count(&skill, &trapped, "x"),
        Ok("a".to_owned()),
        "nothing of it was lost"
    );
}

#[test]
fn that_state_is_gone_is_said_only_where_some_was_and_of_what_was_lost_before_too() {
    let skill = make("counts", counter(), &[]);
    let (kept, other) = (signal(), signal());
    let gone =
        |outcome: Result<String, SkillFault>| outcome.unwrap_err().to_string().contains("for this session is gone");
    assert_eq!(count(&skill, &kept, "x"), Ok("a".to_owned()));
    assert!(!gone(count(&skill, &other, "trap")), "nothing was kept yet");
    assert!(!gone(count(&skill, &signal(), "trap")) && !gone(count(&skill, &other, "trap")));
    let alone = count(&skill, &kept, "x");
    assert!(
        alone.clone().unwrap_err().to_string().contains("left alone"),
        "{alone:?}"
    );
    assert!(!gone(alone), "the call never reached what is kept");

    let later = make("counts", counter(), &[]);
    later.sessions.replace(&skill.sessions);
    assert!(
        gone(count(&later, &kept, "trap")),
        "there is no answer that could say it"
    );
    assert_eq!(count(&later, &kept, "x"), Ok("a".to_owned()));
}

#[test]
fn a_version_that_takes_the_place_of_another_says_what_that_one_kept_is_lost_and_so_does_the_other() {
    let (earlier, later) = (make("counts", counter(), &[]), make("counts", counter(), &[]));
    let (one, never) = (signal(), signal());
    assert_eq!(count(&earlier, &one, "x"), Ok("a".to_owned()));
    later.sessions.replace(&earlier.sessions);
    for skill in [&later, &earlier] {
        let told = count(skill, &one, "x").unwrap();
        assert!(told.contains("is another now") && told.ends_with("\na"), "{told}");
        assert_eq!(count(skill, &one, "x"), Ok("aa".to_owned()));
        assert_eq!(count(skill, &never, "x"), Ok("a".to_owned()));
    }
    assert_eq!(later.sessions.known().len(), 2);
}

#[test]
fn state_that_a_tainted_turn_has_used_taints_whoever_uses_it_later() {
    let skill = make("counts", counter(), &[]);
    let (one, other) = (signal(), signal());
    let taints = |about: &Signal, reads: bool, command: &str| {
        let effects = Arc::new(Recorder::default());
        if reads {
            effects.turn.read_outside();
        }
        let action = Action::close("COUNT", Origin::Model, plist!("CMD" => command));
        let _ = skill.act(&cleared(action), about, effects.clone());
        effects.turn.has_read_outside()
    };
    assert!(!taints(&one, false, "x"));
    assert!(taints(&one, true, "x"));
    assert!(taints(&one, false, "x"));
    assert!(!taints(&other, false, "x"));
    // What is kept ends with the instance.
    taints(&one, false, "trap");
    assert!(!taints(&one, false, "x"));
}

#[test]
fn of_too_many_sessions_the_one_idle_longest_loses_its_state_and_is_told() {
    let skill = make("counts", counter(), &[]);
    let first = signal();
    assert_eq!(count(&skill, &first, "x"), Ok("a".to_owned()));
    let second = signal();
    assert_eq!(count(&skill, &second, "x"), Ok("a".to_owned()));
    for _ in 0..63 {
        count(&skill, &signal(), "x").unwrap();
    }
    assert_eq!(count(&skill, &second, "x"), Ok("aa".to_owned()));
    let told = count(&skill, &first, "x").unwrap();
    assert!(told.contains("dropped") && told.ends_with("\na"), "{told}");
    assert_eq!(count(&skill, &first, "x"), Ok("aa".to_owned()));
}

#[test]
fn when_no_place_is_left_those_idle_longest_give_theirs_up_and_every_action_is_carried_out() {
    let workshop = workshop(crate::config::GateInstances::Fresh);
    let bytes = counter().build();
    let skills: Vec<Skill> = (0..5)
        .map(|_| make_in(&workshop, "counts", &bytes, &[]).unwrap())
        .collect();
    // There are 256 places, and 300 sessions want one each.
    let mut abouts = Vec::new();
    for skill in &skills {
        for _ in 0..60 {
            let about = signal();
            assert_eq!(count(skill, &about, "x"), Ok("a".to_owned()));
            abouts.push((skill, about));
        }
    }
    let told: Vec<String> = abouts
        .iter()
        .map(|(skill, about)| count(skill, about, "x").unwrap())
        .collect();
    assert!(told.iter().any(|text| text.contains("dropped")));
    assert!(
        told.iter().all(|text| text == "aa" || text.contains("dropped")),
        "what is lost is said: {told:?}"
    );
}
