//! The invariants of the gates while skills are swapped, removed and broken at the same time as actions are judged.
//!
//! Each case is a few hundred files that come and go, in an order that proptest makes up; two threads judge all the
//! while, each with the set that is in use at the moment, and know from the digests in it what must come out.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use proptest::prelude::*;

use super::*;
use crate::audit::Writes;
use crate::gate::approval::{Approver, PlanStore};
use crate::gate::chain::{Judgement, Outcome, Rules, verify};
use crate::sexp::Digest;
use crate::skill::dropped::QUIET;
use crate::skill::loader::Loader;
use crate::skill::{Bundled, Registry, SkillSet};

/// What a gate does, as far as the outcome is concerned; later ones are stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Conduct {
    Passes,
    Asks,
    Rejects,
}

/// One step of whoever changes the folder.
#[derive(Clone, Debug)]
enum Step {
    /// A version that loads, of one of the kinds.
    Put(usize, usize),
    /// A file that is no skill.
    Break(usize, usize),
    Delete(usize),
}

/// Plans made in one case: each is synced to disk several times.
const APPROVALS: usize = 20;

const NAMES: [&str; 4] = ["ada", "bob", "cleo", "policy"];

/// How a good version behaves: what it does, and the body of its gate, where `{ask}` and `{no}` are texts of its own.
const KINDS: [(Conduct, &str); 6] = [
    (Conduct::Passes, "(call $pass)"),
    (Conduct::Asks, "(call $say (i32.const 3) {ask})"),
    (Conduct::Rejects, "(call $say (i32.const 2) {no})"),
    (Conduct::Rejects, "unreachable"),
    (Conduct::Rejects, "(loop (br 0)) unreachable"),
    (
        Conduct::Rejects,
        "(call $say (i32.const 77) (i32.const 0) (i32.const 0))",
    ),
];

/// A good version of each name and kind, assembled once.
static GOOD: LazyLock<BTreeMap<(&str, usize), Vec<u8>>> = LazyLock::new(|| {
    let all = NAMES
        .iter()
        .flat_map(|name| (0..KINDS.len()).map(move |kind| (*name, kind)));
    all.map(|(name, kind)| ((name, kind), assemble(name, kind))).collect()
});

fn good(name: &'static str, kind: usize) -> &'static [u8] {
    &GOOD[&(name, kind)]
}

fn assemble(name: &str, kind: usize) -> Vec<u8> {
    let mut guest = Guest::gate(name);
    let ask = guest.text("(:RULE \"ask\" :SUMMARY \"something would happen\" :RISK \"low\")");
    let no = guest.text("(:RULE \"no\" :REASON \"always\")");
    guest.gate = KINDS[kind].1.replace("{ask}", &ask).replace("{no}", &no);
    guest.build()
}

fn bad(name: &'static str, kind: usize) -> Vec<u8> {
    match kind {
        0 => Vec::new(),
        1 => b"(component)".to_vec(),
        2 => {
            let whole = good(name, 0);
            whole[..whole.len() / 2].to_vec()
        }
        // Asks for what it is not granted.
        3 => Guest::gate(name).import(&super::guest::SECRETS).build(),
        4 => Guest::gate("another").build(),
        _ => Guest::new(format!(
            "(:NAME \"{name}\" :VERSION \"1\" :FUNCTIONS (:GATE) :DEPENDS-ON (\"nobody\"))"
        ))
        .build(),
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let name = 0..NAMES.len();
    let step = prop_oneof![
        4 => (name.clone(), 0..KINDS.len()).prop_map(|(name, kind)| Step::Put(name, kind)),
        3 => (name.clone(), 0_usize..6).prop_map(|(name, kind)| Step::Break(name, kind)),
        2 => name.prop_map(Step::Delete),
    ];
    prop::collection::vec(step, 250)
}

/// The bundled `policy` passes, and is required.
fn bundled() -> &'static [Bundled] {
    let wasm = good("policy", 0);
    Box::leak(Box::new([Bundled {
        name: "policy",
        wasm,
        pure: b"not compiled",
        acting: None,
    }]))
}

/// What every good version is known to do, by its digest.
fn known() -> BTreeMap<Digest, Conduct> {
    let of = |((_, kind), bytes): (&(&str, usize), &Vec<u8>)| (Digest::of_file(bytes), KINDS[*kind].0);
    GOOD.iter().map(of).collect()
}

/// The strictest of what the gates of a set do. A gate that fell holds its place and rejects.
fn strictest(set: &SkillSet, known: &BTreeMap<Digest, Conduct>) -> Conduct {
    let of = |gate: &Arc<dyn Gate>| known.get(&gate.digest()).copied().unwrap_or(Conduct::Rejects);
    set.gates().iter().map(of).max().unwrap_or(Conduct::Rejects)
}

fn conduct(judgement: &Judgement) -> Conduct {
    match &judgement.outcome {
        Outcome::Cleared(_) => Conduct::Passes,
        Outcome::Waiting { .. } => Conduct::Asks,
        Outcome::Rejected { .. } => Conduct::Rejects,
    }
}

/// What a judge works with.
struct Bench {
    registry: Registry,
    known: BTreeMap<Digest, Conduct>,
    plans: Mutex<PlanStore>,
    approved: AtomicUsize,
    judged: AtomicUsize,
    over: AtomicBool,
    required: Vec<String>,
}

impl Bench {
    fn judge_on(&self) {
        while !self.over.load(Ordering::Relaxed) {
            self.judge_once();
        }
    }

    fn judge_once(&self) {
        let number = self.judged.fetch_add(1, Ordering::Relaxed);
        let set = self.registry.current();
        let subject = Subject {
            action: shell(&format!("ls {number}")),
            signal: Arc::new(signal().to_form()),
            settings: Arc::new(BTreeMap::new()),
            secrets: SecretSet::default(),
            trial: false,
        };
        let rules = Rules {
            required: &self.required,
            revisions: 8,
            closed: None,
            approval: None,
            standing: None,
        };
        let judgement = verify(set.gates(), &subject, &rules);
        // 2 and 5: neither order nor company matter; who gives no verdict has rejected.
        assert_eq!(conduct(&judgement), strictest(&set, &self.known), "{judgement:#?}");
        // 1: every gate was asked, and about exactly what was cleared.
        if let Outcome::Cleared(cleared) = &judgement.outcome {
            let digest = cleared.get().digest();
            let asked: Vec<&str> = judgement.steps.iter().map(|step| step.gate.as_str()).collect();
            let all: Vec<&str> = set.gates().iter().map(|gate| gate.name()).collect();
            assert_eq!(asked, all);
            assert!(
                judgement
                    .steps
                    .iter()
                    .all(|step| step.judged == digest && step.answer == Ok(Verdict::Pass))
            );
        }
        // 3: the same gates say the same again.
        let again = verify(set.gates(), &subject, &rules);
        let said =
            |judgement: &Judgement| -> Vec<_> { judgement.steps.iter().map(|step| step.answer.clone()).collect() };
        assert_eq!(said(&judgement), said(&again));
        if let Outcome::Waiting { action, asks } = &judgement.outcome
            && self.approved.fetch_add(1, Ordering::Relaxed) < APPROVALS
        {
            self.approve(&subject, action, asks);
        }
    }

    /// 4: an approval is for one text and these asks, once; and the gates of the moment have the last word.
    fn approve(&self, subject: &Subject, action: &Action, asks: &[crate::gate::Ask]) {
        let session = SessionId::random().unwrap();
        let plan = {
            let mut plans = self.plans.lock().unwrap();
            let id = plans.new_id().unwrap();
            plans
                .add(id, action.clone(), asks.to_vec(), session, Form::Nil, 0..1_000)
                .unwrap()
        };
        let consumed: Vec<_> = (0..2)
            .map(|_| {
                self.plans
                    .lock()
                    .unwrap()
                    .consume(&plan.id, Approver::Chat(session), 10)
            })
            .collect();
        let approvals: Vec<_> = consumed.into_iter().flatten().collect();
        assert_eq!(approvals.len(), 1, "a plan is approved once");
        let set = self.registry.current();
        let rules = Rules {
            required: &self.required,
            revisions: 8,
            closed: None,
            approval: Some(&approvals[0].1),
            standing: None,
        };
        let named: Vec<&str> = asks.iter().map(|ask| ask.gate.as_str()).collect();
        let covered = |gate: &Arc<dyn Gate>| match self.known.get(&gate.digest()) {
            Some(Conduct::Passes) => Conduct::Passes,
            Some(Conduct::Asks) if named.contains(&gate.name()) => Conduct::Passes,
            Some(Conduct::Asks) => Conduct::Asks,
            _ => Conduct::Rejects,
        };
        let expected = set.gates().iter().map(covered).max().unwrap_or(Conduct::Rejects);
        let judgement = verify(
            set.gates(),
            &Subject {
                action: action.clone(),
                ..subject.clone()
            },
            &rules,
        );
        assert_eq!(conduct(&judgement), expected, "{judgement:#?}");
    }
}

/// What should be in use, by what was done to the folder.
#[derive(Default)]
struct Model(BTreeMap<&'static str, Digest>);

impl Model {
    fn after(&mut self, step: &Step) {
        match step {
            // Nobody trusts another policy.
            Step::Put(name, kind) if NAMES[*name] != "policy" => {
                self.0.insert(NAMES[*name], Digest::of_file(good(NAMES[*name], *kind)));
            }
            Step::Put(..) | Step::Break(..) => {}
            Step::Delete(name) => {
                self.0.remove(NAMES[*name]);
            }
        }
    }

    fn check(&self, set: &SkillSet) {
        let mut digests = set.digests();
        assert!(digests.remove("policy").is_some(), "the bundled policy is always there");
        let own: BTreeMap<&str, Digest> = digests.iter().map(|(name, digest)| (name.as_str(), *digest)).collect();
        assert_eq!(own, self.0.iter().map(|(name, digest)| (*name, *digest)).collect());
    }
}

fn apply(step: &Step, folder: &Path) {
    let file = |name: usize| folder.join(format!("{}.wasm", NAMES[name]));
    match step {
        Step::Put(name, kind) => fs::write(file(*name), good(NAMES[*name], *kind)).unwrap(),
        Step::Break(name, kind) => fs::write(file(*name), bad(NAMES[*name], *kind)).unwrap(),
        Step::Delete(name) => match fs::remove_file(file(*name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => panic!("{error}"),
            _ => {}
        },
    }
}

proptest! {
    // Four times 250: a thousand swaps.
    #![proptest_config(ProptestConfig { cases: 4, max_shrink_iters: 20, ..ProptestConfig::default() })]

    #[test]
    fn invariants_1_to_5_hold_while_skills_are_swapped_removed_and_broken(steps in steps()) {
        let folder = tempfile::tempdir().unwrap();
        let store = tempfile::tempdir().unwrap();
        let mut loader = Loader::new(WORKSHOP.clone(), bundled(), folder.path().to_owned());
        let bench = Bench {
            registry: Registry::new(loader.begin(Grants::default())),
            known: known(),
            plans: Mutex::new(PlanStore::open(&store.path().join("plans.log"), std::path::Path::new("/workspace"), &Writes::default()).unwrap().0),
            approved: AtomicUsize::new(0),
            judged: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            required: vec!["policy".to_owned()],
        };
        let all_judged = std::thread::scope(|scope| {
            let judges: Vec<_> = (0..2).map(|_| scope.spawn(|| bench.judge_on())).collect();
            let mut model = Model::default();
            for step in &steps {
                apply(step, folder.path());
                model.after(step);
                let now = Instant::now();
                loader.notice(Grants::default(), &|_| true, now);
                // What stays away for so long is deleted.
                loader.notice(Grants::default(), &|_| true, now + QUIET);
                bench.registry.swap(loader.place());
                loader.work(now + QUIET);
                bench.registry.swap(loader.place());
                model.check(&bench.registry.current());
                // One that saw an invariant broken has ended.
                if judges.iter().any(std::thread::ScopedJoinHandle::is_finished) {
                    break;
                }
            }
            bench.over.store(true, Ordering::Relaxed);
            judges.into_iter().all(|judge| judge.join().is_ok())
        });
        prop_assert!(all_judged, "an invariant was broken; the assertion stands above");
        prop_assert!(bench.judged.load(Ordering::Relaxed) > 100, "the judges were at work");
    }
}
