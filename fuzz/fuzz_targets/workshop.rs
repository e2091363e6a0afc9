//! What the targets that load skills share: a workshop with small bounds, every right for whoever asks, and a subject to
//! judge.

use std::collections::BTreeMap;
use std::sync::Arc;

use passepartout_host::capability::SecretSet;
use passepartout_host::config::{CompileLimits, GateInstances, GateStock, SkillConfig, SkillLimits};
use passepartout_host::gate::Subject;
use passepartout_host::sexp::read;
use passepartout_host::signal::{Action, Origin};
use passepartout_host::skill::{Entry, Grants, Pin, Workshop, grants};

/// The names under which files are tried.
pub const NAMES: &[&str] = &["hostile", "policy", "dispatcher", "shell", "repl", "dreamer"];

const RIGHTS: &[&str] = &[
    "process",
    "contains-secret",
    "revise",
    "recover",
    "heartbeat",
    "target:shell",
    "target:system/eval",
    "tool:shell",
    "tool:eval",
];

/// A workshop whose skills are ended soon.
pub fn workshop() -> Workshop {
    let limits = SkillLimits {
        memory: 4 << 20,
        fuel: 2_000_000,
        fuel_per_byte: 0,
        pure_ms: 2_000,
        file: 1 << 20,
        log_lines: 10,
        ..SkillLimits::DEFAULT
    };
    let config = SkillConfig {
        limits,
        overrides: BTreeMap::new(),
        gates: GateStock {
            instances: GateInstances::Fresh,
            ready: 2,
        },
        code_cache: 16 << 20,
        code: 64 << 20,
        compile: CompileLimits::DEFAULT,
    };
    Workshop::new(config, Vec::new(), Arc::default(), SecretSet::default()).expect("engines")
}

/// Every right for each of the names.
pub fn all_granted() -> Grants {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("grants");
    for name in NAMES {
        for right in RIGHTS {
            let entry = Entry::Grant {
                skill: (*name).to_owned(),
                pin: Pin::Follow,
                right: right.parse().expect("a right"),
            };
            grants::add(&path, &entry).expect("a grants file");
        }
    }
    Grants::load(&path).expect("a grants file")
}

/// An action that gates have something to say about.
pub fn subject() -> Subject {
    let form = |text| read(text).expect("a form");
    Subject {
        action: Action::close(
            "SHELL",
            Origin::Model,
            form("(:CMD \"ls\" :EXPLANATION \"to see what is there\")"),
        ),
        signal: Arc::new(form("(:TYPE :EVENT :PAYLOAD (:SENSOR :USER-INPUT :TEXT \"hello\"))")),
        settings: Arc::default(),
        secrets: SecretSet::default(),
        trial: false,
    }
}
