//! `memory`: reading memory objects, and keeping some. Needs the grants `memory:read` and `memory:write`.
//!
//! What is private is not there, and what the operator keeps secret is taken out of what is shown. Where an object came
//! from is set by the host: the skill, and whether its turn had read anything from outside. Reading such an object makes
//! the turn that reads it one that did, too.

use std::sync::{Arc, Mutex, PoisonError};

use wasmtime::StoreContextMut;

use super::effects::{ByReference, Effects, check_length, deed, effects, waited};
use super::interface::Acting;
use super::own::OnBehalf;
use super::{Bound, Failure, HasCall, Rights, Turn, charge};
use crate::gate::Cleared;
use crate::memory::{Memory, View};
use crate::plist;
use crate::sexp::{Form, read};
use crate::signal::Action;
use crate::vault::SecretSet;

/// Longest text of a skill's own, in bytes: an object and what is around it.
const LONGEST: usize = 128 << 10;

/// Longest text that is searched for, in bytes.
const WANTED: usize = 1 << 10;

/// Most objects that one search gives back, and most bytes of them together: what a skill can look through.
const MOST_FOUND: usize = 50;
const MOST_BYTES: usize = 512 << 10;

/// The target of what skills propose to keep.
pub(super) const TARGET: &str = "MEMORY";

/// Where gates judge an object that is to be kept.
const WRITE: ByReference = ByReference {
    name: "memory.write",
    places: &[(TARGET, &["payload.object"]), ("TOOL", &["payload.args"])],
    otherwise: "memory.propose-write",
};

/// Links the interface.
///
/// # Errors
/// When it is linked already.
pub(super) fn link<T: HasCall>(memory: &mut Acting<'_, T>) -> wasmtime::Result<()> {
    memory.func("get", |mut store: StoreContextMut<'_, T>, (id,): (String,)| {
        charge(&mut store, id.len())?;
        let call = store.data_mut().call_mut();
        let outcome = reading(&call.rights, &call.skill)
            .and_then(|()| effects(call))
            .map(|effects| get(effects.turn(), &call.secrets, &id));
        charge(
            &mut store,
            outcome
                .as_ref()
                .map_or(0, |found| found.as_ref().map_or(0, String::len)),
        )?;
        Ok((outcome,))
    })?;
    memory.func(
        "search",
        |mut store: StoreContextMut<'_, T>, (text, limit): (String, u32)| {
            charge(&mut store, text.len())?;
            check_length(&[&text], WANTED)?;
            let call = store.data_mut().call_mut();
            let secrets = call.secrets.clone();
            let outcome = match reading(&call.rights, &call.skill).and_then(|()| effects(call)) {
                Ok(effects) => waited(&mut store, || search(effects.turn(), &secrets, &text, limit))?,
                Err(failure) => Err(failure),
            };
            charge(
                &mut store,
                outcome.as_ref().map_or(0, |found| found.iter().map(String::len).sum()),
            )?;
            Ok((outcome,))
        },
    )?;
    memory.func(
        "write",
        |mut store: StoreContextMut<'_, T>, (of, path): (u32, String)| {
            charge(&mut store, path.len())?;
            let call = store.data_mut().call_mut();
            let (skill, rights) = (call.skill.clone(), call.rights.clone());
            let outcome = writing(&rights, &skill).and_then(|()| {
                let deed = deed(call)?;
                let effects = deed.effects().clone();
                deed.take(&WRITE, of, &[&path], |action| {
                    keep(&skill, object_of(action, &path)?, effects.turn())
                })
            });
            Ok((outcome,))
        },
    )?;
    memory.func(
        "propose-write",
        |mut store: StoreContextMut<'_, T>, (object, why): (String, String)| {
            charge(&mut store, object.len() + why.len())?;
            check_length(&[&object, &why], LONGEST)?;
            let call = store.data_mut().call_mut();
            let skill = call.skill.clone();
            let outcome = match writing(&call.rights, &skill).and_then(|()| effects(call)) {
                Ok(effects) => waited(&mut store, || propose(&*effects, &skill, &object, &why))?,
                Err(failure) => Err(failure),
            };
            Ok((outcome,))
        },
    )
}

/// Carries out a cleared action for `:MEMORY`: keeps its object.
pub(super) fn carry_out(cleared: &Cleared<Action>, on_behalf: &OnBehalf<'_>) -> Result<String, Failure> {
    writing(on_behalf.rights, on_behalf.skill)?;
    on_behalf.turn.check()?;
    let id = keep(
        on_behalf.skill,
        object_of(cleared.get(), "payload.object")?,
        on_behalf.turn,
    )?;
    Ok(format!("kept as {id}"))
}

fn propose(effects: &dyn Effects, skill: &str, object: &str, why: &str) -> Result<String, Failure> {
    let object =
        read(object).map_err(|error| Failure::Failed(format!("the object is no plist that can be read: {error}")))?;
    let cleared = effects.clear(skill, TARGET, plist!("OBJECT" => object, "EXPLANATION" => why))?;
    // What is kept is what was cleared: a gate may have revised it.
    keep(skill, object_of(cleared.get(), "payload.object")?, effects.turn())
}

fn reading(rights: &Rights, skill: &str) -> Result<(), Failure> {
    if rights.has(&Bound::MemoryRead) {
        return Ok(());
    }
    Err(Failure::Rejected(format!(
        "reading memory is not granted; the operator can: passepartout-host skill grant {skill} memory:read"
    )))
}

fn writing(rights: &Rights, skill: &str) -> Result<(), Failure> {
    if rights.has(&Bound::MemoryWrite) {
        return Ok(());
    }
    Err(Failure::Rejected(format!(
        "writing memory is not granted; the operator can: passepartout-host skill grant {skill} memory:write"
    )))
}

fn object_of<'a>(action: &'a Action, path: &str) -> Result<&'a Form, Failure> {
    action
        .form()
        .at(path)
        .ok_or_else(|| Failure::NotCleared("the action has no object there".to_owned()))
}

fn keep(skill: &str, object: &Form, turn: &Turn) -> Result<String, Failure> {
    let mut memory = locked(turn);
    let mut overlay = memory.overlay();
    let id = overlay
        .keep(skill, turn.has_read_outside(), object)
        .map_err(|error| Failure::Failed(error.to_string()))?;
    memory.commit(overlay);
    Ok(id.to_string())
}

fn get(turn: &Turn, secrets: &SecretSet, id: &str) -> Option<String> {
    let view = view(turn);
    let object = view.get(id)?;
    if object.origin.is_tainted() {
        turn.read_outside();
    }
    Some(shown(secrets, view.to_form(object)))
}

fn search(turn: &Turn, secrets: &SecretSet, text: &str, limit: u32) -> Result<Vec<String>, Failure> {
    if text.trim().is_empty() {
        return Err(Failure::Failed("there is no text to search for".to_owned()));
    }
    let most = usize::try_from(limit).unwrap_or(MOST_FOUND).min(MOST_FOUND);
    let view = view(turn);
    let found = view.search(text, most, || turn.check().is_ok());
    turn.check()?;
    let (mut shown_objects, mut bytes) = (Vec::new(), 0);
    for object in found {
        let text = shown(secrets, view.to_form(object));
        bytes += text.len();
        if bytes > MOST_BYTES {
            break;
        }
        if object.origin.is_tainted() {
            turn.read_outside();
        }
        shown_objects.push(text);
    }
    Ok(shown_objects)
}

fn shown(secrets: &SecretSet, form: Form) -> String {
    secrets.redact(&form).unwrap_or(form).to_string()
}

/// Memory at this moment: whoever writes is not kept waiting.
fn view(turn: &Turn) -> View {
    locked(turn).view()
}

fn locked(turn: &Turn) -> std::sync::MutexGuard<'_, Memory> {
    let memory: &Arc<Mutex<Memory>> = &turn.services().memory;
    // Changed in single steps, so that it is whole even if a holder panicked.
    memory.lock().unwrap_or_else(PoisonError::into_inner)
}
