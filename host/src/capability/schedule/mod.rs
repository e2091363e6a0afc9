//! `schedule`: what happens later. Needs the grant `schedule`.
//!
//! An entry belongs to the skill that made it and to the conversation it was made in. When it is due, the skill is asked
//! to `act` on `(:TARGET :SCHEDULE :PAYLOAD (:ACTION :FIRED :ID … :TEXT …))`, an action of its own that meets every gate;
//! whatever it wants done then is an action, too.

mod cron;
mod entry;
mod error;
mod store;
#[cfg(test)]
mod tests;
mod text;

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use wasmtime::StoreContextMut;

use super::effects::{ByReference, Effects, check_length, deed, effects, waited};
use super::interface::Acting;
use super::own::OnBehalf;
use super::{Bound, Failure, HasCall, Rights, Turn, charge};
use crate::gate::Cleared;
use crate::plist;
use crate::sexp::{Form, kw, read};
use crate::signal::{Action, Origin};

pub use entry::{Entry, When};
pub use error::ScheduleError;
pub use store::{Owner, Schedule};

/// The target of what skills schedule.
pub const TARGET: &str = "SCHEDULE";

/// Longest text of a skill's own, in bytes.
const LONGEST: usize = 16 << 10;

/// Where gates judge an entry.
const ADD: ByReference = ByReference {
    name: "schedule.add",
    places: &[(TARGET, &["payload.entry"]), ("TOOL", &["payload.args"])],
    otherwise: "schedule.propose-add",
};

/// The action by which a due entry reaches its skill.
pub fn fired(entry: &Entry) -> Action {
    let payload = plist!(
        "ACTION" => kw("FIRED"), "ID" => &entry.id, "TEXT" => entry.text.clone(),
        "EXPLANATION" => format!("An entry that the skill {} scheduled is due.", entry.skill),
    );
    Action::close(TARGET, Origin::Skill(entry.skill.clone()), payload)
}

/// The action by which the heartbeat reaches a skill that claims it: the same as that of an entry that is due.
pub fn beaten(skill: &str) -> Action {
    let payload = plist!(
        "ACTION" => kw("FIRED"), "ID" => "heartbeat", "TEXT" => "heartbeat",
        "EXPLANATION" => format!("The skill {skill} is called on the heartbeat."),
    );
    Action::close(TARGET, Origin::Skill(skill.to_owned()), payload)
}

/// Whether `action` is a due entry on its way to its skill.
pub fn is_fired(action: &Action) -> bool {
    action.target() == TARGET && action.payload().get("ACTION").is_some_and(|verb| verb.is_kw("FIRED"))
}

/// Links the interface.
///
/// # Errors
/// When it is linked already.
pub(super) fn link<T: HasCall>(schedule: &mut Acting<'_, T>) -> wasmtime::Result<()> {
    schedule.func("add", |mut store: StoreContextMut<'_, T>, (of, path): (u32, String)| {
        charge(&mut store, path.len())?;
        let call = store.data_mut().call_mut();
        let (skill, most) = (call.skill.clone(), call.limits.schedule_entries);
        let taken = granted(&call.rights, &skill).and_then(|()| {
            let deed = deed(call)?;
            let entry = deed.take(&ADD, of, &[&path], |action| entry_of(action, &path).cloned())?;
            Ok((entry, deed.effects().clone()))
        });
        let outcome = match taken {
            // The disk is waited for.
            Ok((entry, effects)) => waited(&mut store, || add(&skill, most, &entry, effects.turn()))?,
            Err(failure) => Err(failure),
        };
        Ok((outcome,))
    })?;
    schedule.func(
        "propose-add",
        |mut store: StoreContextMut<'_, T>, (entry, why): (String, String)| {
            charge(&mut store, entry.len() + why.len())?;
            check_length(&[&entry, &why], LONGEST)?;
            let call = store.data_mut().call_mut();
            let (skill, most) = (call.skill.clone(), call.limits.schedule_entries);
            let outcome = match granted(&call.rights, &skill).and_then(|()| effects(call)) {
                Ok(effects) => waited(&mut store, || propose(&*effects, &skill, most, &entry, &why))?,
                Err(failure) => Err(failure),
            };
            Ok((outcome,))
        },
    )?;
    schedule.func("list", |mut store: StoreContextMut<'_, T>, (): ()| {
        charge(&mut store, 0)?;
        let call = store.data_mut().call_mut();
        let skill = call.skill.clone();
        let outcome = granted(&call.rights, &skill)
            .and_then(|()| effects(call))
            .and_then(|effects| Ok(list(&skill, kept(effects.turn())?)));
        charge(
            &mut store,
            outcome
                .as_ref()
                .map_or(0, |entries| entries.iter().map(String::len).sum()),
        )?;
        Ok((outcome,))
    })?;
    schedule.func("remove", |mut store: StoreContextMut<'_, T>, (id,): (String,)| {
        charge(&mut store, id.len())?;
        let call = store.data_mut().call_mut();
        let skill = call.skill.clone();
        let outcome = match granted(&call.rights, &skill).and_then(|()| effects(call)) {
            Ok(effects) => waited(&mut store, || remove(&skill, &id, effects.turn()))?,
            Err(failure) => Err(failure),
        };
        Ok((outcome,))
    })
}

/// Carries out a cleared action for `:SCHEDULE`: adds its entry.
pub(super) fn carry_out(cleared: &Cleared<Action>, on_behalf: &OnBehalf<'_>) -> Result<String, Failure> {
    granted(on_behalf.rights, on_behalf.skill)?;
    on_behalf.turn.check()?;
    let entry = entry_of(cleared.get(), "payload.entry")?;
    let id = add(
        on_behalf.skill,
        on_behalf.limits.schedule_entries,
        entry,
        on_behalf.turn,
    )?;
    Ok(format!("scheduled as {id}"))
}

fn propose(effects: &dyn Effects, skill: &str, most: u64, entry: &str, why: &str) -> Result<String, Failure> {
    let entry =
        read(entry).map_err(|error| Failure::Failed(format!("the entry is no plist that can be read: {error}")))?;
    // What could not be kept needs nobody's approval.
    Entry::asked(&entry, now()).map_err(failure)?;
    let cleared = effects.clear(skill, TARGET, plist!("ENTRY" => entry, "EXPLANATION" => why))?;
    // What is kept is what was cleared: a gate may have revised it.
    add(skill, most, entry_of(cleared.get(), "payload.entry")?, effects.turn())
}

fn granted(rights: &Rights, skill: &str) -> Result<(), Failure> {
    if rights.has(&Bound::Schedule) {
        return Ok(());
    }
    Err(Failure::Rejected(format!(
        "scheduling is not granted; the operator can: passepartout-host skill grant {skill} schedule"
    )))
}

fn entry_of<'a>(action: &'a Action, path: &str) -> Result<&'a Form, Failure> {
    action
        .form()
        .at(path)
        .ok_or_else(|| Failure::NotCleared("the action has no entry there".to_owned()))
}

fn kept(turn: &Turn) -> Result<&Arc<Schedule>, Failure> {
    turn.services()
        .schedule
        .as_ref()
        .ok_or_else(|| Failure::Unavailable("nothing can be scheduled here; the daemon's log says why".to_owned()))
}

fn add(skill: &str, most: u64, entry: &Form, turn: &Turn) -> Result<String, Failure> {
    let owner = Owner {
        skill,
        session: turn.session(),
        tainted: turn.has_read_outside(),
        most,
    };
    kept(turn)?.add(owner, entry, now()).map_err(failure)
}

fn list(skill: &str, schedule: &Schedule) -> Vec<String> {
    let now = now();
    let shown = |entry: &Entry| entry.shown(now).to_string();
    schedule.of(skill).iter().map(shown).collect()
}

fn remove(skill: &str, id: &str, turn: &Turn) -> Result<bool, Failure> {
    kept(turn)?.clear(skill, Some(id)).map(|gone| gone > 0).map_err(failure)
}

fn failure(error: ScheduleError) -> Failure {
    match error {
        ScheduleError::Malformed(_) | ScheduleError::TooMany { .. } | ScheduleError::Full { .. } => {
            Failure::Failed(error.to_string())
        }
        error => Failure::Unavailable(error.to_string()),
    }
}

/// The time, in seconds since 1970.
fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
