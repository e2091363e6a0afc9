//! The chain: every gate judges every action, and only here is an action cleared.
//!
//! The chain keeps the invariants of the gates (ARCHITECTURE.md): an action is cleared only if every gate that is
//! about it returned, on exactly its canonical text, pass or an ask that a consumed approval, or a standing one, names;
//! whatever keeps a gate from answering is a rejection. It knows nothing of where gates come from, nor of what cleared actions do.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::approval::Approval;
use super::standing::StandingNow;
use super::verdict::{Ask, Gate, GateFault, Rejection, Subject, Verdict};
use crate::plist;
use crate::sexp::{Digest, Form, kw};
use crate::signal::Action;

/// An action that every gate has passed. Only [`verify`] makes one, and nothing can change it.
#[derive(Clone, Debug)]
pub struct Cleared<T> {
    what: T,
    consent: Consent,
    within: bool,
}

/// Who said that an action may happen, beside the gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// A person: this text was approved.
    Person,
    /// A person, of what was asked about it, once and for all: how the files are by now nobody has seen.
    Standing,
    /// Nobody was asked. That includes what a person typed and no gate asked about.
    Nobody,
}

impl Cleared<Action> {
    /// The action.
    pub fn get(&self) -> &Action {
        &self.what
    }

    /// Whether a person agreed to it.
    pub fn consent(&self) -> Consent {
        self.consent
    }

    /// Whether every gate that asked said that nothing outside the workspace is read.
    pub fn stays_within(&self) -> bool {
        self.within
    }
}

/// What the chain is told beside the action.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// Gates without which nothing is cleared.
    pub required: &'a [String],
    /// How often gates may revise one action.
    pub revisions: u32,
    /// Why nothing may pass at the moment, such as a fault in the configuration.
    pub closed: Option<&'a str>,
    /// The approval that was consumed for this action, if there is one.
    pub approval: Option<&'a Approval>,
    /// What the operator approved once and for all, if it counts here.
    pub standing: Option<&'a StandingNow>,
}

/// What became of an action.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It may be carried out.
    Cleared(Cleared<Action>),
    /// A person must approve it.
    Waiting {
        /// The action as the last gate left it.
        action: Action,
        /// What is asked, by whom; never empty.
        asks: Vec<Ask>,
    },
    /// It must not happen.
    Rejected {
        /// The action as the rejecting gate saw it.
        action: Action,
        /// Why.
        rejection: Rejection,
    },
}

/// One gate's answer, for the trace and the record.
#[derive(Clone, Debug)]
pub struct Step {
    /// The gate's name.
    pub gate: String,
    /// The digest of its code.
    pub code: Digest,
    /// The digest of the text it judged.
    pub judged: Digest,
    /// What it said: a verdict, or the fault that counts as a rejection.
    pub answer: Result<Verdict, GateFault>,
    /// How long it took.
    pub took: Duration,
}

/// A payload that a gate changed.
#[derive(Clone, Debug)]
pub struct Revision {
    /// The gate.
    pub gate: String,
    /// The canonical text before.
    pub before: Action,
    /// The canonical text after.
    pub after: Action,
}

/// The outcome, and how it came about.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// What became of the action.
    pub outcome: Outcome,
    /// Every answer, in order.
    pub steps: Vec<Step>,
    /// What gates changed.
    pub revisions: Vec<Revision>,
    /// The standing approvals that named what was asked about the text as it is now.
    pub standing: Vec<String>,
}

/// The name under which the host itself rejects.
pub const HOST: &str = "host";

/// Runs every gate that is about the action, highest priority first, ties by name.
/// Blocks for as long as the gates take; call it on a thread where that does no harm.
pub fn verify(gates: &[Arc<dyn Gate>], subject: &Subject, rules: &Rules<'_>) -> Judgement {
    let mut run = Run {
        steps: Vec::new(),
        revisions: Vec::new(),
        asks: Vec::new(),
        open: false,
        standing: Vec::new(),
        within: true,
    };
    let outcome = run.judge(gates, subject, rules);
    Judgement {
        outcome,
        steps: run.steps,
        revisions: run.revisions,
        standing: run.standing,
    }
}

struct Run {
    steps: Vec<Step>,
    revisions: Vec<Revision>,
    /// What is asked, in order, also what the consumed approval answers: one for the rest alone would not answer that again.
    asks: Vec<Ask>,
    /// Whether anything is asked that nobody has answered.
    open: bool,
    standing: Vec<String>,
    /// Whether each of them says that nothing outside the workspace is read.
    within: bool,
}

impl Run {
    fn judge(&mut self, gates: &[Arc<dyn Gate>], subject: &Subject, rules: &Rules<'_>) -> Outcome {
        let mut subject = subject.clone();
        if let Some(rejection) = precondition(gates, rules) {
            return Outcome::Rejected {
                action: subject.action,
                rejection,
            };
        }
        let mut order: Vec<&Arc<dyn Gate>> = gates.iter().collect();
        order.sort_by(|a, b| b.priority().cmp(&a.priority()).then_with(|| a.name().cmp(b.name())));
        let mut at = 0;
        while let Some(gate) = order.get(at) {
            at += 1;
            let required = rules.required.iter().any(|name| name == gate.name());
            // Only a gate that is not required can say that it is about some targets only.
            if !required && !gate.is_about(subject.action.target()) {
                continue;
            }
            let rejection = match self.ask(gate.as_ref(), &subject) {
                Ok(Verdict::Pass) => continue,
                Ok(Verdict::Ask(ask)) => {
                    let gate = gate.name().to_owned();
                    self.asked(Ask { gate, ..ask }, &subject.action, rules);
                    continue;
                }
                Ok(Verdict::Reject(rejection)) => Rejection {
                    gate: gate.name().to_owned(),
                    ..rejection
                },
                Ok(Verdict::Revise(payload)) => match self.revise(gate.as_ref(), &subject.action, payload, rules) {
                    // What runs must have been judged by all: the chain starts again on the new text.
                    Ok(revised) => {
                        subject.action = revised;
                        self.standing.clear();
                        at = 0;
                        continue;
                    }
                    Err(rejection) => rejection,
                },
                Err(fault) => fault_rejection(gate.name(), &fault),
            };
            return Outcome::Rejected {
                action: subject.action,
                rejection,
            };
        }
        if !self.open {
            let consent = self.consent(&subject.action, rules);
            Outcome::Cleared(Cleared {
                what: subject.action,
                consent,
                within: self.within,
            })
        } else {
            Outcome::Waiting {
                action: subject.action,
                asks: std::mem::take(&mut self.asks),
            }
        }
    }

    /// Whether a person approved `action` as it is now, itself or by what stands.
    fn consent(&self, action: &Action, rules: &Rules<'_>) -> Consent {
        match rules.approval.is_some_and(|approval| approval.is_of(action)) {
            true => Consent::Person,
            false if self.standing.is_empty() => Consent::Nobody,
            false => Consent::Standing,
        }
    }

    /// Takes an ask up, unless a person has answered it.
    fn asked(&mut self, ask: Ask, action: &Action, rules: &Rules<'_>) {
        self.within &= ask.within;
        let is_approved = rules.approval.is_some_and(|approval| approval.covers(action, &ask));
        if !is_approved && let Some(id) = rules.standing.and_then(|standing| standing.covers(action, &ask)) {
            self.standing.push(id.to_owned());
            return;
        }
        self.open |= !is_approved;
        if !self.asks.contains(&ask) {
            self.asks.push(ask);
        }
    }

    fn ask(&mut self, gate: &dyn Gate, subject: &Subject) -> Result<Verdict, GateFault> {
        let start = Instant::now();
        // A panic in the host's own gate code must reject, not end the cycle.
        let answer = catch_unwind(AssertUnwindSafe(|| gate.judge(subject))).unwrap_or_else(|_| {
            Err(GateFault::Trap {
                reason: "the host panicked while running it".to_owned(),
            })
        });
        self.steps.push(Step {
            gate: gate.name().to_owned(),
            code: gate.digest(),
            judged: subject.action.digest(),
            answer: answer.clone(),
            took: start.elapsed(),
        });
        answer
    }

    fn revise(
        &mut self,
        gate: &dyn Gate,
        action: &Action,
        payload: Form,
        rules: &Rules<'_>,
    ) -> Result<Action, Rejection> {
        let refuse = |rule: &str, field: &str, reason: String| {
            Err(Rejection {
                gate: gate.name().to_owned(),
                rule: rule.to_owned(),
                field: field.to_owned(),
                reason,
                repair: String::new(),
                part: String::new(),
            })
        };
        if !gate.may_revise() {
            let reason = format!(
                "the skill {0} changed the action and has no right to: its description has to ask for `revise`, and then \
                 `passepartout-host skill grant {0} revise` grants it; or `passepartout-host skill remove {0}`",
                gate.name()
            );
            return refuse("revise-without-right", "payload", reason);
        }
        if rules.approval.is_some() {
            let reason = format!(
                "the skill {} wanted to change a text that a person has approved",
                gate.name()
            );
            return refuse("revise-approved", "payload", reason);
        }
        if let Err(error) = payload.check_plist(":PAYLOAD") {
            return refuse(
                "revise-malformed",
                "payload",
                format!("the skill {} revised: {error}", gate.name()),
            );
        }
        // Beside the explanation, what decides where the action goes must stay.
        for key in ["EXPLANATION", "ACTION", "TOOL"] {
            if payload.get(key) != action.payload().get(key) {
                let reason = format!("the skill {} changed :{key}, which no gate may change", gate.name());
                return refuse("revise-fixed-field", &format!("payload.{}", key.to_lowercase()), reason);
            }
        }
        if self.revisions.len() >= rules.revisions as usize {
            let reason = format!(
                "gates changed the action more than {} times and did not agree",
                rules.revisions
            );
            return refuse("revise-without-end", "payload", reason);
        }
        let revised = action.with_payload(payload);
        self.revisions.push(Revision {
            gate: gate.name().to_owned(),
            before: action.clone(),
            after: revised.clone(),
        });
        Ok(revised)
    }
}

/// What must hold before any gate is asked; the rejection where it does not, so that nothing at all can pass.
pub fn precondition(gates: &[Arc<dyn Gate>], rules: &Rules<'_>) -> Option<Rejection> {
    if let Some(why) = rules.closed {
        return Some(host_rejection("configuration", why.to_owned()));
    }
    let missing = rules
        .required
        .iter()
        .find(|name| !gates.iter().any(|gate| gate.name() == **name))?;
    Some(host_rejection(
        "required-gate",
        format!(
            "the gate {missing} is required and not loaded, so nothing passes; `passepartout-host skill list` says why"
        ),
    ))
}

/// A rejection in the host's own name, about the whole action.
pub fn host_rejection(rule: &str, reason: impl Into<String>) -> Rejection {
    Rejection {
        gate: HOST.to_owned(),
        rule: rule.to_owned(),
        field: String::new(),
        reason: reason.into(),
        repair: String::new(),
        part: String::new(),
    }
}

fn fault_rejection(gate: &str, fault: &GateFault) -> Rejection {
    Rejection {
        gate: gate.to_owned(),
        rule: fault.rule().to_owned(),
        field: String::new(),
        reason: format!("the gate {gate} gave no verdict, which counts as a rejection: it {fault}"),
        repair: fault.advice(gate),
        part: String::new(),
    }
}

impl Step {
    /// `(:GATE … :CODE … :JUDGED … :VERDICT …)`, for the record and the trace.
    pub fn to_form(&self) -> Form {
        let (verdict, detail) = match &self.answer {
            Ok(Verdict::Pass) => ("PASS", Form::Nil),
            Ok(Verdict::Revise(_)) => ("REVISE", Form::Nil),
            Ok(Verdict::Reject(rejection)) => ("REJECT", rejection.to_form()),
            Ok(Verdict::Ask(ask)) => ("ASK", ask.to_form()),
            Err(fault) => ("FAULT", plist!("RULE" => fault.rule(), "REASON" => fault.to_string())),
        };
        let form = plist!(
            "GATE" => &self.gate, "VERDICT" => kw(verdict), "CODE" => self.code.to_string(),
            "JUDGED" => self.judged.to_string(), "MICROSECONDS" => self.took.as_micros() as u64,
        );
        if detail.is_true() {
            form.with("DETAIL", detail)
        } else {
            form
        }
    }
}

#[cfg(test)]
mod approved;
#[cfg(test)]
mod standing;
#[cfg(test)]
mod tests;
