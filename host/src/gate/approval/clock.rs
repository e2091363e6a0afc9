//! Plans under a clock that is set: one that was ahead when a plan was made gives it no more time, also over restarts, and
//! one that is behind for a moment takes none away.

use std::time::Instant;

use super::{ApprovalError, Plan, PlanState, PlanStore, UnixSeconds};
use crate::audit::Durability;
use crate::plist;
use crate::sexp::Form;

/// How far the clock may run ahead of the time that passes, in seconds, before it counts as set forward.
const SLACK: u64 = 10;

impl PlanStore {
    /// Notes what the clock shows at this moment, and with each plan that waits, on disk, that it shows a moment before that
    /// plan was made. Where the clock is then seen to be set forward again it was behind, and that counts no more.
    ///
    /// # Errors
    /// When that can't be kept; it is true for as long as the daemon runs.
    pub fn look(&mut self, now: UnixSeconds, at: Instant) -> Result<(), ApprovalError> {
        let passed = |then: Instant| at.saturating_duration_since(then).as_secs().saturating_add(SLACK);
        let was_set = self
            .looked
            .is_some_and(|(shown, then)| now > shown.saturating_add(passed(then)));
        self.looked = Some((now, at));
        let mut kept = Ok(());
        for plan in self.plans.values_mut().filter(|plan| plan.state == PlanState::Waiting) {
            let earlier = if now < plan.made {
                Some(plan.earlier.map_or(now, |earlier| earlier.min(now)))
            } else {
                plan.earlier.filter(|_| !was_set)
            };
            if earlier != plan.earlier {
                plan.earlier = earlier;
                let written = self.log.append(&entry(plan), Durability::Synced);
                kept = kept.and(written);
            }
        }
        Ok(kept?)
    }
}

fn entry(plan: &Plan) -> Form {
    plist!("PLAN" => &plan.id, "EARLIER" => plan.earlier.map_or(Form::Nil, Form::from))
}

/// Takes what `entry` notes into `plan`, if it is about that.
pub(super) fn read(plan: &mut Plan, entry: &Form) {
    if let Some(earlier) = entry.get("EARLIER") {
        plan.earlier = earlier.as_int().and_then(|moment| u64::try_from(moment).ok());
    }
}
