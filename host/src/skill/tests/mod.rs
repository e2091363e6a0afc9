//! Skills that misbehave, each in one way, and files that are no skills.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod acts;
mod capabilities;
mod check;
mod code_cache;
mod deleted;
mod describe;
mod files;
mod folder;
mod gates;
#[allow(dead_code, reason = "the end-to-end tests use the rest")]
#[path = "../../../../tests/src/guest/mod.rs"]
mod guest;
mod lent;
mod limits;
mod nesting;
mod operator;
#[path = "../../../../sdk/src/reach.rs"]
mod reach;
mod rights;
mod state;
mod stock;
mod swaps;
mod unseen;
mod waits;
mod wasi;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use guest::Guest;

use super::loaded::{Skill, Source};
use super::workshop::{Candidate, LoadFault, Workshop};
use super::{Entry, Grants, Pin, Right, grants};
use crate::capability::SecretSet;
use crate::config::{CompileLimits, GateInstances, GateStock, SkillConfig, SkillLimits};
use crate::gate::verdict::{Gate, GateFault, Subject, Verdict};
use crate::plist;
use crate::sexp::{Form, read};
use crate::signal::{Action, Meta, Origin, Sensor, SessionId, Signal};

/// Small bounds, so that each is hit quickly.
const LIMITS: SkillLimits = SkillLimits {
    memory: 2 << 20,
    fuel: 1_000_000,
    fuel_per_byte: 100,
    pure_ms: 5_000,
    act_ms: 300,
    wait_ms: 1_000,
    table_entries: 1_000,
    instances: 20,
    host_calls: 100,
    log_lines: 10,
    text: 10_000,
    file: 1 << 20,
    read_bytes: 1_000,
    http_bytes: 1_000,
    http_ms: 2_000,
    outside_bytes: 10_000,
    model_calls: 2,
    model_prompt: 1_000,
    model_answer: 1_000,
    schedule_entries: 3,
};

const SECRET: &str = "correct-horse-battery";

/// Bounds on all skills. One may call as often as it likes, for what else is bounded.
static SMALL: LazyLock<SkillConfig> = LazyLock::new(|| SkillConfig {
    limits: LIMITS,
    overrides: BTreeMap::from([(
        "wide".to_owned(),
        SkillLimits {
            host_calls: 10_000,
            ..LIMITS
        },
    )]),
    gates: GateStock {
        instances: GateInstances::Fresh,
        ready: 4,
    },
    code_cache: 64 << 20,
    code: 64 << 20,
    compile: CompileLimits::DEFAULT,
});

static WORKSHOP: LazyLock<Arc<Workshop>> = LazyLock::new(|| Arc::new(workshop(GateInstances::Fresh)));

fn workshop(instances: GateInstances) -> Workshop {
    let mut limits = SMALL.clone();
    limits.gates.instances = instances;
    let settings = Arc::new(BTreeMap::from([("workspace".to_owned(), "/w".to_owned())]));
    Workshop::new(limits, vec!["policy".to_owned()], settings, secrets()).unwrap()
}

fn secrets() -> SecretSet {
    SecretSet::new([SECRET.to_owned(), "short".to_owned()])
}

/// Grants of these rights to whatever bears the name.
fn granting(name: &str, rights: &[&str]) -> Grants {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grants");
    for right in rights {
        let right: Right = right.parse().unwrap();
        grants::add(
            &path,
            &Entry::Grant {
                skill: name.to_owned(),
                pin: Pin::Follow,
                right,
            },
        )
        .unwrap();
    }
    Grants::load(&path).unwrap()
}

fn make_of(name: &str, bytes: &[u8], rights: &[&str]) -> Result<Skill, LoadFault> {
    make_in(&WORKSHOP, name, bytes, rights)
}

fn make_in(workshop: &Workshop, name: &str, bytes: &[u8], rights: &[&str]) -> Result<Skill, LoadFault> {
    let source = Source::File(PathBuf::from(format!("{name}.wasm")));
    workshop.make(
        &Candidate {
            name,
            bytes,
            compiled: None,
            anatomy: None,
            source,
            time: workshop.compile_time(),
        },
        &granting(name, rights),
    )
}

fn make(name: &str, guest: Guest, rights: &[&str]) -> Skill {
    make_of(name, &guest.build(), rights).unwrap()
}

fn shell(command: &str) -> Action {
    let payload = plist!("CMD" => command, "EXPLANATION" => "to see what is there");
    Action::close("SHELL", Origin::Model, payload)
}

fn signal() -> Signal {
    Signal {
        sensor: Sensor::UserInput,
        meta: Meta {
            source: "CLI".to_owned(),
            session: SessionId::random().unwrap(),
            request_id: None,
        },
        payload: plist!("SENSOR" => crate::sexp::kw("USER-INPUT"), "TEXT" => "hello"),
        depth: 0,
        tainted: false,
        began: None,
    }
}

fn judge(gate: &dyn Gate, action: Action) -> Result<Verdict, GateFault> {
    let settings = Arc::new(BTreeMap::new());
    gate.judge(&Subject {
        action,
        signal: Arc::new(signal().to_form()),
        settings,
        secrets: secrets(),
        trial: false,
    })
}

fn verdict(guest: Guest, name: &str) -> Result<Verdict, GateFault> {
    judge(&make(name, guest, &[]), shell("ls"))
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn form(text: &str) -> Form {
    read(text).unwrap()
}
