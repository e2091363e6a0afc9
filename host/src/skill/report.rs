//! What `skill check` says of a file: every finding, and what would come of it.

use std::fmt;

use serde_json::json;

use super::describe::Description;
use super::inspect::Anatomy;
use super::right::Right;
use super::status::SkillState;
use crate::capability::Class;
use crate::sexp::visible_line;

/// What a finding means for the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// As it should be.
    Fine,
    /// Worth knowing, and no hindrance.
    Note,
    /// The operator, or another file, must bring something first.
    Waits,
    /// It can't be loaded.
    Fault,
}

impl Mark {
    /// In one word, for people and programs.
    fn word(self) -> &'static str {
        match self {
            Mark::Fine => "ok",
            Mark::Note => "note",
            Mark::Waits => "waits",
            Mark::Fault => "fault",
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is about, in one word.
    pub about: &'static str,
    /// What it means.
    pub mark: Mark,
    /// What was found, and where something is to be done, the command.
    pub text: String,
}

/// All that can be said of a file.
#[derive(Clone, Debug)]
pub struct Report {
    /// The name under which it would be loaded.
    pub name: String,
    /// The file, as it was named.
    pub file: String,
    /// What it is, as far as it can be read.
    pub anatomy: Option<Anatomy>,
    /// What it says of itself, if it comes to that.
    pub description: Option<Description>,
    /// Every right it needs, and whether it has it.
    pub rights: Vec<(Right, bool)>,
    /// What it would use beside, and can do without.
    pub beyond: Vec<Right>,
    /// Capabilities for which the operator must say how far they reach, because the skill does not.
    pub open: Vec<Class>,
    /// What kind of skill it would replace, bundled or required, where that takes the operator's word.
    pub replaces: Option<&'static str>,
    /// Everything, in the order in which the loader looks.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Where the skill would stand if the file were dropped in.
    pub fn state(&self) -> SkillState {
        let has = |mark: Mark| self.findings.iter().any(|finding| finding.mark == mark);
        match (has(Mark::Fault), has(Mark::Waits)) {
            (true, _) => SkillState::Failed,
            (false, true) => SkillState::Waiting,
            (false, false) => SkillState::Ready,
        }
    }

    /// What would happen, in one sentence.
    pub fn outcome(&self) -> String {
        let name = &self.name;
        match self.state() {
            SkillState::Ready => format!("ready: dropped in as {name}.wasm it would be used at once"),
            SkillState::Waiting => {
                format!("waiting: dropped in as {name}.wasm it would not be used until what waits above is done")
            }
            _ => "failed: dropped in it would not be used, and nothing else would change".to_owned(),
        }
    }

    /// For programs.
    pub fn json(&self) -> serde_json::Value {
        let findings: Vec<serde_json::Value> = self
            .findings
            .iter()
            .map(|finding| json!({"about": finding.about, "mark": finding.mark.word(), "text": finding.text}))
            .collect();
        let rights: Vec<serde_json::Value> = self
            .rights
            .iter()
            .map(|(right, granted)| json!({"right": right.to_string(), "granted": granted}))
            .collect();
        json!({
            "file": self.file,
            "name": self.name,
            "digest": self.anatomy.as_ref().map(|anatomy| anatomy.digest.to_string()),
            "state": self.state().to_string(),
            "rights": rights,
            "findings": findings,
        })
    }

    /// Adds a finding.
    pub(super) fn find(&mut self, about: &'static str, mark: Mark, text: impl Into<String>) {
        let text = text.into();
        self.findings.push(Finding { about, mark, text });
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", visible_line(&self.file))?;
        for finding in &self.findings {
            writeln!(
                f,
                "  {:<5}  {:<10}  {}",
                finding.mark.word(),
                finding.about,
                visible_line(&finding.text)
            )?;
        }
        f.write_str(&self.outcome())
    }
}
