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
    pub(super) turn: Turn,
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
