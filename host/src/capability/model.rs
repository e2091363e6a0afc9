//! `model`: asking the model for a text. Needs the grant `model`.
//!
//! A prompt comes from the cleared action, or is an action of its own. What the model answers is text for the skill, and
//! nothing in it is carried out. How often a skill may ask in one turn, and how long prompts and answers may be, is in
//! the table of bounds on skills; whoever stops the turn stops the asking.

use wasmtime::StoreContextMut;

use super::effects::{ByReference, Effects, check_length, deed, effects, text_of, waited};
use super::interface::Acting;
use super::own::OnBehalf;
use super::{Bound, Failure, HasCall, Rights, Turn, charge};
use crate::config::SkillLimits;
use crate::gate::Cleared;
use crate::plist;
use crate::signal::Action;
use crate::vault::SecretSet;

/// Longest explanation of a skill's own, in bytes.
const LONGEST_WHY: usize = 16 << 10;

/// The target of what skills propose to ask.
pub(super) const TARGET: &str = "MODEL";

/// Where gates judge a prompt.
const ASK: ByReference = ByReference {
    name: "model.ask",
    places: &[(TARGET, &["payload.prompt"]), ("TOOL", &["payload.args.prompt"])],
    otherwise: "model.propose-ask",
};

/// Links the interface.
///
/// # Errors
/// When it is linked already.
pub(super) fn link<T: HasCall>(model: &mut Acting<'_, T>) -> wasmtime::Result<()> {
    model.func("ask", |mut store: StoreContextMut<'_, T>, (of, path): (u32, String)| {
        charge(&mut store, path.len())?;
        let call = store.data_mut().call_mut();
        let (asker, secrets) = (Asker::of(&call.skill, call.limits), call.secrets.clone());
        let taken = granted(&call.rights, &call.skill).and_then(|()| {
            let deed = deed(call)?;
            let prompt = deed.take(&ASK, of, &[&path], |action| text_of(action, &path).map(str::to_owned))?;
            Ok((prompt, deed.effects().clone()))
        });
        let outcome = match taken {
            Ok((prompt, effects)) => waited(&mut store, || asker.ask(prompt, &secrets, effects.turn()))?,
            Err(failure) => Err(failure),
        };
        charge(&mut store, outcome.as_ref().map_or(0, String::len))?;
        Ok((outcome,))
    })?;
    model.func(
        "propose-ask",
        |mut store: StoreContextMut<'_, T>, (prompt, why): (String, String)| {
            charge(&mut store, prompt.len() + why.len())?;
            let call = store.data_mut().call_mut();
            check_length(
                &[&prompt],
                usize::try_from(call.limits.model_prompt).unwrap_or(usize::MAX),
            )?;
            check_length(&[&why], LONGEST_WHY)?;
            let (asker, secrets) = (Asker::of(&call.skill, call.limits), call.secrets.clone());
            let outcome = match granted(&call.rights, &call.skill).and_then(|()| effects(call)) {
                Ok(effects) => waited(&mut store, || asker.propose(&*effects, &secrets, &prompt, &why))?,
                Err(failure) => Err(failure),
            };
            charge(&mut store, outcome.as_ref().map_or(0, String::len))?;
            Ok((outcome,))
        },
    )
}

/// Carries out a cleared action for `:MODEL`: asks its prompt.
pub(super) fn carry_out(cleared: &Cleared<Action>, on_behalf: &OnBehalf<'_>) -> Result<String, Failure> {
    granted(on_behalf.rights, on_behalf.skill)?;
    let prompt = text_of(cleared.get(), "payload.prompt")?.to_owned();
    let secrets = on_behalf
        .turn
        .services()
        .vault
        .as_ref()
        .map(|vault| vault.secrets())
        .unwrap_or_default();
    Asker::of(on_behalf.skill, *on_behalf.limits).ask(prompt, &secrets, on_behalf.turn)
}

fn granted(rights: &Rights, skill: &str) -> Result<(), Failure> {
    if rights.has(&Bound::Model) {
        return Ok(());
    }
    Err(Failure::Rejected(format!(
        "asking the model is not granted; the operator can: passepartout-host skill grant {skill} model"
    )))
}

/// A skill that asks, and its bounds.
struct Asker {
    skill: String,
    limits: SkillLimits,
}

impl Asker {
    fn of(skill: &str, limits: SkillLimits) -> Asker {
        Asker {
            skill: skill.to_owned(),
            limits,
        }
    }

    fn propose(
        &self,
        effects: &dyn Effects,
        secrets: &SecretSet,
        prompt: &str,
        why: &str,
    ) -> Result<String, Failure> {
        let payload = plist!("PROMPT" => prompt, "EXPLANATION" => why);
        let cleared = effects.clear(&self.skill, TARGET, payload)?;
        // What is asked is what was cleared: a gate may have revised it.
        let prompt = text_of(cleared.get(), "payload.prompt")?.to_owned();
        self.ask(prompt, secrets, effects.turn())
    }

    fn ask(&self, prompt: String, secrets: &SecretSet, turn: &Turn) -> Result<String, Failure> {
        turn.check()?;
        let (length, allowed) = (prompt.len() as u64, self.limits.model_prompt);
        if length > allowed {
            return Err(Failure::Failed(format!(
                "the prompt has {length} bytes and may have {allowed}; the operator can change limits.{}.model_prompt_bytes",
                self.skill
            )));
        }
        if !turn.count_model_call(self.limits.model_calls) {
            return Err(Failure::Failed(format!(
                "the model was asked {0} times in this turn, and may be asked {0} times; the operator can change \
                 limits.{1}.model_calls",
                self.limits.model_calls, self.skill
            )));
        }
        // No provider is told what the operator keeps secret, whoever wrote it.
        let prompt = secrets.hide(prompt);
        let mut answer = turn.services().models.ask(&self.skill, turn, &prompt)?;
        let most = usize::try_from(self.limits.model_answer).unwrap_or(usize::MAX);
        answer.truncate(answer.floor_char_boundary(most));
        Ok(answer)
    }
}
