//! Signals: the messages that travel through the loop, and the actions that proposals are closed into.
//!
//! A signal's meta is set by the host alone; a payload is whatever the sender wrote, checked for form. This room knows
//! forms and nothing else.

mod action;
pub mod frames;
mod session;

pub use action::{Action, Origin};
pub use session::{SessionId, random_hex};

use crate::plist;
use crate::sexp::{Form, kw};

/// What kind of perception a signal is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sensor {
    /// A person's text.
    UserInput,
    /// A person's text by way of a messenger.
    ChatMessage,
    /// The clock.
    Heartbeat,
    /// What an actuator gave back.
    ToolOutput,
    /// What an actuator failed with.
    ToolError,
    /// A cycle that failed.
    LoopError,
    /// Code a person wants evaluated.
    ReplEval,
    /// An editor's buffer changed.
    BufferUpdate,
    /// An editor's point moved.
    PointUpdate,
    /// A plan waits for a person.
    ApprovalRequired,
    /// Stop this session's cycle.
    Interrupt,
    /// An entry of the schedule is due.
    Schedule,
    /// A sensor of a skill's own, by its upper-case name.
    Other(String),
}

const SENSORS: &[(&str, Sensor)] = &[
    ("USER-INPUT", Sensor::UserInput),
    ("CHAT-MESSAGE", Sensor::ChatMessage),
    ("HEARTBEAT", Sensor::Heartbeat),
    ("TOOL-OUTPUT", Sensor::ToolOutput),
    ("TOOL-ERROR", Sensor::ToolError),
    ("LOOP-ERROR", Sensor::LoopError),
    ("REPL-EVAL", Sensor::ReplEval),
    ("BUFFER-UPDATE", Sensor::BufferUpdate),
    ("POINT-UPDATE", Sensor::PointUpdate),
    ("APPROVAL-REQUIRED", Sensor::ApprovalRequired),
    ("INTERRUPT", Sensor::Interrupt),
    ("SCHEDULE", Sensor::Schedule),
];

impl Sensor {
    /// The sensor that a keyword's name means.
    pub fn from_name(name: &str) -> Sensor {
        let upper = name.to_uppercase();
        match SENSORS.iter().find(|(own, _)| *own == upper) {
            Some((_, sensor)) => sensor.clone(),
            None => Sensor::Other(upper),
        }
    }

    /// Those of the host's own, upper case, without colon.
    pub fn names() -> impl Iterator<Item = &'static str> {
        SENSORS.iter().map(|(name, _)| *name)
    }

    /// The keyword's name, upper case, without colon.
    pub fn name(&self) -> &str {
        match self {
            Sensor::Other(name) => name,
            known => SENSORS
                .iter()
                .find(|(_, own)| own == known)
                .map_or("", |(name, _)| name),
        }
    }

    /// Whether a failing cycle that this sensor began drops its overlay and is reported as a `:loop-error` of its own.
    pub fn reports_failure(&self) -> bool {
        !matches!(self, Sensor::LoopError | Sensor::ToolError)
    }
}

/// Where a signal came from and who waits for its answer. Set by the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Meta {
    /// The reply target, an upper-case name such as `CLI`.
    pub source: String,
    /// The conversation.
    pub session: SessionId,
    /// What the client named its request; echoed in all that answers it.
    pub request_id: Option<Form>,
}

/// How a turn began: whatever it comes to, its questions go to whom those of its first signal go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Began {
    /// The sensor of its first signal.
    pub sensor: Sensor,
    /// The skill that claimed it, or whose prompt was the first to go along.
    pub skill: Option<String>,
}

impl Began {
    /// `(:SENSOR … :SKILL …)`, as a plan keeps it.
    pub fn to_form(&self) -> Form {
        plist!("SENSOR" => kw(self.sensor.name()), "SKILL" => self.skill.clone())
    }

    /// What [`Began::to_form`] made.
    pub fn from_form(form: &Form) -> Option<Began> {
        Some(Began {
            sensor: Sensor::from_name(form.at("sensor")?.keyword()?),
            skill: form.text_at("skill").map(str::to_owned),
        })
    }
}

/// One message travelling through the loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// What kind of perception.
    pub sensor: Sensor,
    /// Who sent it.
    pub meta: Meta,
    /// A plist, `:SENSOR` among its keys.
    pub payload: Form,
    /// How many signals led to this one.
    pub depth: u32,
    /// Whether the turn has seen text from outside the workspace.
    pub tainted: bool,
    /// How its turn began; none where that is this signal itself.
    pub began: Option<Began>,
}

impl Signal {
    /// How its turn began.
    pub fn beginning(&self) -> Began {
        self.began.clone().unwrap_or_else(|| Began {
            sensor: self.sensor.clone(),
            skill: None,
        })
    }

    /// The signal as a form, as gates, prompts and the record see it.
    pub fn to_form(&self) -> Form {
        plist!(
            "TYPE" => kw("EVENT"),
            "META" => plist!(
                "SOURCE" => kw(&self.meta.source),
                "SESSION-ID" => self.meta.session.to_string(),
                "TAINTED" => self.tainted,
            ),
            "DEPTH" => self.depth,
            "PAYLOAD" => self.payload.clone(),
        )
    }

    /// The signal that answers this one: same conversation, one deeper.
    pub fn feedback(&self, sensor: Sensor, payload: Form, tainted: bool) -> Signal {
        Signal {
            payload: Form::plist([("SENSOR", kw(sensor.name()))]).joined(payload),
            sensor,
            meta: self.meta.clone(),
            depth: self.depth + 1,
            tainted: self.tainted || tainted,
            began: Some(self.beginning()),
        }
    }
}
