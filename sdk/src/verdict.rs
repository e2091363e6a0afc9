//! What a gate says of an action, and the details the model and the operator read.

use std::fmt;

use crate::plist::Plist;

/// What a gate says of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing against it.
    Pass,
    /// It would pass with this payload instead, printed as a plist (see [`Plist`]). Needs the right to revise, and may
    /// change neither the target nor the explanation.
    Revise(String),
    /// It must not happen.
    Reject(Rejection),
    /// A person must approve it.
    Ask(Ask),
}

impl From<Rejection> for Verdict {
    fn from(rejection: Rejection) -> Verdict {
        Verdict::Reject(rejection)
    }
}

impl From<Ask> for Verdict {
    fn from(ask: Ask) -> Verdict {
        Verdict::Ask(ask)
    }
}

/// Why an action is refused. The model reads it before its next try, and the user when there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The rule, a short stable name such as `missing-explanation`.
    pub rule: String,
    /// The path of the field it is about, such as `payload.cmd`; empty when it is about the whole action.
    pub field: String,
    /// Why, in one sentence.
    pub reason: String,
    /// What to try instead; empty when nothing would help.
    pub repair: String,
    /// The piece of the field's text that decided, as it stands there; empty when it is the whole text.
    pub part: String,
}

impl Rejection {
    /// A rejection by `rule`, for `reason`.
    pub fn new(rule: impl Into<String>, reason: impl Into<String>) -> Rejection {
        Rejection {
            rule: rule.into(),
            field: String::new(),
            reason: reason.into(),
            repair: String::new(),
            part: String::new(),
        }
    }

    /// Names the field it is about by its path, such as `payload.cmd`.
    #[must_use]
    pub fn field(mut self, path: impl Into<String>) -> Rejection {
        self.field = path.into();
        self
    }

    /// Says what to try instead.
    #[must_use]
    pub fn repair(mut self, text: impl Into<String>) -> Rejection {
        self.repair = text.into();
        self
    }

    /// Names the piece of the field's text that decided, such as `rm -rf build` of a longer command line.
    #[must_use]
    pub fn part(mut self, text: impl Into<String>) -> Rejection {
        self.part = text.into();
        self
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let details = Plist::new().text("rule", &self.rule).text("field", &self.field);
        let details = details.text("reason", &self.reason).text("repair", &self.repair);
        with_part(details, &self.part).fmt(f)
    }
}

/// What a person is asked before an action happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The rule, a short stable name such as `shell-command`.
    pub rule: String,
    /// The path of the field it is about; empty when it is about the whole action.
    pub field: String,
    /// What would happen, in one line.
    pub summary: String,
    /// How much could go wrong.
    pub risk: Risk,
    /// The piece of the field's text that decided, as it stands there; empty when it is the whole text.
    pub part: String,
    /// What the operator may approve once and for all (see [`Ask::rememberable`]); `None` where each action has to be
    /// looked at.
    pub remember: Option<String>,
    /// Whether what would happen reads nothing outside the workspace (see [`Ask::within`]).
    pub within: bool,
}

impl Ask {
    /// An ask by `rule`, of medium risk until said otherwise. `summary` says in one line what would happen.
    pub fn new(rule: impl Into<String>, summary: impl Into<String>) -> Ask {
        Ask {
            rule: rule.into(),
            field: String::new(),
            summary: summary.into(),
            risk: Risk::Medium,
            part: String::new(),
            remember: None,
            within: false,
        }
    }

    /// Names the field it is about by its path, such as `payload.cmd`.
    #[must_use]
    pub fn field(mut self, path: impl Into<String>) -> Ask {
        self.field = path.into();
        self
    }

    /// Says how much could go wrong.
    #[must_use]
    pub fn risk(mut self, risk: Risk) -> Ask {
        self.risk = risk;
        self
    }

    /// Names the piece of the field's text that decided, such as `rm -rf build` of a longer command line.
    #[must_use]
    pub fn part(mut self, text: impl Into<String>) -> Ask {
        self.part = text.into();
        self
    }

    /// Lets the operator approve such actions once and for all. `scope` is what the operator reads and what the approval
    /// is bound to: the field's meaning in one canonical text, such as a program and all its arguments. A later action is
    /// covered only if this ask is the same in all its parts, and the rest of the action, apart from the explanation, is
    /// the same to the byte. Name everything in the field that could make a difference; never use it for what runs text
    /// or files that can change: interpreters, shells, wrappers, builds and tests. An empty scope is none.
    #[must_use]
    pub fn rememberable(mut self, scope: impl Into<String>) -> Ask {
        self.remember = Some(scope.into()).filter(|scope| !scope.is_empty());
        self
    }

    /// Says that what would happen reads nothing outside the workspace. What a command prints that was approved, and of which
    /// any gate that asked does not say so, marks the turn as tainted.
    #[must_use]
    pub fn within(mut self) -> Ask {
        self.within = true;
        self
    }
}

impl fmt::Display for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let details = Plist::new().text("rule", &self.rule).text("field", &self.field);
        let details = details.text("summary", &self.summary).text("risk", self.risk.name());
        let details = with_part(details, &self.part);
        let details = match &self.remember {
            Some(scope) => details.text("remember", scope),
            None => details,
        };
        match self.within {
            true => details.flag("within", true).fmt(f),
            false => details.fmt(f),
        }
    }
}

/// The details, and the part where there is one.
fn with_part(details: Plist, part: &str) -> Plist {
    if part.is_empty() {
        details
    } else {
        details.text("part", part)
    }
}

/// How much could go wrong if a person approves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Risk {
    /// Little, and it can be undone.
    Low,
    /// Something that is work to undo.
    Medium,
    /// Something that cannot be undone, or reaches beyond the workspace.
    High,
}

impl Risk {
    /// `low`, `medium` or `high`.
    pub fn name(self) -> &'static str {
        match self {
            Risk::Low => "low",
            Risk::Medium => "medium",
            Risk::High => "high",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejection_prints_all_its_details_as_texts() {
        let rejection = Rejection::new("quoting", "a \"quote\"")
            .field("payload.cmd")
            .repair("drop it");
        let printed = r#"(:RULE "quoting" :FIELD "payload.cmd" :REASON "a \"quote\"" :REPAIR "drop it")"#;
        assert_eq!(rejection.to_string(), printed);
    }

    #[test]
    fn an_ask_prints_its_risk_in_lower_case_and_an_unnamed_field_as_empty() {
        let ask = Ask::new("delete", "deletes 3 files").risk(Risk::High);
        assert_eq!(
            ask.to_string(),
            r#"(:RULE "delete" :FIELD "" :SUMMARY "deletes 3 files" :RISK "high")"#
        );
    }

    #[test]
    fn the_part_of_the_text_that_decided_is_printed_where_it_was_named() {
        let ask = Ask::new("delete", "deletes build")
            .field("payload.cmd")
            .part("rm -r build");
        assert!(
            ask.to_string().ends_with(r#" :RISK "medium" :PART "rm -r build")"#),
            "{ask}"
        );
        let rejection = Rejection::new("delete", "deletes all").part("rm -rf /");
        assert!(
            rejection.to_string().ends_with(r#" :REPAIR "" :PART "rm -rf /")"#),
            "{rejection}"
        );
    }

    #[test]
    fn an_ask_says_what_may_be_remembered_only_where_there_is_something() {
        let ask = Ask::new("send", "asks a host").field("payload.cmd");
        let printed = ask.clone().rememberable("host 'example.org'").to_string();
        assert!(
            printed.ends_with(r#":RISK "medium" :REMEMBER "host 'example.org'")"#),
            "{printed}"
        );
        assert_eq!(ask.clone().rememberable(""), ask);
    }
}
