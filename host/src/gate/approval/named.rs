//! The plan that a person means: by its id, or by the beginning of it.

use super::{ApprovalError, Plan, PlanState, PlanStore, UnixSeconds};

/// Of how many characters the beginning of an id must have, which stands for it: ids come by chance, and one that is shorter
/// may soon be that of another plan.
pub const SHORTEST: usize = 4;

/// Whether `id` has only what ids have: hexadecimal digits.
pub fn is_of_digits(id: &str) -> bool {
    id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// An id as it is kept, of how somebody typed it: capitals are as good as small letters.
pub fn as_kept(id: &str) -> String {
    id.trim().to_ascii_lowercase()
}

impl PlanStore {
    /// The plan whose id is `id`, or begins so, in small letters or capitals. Those that are over count too: who means one of them must not answer another.
    ///
    /// # Errors
    /// When there is none, or several.
    pub fn named(&self, id: &str) -> Result<&Plan, ApprovalError> {
        let id = as_kept(id);
        if let Some(plan) = self.get(&id) {
            return Ok(plan);
        }
        if !is_of_digits(&id) {
            return Err(ApprovalError::NoId { id });
        }
        if id.len() < SHORTEST {
            return Err(ApprovalError::TooShort { id });
        }
        let found: Vec<&Plan> = self.plans.values().filter(|plan| plan.id.starts_with(&id)).collect();
        match found.as_slice() {
            [] => Err(ApprovalError::NoSuchPlan { id }),
            [one] => Ok(one),
            several => {
                let told = |plan: &&Plan| format!("{} ({})", plan.id, plan.state.name().to_lowercase());
                let matching = several.iter().map(told).collect();
                Err(ApprovalError::Ambiguous { id, matching })
            }
        }
    }

    /// Why the plan can't be answered at the moment `now`, whoever answers it.
    pub fn why_over(&self, plan: &Plan, now: UnixSeconds) -> Option<ApprovalError> {
        let state = match plan.state {
            // Recorded as a time-out by whoever looks after that; here it is only no longer to be answered.
            PlanState::Waiting if plan.until() <= now => PlanState::Expired,
            PlanState::Waiting => return None,
            over => over,
        };
        let id = plan.id.clone();
        Some(ApprovalError::NotWaiting { id, state })
    }
}
