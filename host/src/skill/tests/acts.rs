//! What carries out actions: only the cleared command runs, once, and what a session keeps is its own.

use std::sync::Mutex;

use tokio_util::sync::CancellationToken;

use super::guest::{Guest, PROPOSE, RUN};
use super::*;
use crate::capability::{Effects, Failure, Output, SecretSet, Services, Turn};
use crate::config::Home;
use crate::gate::chain::{Cleared, Consent, Outcome, Rules, verify};
use crate::skill::SkillFault;

/// Remembers what it was told to run, and refuses what skills propose.
pub(super) struct Recorder {
    ran: Mutex<Vec<String>>,
    proposed: Mutex<Vec<String>>,
    turn: Turn,
}

impl Default for Recorder {
    fn default() -> Recorder {
        Recorder {
            ran: Mutex::default(),
            proposed: Mutex::default(),
            turn: turn(),
        }
    }
}

impl Recorder {
    /// In a daemon whose folders are in `home`.
    pub(super) fn in_home(home: &str) -> Recorder {
        Recorder {
            turn: turn_in(home),
            ..Recorder::default()
        }
    }
}

/// A turn in a daemon whose folders are nowhere.
pub(super) fn turn() -> Turn {
    turn_in("/nowhere")
}

fn turn_in(home: &str) -> Turn {
    let variable = |name: &str| (name == "PASSEPARTOUT_HOME").then(|| home.to_owned());
    let services = Services::bare(Home::find(&variable, None).unwrap());
    Turn::new(
        SessionId::random().unwrap(),
        CancellationToken::new(),
        Arc::new(services),
    )
}

impl Effects for Recorder {
    fn run(&self, command: &str, consent: Consent) -> Result<Output, Failure> {
        assert_eq!(consent, Consent::Nobody, "no gate asked");
        self.ran.lock().unwrap().push(command.to_owned());
        Ok(Output {
            exit_code: Some(0),
            stdout: "done".to_owned(),
            jailed: true,
            ..Output::default()
        })
    }

    fn clear(&self, skill: &str, target: &str, payload: Form) -> Result<Cleared<Action>, Failure> {
        self.proposed
            .lock()
            .unwrap()
            .push(format!("{skill}: {target}: {payload}"));
        Err(Failure::NeedsApproval("plan 7".to_owned()))
    }

    fn turn(&self) -> &Turn {
        &self.turn
    }
}

/// The action, cleared by a chain without gates.
pub(super) fn cleared(action: Action) -> Cleared<Action> {
    let rules = Rules {
        required: &[],
        revisions: 8,
        closed: None,
        approval: None,
        standing: None,
    };
    let subject = Subject {
        action,
        signal: Arc::new(signal().to_form()),
        settings: Arc::default(),
        secrets: SecretSet::default(),
        trial: false,
    };
    match verify(&[], &subject, &rules).outcome {
        Outcome::Cleared(cleared) => cleared,
        other => panic!("not cleared: {other:?}"),
    }
}

pub(super) fn shell_rights() -> &'static [&'static str] {
    &["process", "target:shell"]
}

/// Calls `process.run` with `handle` and `path` as often as `times` says, and answers with what the last call said.
fn runner(handle: &str, path: &str, times: u32) -> Guest {
    let mut guest = Guest::actuator("shell", "(:SHELL)").import(&RUN);
    let path = guest.text(path);
    // Output of a success is at 24 of the result, the text of a failure at 12.
    guest.act = format!(
        "(local $n i32) (local.set $n (i32.const {times}))
         (loop (call $run {handle} {path} (i32.const 128))
           (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
         (if (result i32) (i32.load8_u (i32.const 128))
           (then (call $say (i32.const 1) (i32.load (i32.const 140)) (i32.load (i32.const 144))))
           (else (call $say (i32.const 0) (i32.load (i32.const 152)) (i32.load (i32.const 156)))))"
    );
    guest
}

pub(super) fn run(guest: Guest, action: Action) -> (Result<String, SkillFault>, Vec<String>) {
    let skill = make("shell", guest, shell_rights());
    let effects = Arc::new(Recorder::default());
    let said = skill.act(&cleared(action), &signal(), effects.clone());
    let ran = effects.ran.lock().unwrap().clone();
    (said, ran)
}

pub(super) fn refused(said: Result<String, SkillFault>) -> String {
    match said {
        Err(SkillFault::Said(text)) => text,
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn the_cleared_command_runs_and_its_output_reaches_the_skill() {
    let (said, ran) = run(runner("(local.get 0)", "payload.cmd", 1), shell("ls -l"));
    assert_eq!(said, Ok("done".to_owned()));
    assert_eq!(ran, ["ls -l"]);
}

#[test]
fn each_command_runs_once() {
    let (said, ran) = run(runner("(local.get 0)", "payload.cmd", 2), shell("ls"));
    assert!(refused(said).contains("once"));
    assert_eq!(ran, ["ls"]);
}

#[test]
fn another_path_or_another_form_than_the_cleared_command_runs_nothing() {
    for (handle, path) in [
        ("(local.get 0)", "payload.explanation"),
        ("(local.get 0)", "target"),
        ("(local.get 0)", ""),
        ("(local.get 1)", "payload.text"),
        ("(i32.const 0)", "payload.cmd"),
        ("(i32.const 9)", "payload.cmd"),
    ] {
        let (said, ran) = run(runner(handle, path, 1), shell("ls"));
        refused(said);
        assert!(ran.is_empty(), "{handle} {path} ran {ran:?}");
    }
}

#[test]
fn a_command_of_another_target_runs_nothing() {
    let skill = make("shell", runner("(local.get 0)", "payload.cmd", 1), shell_rights());
    let effects = Arc::new(Recorder::default());
    let action = Action::close(
        "MAKE",
        Origin::Model,
        plist!("CMD" => "rm -rf /", "EXPLANATION" => "because I can"),
    );
    refused(skill.act(&cleared(action), &signal(), effects.clone()));
    assert!(effects.ran.lock().unwrap().is_empty());
}

#[test]
fn a_command_of_the_skills_own_is_a_proposal() {
    let mut guest = Guest::actuator("shell", "(:SHELL)").import(&PROPOSE);
    let (command, why) = (guest.text("rm x"), guest.text("it is in the way"));
    guest.act = format!(
        "(call $propose {command} {why} (i32.const 128))
         (call $say (i32.load8_u (i32.const 128)) (i32.load (i32.const 140)) (i32.load (i32.const 144)))"
    );
    let skill = make("shell", guest, shell_rights());
    let effects = Arc::new(Recorder::default());
    assert_eq!(
        refused(skill.act(&cleared(shell("ls")), &signal(), effects.clone())),
        "plan 7"
    );
    assert_eq!(
        *effects.proposed.lock().unwrap(),
        [r#"shell: SHELL: (:CMD "rm x" :EXPLANATION "it is in the way")"#]
    );
    assert!(effects.ran.lock().unwrap().is_empty());
}

#[test]
fn an_endless_loop_is_stopped_by_the_clock_however_long_its_command_took() {
    /// A command that takes longer than the skill may.
    struct Slow(Turn);
    impl Effects for Slow {
        fn run(&self, _: &str, _: Consent) -> Result<Output, Failure> {
            std::thread::sleep(std::time::Duration::from_millis(LIMITS.act_ms + 100));
            Ok(Output {
                stdout: "late".to_owned(),
                ..Output::default()
            })
        }

        fn clear(&self, _: &str, _: &str, _: Form) -> Result<Cleared<Action>, Failure> {
            Err(Failure::Failed("no".to_owned()))
        }

        fn turn(&self) -> &Turn {
            &self.0
        }
    }
    let skill = make("shell", runner("(local.get 0)", "payload.cmd", 1), shell_rights());
    assert_eq!(
        skill.act(&cleared(shell("ls")), &signal(), Arc::new(Slow(turn()))),
        Ok("late".to_owned())
    );

    let mut guest = runner("(local.get 0)", "payload.cmd", 1);
    guest.act = "(loop (br 0)) unreachable".to_owned();
    let skill = make("shell", guest, shell_rights());
    let fault = skill
        .act(&cleared(shell("ls")), &signal(), Arc::new(Slow(turn())))
        .unwrap_err();
    assert!(
        matches!(
            &fault,
            SkillFault::Failed {
                fault: GateFault::Time { allowed_ms: 300 },
                ..
            }
        ),
        "{fault}"
    );
}

/// Answers with as many letters as it was called before, and traps at the command `trap`.
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
fn a_text_for_the_host_is_as_long_as_it_may_be_and_no_longer() {
    let longest = 128 << 10;
    let proposing = |length: u64| {
        let mut guest = Guest::actuator("shell", "(:SHELL)").import(&PROPOSE);
        guest.pages = 4;
        let why = guest.text("it is in the way");
        guest.act = format!(
            "(call $propose (i32.const 0) (i32.const {length}) {why} (i32.const 128))
             (call $say (i32.const 0) (i32.const 0) (i32.const 0))"
        );
        run(guest, shell("ls")).0
    };
    assert_eq!(proposing(longest), Ok(String::new()));
    let fault = proposing(longest + 1).unwrap_err();
    let (asked, allowed) = (longest + 1, longest);
    assert!(
        matches!(&fault, SkillFault::Failed { fault: own, .. } if *own == GateFault::Given { asked, allowed }),
        "{fault}"
    );
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
