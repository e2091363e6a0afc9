//! What a skill says of itself, told to a person: the same lines before it is installed, in a check and in an inspection.

use std::fmt;

use super::{Description, Function, TriggerRule};

impl Description {
    /// Each line with what it is about, in the skill's own words where they are its own: who shows one keeps it in its line.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let functions: Vec<String> = self.functions.iter().map(|own| own.name()).collect();
        let mut lines = vec![("functions", functions.join(", "))];
        if self.functions.contains(&Function::Gate) {
            let about = self.gate_targets.as_ref();
            lines.push((
                "judges",
                about.map_or("every action".to_owned(), |own| own.join(", ").to_lowercase()),
            ));
        }
        lines.extend(self.targets.iter().map(|claim| ("acts for", claim.to_string())));
        let tool = |tool: &super::ToolDeclaration| ("tool", format!("{}: {}", tool.name, tool.description));
        lines.extend(self.tools.iter().map(tool));
        let triggers = self.triggers();
        if !triggers.is_empty() {
            lines.push(("triggers", triggers.join("; or ")));
        }
        if !self.depends_on.is_empty() {
            lines.push(("depends on", self.depends_on.join(", ")));
        }
        lines
    }

    /// When it has a say in a turn, each case in words.
    pub(in crate::skill) fn triggers(&self) -> Vec<String> {
        let mut cases: Vec<String> = self.triggers.iter().map(TriggerRule::to_string).collect();
        if self.functions.contains(&Function::Trigger) {
            cases.push("when its function trigger says so".to_owned());
        }
        cases
    }
}

impl fmt::Display for TriggerRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sensor = self
            .sensor
            .as_ref()
            .map(|own| format!("sensor {}", own.name().to_lowercase()));
        let source = self.source.as_ref().map(|own| format!("source {}", own.to_lowercase()));
        let field = self.field.as_ref().map(|(path, value)| format!("{path} is {value:?}"));
        let all: Vec<String> = [sensor, source, field].into_iter().flatten().collect();
        f.write_str(&all.join(", "))
    }
}
