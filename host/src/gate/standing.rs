//! Standing approvals: what the operator approved once and for all, until it expires or is revoked.
//!
//! One covers an ask only if the gate says the same of the same: gate, rule, what is asked and what the gate lets be
//! remembered, in an action that is the same to the byte but for its explanation and for the field that the gate put into
//! one canonical text. The chain runs each time all the same, so whatever else a gate has to say is said. An ask that does
//! not offer to be remembered never is. How they are kept is the matter of [`StandingStore`].

use std::sync::Arc;

use super::approval::UnixSeconds;
use super::verdict::Ask;
use crate::plist;
use crate::sexp::{Digest, Form, kw};
use crate::signal::Action;

mod file;
mod named;
mod store;

pub use file::StandingFault;
pub use store::{MOST, StandingError, StandingStore};

/// How long one holds unless the operator says otherwise, in seconds: 30 days.
pub const LIFETIME: u64 = 30 * 24 * 3600;

/// How long one holds at most, in seconds: a year. What nobody has looked at for longer has to be looked at again.
pub const LONGEST_LIFETIME: u64 = 366 * 24 * 3600;

/// Longest text of one that is kept, in bytes: what a person can't read is not remembered.
const LONGEST: usize = 16 << 10;

/// What the operator approved once and for all.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The name that people use, eight hexadecimal digits.
    pub id: String,
    /// What a later ask must be.
    pub ask: Ask,
    /// What a later action must come to; see [`scope`].
    pub scope: Form,
    /// The plan that was approved when it was made.
    pub plan: String,
    /// When it was made.
    pub created: UnixSeconds,
    /// When it lapses.
    pub expires: UnixSeconds,
}

impl Standing {
    /// Whether it stands at `now`: from when it was made until it lapses. One that a clock ahead of its time made would stand
    /// for as long as the clock was ahead.
    pub fn holds(&self, now: UnixSeconds) -> bool {
        (self.created..self.expires).contains(&now)
    }

    /// For people and for the list: `(:ID … :GATE … :RULE … :REMEMBER … :SUMMARY … :SCOPE … :PLAN … :CREATED … :EXPIRES …)`.
    pub fn to_form(&self) -> Form {
        plist!(
            "ID" => &self.id, "GATE" => &self.ask.gate, "RULE" => &self.ask.rule, "REMEMBER" => self.ask.remember.clone(),
            "SUMMARY" => &self.ask.summary, "SCOPE" => self.scope.to_string(), "PLAN" => &self.plan,
            "CREATED" => self.created, "EXPIRES" => self.expires,
        )
    }
}

/// What a standing approval of `ask` about `action` is bound to: target, origin and workspace, and the payload without its
/// explanation, in which the field that is asked about is replaced by what the gate lets be remembered of it. None where
/// the gate lets nothing be remembered, or there is too much of it for a person to read.
pub fn scope(action: &Action, ask: &Ask, workspace: &str) -> Option<Form> {
    let remember = ask.remember.as_deref()?;
    let payload = action.payload();
    payload.check_plist(":PAYLOAD").ok()?;
    // A field further down, or outside the payload, is bound as it is: that is narrower.
    let field = ask.field.strip_prefix("payload.").filter(|key| !key.contains('.'));
    let mut bound = Vec::new();
    for (key, value) in payload.pairs().filter(|(key, _)| *key != "EXPLANATION") {
        let named = field.is_some_and(|field| field.eq_ignore_ascii_case(key));
        let value = if named {
            plist!("REMEMBER" => remember)
        } else {
            value.clone()
        };
        bound.extend([kw(key), value]);
    }
    let scope = plist!(
        "TARGET" => kw(action.target()), "ORIGIN" => action.origin().to_form(), "WORKSPACE" => workspace,
        "PAYLOAD" => Form::list(bound),
    );
    (scope.to_string().len() + ask.to_form().to_string().len() <= LONGEST).then_some(scope)
}

/// Whether an action with this payload would replace what a file holds, and says what that is: what is the same later is not
/// there any more once it has been carried out.
pub fn is_bound_to_content(payload: &Form) -> bool {
    payload.get("BASE-SHA256").is_some_and(Form::is_true)
}

/// The standing approvals of one moment, for one run of the chain.
#[derive(Clone, Debug)]
pub struct StandingNow {
    approvals: Arc<[Standing]>,
    workspace: Arc<str>,
    now: UnixSeconds,
}

impl StandingNow {
    /// The id of the approval that names this ask of this action, if one does.
    pub fn covers(&self, action: &Action, ask: &Ask) -> Option<&str> {
        ask.remember.as_ref()?;
        let mut asked = self
            .approvals
            .iter()
            .filter(|own| own.ask == *ask && own.holds(self.now))
            .peekable();
        asked.peek()?;
        let scope = digest(&scope(action, ask, &self.workspace)?);
        asked.find(|own| digest(&own.scope) == scope).map(|own| own.id.as_str())
    }
}

fn digest(scope: &Form) -> Digest {
    Digest::of("passepartout-standing-1", scope.to_string().as_bytes())
}

#[cfg(test)]
mod tests;
