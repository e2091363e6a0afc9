//! What a model is asked, and what is known about the question: which tools it may call, what a choice of model goes by,
//! who pays, and who hears how it goes.

use std::fmt;
use std::sync::Arc;

use super::{Asker, Message};
use crate::signal::SessionId;

/// What a model is asked.
#[derive(Clone, Debug, Default)]
pub struct ModelRequest {
    /// The system prompt; none when empty.
    pub system: String,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// Who asks.
    pub asker: Asker,
    /// The tools it may call, for providers that have calls of their own. None of them needs to.
    pub tools: Arc<[ToolSchema]>,
    /// What the choice of a model goes by.
    pub route: Route,
    /// Who pays.
    pub payer: Payer,
    /// Who hears how it goes.
    pub watch: Watch,
}

impl ModelRequest {
    /// How long the whole question is, in bytes of text.
    pub fn bytes(&self) -> usize {
        self.system.len() + self.messages.iter().map(|message| message.text.len()).sum::<usize>()
    }
}

/// One tool, as a model is told about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSchema {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What it takes.
    pub parameters: Vec<ToolParameter>,
}

/// One parameter of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolParameter {
    /// Its name.
    pub name: String,
    /// What kind of value it takes, as its skill declares it, such as `string` or `integer`.
    pub kind: String,
    /// What it means.
    pub description: String,
    /// Whether it must be given.
    pub required: bool,
}

/// What the choice of a model goes by, beside the length of the question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// The sensor of the signal that the turn began with, in upper case; empty where there is none.
    pub sensor: String,
    /// The skill whose prompt was the first of the turn to go along, or which asks for itself.
    pub skill: Option<String>,
}

/// How the heartbeat's accounts begin; behind it stands the day. No session's id does.
const HEARTBEAT: &str = "heartbeat-";

/// Who pays for an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payer {
    /// The account; none where nobody's session is behind it.
    pub account: Option<String>,
}

impl Payer {
    /// Who pays for what is asked in `session` at `now`, in seconds since 1970. A session has one account; the heartbeat's,
    /// in whose place nobody can begin another, has one for each day (UTC).
    pub fn of(session: SessionId, now: u64) -> Payer {
        let account = if session == SessionId::HEARTBEAT {
            format!("{HEARTBEAT}{}", now / 86_400)
        } else {
            session.to_string()
        };
        Payer { account: Some(account) }
    }

    /// Whether the heartbeat pays.
    pub fn is_heartbeat(&self) -> bool {
        self.account
            .as_ref()
            .is_some_and(|account| account.starts_with(HEARTBEAT))
    }
}

/// What can be heard while a model is asked. Never what it says: that is not judged yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// This provider is asked.
    Asking {
        /// Its name.
        provider: String,
    },
    /// So much of its answer has come.
    Received {
        /// Its name.
        provider: String,
        /// Bytes so far.
        bytes: usize,
    },
    /// It failed, and the next one is asked.
    Failed {
        /// Its name.
        provider: String,
        /// Why, fit to be shown.
        cause: String,
    },
}

/// Who hears how it goes: nobody, by default.
#[derive(Clone, Default)]
pub struct Watch(Option<Arc<dyn Fn(Heard) + Send + Sync>>);

impl Watch {
    /// Somebody who hears everything. Must be quick: it is called while an answer is read.
    pub fn by(listener: impl Fn(Heard) + Send + Sync + 'static) -> Watch {
        Watch(Some(Arc::new(listener)))
    }

    /// Tells it.
    pub fn hear(&self, what: impl FnOnce() -> Heard) {
        if let Some(listener) = &self.0 {
            listener(what());
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "Watch(somebody)"
        } else {
            "Watch(nobody)"
        })
    }
}
