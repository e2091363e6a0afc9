//! What a skill says about itself, as one canonical plist. It is built from types, so that it cannot be misspelt.

use std::fmt;

use crate::plist::{Plist, keyword, list, quoted};
#[cfg(not(target_arch = "wasm32"))]
use crate::reach;
#[cfg(not(target_arch = "wasm32"))]
use crate::tool::is_name;
use crate::{Tool, Trigger};

/// Under this name the host itself refuses.
#[cfg(not(target_arch = "wasm32"))]
const HOST: &str = "host";

/// The functions of a skill that the host may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// [`Skill::trigger`](crate::Skill::trigger)
    Trigger,
    /// [`Skill::prompt`](crate::Skill::prompt)
    Prompt,
    /// [`Skill::mandate`](crate::Skill::mandate)
    Mandate,
    /// [`Skill::gate`](crate::Skill::gate)
    Gate,
    /// [`Skill::act`](crate::Skill::act)
    Act,
    /// [`Skill::call_tool`](crate::Skill::call_tool)
    CallTool,
    /// [`Skill::recover`](crate::Skill::recover)
    Recover,
}

impl Function {
    fn name(self) -> &'static str {
        match self {
            Function::Trigger => "trigger",
            Function::Prompt => "prompt",
            Function::Mandate => "mandate",
            Function::Gate => "gate",
            Function::Act => "act",
            Function::CallTool => "call-tool",
            Function::Recover => "recover",
        }
    }
}

/// Rights of influence, which the operator grants. Capabilities are not among them: those are read off the imports, and
/// [`Description::reaches`] says how far they should reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// The gate may change an action's payload.
    Revise,
    /// The skill may choose how the loop goes on after a failed cycle.
    Recover,
    /// The skill may have the model called on a heartbeat.
    Heartbeat,
    /// The skill may ask whether a text contains a secret.
    ContainsSecret,
}

impl Right {
    fn name(self) -> &'static str {
        match self {
            Right::Revise => "revise",
            Right::Recover => "recover",
            Right::Heartbeat => "heartbeat",
            Right::ContainsSecret => "contains-secret",
        }
    }
}

/// What a skill is. Printed, it is what the host reads.
///
/// ```
/// use passepartout_sdk::{Description, Function};
///
/// let description = Description::new("policy", "0.1.0").priority(500).function(Function::Gate);
/// assert_eq!(description.to_string(), r#"(:NAME "policy" :VERSION "0.1.0" :PRIORITY 500 :FUNCTIONS (:GATE))"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    name: String,
    version: String,
    priority: i64,
    functions: Vec<Function>,
    gate_targets: Vec<String>,
    targets: Vec<String>,
    tools: Vec<Tool>,
    triggers: Vec<Trigger>,
    keeps_state: bool,
    depends_on: Vec<String>,
    rights: Vec<Right>,
    reaches: Vec<String>,
}

impl Description {
    /// A skill called `name`, in priority 0. The name is also the stem of its file's name: lower-case letters, digits and
    /// `-`. For the version, write `env!("CARGO_PKG_VERSION")`.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Description {
        Description {
            name: name.into(),
            version: version.into(),
            priority: 0,
            functions: Vec::new(),
            gate_targets: Vec::new(),
            targets: Vec::new(),
            tools: Vec::new(),
            triggers: Vec::new(),
            keeps_state: false,
            depends_on: Vec::new(),
            rights: Vec::new(),
            reaches: Vec::new(),
        }
    }

    /// Higher comes first among gates and prompts; ties go by name. The bundled skills have 50 to 500.
    #[must_use]
    pub fn priority(mut self, priority: i64) -> Description {
        self.priority = priority;
        self
    }

    /// Says that this function is real. The host never calls the others.
    #[must_use]
    pub fn function(mut self, function: Function) -> Description {
        if !self.functions.contains(&function) {
            self.functions.push(function);
        }
        self
    }

    /// Says that the gate is about actions for this target, such as `shell`, and for no others but those named the same
    /// way. Without it, the gate is about all. Implies [`Function::Gate`].
    #[must_use]
    pub fn gate_target(mut self, target: &str) -> Description {
        self.gate_targets.push(keyword(target));
        self.function(Function::Gate)
    }

    /// Says that `act` carries out actions for this target. Implies [`Function::Act`].
    #[must_use]
    pub fn target(mut self, target: &str) -> Description {
        self.targets.push(keyword(target));
        self.function(Function::Act)
    }

    /// Says that `act` carries out those actions for this target whose payload has this `:ACTION`. Implies
    /// [`Function::Act`].
    #[must_use]
    pub fn target_action(mut self, target: &str, action: &str) -> Description {
        self.targets.push(list([keyword(target), keyword(action)]));
        self.function(Function::Act)
    }

    /// Declares a tool to the model. Unless the host turns its calls into actions for a target (as it does for `shell`
    /// and `eval`), name [`Function::CallTool`] as well.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Description {
        self.tools.push(tool);
        self
    }

    /// Declares when the skill's prompt is meant: when any of its triggers matches. The host answers without a call.
    #[must_use]
    pub fn trigger(mut self, trigger: Trigger) -> Description {
        self.triggers.push(trigger);
        self
    }

    /// Says that the skill keeps state between calls of `act` and `call_tool`: the host gives each session an instance of
    /// its own, which may be dropped when many sessions are open.
    #[must_use]
    pub fn keeps_state(mut self) -> Description {
        self.keeps_state = true;
        self
    }

    /// Names a skill that must be loaded before this one.
    #[must_use]
    pub fn depends_on(mut self, skill: impl Into<String>) -> Description {
        self.depends_on.push(skill.into());
        self
    }

    /// Asks the operator for a right of influence.
    #[must_use]
    pub fn right(mut self, right: Right) -> Description {
        if !self.rights.contains(&right) {
            self.rights.push(right);
        }
        self
    }

    /// Says how far the skill would like a capability to reach, as the operator would grant it: `files:read:workspace`,
    /// `http:api.example.org`, `vault:NAME` and so on. The operator may grant less; without any grant of a capability
    /// that it imports or names here, the skill waits. What can be no right fails the tests, as the host refuses it.
    ///
    /// A secret in a header, `{vault:NAME}`, is text, and no import tells of it. So name it here, as `vault:NAME`: otherwise
    /// nobody is asked for the grant, and the first request is refused.
    #[must_use]
    pub fn reaches(mut self, bound: impl Into<String>) -> Description {
        self.reaches.push(bound.into());
        self
    }
}

/// What a test must know: what the host would call.
#[cfg(not(target_arch = "wasm32"))]
impl Description {
    pub(crate) fn has(&self, function: Function) -> bool {
        self.functions.contains(&function)
    }

    /// Whether the gate is about actions for this target.
    pub(crate) fn judges(&self, target: &str) -> bool {
        self.gate_targets.is_empty() || self.gate_targets.contains(&keyword(target))
    }

    /// Whether `act` carries out actions for this target, with the verb `action` if there is one.
    pub(crate) fn acts_for(&self, target: &str, action: Option<&str>) -> bool {
        let of_verb = action.map(|action| list([keyword(target), keyword(action)]));
        self.targets
            .iter()
            .any(|own| *own == keyword(target) || Some(own) == of_verb.as_ref())
    }

    /// Whether it says which files it would reach, and none in this `way`, `read` or `write`.
    pub(crate) fn lacks_files(&self, way: &str) -> bool {
        let begins = |start: &str| self.reaches.iter().any(|bound| bound.starts_with(start));
        begins("files:") && !begins(&format!("files:{way}:"))
    }

    /// What the host would refuse about its names, the length of its texts, and what it would reach.
    pub(crate) fn fault(&self) -> Option<String> {
        const TOOLS: usize = 32_000;
        let name = &self.name;
        if !is_name(name) || name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Some(format!(
                "{name:?} can't name a skill: write lower-case letters, digits and `-`, a letter first, 64 bytes at the most"
            ));
        }
        if name == HOST {
            return Some(format!(
                "{name:?} is the name under which the host itself refuses: choose another"
            ));
        }
        // As they are printed: `:TARGET`, or `(:TARGET :ACTION)`.
        let is_good = |printed: &str| {
            let inside = printed.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
            inside
                .unwrap_or(printed)
                .split(' ')
                .all(|word| word.strip_prefix(':').is_some_and(is_name))
        };
        if let Some(bad) = self
            .gate_targets
            .iter()
            .chain(&self.targets)
            .find(|name| !is_good(name))
        {
            return Some(format!(
                "{bad} can't name a target or an action: write letters, digits and `-`, a letter first, 64 bytes at the most"
            ));
        }
        let told: usize = self.tools.iter().map(Tool::told).sum();
        if told > TOOLS {
            return Some(format!(
                "all tools together are described in {told} bytes, and {TOOLS} is the most"
            ));
        }
        let reached = self.reaches.iter().find_map(|bound| reach::fault(bound));
        reached.or_else(|| self.tools.iter().find_map(Tool::fault))
    }

    /// When its prompt is meant.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn triggers(&self) -> &[Trigger] {
        &self.triggers
    }

    /// Whether it says that it would use this secret.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn reaches_secret(&self, name: &str) -> bool {
        self.reaches
            .iter()
            .any(|bound| bound.strip_prefix("vault:") == Some(name))
    }

    pub(crate) fn offered(&self, tool: &str) -> Option<&Tool> {
        self.tools.iter().find(|own| own.name() == tool)
    }
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Plist::new().text("name", &self.name).text("version", &self.version);
        out = out.integer("priority", self.priority);
        out = listed(
            out,
            "functions",
            self.functions.iter().map(|function| keyword(function.name())),
        );
        out = listed(out, "gate-targets", &self.gate_targets);
        out = listed(out, "targets", &self.targets);
        out = listed(out, "tools", self.tools.iter().map(Tool::to_string));
        out = listed(out, "triggers", self.triggers.iter().map(Trigger::to_string));
        if self.keeps_state {
            out = out.flag("state", true);
        }
        out = listed(out, "depends-on", self.depends_on.iter().map(|skill| quoted(skill)));
        let rights = self.rights.iter().map(|right| keyword(right.name()));
        let reaches = self.reaches.iter().map(|bound| quoted(bound));
        listed(out, "rights", rights.chain(reaches)).fmt(f)
    }
}

/// `plist` with a list of printed forms; without the key when there are none, since a missing key means none.
fn listed<T: AsRef<str>>(plist: Plist, key: &str, printed: impl IntoIterator<Item = T>) -> Plist {
    let mut printed = printed.into_iter().peekable();
    if printed.peek().is_some() {
        plist.form(key, &list(printed))
    } else {
        plist
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parameter;

    #[test]
    fn everything_that_is_said_is_printed_and_nothing_else() {
        let eval = Tool::new("eval", "Evaluates Lisp").parameter(Parameter::string("code", "the form").required());
        let description = Description::new("repl", "0.1.0")
            .priority(200)
            .target_action("system", "eval")
            .target("shell")
            .tool(eval.parameter(Parameter::integer("limit", "how long")))
            .gate_target("tool")
            .trigger(
                Trigger::new()
                    .sensor("user-input")
                    .source("cli")
                    .field_equals("payload.text", "hi"),
            )
            .keeps_state()
            .depends_on("policy")
            .right(Right::ContainsSecret)
            .reaches("http:api.example.org");
        assert_eq!(
            description.to_string(),
            "(:NAME \"repl\" :VERSION \"0.1.0\" :PRIORITY 200 :FUNCTIONS (:ACT :GATE) :GATE-TARGETS (:TOOL) \
             :TARGETS ((:SYSTEM :EVAL) :SHELL) \
             :TOOLS ((:NAME \"eval\" :DESCRIPTION \"Evaluates Lisp\" :PARAMETERS \
             ((:NAME \"code\" :TYPE :STRING :REQUIRED T :DESCRIPTION \"the form\") \
             (:NAME \"limit\" :TYPE :INTEGER :DESCRIPTION \"how long\")))) \
             :TRIGGERS ((:SENSOR :USER-INPUT :SOURCE :CLI :FIELD \"payload.text\" :EQUALS \"hi\")) \
             :STATE T :DEPENDS-ON (\"policy\") :RIGHTS (:CONTAINS-SECRET \"http:api.example.org\"))"
        );
    }

    #[test]
    fn a_function_that_is_named_twice_is_printed_once() {
        let description = Description::new("a", "1")
            .function(Function::Act)
            .target("shell")
            .target("web");
        assert!(
            description
                .to_string()
                .contains(":FUNCTIONS (:ACT) :TARGETS (:SHELL :WEB)")
        );
    }
}
