//! What a gate is, and what it says.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::plist;
use crate::sexp::{Digest, Form};
use crate::signal::Action;
use crate::vault::SecretSet;

/// What a gate says of one action.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Nothing against it.
    Pass,
    /// It would pass with this payload instead.
    Revise(Form),
    /// It must not happen.
    Reject(Rejection),
    /// A person must approve it.
    Ask(Ask),
}

/// Why a gate refused an action, for the model that proposed it and for the user.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Rejection {
    /// The gate's name.
    pub gate: String,
    /// The rule, a short stable name.
    pub rule: String,
    /// The part of the action it is about, such as `payload.cmd`.
    pub field: String,
    /// Why.
    pub reason: String,
    /// What to try instead.
    pub repair: String,
    /// The piece of the field's text that decided; empty where the gate named none.
    pub part: String,
}

impl Rejection {
    /// `(:GATE … :RULE … :FIELD … :REASON … :REPAIR …)`, and `:PART …` where there is one.
    pub fn to_form(&self) -> Form {
        let form = plist!(
            "GATE" => &self.gate, "RULE" => &self.rule, "FIELD" => &self.field, "REASON" => &self.reason,
            "REPAIR" => &self.repair,
        );
        with_part(form, &self.part)
    }
}

/// What a person is asked before an action.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Ask {
    /// The gate's name.
    pub gate: String,
    /// The rule, a short stable name.
    pub rule: String,
    /// The part of the action it is about.
    pub field: String,
    /// What would happen, in one line.
    pub summary: String,
    /// `low`, `medium` or `high`.
    pub risk: String,
    /// The piece of the field's text that decided; empty where the gate named none.
    pub part: String,
    /// What the field comes to, if the operator may approve it once and for all; without it, it is asked each time.
    pub remember: Option<String>,
    /// Whether the gate says that what would happen reads nothing outside the workspace. Of a command for which no gate says so,
    /// the output counts as coming from there.
    pub within: bool,
}

fn with_part(form: Form, part: &str) -> Form {
    if part.is_empty() { form } else { form.with("PART", part) }
}

impl Ask {
    /// `(:GATE … :RULE … :FIELD … :SUMMARY … :RISK …)`, `:PART …` where there is one, `:REMEMBER …` where it may be
    /// remembered, and `:WITHIN T` where it stays inside the workspace.
    pub fn to_form(&self) -> Form {
        let form = plist!(
            "GATE" => &self.gate, "RULE" => &self.rule, "FIELD" => &self.field, "SUMMARY" => &self.summary,
            "RISK" => &self.risk,
        );
        let form = with_part(form, &self.part);
        let form = match &self.remember {
            Some(scope) => form.with("REMEMBER", scope),
            None => form,
        };
        if self.within { form.with("WITHIN", true) } else { form }
    }

    /// The ask that [`Ask::to_form`] printed.
    pub fn from_form(form: &Form) -> Option<Ask> {
        let text = |key| form.text_at(key).map(str::to_owned);
        Some(Ask {
            gate: text("gate")?,
            rule: text("rule")?,
            field: text("field")?,
            summary: text("summary")?,
            risk: text("risk")?,
            // Plans that were written before parts were named have none.
            part: text("part").unwrap_or_default(),
            remember: text("remember"),
            within: form.at("within").is_some_and(Form::is_true),
        })
    }
}

/// What skills may read of the configuration: flat keys and values, the same for a whole decision.
pub type Settings = Arc<BTreeMap<String, String>>;

/// What a gate judges: an action, the signal that led to it, and the settings and secrets of the moment.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The closed action.
    pub action: Action,
    /// The signal, as a form.
    pub signal: Arc<Form>,
    /// What skills may read of the configuration.
    pub settings: Settings,
    /// What the operator keeps secret, the same for the whole decision.
    pub secrets: SecretSet,
    /// Whether nothing comes of the verdict: somebody wants to know what it would be. Such a call is not counted.
    pub trial: bool,
}

/// Why a gate gave no verdict. Each counts as a rejection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GateFault {
    /// It used up its fuel.
    #[error("ran out of fuel: it may use {allowed} units for an action of this size")]
    Fuel {
        /// The bound.
        allowed: u64,
    },
    /// It asked for more memory than it may have.
    #[error("asked for {asked} bytes of memory and may have {allowed}")]
    Memory {
        /// What it asked for.
        asked: u64,
        /// The bound.
        allowed: u64,
    },
    /// It asked for more table entries than it may have.
    #[error("asked for a table of {asked} entries and may have {allowed}")]
    Table {
        /// What it asked for.
        asked: u64,
        /// The bound.
        allowed: u64,
    },
    /// It called itself too deep.
    #[error("used more than the {allowed} bytes of stack it may: a recursion without end, or too deep")]
    Stack {
        /// The bound.
        allowed: u64,
    },
    /// It is made of more parts than it may be.
    #[error("has {asked} {what} or more and may have {allowed}")]
    Count {
        /// Core instances, memories or tables.
        what: &'static str,
        /// How many it had come to.
        asked: u64,
        /// The bound.
        allowed: u64,
    },
    /// The last backstop.
    #[error("took longer than the {allowed_ms} ms it may (wall time: the verdict may differ on another machine)")]
    Time {
        /// The bound, in milliseconds.
        allowed_ms: u64,
    },
    /// The host waited for what it asked for, again and again.
    #[error(
        "had the host wait for {asked_ms} ms in one call and may have it wait for {allowed_ms} \
         (`wait_milliseconds` among its limits)"
    )]
    Waits {
        /// How long it was, in milliseconds.
        asked_ms: u64,
        /// The bound, in milliseconds.
        allowed_ms: u64,
    },
    /// It called more host functions, or wrote more log lines, than it may.
    #[error("made more than the {allowed} {what} it may")]
    Calls {
        /// Host calls or log lines.
        what: &'static str,
        /// The bound.
        allowed: u64,
    },
    /// It returned a text longer than it may.
    #[error("returned {asked} bytes of text and may return {allowed}")]
    Text {
        /// What it returned.
        asked: u64,
        /// The bound.
        allowed: u64,
    },
    /// It gave the host a text longer than that takes.
    #[error("gave the host a text of {asked} bytes where it takes {allowed}")]
    Given {
        /// What it gave.
        asked: u64,
        /// The bound.
        allowed: u64,
    },
    /// It gave or returned more at one go than the host copies. How much it was is not known: copying ended there.
    #[error("handed the host more than the {allowed} bytes at one go that it takes")]
    Copied {
        /// The bound, in bytes.
        allowed: u64,
    },
    /// It called something that no gate may call.
    #[error("called {name}, which is not callable from a gate")]
    Forbidden {
        /// The import.
        name: String,
    },
    /// It trapped.
    #[error("trapped: {reason}")]
    Trap {
        /// What the engine said, in one line.
        reason: String,
    },
    /// What it returned is no verdict.
    #[error("returned nonsense: {reason}")]
    Nonsense {
        /// What was wrong with it.
        reason: String,
    },
    /// It could not be instantiated, or is no longer loaded.
    #[error("cannot run: {reason}")]
    Unavailable {
        /// Why.
        reason: String,
    },
}

impl GateFault {
    /// A short stable name, used as the rule of the rejection.
    pub fn rule(&self) -> &'static str {
        match self {
            GateFault::Fuel { .. } => "gate-fuel",
            GateFault::Memory { .. } => "gate-memory",
            GateFault::Table { .. } => "gate-table",
            GateFault::Stack { .. } => "gate-stack",
            GateFault::Count { .. } => "gate-count",
            GateFault::Time { .. } => "gate-time",
            GateFault::Waits { .. } => "gate-waits",
            GateFault::Calls { .. } => "gate-calls",
            GateFault::Text { .. } | GateFault::Given { .. } => "gate-text",
            GateFault::Copied { .. } => "gate-copied",
            GateFault::Forbidden { .. } => "gate-forbidden",
            GateFault::Trap { .. } => "gate-trap",
            GateFault::Nonsense { .. } => "gate-nonsense",
            GateFault::Unavailable { .. } => "gate-unavailable",
        }
    }

    /// The key under `[limits.NAME]` of the bound that was hit, if it was one that can be set; `time` is that of such a call.
    pub fn limit(&self, time: &'static str) -> Option<&'static str> {
        Some(match self {
            GateFault::Fuel { .. } => "fuel",
            GateFault::Memory { .. } | GateFault::Copied { .. } => "memory_bytes",
            GateFault::Table { .. } => "table_entries",
            GateFault::Count { what, .. } if *what == "core instances" => "instances",
            GateFault::Time { .. } => time,
            GateFault::Waits { .. } => "wait_milliseconds",
            GateFault::Calls { what, .. } if *what == "log lines" => "log_lines",
            GateFault::Calls { .. } => "host_calls",
            GateFault::Text { .. } | GateFault::Given { .. } => "text_bytes",
            GateFault::Forbidden { .. }
            | GateFault::Unavailable { .. }
            | GateFault::Count { .. }
            | GateFault::Stack { .. }
            | GateFault::Trap { .. }
            | GateFault::Nonsense { .. } => return None,
        })
    }

    /// Where the operator sets the bound that `skill` hit when it acted; empty if there is none to set.
    pub fn acting_bound(&self, skill: &str) -> String {
        let key = self.limit("act_milliseconds");
        key.map(|key| {
            format!("; `{key}` under [limits.{skill}] in config.toml sets another bound from the next start on")
        })
        .unwrap_or_default()
    }

    /// What can be done about it: by whoever proposed the action first, then by the operator. `gate` is its name.
    pub fn advice(&self, gate: &str) -> String {
        let Some(limit) = self.limit("pure_milliseconds") else {
            // A file of the host's own stands for gates: no skill can be called so.
            if gate.starts_with('.') {
                return "no other proposal passes as long as this is so: the operator has to mend it".to_owned();
            }
            if matches!(self, GateFault::Forbidden { .. } | GateFault::Unavailable { .. }) {
                return format!(
                    "nothing that {gate} is about passes as long as this is so: `passepartout-host skill list` says what is \
                     wrong with it, and the operator can put another file in its place with `passepartout-host skill \
                     install FILE`, or do without it by `passepartout-host skill remove {gate}`, unless `gates.required` names it"
                );
            }
            return format!(
                "something plainer may pass {gate}; if all fails so, the fault is its own: the operator sees with \
                 `passepartout-host explain` why it failed and with `passepartout-host skill list` how often, and can put \
                 another file in its place with `passepartout-host skill install FILE`, or remove the one that is there \
                 with `passepartout-host skill remove {gate}`"
            );
        };
        format!(
            "propose less at a time; the operator can raise `{limit}` under [limits.{gate}] in config.toml, and sees with \
             `passepartout-host skill list` how often {gate} failed. If all fails so, the fault is its own: then another file \
             in its place helps, `passepartout-host skill install FILE`, or `passepartout-host skill remove {gate}`"
        )
    }
}

/// Something that judges actions. Calls block: the chain runs on a thread where that does no harm.
pub trait Gate: Send + Sync {
    /// The name, unique in a chain.
    fn name(&self) -> &str;

    /// Higher runs first; ties by name.
    fn priority(&self) -> i64;

    /// The digest of the code, for the record.
    fn digest(&self) -> Digest;

    /// Whether the gate is about actions for `target` (upper case).
    fn is_about(&self, target: &str) -> bool;

    /// Whether the operator granted the right to revise.
    fn may_revise(&self) -> bool;

    /// The verdict on `subject`.
    ///
    /// # Errors
    /// Whatever kept the gate from giving one; the chain takes it for a rejection.
    fn judge(&self, subject: &Subject) -> Result<Verdict, GateFault>;
}
