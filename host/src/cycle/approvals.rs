//! What the operator's answers to plans need of the loop: what stands, what has lapsed, and what is recorded of it.

use std::sync::MutexGuard;
use std::time::Instant;

use super::condition::{PipelineError, UNRECORDED};
use super::kept::Owner;
use super::session::Session;
use super::tell::{Recorded, denial, lapsed};
use super::{Core, lock, unix_now};
use crate::audit::Durability;
use crate::gate::approval::{Approver, Plan, PlanState};
use crate::gate::chain;
use crate::gate::standing::{Standing, StandingError, StandingFault, StandingNow, StandingStore};
use crate::gate::{Approval, Rejection};
use crate::plist;
use crate::sexp::{Form, kw};
use crate::signal::Meta;
use crate::signal::frames;
use crate::vault::Moment;

/// What was taken back.
pub struct Revoked {
    /// The ids of the standing approvals, those that counted for nothing included.
    pub ids: Vec<String>,
    /// What was wrong with their file, which holds nothing any more.
    pub fault: Option<String>,
}

impl Core {
    /// The standing approvals.
    pub fn standing(&self) -> MutexGuard<'_, StandingStore> {
        lock(&self.standing)
    }

    /// The standing approvals that count in `session`: none in one that somebody else than the operator opened.
    pub(super) fn standing_in(&self, session: &Session) -> Option<StandingNow> {
        let own = session.owner() == Owner::Operator;
        own.then(|| self.standing().at(unix_now()))
    }

    /// Why nothing at all can pass at the moment, so that a plan would be used up for nothing.
    pub fn closed(&self) -> Option<Rejection> {
        let set = self.registry.current();
        let closed = self.why_closed();
        chain::precondition(set.gates(), &self.rules(closed.as_deref(), None, None))
    }

    /// What keeps every gate closed at this moment: a fault in the configuration, or a vault that can't be read, so that
    /// what is in it would not be recognised.
    pub fn why_closed(&self) -> Option<String> {
        self.why_closed_at(&self.secrets.moment())
    }

    /// The same, at the moment of a decision.
    pub(super) fn why_closed_at(&self, moment: &Moment) -> Option<String> {
        self.closed.clone().or_else(|| {
            let fault = moment.fault.as_ref()?;
            Some(format!(
                "the vault can't be read, and until it is mended nothing passes: {fault}"
            ))
        })
    }

    /// Keeps what a person approved once and for all with `plan`, in the record first, and returns what it takes the place
    /// of.
    ///
    /// # Errors
    /// When it can't be kept; then nothing of it stands, and the record does not go on saying that it does.
    pub fn remember(
        &self,
        drafts: &[Standing],
        plan: &Plan,
        approval: &Approval,
    ) -> Result<Vec<Standing>, PipelineError> {
        let made: Vec<Form> = drafts.iter().map(Standing::to_form).collect();
        let entry = plist!(
            "KIND" => kw("REMEMBERED"), "PLAN" => &plan.id, "DIGEST" => plan.action.digest().to_string(), "STANDING" => made,
        );
        self.keep(entry, Durability::Synced)?;
        let kept = self.standing().keep(drafts.to_vec(), approval, unix_now());
        if kept.is_err() {
            // The record says what stands. Why it does not is what the person hears.
            if let Err(error) = self.record_revoked(drafts.iter().map(|own| &own.id)) {
                tracing::error!("that what was to be approved once and for all does not stand: {error}");
            }
        }
        Ok(kept?)
    }

    /// Undoes [`Core::remember`], of which nothing could come: what `drafts` took the place of stands again.
    ///
    /// # Errors
    /// When that can't be kept yet; it is true for as long as the daemon runs, which [tries again](Core::write_again).
    pub fn forget(&self, drafts: &[Standing], replaced: &[Standing]) -> Result<(), PipelineError> {
        let undone = self.standing().undo(drafts, replaced);
        let recorded = self.record_revoked(drafts.iter().map(|own| &own.id));
        undone?;
        recorded
    }

    /// Takes the standing approval back that `id` names, or begins, or all of them, whatever their file holds. No decision
    /// that is made afterwards counts them.
    ///
    /// # Errors
    /// When there is none, or that can't be kept yet; what was said is true for as long as the daemon runs, which [tries
    /// again](Core::write_again).
    pub fn revoke(&self, id: Option<&str>) -> Result<Revoked, PipelineError> {
        let (ids, fault, revoked) = {
            let mut standing = self.standing();
            match id {
                Some(id) => {
                    // Where nothing can be told of the file, that is what is said.
                    let id = match standing.named(id) {
                        Err(error) if standing.fault().is_none() => return Err(error.into()),
                        named => named.unwrap_or_else(|_| id.to_owned()),
                    };
                    let revoked = standing.revoke(&id);
                    (vec![id], None, revoked)
                }
                None => {
                    let fault = standing.fault().map(StandingFault::what);
                    let ids = standing.held().map(|own| own.id.clone()).collect();
                    (ids, fault, standing.revoke_all())
                }
            }
        };
        // What could not be written is taken back in memory all the same.
        let recorded = match &revoked {
            Err(StandingError::NoSuchApproval { .. } | StandingError::Closed { .. }) => Ok(()),
            _ => self.record_revoked(&ids),
        };
        // Of both, that it can stand again is what a person must hear.
        revoked?;
        recorded?;
        Ok(Revoked { ids, fault })
    }

    /// Why nothing can be approved once and for all now: the file of that has an error.
    pub fn why_not_remembered(&self) -> Option<String> {
        self.standing().fault().map(ToString::to_string)
    }

    /// Records that these standing approvals count no more, which is so already.
    fn record_revoked<'a>(&self, ids: impl IntoIterator<Item = &'a String>) -> Result<(), PipelineError> {
        let ids: Vec<Form> = ids.into_iter().map(Form::from).collect();
        self.keep_or_owe(plist!("KIND" => kw("REVOKED"), "STANDING" => ids), Durability::Synced)
    }

    /// Denies a plan: on disk and in the record before whoever denied it hears that it is done.
    ///
    /// # Errors
    /// When it can't be denied; then it waits as before. Or when only the record can't be added to, which the error says: then
    /// it is denied all the same, as nothing is unsafe about that, and telling it is [tried again](Core::write_again).
    pub fn deny(&self, id: &str, by: Approver, reason: Option<String>) -> Result<Plan, PipelineError> {
        let plan = self.plans().deny(id, by, reason, unix_now())?;
        if let Err(error) = self.keep(denial(&plan), Durability::Synced) {
            self.not_told(id, &error);
            return Err(PipelineError::from(error).after(UNRECORDED));
        }
        Ok(plan)
    }

    /// Lets a plan wait again whose approval could not be taken up, so that nothing has begun. Where that can't be kept, it
    /// waits all the same, and keeping it, with `why`, is [tried again](Core::write_again).
    pub fn reopen(&self, id: &str, why: &str) {
        let kept = self.plans().reopen(id);
        let Err(error) = kept else { return };
        let kept = self.plans().turned_out(id, PlanState::Waiting, Some(why.to_owned()));
        if kept.is_err() {
            self.not_told(id, &error);
        }
    }

    /// Notes that no turn could be begun in which a denial is told: it is denied all the same, and telling it is [tried
    /// again](Core::write_again).
    pub fn owe_denial(&self, id: &str, why: &str) {
        self.not_told(id, &why);
    }

    /// Lapses plans and standing approvals whose time is over, and says so; forgets plans that were over long ago. A time-out
    /// is recorded as a time-out, before anybody hears of it.
    ///
    /// # Errors
    /// When that can't be kept.
    pub fn expire(&self) -> Result<(), PipelineError> {
        let over = {
            let (now, mut plans) = (unix_now(), self.plans());
            if let Err(error) = plans.look(now, Instant::now()) {
                tracing::error!("that a plan was made by a clock that was ahead can't be kept: {error}");
            }
            plans.over(now)
        };
        let (mut lapsed, mut kept) = (Vec::new(), Ok(()));
        for plan in over {
            match self.lapse(&plan.id) {
                Ok(plan) => lapsed.extend(plan),
                // Those before are told all the same.
                Err(error) => {
                    kept = Err(error);
                    break;
                }
            }
        }
        for (plan, telling) in self.tell_all(&lapsed, &Recorded::default()) {
            // Nobody hears of what is not kept; it is tried again.
            if telling.is_told {
                self.send_lapsed(plan);
            }
        }
        kept?;
        self.plans().forget(unix_now());
        let over = self.standing().expire(unix_now());
        if over.is_empty() {
            return Ok(());
        }
        let saved = self.standing().save();
        let ids: Vec<Form> = over.iter().map(Form::from).collect();
        self.keep_or_owe(plist!("KIND" => kw("EXPIRY"), "STANDING" => ids), Durability::Synced)?;
        Ok(saved?)
    }

    /// Tells whoever is attached that a plan has lapsed.
    pub(super) fn send_lapsed(&self, plan: &Plan) {
        let source = plan.signal.at("source").and_then(Form::keyword).unwrap_or("CLI");
        let meta = Meta {
            source: source.to_owned(),
            session: plan.session,
            request_id: None,
        };
        self.outlet
            .send(plan.session, frames::turn_error(&meta, "plan-expired", &lapsed(plan)));
    }

    /// Lapses a plan whose time is over, unless somebody else has just done so, and returns it where it did.
    fn lapse(&self, id: &str) -> Result<Option<Plan>, PipelineError> {
        let mut plans = self.plans();
        if plans.get(id).is_none_or(|own| own.state != PlanState::Waiting) {
            return Ok(None);
        }
        plans.expire(id)?;
        Ok(plans.get(id).cloned())
    }
}
