//! What the harness lends a skill beside commands: secrets that sign, memory, a model, and a schedule. Each keeps the
//! host's rules as far as a skill can tell.

use std::collections::{BTreeMap, VecDeque};

use super::form::TestForm;
use super::read::read;
use crate::capability::Failure;

/// The skill's name in the ids of what it keeps: the harness does not know the real one.
const OWNER: &str = "skill:test:";

/// As many as the host gives back at most.
const MOST_FOUND: usize = 50;

/// Everything that is lent, and what was done with it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lent {
    pub(crate) signatures: BTreeMap<String, Vec<u8>>,
    pub(crate) signed: Vec<(String, Vec<u8>)>,
    /// Oldest first.
    objects: Vec<(String, TestForm)>,
    pub(crate) answers: VecDeque<Result<String, Failure>>,
    pub(crate) prompts: Vec<String>,
    entries: Vec<(String, TestForm)>,
    numbered: usize,
}

/// An effect by reference, and where the host takes its argument from.
pub(crate) struct Effect {
    pub(crate) name: &'static str,
    places: [(&'static str, &'static str); 2],
    /// What a skill calls instead for what is its own.
    otherwise: &'static str,
}

pub(crate) const WRITE: Effect = Effect {
    name: "memory.write",
    places: [("MEMORY", "payload.object"), ("TOOL", "payload.args")],
    otherwise: "memory::propose_write",
};

pub(crate) const ASK: Effect = Effect {
    name: "model.ask",
    places: [("MODEL", "payload.prompt"), ("TOOL", "payload.args.prompt")],
    otherwise: "model::propose_ask",
};

pub(crate) const ADD: Effect = Effect {
    name: "schedule.add",
    places: [("SCHEDULE", "payload.entry"), ("TOOL", "payload.args")],
    otherwise: "schedule::propose_add",
};

impl Effect {
    /// What stands at `path` of the action, if that is where the host takes the argument from.
    pub(crate) fn find<'a>(&self, action: &'a TestForm, path: &str) -> Result<&'a TestForm, Failure> {
        let target = action.at("target").and_then(TestForm::text).unwrap_or_default();
        let judged =
            |(own, place): &(&str, &str)| own.eq_ignore_ascii_case(target) && place.eq_ignore_ascii_case(path);
        if !self.places.iter().any(judged) {
            let [(first, its), (second, own)] = self.places;
            return Err(Failure::NotCleared(format!(
                "`{path}` of an action for :{target} is nothing that the gates judged for {}; only {its} of :{first}, or {own} \
                 of :{second} is. Use {} for what is the skill's own",
                self.name, self.otherwise
            )));
        }
        action
            .at(path)
            .ok_or_else(|| Failure::NotCleared(format!("nothing stands at {path}")))
    }
}

impl Lent {
    pub(crate) fn sign(&mut self, name: &str, data: &[u8]) -> Result<Vec<u8>, Failure> {
        let Some(signature) = self.signatures.get(name).cloned() else {
            return Err(Failure::Rejected(format!("the secret `{name}` is not granted")));
        };
        self.signed.push((name.to_owned(), data.to_vec()));
        Ok(signature)
    }

    /// Puts an object there that the skill did not write.
    pub(crate) fn put(&mut self, id: &str, object: TestForm) {
        self.objects.retain(|(own, _)| own != id);
        self.objects.push((id.to_owned(), object));
    }

    pub(crate) fn keep(&mut self, object: TestForm) -> Result<String, Failure> {
        let has = |key: &str| object.at(key).is_some_and(|value| *value != TestForm::Nil);
        if !has("content") && !has("attributes") {
            return Err(Failure::Failed(
                "the object has neither :CONTENT nor :ATTRIBUTES".to_owned(),
            ));
        }
        let id = match object.at("id").and_then(TestForm::string) {
            Some(own) => format!("{OWNER}{}", own.strip_prefix(OWNER).unwrap_or(own)),
            None => format!("{OWNER}{}", self.number()),
        };
        self.put(&id, object);
        Ok(id)
    }

    pub(crate) fn object(&self, id: &str) -> Option<String> {
        let found = self.objects.iter().find(|(own, _)| own == id);
        found.map(|(_, object)| object.to_string())
    }

    pub(crate) fn search(&self, text: &str, limit: u32) -> Result<Vec<String>, Failure> {
        if text.trim().is_empty() {
            return Err(Failure::Failed("there is no text to search for".to_owned()));
        }
        let wanted = text.to_lowercase();
        let most = usize::try_from(limit).unwrap_or(MOST_FOUND).min(MOST_FOUND);
        let found = self.objects.iter().rev().map(|(_, object)| object);
        let says = |object: &&TestForm| object.any_text(&|own: &str| own.to_lowercase().contains(&wanted));
        Ok(found.filter(says).take(most).map(ToString::to_string).collect())
    }

    pub(crate) fn ask(&mut self, prompt: String) -> Result<String, Failure> {
        self.prompts.push(prompt);
        let unscripted = || {
            Err(Failure::Unavailable(
                "the harness has no further answer of a model".to_owned(),
            ))
        };
        self.answers.pop_front().unwrap_or_else(unscripted)
    }

    pub(crate) fn schedule(&mut self, entry: TestForm) -> Result<String, Failure> {
        let has = |key: &str| entry.at(key).and_then(TestForm::string).is_some();
        let times = ["every", "at", "cron"].into_iter().filter(|key| has(key)).count();
        if !has("text") || times != 1 {
            return Err(Failure::Failed(
                "an entry needs :TEXT and one of :EVERY, :AT and :CRON, all strings".to_owned(),
            ));
        }
        let id = self.number();
        self.entries.push((id.clone(), entry));
        Ok(id)
    }

    pub(crate) fn scheduled(&self) -> Vec<String> {
        let shown = |(id, entry): &(String, TestForm)| {
            let mut items = vec![TestForm::Keyword("ID".to_owned()), TestForm::Text(id.clone())];
            items.extend(entry.items().iter().cloned());
            TestForm::List(items).to_string()
        };
        self.entries.iter().map(shown).collect()
    }

    pub(crate) fn unschedule(&mut self, id: &str) -> bool {
        let before = self.entries.len();
        self.entries.retain(|(own, _)| own != id);
        self.entries.len() < before
    }

    fn number(&mut self) -> String {
        self.numbered += 1;
        self.numbered.to_string()
    }
}

/// A plist that a skill wrote.
pub(crate) fn written(what: &str, text: &str) -> Result<TestForm, Failure> {
    read(text).map_err(|error| Failure::Failed(format!("{what} is no plist that can be read: {error}")))
}
