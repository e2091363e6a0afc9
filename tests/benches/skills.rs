//! What a call of a gate costs, in process: from an instance made ready, and from one that is kept; for a small action
//! and a large one. Run by `cargo xtask bench`.
//!
//! The gate reads three fields of the action, as `docs/` tells authors to. Each action is another than the one before, and
//! what makes one large is a field that the gate does not ask for.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a measurement that can't go on has failed"
)]
#![allow(missing_docs, reason = "criterion's macros make functions without")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Bencher, Criterion, criterion_group, criterion_main};
use passepartout_host::capability::SecretSet;
use passepartout_host::config::GateInstances;
use passepartout_host::gate::{Gate, Subject};
use passepartout_host::plist;
use passepartout_host::sexp::Form;
use passepartout_host::signal::{Action, Origin};
use passepartout_tests::gates::{gate, gates_with};
use passepartout_tests::guest::{Guest, TEXT};

/// A gate that reads three fields and passes.
fn reading_gate() -> Vec<u8> {
    let mut guest = Guest::gate("reader").import(&TEXT);
    let reads: String = ["target", "payload.cmd", "payload.explanation"]
        .iter()
        .map(|path| format!("(call $text (local.get 0) {} (i32.const 128))", guest.text(path)))
        .collect();
    guest.gate = format!("{reads} (call $pass)");
    // As an allocator does that takes back what is no longer used: a call leaves nothing behind.
    guest.realloc = "(global.set $next (i32.const 8192))".to_owned();
    guest.build()
}

/// Actions that are judged in turn.
const ACTIONS: usize = 16;

/// An action of about `bytes` bytes, other than those of another number. What makes it large is its body.
fn subject(number: usize, bytes: usize) -> Subject {
    let payload = plist!(
        "CMD" => format!("ls -l folder-{number}"),
        "EXPLANATION" => "to see what is in the folder",
        "BODY" => "x".repeat(bytes.saturating_sub(150)),
    );
    Subject {
        action: Action::close("SHELL", Origin::Model, payload),
        signal: Arc::new(Form::Nil),
        settings: Arc::new(BTreeMap::new()),
        secrets: SecretSet::default(),
        trial: false,
    }
}

/// Has `gate` judge one action after the other. They are made beforehand: what making them costs is none of its own.
fn judge(bencher: &mut Bencher, gate: &Arc<dyn Gate>, bytes: usize) {
    let subjects: Vec<Subject> = (0..ACTIONS).map(|number| subject(number, bytes)).collect();
    let mut turn = subjects.iter().cycle();
    bencher.iter(|| {
        gate.judge(turn.next().expect("there is always a next one"))
            .expect("a verdict")
    });
}

fn gates(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("gate");
    group
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3));
    for (kind, instances) in [("fresh", GateInstances::Fresh), ("warm", GateInstances::Warm)] {
        let set = gates_with(instances, &[("reader", &reading_gate())]);
        for (size, bytes) in [("300 B", 300), ("1 MB", 1 << 20)] {
            group.bench_function(format!("reads three fields, {kind}, {size}"), |bencher| {
                judge(bencher, gate(&set, "reader"), bytes);
            });
        }
        for name in ["policy", "dispatcher"] {
            group.bench_function(format!("{name}, {kind}, 300 B"), |bencher| {
                judge(bencher, gate(&set, name), 300);
            });
        }
    }
    group.finish();
}

criterion_group!(benches, gates);
criterion_main!(benches);
