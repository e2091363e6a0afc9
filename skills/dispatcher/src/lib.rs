//! The security gate. It looks at what every action would touch, run, send or say, and passes it, asks a person, or
//! refuses it; the strictest part decides. The verdict depends on the action, the signal and the settings alone.
//!
//! The checks work on plain values (`judge`); this file only fetches those from the host and words the verdict.

mod address;
mod files;
mod finding;
#[cfg(any(test, target_arch = "wasm32"))]
mod heap;
mod http;
mod judge;
mod lisp;
mod network;
mod path;
mod payload;
mod permission;
mod privacy;
mod secret;
mod settings;
mod shell;
mod text;
mod tools;

use passepartout_sdk::{
    Action, Ask, Description, Function, Rejection, Right, Signal, Skill, Verdict, export, secrets,
};

pub use finding::{Finding, Risk};
pub use judge::{Subject, judge};
pub use settings::Settings;

/// The skill. Its gate is about every target.
#[derive(Debug)]
pub struct Dispatcher;

impl Skill for Dispatcher {
    fn describe() -> Description {
        Description::new("dispatcher", env!("CARGO_PKG_VERSION"))
            .priority(150)
            .function(Function::Gate)
            .right(Right::ContainsSecret)
    }

    fn gate(action: &Action, signal: &Signal) -> Verdict {
        let target = action.target().to_uppercase();
        // A call of these tools is closed into an action for a target of its own, and is still a use of the tool.
        let tool = match target.as_str() {
            "SHELL" => Some("shell".to_owned()),
            "SYSTEM" => Some("eval".to_owned()),
            _ => action.text("payload.tool"),
        };
        let subject = Subject {
            payload: action.printed("payload").unwrap_or_default(),
            source: signal.source().to_uppercase(),
            tainted: signal.tainted(),
            holds_vault_value: secrets::contains(action, "payload"),
            settings: Settings::read(passepartout_sdk::settings::get, &target, tool.as_deref()),
            target,
        };
        let is_command = subject.target == "SHELL";
        match judge(&subject) {
            None => Verdict::Pass,
            Some(Finding::Reject {
                rule,
                field,
                reason,
                repair,
                part,
            }) => Rejection::new(rule, reason)
                .field(field)
                .repair(repair)
                .part(part)
                .into(),
            Some(Finding::Ask {
                rule,
                field,
                summary,
                risk,
                part,
                remember,
                beyond,
                ..
            }) => {
                let risk = match risk {
                    Risk::Low => passepartout_sdk::Risk::Low,
                    Risk::Medium => passepartout_sdk::Risk::Medium,
                    Risk::High => passepartout_sdk::Risk::High,
                };
                let ask = Ask::new(rule, summary).field(field).risk(risk).part(part);
                let ask = ask.rememberable(remember.unwrap_or_default());
                if is_command && !beyond { ask.within() } else { ask }.into()
            }
        }
    }
}

export!(Dispatcher);
