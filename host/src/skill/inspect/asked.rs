//! What a skill asks for beside what it is granted, for `skill inspect`.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::json;

use crate::skill::right::{self, Needs, Right};

/// Rights of a skill, each with whether it has it.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What it has: rights that it asks for, and every bound of a capability, also where it asks for another.
    granted: Vec<String>,
    /// What it asks for and has not; capitals stand for what the operator must choose.
    lacking: Vec<String>,
    /// Whether it can be used with what it has: of a capability, any bound is enough.
    is_enough: bool,
    /// The command that grants what it lacks.
    command: Option<String>,
}

impl Asked {
    /// What `needs` come to where this is `granted` already. `skill` is what the command names: the skill, or its file.
    pub(in crate::skill) fn new(skill: &str, needs: &Needs, granted: &BTreeSet<Right>) -> Asked {
        let (missing, open) = needs.missing(granted);
        let is_enough = missing.is_empty() && open.is_empty();
        let rights: Vec<Right> = missing.into_iter().chain(needs.beyond(granted)).collect();
        Asked {
            granted: needs.used(granted).iter().map(Right::to_string).collect(),
            lacking: right::wanted(&rights, &open),
            is_enough,
            command: (!rights.is_empty() || !open.is_empty()).then(|| right::command(skill, &rights, &open)),
        }
    }

    /// Adds it to what is said to programs.
    pub(super) fn add_to(&self, value: &mut serde_json::Value) {
        value["granted"] = json!(self.granted);
        value["not-granted"] = json!(self.lacking);
        value["waits-for-a-grant"] = json!(!self.is_enough);
        value["grant-command"] = json!(self.command);
    }
}

/// One line a right, each after a margin, and the command.
impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has = self.granted.iter().map(|right| (right, "granted"));
        let lacks = self.lacking.iter().map(|right| (right, "not granted"));
        for (at, (right, standing)) in has.chain(lacks).enumerate() {
            let title = if at == 0 { "rights" } else { "" };
            writeln!(f, "{title:<10} {right} ({standing})")?;
        }
        match (&self.command, self.is_enough) {
            (None, _) if self.granted.is_empty() => writeln!(f, "rights     none needed"),
            (None, _) => Ok(()),
            (Some(command), false) => writeln!(f, "waits      until this is granted: {command}"),
            (Some(command), true) => writeln!(f, "enough     to be used; to grant the rest: {command}"),
        }
    }
}
