//! The same functions on a native target, answered by the test harness that runs on this thread.

use crate::test::world;

pub(crate) mod files;
pub(crate) mod http;
mod lent;

pub(crate) use lent::{memory, model, schedule, vault};

pub(crate) mod forms {
    use super::world;
    use crate::Kind;

    pub(crate) fn kind_of(of: u32, path: &str) -> Kind {
        world::form_at(of, path, |form| form.map_or(Kind::Missing, |form| form.kind()))
    }

    pub(crate) fn text(of: u32, path: &str) -> Option<String> {
        world::form_at(of, path, |form| form?.text().map(str::to_owned))
    }

    pub(crate) fn integer(of: u32, path: &str) -> Option<i64> {
        world::form_at(of, path, |form| form?.integer())
    }

    pub(crate) fn count(of: u32, path: &str) -> u32 {
        world::form_at(of, path, |form| form.map_or(0, |form| length(form.items().len())))
    }

    pub(crate) fn keys(of: u32, path: &str) -> Vec<String> {
        world::form_at(of, path, |form| form.map_or_else(Vec::new, |form| form.keys()))
    }

    pub(crate) fn printed(of: u32, path: &str) -> Option<String> {
        world::form_at(of, path, |form| form.map(ToString::to_string))
    }

    pub(crate) fn size(of: u32, path: &str) -> u32 {
        world::form_at(of, path, |form| {
            form.and_then(|form| form.string()).map_or(0, |text| length(text.len()))
        })
    }

    fn length(length: usize) -> u32 {
        u32::try_from(length).unwrap_or(u32::MAX)
    }
}

pub(crate) mod settings {
    use super::world;

    pub(crate) fn get(key: &str) -> Option<String> {
        world::with(|world| world.settings.get(key).cloned())
    }
}

pub(crate) mod secrets {
    use super::world;

    pub(crate) fn contains_secret(of: u32, path: &str) -> bool {
        let secrets = world::with(|world| world.secrets.clone());
        world::form_at(of, path, |form| {
            form.is_some_and(|form| form.any_text(&|text| found(&secrets, text)))
        })
    }

    pub(crate) fn text_contains_secret(text: &str) -> bool {
        world::with(|world| found(&world.secrets, text))
    }

    /// As the host does, short values are not looked for.
    fn found(secrets: &[String], text: &str) -> bool {
        secrets
            .iter()
            .any(|secret| secret.chars().count() >= 8 && text.contains(secret.as_str()))
    }
}

pub(crate) mod log {
    use super::world;
    use crate::log::Level;

    pub(crate) fn write(level: Level, line: &str) {
        world::with(|world| world.log.push((level, line.to_owned())));
    }
}

pub(crate) mod process {
    use super::world;
    use crate::process::{Failure, Output};

    pub(crate) fn run(action: u32, path: &str) -> Result<Output, Failure> {
        world::with(|world| world.acts.push("process.run"));
        let command = world::form_at(action, path, |form| form?.string().map(str::to_owned));
        world::with(|world| {
            if action != world::ACTION {
                return Err(Failure::NotCleared("the handle is not the action's".to_owned()));
            }
            // As the host does: what the gates judged as a command is this, and nothing else.
            let target = world
                .action
                .at("target")
                .and_then(|target| target.text().map(str::to_owned));
            if !path.eq_ignore_ascii_case("payload.cmd")
                || !target.is_some_and(|own| own.eq_ignore_ascii_case("shell"))
            {
                return Err(Failure::NotCleared(format!(
                    "`{path}` is no command that the gates judged; only payload.cmd of :SHELL is. Use process::propose for what \
                     is the skill's own"
                )));
            }
            let Some(command) = command else {
                return Err(Failure::NotCleared(format!("no string stands at {path}")));
            };
            if world.ran_paths.iter().any(|ran| ran.eq_ignore_ascii_case(path)) {
                return Err(Failure::NotCleared(format!("{path} was run already")));
            }
            world.ran_paths.push(path.to_owned());
            world.answer(command)
        })
    }

    pub(crate) fn propose(command: &str, explanation: &str) -> Result<Output, Failure> {
        world::with(|world| {
            world.acts.push("process.propose");
            if explanation.trim().is_empty() {
                return Err(Failure::Rejected("a proposed command needs an explanation".to_owned()));
            }
            world.answer(command.to_owned())
        })
    }
}
