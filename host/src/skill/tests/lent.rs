//! Secrets, memory, the model and the schedule as a skill meets them: real imports with their types, in an act and in a
//! gate.

use std::sync::Mutex;

use tokio_util::sync::CancellationToken;

use super::acts::cleared;
use super::guest::{Guest, Import};
use super::*;
use crate::capability::services::Models;
use crate::capability::{Effects, Failure, Output, Services, Turn};
use crate::config::Home;
use crate::gate::chain::{Cleared, Consent};
use crate::memory::Memory;

/// An interface with one function of it.
macro_rules! import {
    ($instance:literal, $function:literal, $core:literal, $core_type:literal, $ty:literal) => {
        Import {
            instance: concat!("passepartout:skill/", $instance, "@0.1.0"),
            id: $instance,
            ty: concat!(
                r#"(type $f (variant (case "not-cleared" string) (case "rejected" string) (case "needs-approval" string)
                    (case "unavailable" string) (case "failed" string)))
                   (export "failure" (type $failure (eq $f)))"#,
                "(export \"",
                $function,
                "\" (func ",
                $ty,
                "))"
            ),
            function: $function,
            core: $core,
            core_type: $core_type,
            after: "",
        }
    };
}

const ASK: Import = import!(
    "model",
    "ask",
    "ask",
    "(param i32 i32 i32 i32)",
    r#"(param "action" u32) (param "path" string) (result (result string (error $failure)))"#
);
const KEEP: Import = import!(
    "memory",
    "propose-write",
    "keep",
    "(param i32 i32 i32 i32 i32)",
    r#"(param "object" string) (param "explanation" string) (result (result string (error $failure)))"#
);
const GET: Import = import!(
    "memory",
    "get",
    "get",
    "(param i32 i32 i32)",
    r#"(param "id" string) (result (result (option string) (error $failure)))"#
);
const NAMES: Import = import!(
    "vault",
    "names",
    "names",
    "(param i32)",
    r#"(result (result (list string) (error $failure)))"#
);
const LIST: Import = import!(
    "schedule",
    "list",
    "list",
    "(param i32)",
    r#"(result (result (list string) (error $failure)))"#
);
const ADD: Import = import!(
    "schedule",
    "add",
    "add",
    "(param i32 i32 i32 i32)",
    r#"(param "action" u32) (param "path" string) (result (result string (error $failure)))"#
);

/// Clears whatever a skill proposes, and has a model that repeats what it is asked.
struct Willing {
    turn: Turn,
    asked: Arc<Mutex<Vec<String>>>,
}

struct Echo(Arc<Mutex<Vec<String>>>);

impl Models for Echo {
    fn ask(&self, skill: &str, _: &Turn, prompt: &str) -> Result<String, Failure> {
        self.0.lock().unwrap().push(format!("{skill}: {prompt}"));
        Ok(format!("you asked: {prompt}"))
    }
}

impl Willing {
    fn new() -> Arc<Willing> {
        let asked = Arc::new(Mutex::default());
        let variable = |name: &str| (name == "PASSEPARTOUT_HOME").then(|| "/nowhere".to_owned());
        let services = Services {
            models: Box::new(Echo(Arc::clone(&asked))),
            ..Services::bare(Home::find(&variable, None).unwrap())
        };
        let turn = Turn::new(
            SessionId::random().unwrap(),
            CancellationToken::new(),
            Arc::new(services),
        );
        Arc::new(Willing { turn, asked })
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, Memory> {
        self.turn.services().memory.lock().unwrap()
    }
}

impl Effects for Willing {
    fn run(&self, _: &str, _: Consent) -> Result<Output, Failure> {
        Err(Failure::Failed("nothing runs here".to_owned()))
    }

    fn clear(&self, skill: &str, target: &str, payload: Form) -> Result<Cleared<Action>, Failure> {
        Ok(cleared(Action::close(target, Origin::Skill(skill.to_owned()), payload)))
    }

    fn turn(&self) -> &Turn {
        &self.turn
    }
}

/// A skill that calls `call` in its act, and says what came of it: the text at `ok` of a success.
fn caller(imports: &'static [&'static Import], call: impl FnOnce(&mut Guest) -> String, ok: u32) -> Guest {
    let describe = "(:NAME \"caller\" :VERSION \"1\" :FUNCTIONS (:GATE :ACT) :TARGETS (:CALL))";
    let mut guest = imports
        .iter()
        .fold(Guest::new(describe), |guest, own| guest.import(own));
    let call = call(&mut guest);
    guest.act = format!(
        "{call}
         (if (result i32) (i32.load8_u (i32.const 128))
           (then (call $say (i32.const 1) (i32.load (i32.const 136)) (i32.load (i32.const 140))))
           (else (call $say (i32.const 0) (i32.load (i32.const {ok})) (i32.load (i32.const {})))))",
        ok + 4
    );
    guest.gate = format!("{call} (call $pass)");
    guest
}

fn asker() -> Guest {
    let ask = |guest: &mut Guest| {
        let path = guest.text("payload.args.prompt");
        format!("(call $ask (local.get 0) {path} (i32.const 128))")
    };
    caller(&[&ASK], ask, 132)
}

fn tool(args: Form) -> Cleared<Action> {
    let payload = plist!("TOOL" => "call", "ARGS" => args, "EXPLANATION" => "because I want to");
    cleared(Action::close("TOOL", Origin::Model, payload))
}

#[test]
fn the_model_is_asked_what_the_gates_saw_without_secrets_and_not_too_often() {
    let skill = make("caller", asker(), &["model"]);
    let effects = Willing::new();
    let about = tool(plist!("PROMPT" => format!("is {SECRET} good?")));
    let ask = || skill.act(&about, &signal(), effects.clone());
    assert_eq!(ask(), Ok("you asked: is [secret] good?".to_owned()));
    assert_eq!(*effects.asked.lock().unwrap(), ["caller: is [secret] good?"]);
    ask().unwrap();
    let refused = ask().unwrap_err().to_string();
    assert!(refused.contains("limits.caller.model_calls"), "{refused}");
    // Another turn begins anew; a prompt has a bound, and so has what comes back.
    let effects = Willing::new();
    let long = tool(plist!("PROMPT" => "x".repeat(1_001)));
    let refused = skill.act(&long, &signal(), effects.clone()).unwrap_err().to_string();
    assert!(refused.contains("limits.caller.model_prompt_bytes"), "{refused}");
    assert!(effects.asked.lock().unwrap().is_empty());
    let most = tool(plist!("PROMPT" => "é".repeat(500)));
    let answer = skill.act(&most, &signal(), effects.clone()).unwrap();
    assert!(
        answer.len() <= 1_000 && answer.starts_with("you asked: é"),
        "{}",
        answer.len()
    );
    // A prompt that stands elsewhere in the action was not judged as one.
    let elsewhere = tool(plist!("OTHER" => "x"));
    assert!(skill.act(&elsewhere, &signal(), effects).is_err());
}

#[test]
fn a_stopped_turn_asks_nobody() {
    let skill = make("caller", asker(), &["model"]);
    let effects = Willing::new();
    effects.turn.cancel().cancel();
    let refused = skill.act(&tool(plist!("PROMPT" => "x")), &signal(), effects.clone());
    assert!(refused.unwrap_err().to_string().contains("cancelled"));
    assert!(effects.asked.lock().unwrap().is_empty());
}

#[test]
fn what_a_skill_proposes_to_keep_is_kept_as_its_own_and_tainted_as_its_turn_is() {
    let keeper = || {
        let keep = |guest: &mut Guest| {
            let object = guest.text(r#"(:ID "a" :CONTENT "tea at five")"#);
            let why = guest.text("to remember the tea");
            format!("(call $keep {object} {why} (i32.const 128))")
        };
        caller(&[&KEEP], keep, 132)
    };
    let getter = || {
        let get = |guest: &mut Guest| {
            let id = guest.text("skill:caller:a");
            format!("(call $get {id} (i32.const 128))")
        };
        caller(&[&GET], get, 136)
    };
    let effects = Willing::new();
    effects.turn.read_outside();
    let skill = make("caller", keeper(), &["memory:write"]);
    assert_eq!(
        skill.act(&tool(Form::Nil), &signal(), effects.clone()),
        Ok("skill:caller:a".to_owned())
    );
    assert!(effects.memory().get("skill:caller:a").unwrap().origin.is_tainted());
    // Whoever reads it has read something from outside.
    let reader = Willing::new();
    let mut overlay = reader.memory().overlay();
    overlay
        .keep("caller", true, &form(r#"(:ID "a" :CONTENT "tea at five")"#))
        .unwrap();
    reader.memory().commit(overlay);
    let skill = make("caller", getter(), &["memory:read"]);
    let said = skill.act(&tool(Form::Nil), &signal(), reader.clone()).unwrap();
    assert_eq!(form(&said).text_at("content"), Some("tea at five"));
    assert!(reader.turn.has_read_outside());
    // Reading takes another grant than writing.
    let skill = make("caller", getter(), &["memory:write"]);
    let refused = skill.act(&tool(Form::Nil), &signal(), reader).unwrap_err().to_string();
    assert!(refused.contains("skill grant caller memory:read"), "{refused}");
}

#[test]
fn where_nothing_is_lent_a_skill_is_told_so() {
    let add = |guest: &mut Guest| {
        let path = guest.text("payload.args");
        format!("(call $add (local.get 0) {path} (i32.const 128))")
    };
    let skill = make("caller", caller(&[&ADD], add, 132), &["schedule"]);
    let entry = tool(plist!("EVERY" => "1h", "TEXT" => "tea"));
    let refused = skill.act(&entry, &signal(), Willing::new()).unwrap_err().to_string();
    assert!(refused.contains("nothing can be scheduled here"), "{refused}");
    let names = |_: &mut Guest| "(call $names (i32.const 128))".to_owned();
    let skill = make("caller", caller(&[&NAMES], names, 132), &["vault:x"]);
    let refused = skill
        .act(&tool(Form::Nil), &signal(), Willing::new())
        .unwrap_err()
        .to_string();
    assert!(refused.contains("there is no vault here"), "{refused}");
}

#[test]
fn no_gate_uses_a_secret_memory_the_model_or_the_schedule_even_with_the_grant() {
    let nothing = |call: &'static str| move |_: &mut Guest| format!("(call {call} (i32.const 128))");
    let get = |guest: &mut Guest| {
        let id = guest.text("x");
        format!("(call $get {id} (i32.const 128))")
    };
    for (guest, right, name) in [
        (caller(&[&NAMES], nothing("$names"), 132), "vault:x", "vault.names"),
        (caller(&[&LIST], nothing("$list"), 132), "schedule", "schedule.list"),
        (caller(&[&GET], get, 136), "memory:read", "memory.get"),
        (asker(), "model", "model.ask"),
    ] {
        let gate = make("caller", guest, &[right]);
        let fault = judge(&gate, shell("ls")).unwrap_err();
        assert_eq!(fault, GateFault::Forbidden { name: name.to_owned() });
    }
}

#[test]
fn each_of_them_waits_for_its_grant() {
    let names = |_: &mut Guest| "(call $names (i32.const 128))".to_owned();
    for (guest, right) in [(caller(&[&NAMES], names, 132), "vault:NAME"), (asker(), "model")] {
        let fault = make_of("caller", &guest.build(), &[]).err().unwrap();
        assert_eq!(fault.state(), crate::skill::SkillState::Waiting, "{fault}");
        assert!(
            fault.to_string().contains(&format!("skill grant caller {right}")),
            "{fault}"
        );
    }
}
