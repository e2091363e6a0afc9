//! Health: what is checked, and what it adds up to. Checks report; they never keep anything from starting.

use std::path::Path;

use rustix::fs::{Access, AtFlags, CWD};

use super::{jail, providers, storage};
use crate::audit::Writes;
use crate::capability::schedule::Schedule;
use crate::config::{Config, ModelConfig, Variables, meant};
use crate::cycle::Core;
use crate::gate::standing::StandingStore;
use crate::plist;
use crate::protocol::Health;
use crate::sexp::{Form, kw};
use crate::skill::{BUNDLED, CacheCounts, SkillSet, SkillState, SkillStatus, Source};
use crate::vault::{Secrets, VaultError};

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// As it should be.
    Good,
    /// As it should be, and worth knowing.
    Note,
    /// Less than it should be; the rest works.
    Degraded,
    /// It keeps the daemon from its work.
    Broken,
}

impl Level {
    /// The name, lower case.
    pub fn name(self) -> &'static str {
        match self {
            Level::Good => "good",
            Level::Note => "note",
            Level::Degraded => "degraded",
            Level::Broken => "broken",
        }
    }
}

/// One thing that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What.
    pub name: &'static str,
    /// How it came out.
    pub level: Level,
    /// What was seen, and what to do.
    pub text: String,
    /// The same, piece by piece, where that is easier to read.
    pub parts: Vec<String>,
    /// The same at a glance, for whoever need not know more.
    pub glance: Option<String>,
}

impl Check {
    pub(super) fn new(name: &'static str, level: Level, text: impl Into<String>) -> Check {
        Check {
            name,
            level,
            text: text.into(),
            parts: Vec::new(),
            glance: None,
        }
    }

    pub(super) fn in_parts(mut self, parts: Vec<String>) -> Check {
        self.parts = parts;
        self
    }

    pub(super) fn at_a_glance(mut self, glance: impl Into<String>) -> Check {
        self.glance = Some(glance.into());
        self
    }

    /// Whether a short report names it: what is not as it should be, and always how commands are held.
    pub(super) fn is_of_note(&self) -> bool {
        self.level != Level::Good || self.name == "jail"
    }

    /// `(:CHECK … :LEVEL … :TEXT …)`, and `:GLANCE` and `:PARTS` where it has some.
    pub fn to_form(&self) -> Form {
        let form =
            plist!("CHECK" => self.name, "LEVEL" => kw(&self.level.name().to_uppercase()), "TEXT" => &self.text);
        let form = match &self.glance {
            Some(glance) => form.with("GLANCE", glance),
            None => form,
        };
        if self.parts.is_empty() {
            return form;
        }
        form.with("PARTS", self.parts.iter().map(Form::from).collect::<Vec<Form>>())
    }
}

/// What a running daemon says of a configuration without a fault.
const AT_START: &str = "understood, as it was read at the start";

/// What of the machine can be checked in a running daemon. Blocks.
pub(super) fn checks(core: &Core) -> Vec<Check> {
    let mut checks = machine(&core.config, AT_START, "mended and the daemon started again");
    // It may go at any time, and is looked at each time.
    checks.retain(|check| check.name != "workspace");
    checks
}

/// Whether the workspace of a running daemon is there still. Blocks.
pub(super) fn of_workspace(config: &Config) -> Check {
    let path = &config.home.workspace;
    match path.exists() {
        true => folder("workspace", path),
        false => Check::new(
            "workspace",
            Level::Broken,
            format!("{} is not there any more: put it back, or make it", path.display()),
        ),
    }
}

/// What can be checked without a daemon. Blocks.
pub fn local_checks(config: &Config, variables: &Variables, set: &SkillSet) -> Vec<Check> {
    let mut checks = of_skills(config, &config.model, set);
    checks.extend(machine(config, "understood", "mended"));
    let secrets = super::vault_store(config).load().map(|all| all.names());
    let names = secrets.as_ref().map(Vec::clone).unwrap_or_default();
    checks.push(vault(secrets.map(|names| names.len())));
    checks.extend(providers::without_daemon(&config.model, variables, &names));
    let store = StandingStore::open(
        &super::standing_path(&config.home),
        &config.home.workspace,
        &Writes::default(),
    );
    checks.extend(of_standing(&store));
    checks.extend(storage::room(&config.home.data));
    checks
}

/// Whether the vault in use can be read at this moment.
pub(super) fn of_vault(core: &Core) -> Option<Check> {
    match &core.secrets {
        Secrets::Vault(live) => Some(vault(live.names().map(|names| names.len()))),
        Secrets::Fixed(_) => None,
    }
}

/// How the gates and the other skills do that are loaded now, and whether what is configured fits them. `model` is whom
/// questions go to by now.
pub(super) fn of_skills(config: &Config, model: &ModelConfig, set: &SkillSet) -> Vec<Check> {
    let mut checks = required_gates(config, set);
    checks.extend(fallen_gates(config, set));
    let fault = set.gates_fault();
    checks.extend(fault.map(|fault| Check::new("gates", Level::Broken, fault)));
    // What is granted to nobody is told once more beside each skill that waits for it.
    let fault = set.grants_fault();
    checks.extend(fault.map(|fault| Check::new("grants", Level::Broken, fault)));
    checks.extend(skills(set));
    checks.extend(super::rules::checks(config, model, set));
    checks
}

/// `understood` is said of a configuration without a fault, and with one that nothing passes `until` it is so.
fn machine(config: &Config, understood: &str, until: &str) -> Vec<Check> {
    let mut checks = Vec::new();
    if config.faults.is_empty() {
        checks.push(Check::new("configuration", Level::Good, understood));
    }
    for fault in &config.faults {
        let text = format!("{fault} (until it is {until} no gate passes anything)");
        checks.push(Check::new("configuration", Level::Broken, text));
    }
    checks.push(jail::check(config));
    checks.extend(schedule(config));
    checks.push(folder("workspace", &config.home.workspace));
    checks.push(folder("data", &config.home.data));
    checks
}

fn required_gates(config: &Config, set: &SkillSet) -> Vec<Check> {
    let required = config.gates.required.iter();
    required
        .map(|name| {
            let is_there = set.gates().iter().any(|gate| gate.name() == name);
            if is_there && !set.is_fallen(name) {
                Check::new("gate", Level::Good, format!("{name} is loaded"))
            } else {
                Check::new("gate", Level::Broken, missing(name, set))
            }
        })
        .collect()
}

/// What it means that a gate which is required is not loaded, and what helps.
fn missing(name: &str, set: &SkillSet) -> String {
    let is_bundled = BUNDLED.iter().any(|own| own.name == name);
    let unnamed = "take the name out of `gates.required` in config.toml, and start the daemon again";
    if is_bundled || set.statuses().iter().any(|own| own.name == name) {
        let or = if is_bundled {
            format!("go on with the bundled one by `passepartout-host skill remove {name}`")
        } else {
            format!("go on without it: {unnamed}")
        };
        return format!(
            "the required gate {name} is not loaded, so nothing passes: `passepartout-host skill list` says why. Put a file \
             that works in its place with `passepartout-host skill install FILE`, or {or}"
        );
    }
    let there: Vec<String> = set.skills().iter().map(|own| own.name().to_owned()).collect();
    let near = meant(name, there.iter().map(String::as_str));
    format!(
        "the required gate {name} is not loaded, so nothing passes: `gates.required` in config.toml names it, and there is no \
         skill of this name ({near}). Install one with `passepartout-host skill install FILE`, or {unnamed}"
    )
}

/// Gates that were ready once, in whose place everything that they were about is rejected. Of those that are required it is
/// said already.
fn fallen_gates(config: &Config, set: &SkillSet) -> Vec<Check> {
    let fallen = set
        .fallen()
        .iter()
        .filter(|name| !config.gates.required.contains(*name));
    fallen
        .map(|name| {
            let text = format!(
                "the gate {name} was ready once and is not now, so that nothing it is about passes: `passepartout-host skill \
                 list` says why. {}",
                mending(name)
            );
            Check::new("gate", Level::Broken, text)
        })
        .collect()
}

/// What to do about a gate that does not work.
fn mending(name: &str) -> String {
    let rest = match BUNDLED.iter().any(|own| own.name == name) {
        true => "with the bundled one",
        false => "without it",
    };
    format!(
        "Put a file that works in its place with `passepartout-host skill install FILE`, or go on {rest} by \
         `passepartout-host skill remove {name}`"
    )
}

fn skills(set: &SkillSet) -> Vec<Check> {
    let statuses = set.statuses();
    let mut checks = vec![Check::new(
        "skills",
        Level::Good,
        in_use(&statuses, set.code().unwrap_or_default()),
    )];
    checks.extend(
        set.code_fault()
            .map(|fault| Check::new("skills", Level::Degraded, fault)),
    );
    checks.extend(statuses.iter().filter_map(failing));
    for skill in statuses.iter().filter(|skill| skill.state != SkillState::Ready) {
        let reason = skill.reason.as_deref().unwrap_or("no reason is known");
        checks.push(Check::new(
            "skills",
            Level::Degraded,
            format!("{} {}: {reason}", skill.name, skill.state.told()),
        ));
    }
    checks
}

/// How many skills are in use, and what became of the code of those that don't come compiled.
fn in_use(statuses: &[SkillStatus], code: CacheCounts) -> String {
    let ready = statuses.iter().filter(|skill| skill.state == SkillState::Ready);
    let (bundled, own): (Vec<_>, Vec<_>) = ready.partition(|skill| skill.source == Source::Bundled);
    let text = match (bundled.len(), own.len()) {
        (0, 0) => "none is ready".to_owned(),
        (bundled, 0) => format!("{bundled} ready, all of them bundled"),
        (bundled, own) => format!("{} ready: {bundled} bundled, {own} of your own", bundled + own),
    };
    let compiled = code.misses + code.refused;
    if code.hits + compiled == 0 {
        return text;
    }
    let refused = match code.refused {
        0 => String::new(),
        some => format!(" ({some} of them because what was kept could not be believed)"),
    };
    format!(
        "{text}. Code for those that don't come compiled: {compiled} compiled{refused}, {} kept from before",
        code.hits
    )
}

/// So many calls in a row that failed are more than an accident.
const FAILS: u64 = 3;

/// Whether calls of a skill that is in use fail. One that is no gate is left alone then, and says so by its state; a gate is
/// asked again each time, and what it is about is rejected.
fn failing(skill: &SkillStatus) -> Option<Check> {
    let counts = &skill.counts;
    let fault = counts
        .last_fault
        .as_ref()
        .filter(|_| skill.state == SkillState::Ready)?;
    let (name, all) = (&skill.name, counts.calls);
    let is_gate = skill.functions.iter().any(|own| own == "gate");
    let means = match is_gate {
        true => ". What a gate fails on is rejected",
        false => "",
    };
    Some(if counts.in_a_row >= FAILS {
        let text = format!(
            "the last {} of {all} calls of {name} failed, the last one because it {fault}{means}. {}; the daemon's log tells of \
             each",
            counts.in_a_row,
            mending(name)
        );
        Check::new("skills", Level::Degraded, text)
    } else {
        let text = format!(
            "{} of {all} calls of {name} failed, the last of these because it {fault}{means}; the daemon's log tells of each",
            counts.faults
        );
        Check::new("skills", Level::Note, text)
    })
}

/// Whether we may write there. Nothing is written to find out: what commands leave in the workspace may be a link to
/// anywhere, or a pipe on which somebody would wait for ever.
fn folder(name: &'static str, path: &Path) -> Check {
    let shown = path.display();
    let wanted = Access::WRITE_OK | Access::EXEC_OK;
    let why = match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Check::new(name, Level::Good, format!("{shown} will be created"));
        }
        Err(error) => error.to_string(),
        Ok(status) if !status.is_dir() => "it is no folder".to_owned(),
        Ok(_) => match rustix::fs::accessat(CWD, path, wanted, AtFlags::EACCESS) {
            Ok(()) => return Check::new(name, Level::Good, format!("{shown} can be written")),
            Err(error) => error.to_string(),
        },
    };
    Check::new(name, Level::Broken, format!("{shown} can't be written: {why}"))
}

/// A schedule that can't be read: nothing in it fires, and nothing can be scheduled.
fn schedule(config: &Config) -> Option<Check> {
    let error = Schedule::open(&super::schedule_path(config), &Writes::default()).err()?;
    Some(Check::new("schedule", Level::Degraded, error.to_string()))
}

/// Standing approvals that can't be read: none of them counts.
pub(super) fn of_standing(store: &StandingStore) -> Option<Check> {
    let fault = store.fault()?;
    Some(Check::new("approvals", Level::Degraded, fault.to_string()))
}

/// Whether the vault can be read now, and how many secrets it has then.
fn vault(secrets: Result<usize, VaultError>) -> Check {
    match secrets {
        Ok(0) => Check::new("vault", Level::Good, "no secrets"),
        Ok(1) => Check::new("vault", Level::Good, "1 secret"),
        Ok(count) => Check::new("vault", Level::Good, format!("{count} secrets")),
        Err(error) => Check::new("vault", Level::Broken, error.to_string()),
    }
}

/// What it adds up to. That one provider of several fails is no check of its own here: the next one answers.
pub(super) fn overall(checks: &[Check]) -> Health {
    match checks.iter().map(|check| check.level).max().unwrap_or(Level::Good) {
        Level::Good | Level::Note => Health::Healthy,
        Level::Degraded => Health::Degraded,
        Level::Broken => Health::Unhealthy,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_that_is_told_of_adds_up() {
        let counts = |hits, misses, refused| in_use(&[], CacheCounts { hits, misses, refused });
        assert_eq!(counts(0, 0, 0), "none is ready");
        let said = counts(2, 3, 1);
        assert!(
            said.contains("4 compiled (1 of them because what was kept could not be believed), 2 kept from before"),
            "{said}"
        );
        assert!(!counts(2, 3, 0).contains("believed"));
    }
}
