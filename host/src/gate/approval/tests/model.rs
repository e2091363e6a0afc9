//! The store against a model of it: whatever is done in whatever order, with the process killed between two steps or in
//! the middle of writing one down.

use std::path::Path;

use proptest::prelude::*;

use super::*;

/// What can be done to a plan.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Add(usize),
    Approve(usize, usize),
    ApproveByDigest(usize, usize),
    Deny(usize, usize),
    Finish(usize),
    Reopen(usize),
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Do(Deed),
    Pass(u64),
    Restart,
    /// The process is killed while it writes the deed down: so much of it, in thousandths, is on disk.
    Torn(Deed, usize),
}

fn deed() -> impl Strategy<Value = Deed> {
    let (plan, session) = (|| 0_usize..6, || 0_usize..2);
    prop_oneof![
        3 => session().prop_map(Deed::Add),
        3 => (plan(), session()).prop_map(|(plan, by)| Deed::Approve(plan, by)),
        1 => (plan(), plan()).prop_map(|(plan, shown)| Deed::ApproveByDigest(plan, shown)),
        1 => (plan(), session()).prop_map(|(plan, by)| Deed::Deny(plan, by)),
        2 => plan().prop_map(Deed::Finish),
        1 => plan().prop_map(Deed::Reopen),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => deed().prop_map(Step::Do),
        1 => (0_u64..400).prop_map(Step::Pass),
        1 => Just(Step::Restart),
        2 => (deed(), 0_usize..1000).prop_map(|(deed, part)| Step::Torn(deed, part)),
    ];
    proptest::collection::vec(step, 1..40)
}

/// What a plan should be.
#[derive(Clone, Debug)]
struct Wanted {
    plan: Plan,
    state: PlanState,
    approvals: usize,
}

/// What the store should hold, and the time.
#[derive(Clone)]
struct Model {
    sessions: [SessionId; 2],
    plans: Vec<Wanted>,
    now: UnixSeconds,
}

impl Model {
    /// Does `deed` to the store and to the model, which must agree on whether it is allowed. Plans are only reopened and
    /// finished by whoever consumed them, so that is done to approved ones alone.
    fn run(&mut self, store: &mut PlanStore, deed: Deed) {
        let now = self.now;
        match deed {
            Deed::Add(of) => {
                let (id, session) = (store.new_id().unwrap(), self.sessions[of]);
                let command = format!("echo {}", self.plans.len());
                let asks = vec![ask("shell")];
                let plan = store.add(id, action(&command), asks, session, Form::Nil, now..now + 500);
                self.plans.push(Wanted {
                    plan: plan.unwrap(),
                    state: PlanState::Waiting,
                    approvals: 0,
                });
            }
            Deed::Approve(at, by) => {
                let session = self.sessions[by];
                let Some(own) = self.plans.get_mut(at) else { return };
                let done = store.consume(&own.plan.id, Approver::Chat(session), now).is_ok();
                assert_eq!(done, own.answerable(now) && own.plan.session == session, "{own:?}");
                own.approved(done);
            }
            Deed::ApproveByDigest(at, shown) => {
                let Some(shown) = self.plans.get(shown).map(|own| own.plan.digest) else {
                    return;
                };
                let Some(own) = self.plans.get_mut(at) else { return };
                let done = store.consume(&own.plan.id, Approver::Operator(shown), now).is_ok();
                assert_eq!(done, own.answerable(now) && own.plan.digest == shown, "{own:?}");
                own.approved(done);
            }
            Deed::Deny(at, by) => {
                let session = self.sessions[by];
                let Some(own) = self.plans.get_mut(at) else { return };
                let done = store.deny(&own.plan.id, Approver::Chat(session), None, now).is_ok();
                assert_eq!(done, own.answerable(now) && own.plan.session == session, "{own:?}");
                if done {
                    own.state = PlanState::Denied;
                }
            }
            Deed::Finish(at) | Deed::Reopen(at) => {
                let Some(own) = self.plans.get_mut(at) else { return };
                if own.state != PlanState::Approved {
                    return;
                }
                if matches!(deed, Deed::Finish(_)) {
                    store.finish(&own.plan.id).unwrap();
                    own.state = PlanState::Done;
                } else {
                    // Nothing came of that approval.
                    store.reopen(&own.plan.id).unwrap();
                    own.state = PlanState::Waiting;
                    own.approvals -= 1;
                }
            }
        }
    }

    fn pass(&mut self, store: &mut PlanStore, seconds: u64) {
        self.now += seconds;
        for plan in store.over(self.now) {
            store.expire(&plan.id).unwrap();
        }
        for own in &mut self.plans {
            if own.state == PlanState::Waiting && own.plan.expires <= self.now {
                own.state = PlanState::Expired;
            }
        }
    }

    fn restarted(&mut self, path: &Path) -> PlanStore {
        for own in &mut self.plans {
            if own.state == PlanState::Approved {
                own.state = PlanState::Unknown;
            }
        }
        PlanStore::open(path, Path::new(WORKSPACE), &Writes::default())
            .unwrap()
            .0
    }

    fn check(&self, store: &PlanStore) {
        for own in &self.plans {
            let kept = store.get(&own.plan.id).expect("it was acknowledged");
            assert_eq!(kept.state, own.state, "{own:?}");
            assert_eq!(kept.digest, own.plan.digest);
            assert_eq!(kept.action.canonical(), own.plan.action.canonical());
            assert!(own.approvals <= 1, "approved twice: {own:?}");
        }
        let waiting = self.plans.iter().filter(|own| own.state == PlanState::Waiting);
        assert_eq!(
            store.waiting(None).count(),
            waiting.count(),
            "nothing waits that nobody proposed"
        );
    }
}

impl Wanted {
    fn answerable(&self, now: UnixSeconds) -> bool {
        self.state == PlanState::Waiting && now < self.plan.expires
    }

    fn approved(&mut self, done: bool) {
        if done {
            self.state = PlanState::Approved;
            self.approvals += 1;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Invariant 4, its part about plans: whatever happens in whatever order, no plan is approved twice, after a
    /// denial, after its time, from another session, or by the digest of another; nothing acknowledged is lost, and what
    /// was being written when the process was killed has not happened.
    #[test]
    fn invariant_4_a_plan_is_approved_at_most_once_in_time_and_by_its_own_session(steps in steps()) {
        let place = place();
        let mut store = store(&place);
        let mut model = Model { sessions: [session(), session()], plans: Vec::new(), now: 0 };
        for step in steps {
            match step {
                Step::Do(deed) => model.run(&mut store, deed),
                Step::Pass(seconds) => model.pass(&mut store, seconds),
                Step::Restart => {
                    drop(store);
                    store = model.restarted(&place.path);
                }
                Step::Torn(deed, part) => {
                    let before = std::fs::read(&place.path).unwrap().len();
                    model.clone().run(&mut store, deed);
                    drop(store);
                    let bytes = std::fs::read(&place.path).unwrap();
                    let cut = before + (bytes.len() - before) * part / 1000;
                    std::fs::write(&place.path, &bytes[..cut]).unwrap();
                    store = model.restarted(&place.path);
                }
            }
            model.check(&store);
        }
    }
}
