//! Secrets, memory, the model and the schedule, as the harness lends them.

use super::world;
use crate::capability::Failure;
use crate::test::form::TestForm;
use crate::test::lent::Effect;

/// Notes a call of what no gate can call.
fn called(name: &'static str) {
    world::with(|world| world.acts.push(name));
}

/// What stands at `path` of the action, for an effect by reference.
fn take(effect: &Effect, action: u32, path: &str) -> Result<TestForm, Failure> {
    world::with(|world| {
        if action != world::ACTION {
            return Err(Failure::NotCleared("the handle is not the action's".to_owned()));
        }
        let form = effect.find(&world.action, path)?.clone();
        world.once(effect.name)?;
        Ok(form)
    })
}

fn explained(explanation: &str) -> Result<(), Failure> {
    if explanation.trim().is_empty() {
        return Err(Failure::Rejected(
            "what a skill proposes needs an explanation".to_owned(),
        ));
    }
    Ok(())
}

/// The text of a form that was taken.
fn text(form: &TestForm) -> Result<String, Failure> {
    let text = form.string().map(str::to_owned);
    text.ok_or_else(|| Failure::NotCleared("no string stands there".to_owned()))
}

pub(crate) mod memory {
    use super::{called, explained, take, world};
    use crate::capability::Failure;
    use crate::test::lent::{WRITE, written};

    pub(crate) fn get(id: &str) -> Result<Option<String>, Failure> {
        called("memory.get");
        world::with(|world| Ok(world.lent.object(id)))
    }

    pub(crate) fn search(text: &str, limit: u32) -> Result<Vec<String>, Failure> {
        called("memory.search");
        world::with(|world| world.lent.search(text, limit))
    }

    pub(crate) fn write(action: u32, path: &str) -> Result<String, Failure> {
        called("memory.write");
        let object = take(&WRITE, action, path)?;
        world::with(|world| world.lent.keep(object))
    }

    pub(crate) fn propose_write(object: &str, explanation: &str) -> Result<String, Failure> {
        called("memory.propose-write");
        explained(explanation)?;
        let object = written("the object", object)?;
        world::with(|world| world.lent.keep(object))
    }
}

pub(crate) mod model {
    use super::{called, explained, take, text, world};
    use crate::capability::Failure;
    use crate::test::lent::ASK;

    pub(crate) fn ask(action: u32, path: &str) -> Result<String, Failure> {
        called("model.ask");
        let prompt = text(&take(&ASK, action, path)?)?;
        world::with(|world| world.lent.ask(prompt))
    }

    pub(crate) fn propose_ask(prompt: &str, explanation: &str) -> Result<String, Failure> {
        called("model.propose-ask");
        explained(explanation)?;
        world::with(|world| world.lent.ask(prompt.to_owned()))
    }
}

pub(crate) mod vault {
    use super::{called, world};
    use crate::capability::Failure;

    pub(crate) fn names() -> Result<Vec<String>, Failure> {
        called("vault.names");
        world::with(|world| Ok(world.lent.signatures.keys().cloned().collect()))
    }

    pub(crate) fn hmac_sha256(name: &str, data: &[u8]) -> Result<Vec<u8>, Failure> {
        called("vault.hmac-sha256");
        world::with(|world| world.lent.sign(name, data))
    }
}

pub(crate) mod schedule {
    use super::{called, explained, take, world};
    use crate::capability::Failure;
    use crate::test::lent::{ADD, written};

    pub(crate) fn add(action: u32, path: &str) -> Result<String, Failure> {
        called("schedule.add");
        let entry = take(&ADD, action, path)?;
        world::with(|world| world.lent.schedule(entry))
    }

    pub(crate) fn propose_add(entry: &str, explanation: &str) -> Result<String, Failure> {
        called("schedule.propose-add");
        explained(explanation)?;
        let entry = written("the entry", entry)?;
        world::with(|world| world.lent.schedule(entry))
    }

    pub(crate) fn list() -> Result<Vec<String>, Failure> {
        called("schedule.list");
        world::with(|world| Ok(world.lent.scheduled()))
    }

    pub(crate) fn remove(id: &str) -> Result<bool, Failure> {
        called("schedule.remove");
        world::with(|world| Ok(world.lent.unschedule(id)))
    }
}
