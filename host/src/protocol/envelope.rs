//! Envelopes: what a client may say, as a closed list.
//!
//! Takes a form apart into an [`Incoming`], or says which field is wrong. What the host alone sets (depth, tool
//! output, approval, origin, taint) can't be said at all. Connections and sessions are not known here.

use super::admin::{AdminAction, AdminRequest};
use super::client_meta::{ClientMeta, client_meta};
use crate::sexp::{Form, PlistError, is_blank, kw};
use crate::signal::Sensor;

/// Why a message is refused. The connection stays: only this message was bad.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// A list that is no plist.
    #[error(transparent)]
    Plist(#[from] PlistError),
    /// A field that has to be there.
    #[error("{field} is missing; {expected} belongs there")]
    Missing {
        /// Where.
        field: &'static str,
        /// What belongs there.
        expected: &'static str,
    },
    /// A field of the wrong kind.
    #[error("{field} is `{found}`, and {expected} belongs there")]
    Wrong {
        /// Where.
        field: &'static str,
        /// What stands there, shortened.
        found: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// A text in which nothing is said.
    #[error("{field} is empty, or holds nothing but white space: there is nothing to say")]
    Blank {
        /// Where.
        field: &'static str,
    },
    /// Something that only the host sets.
    #[error("{field} is set by the daemon alone; leave it out")]
    HostOnly {
        /// Where.
        field: String,
    },
    /// A key that means nothing.
    #[error("{field} means nothing in a message of this type; it may have {known}")]
    Unknown {
        /// Where.
        field: String,
        /// The keys that are known.
        known: &'static str,
    },
}

impl EnvelopeError {
    /// A short stable name.
    pub fn code(&self) -> &'static str {
        match self {
            EnvelopeError::Plist(_) => "bad-plist",
            EnvelopeError::Missing { .. } => "missing-field",
            EnvelopeError::Wrong { .. } => "bad-field",
            EnvelopeError::Blank { .. } => "blank",
            EnvelopeError::HostOnly { .. } => "host-only",
            EnvelopeError::Unknown { .. } => "unknown-field",
        }
    }

    /// The field it is about, such as `:PAYLOAD :SENSOR`.
    pub fn field(&self) -> &str {
        match self {
            EnvelopeError::Plist(
                PlistError::NotAList { field }
                | PlistError::Dotted { field }
                | PlistError::Odd { field, .. }
                | PlistError::BadKey { field, .. }
                | PlistError::Twice { field, .. },
            ) => field,
            EnvelopeError::Missing { field, .. }
            | EnvelopeError::Wrong { field, .. }
            | EnvelopeError::Blank { field } => field,
            EnvelopeError::HostOnly { field } | EnvelopeError::Unknown { field, .. } => field,
        }
    }
}

/// What a client may send.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// Are you well?
    HealthCheck,
    /// The begin of the proof, with a nonce in hexadecimal.
    Hello {
        /// The client's nonce.
        nonce: String,
    },
    /// The client's proof, in hexadecimal.
    Proof {
        /// The proof.
        mac: String,
    },
    /// Something for the loop.
    Event(EventKind),
    /// Something for the daemon itself.
    Admin(AdminRequest),
}

/// What a client may give to the loop.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// A perception.
    Sensed {
        /// One of those a client may send.
        sensor: Sensor,
        /// A plist, `:SENSOR` among its keys.
        payload: Form,
    },
    /// A proposal that a person typed: `(:TYPE :REQUEST :TARGET … :PAYLOAD …)`. It meets every gate.
    Proposal(Form),
}

/// A message, taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope {
    /// Where it says it comes from.
    pub meta: ClientMeta,
    /// What it says.
    pub body: Incoming,
}

/// Keys that only the host sets, wherever in an envelope they stand.
const HOST_ONLY: &[&str] = &[
    "DEPTH",
    "APPROVED",
    "APPROVED-ACTION",
    "ORIGIN",
    "TAINTED",
    "LEVEL",
    "VERDICT",
    "DIGEST",
];
/// The same, within the payload of an event, where a skill's own sensors may well have a depth or a level.
const HOST_ONLY_IN_EVENT: &[&str] = &["APPROVED", "APPROVED-ACTION", "TAINTED"];
const TYPES: &str = ":EVENT, :REQUEST or :HEALTH-CHECK";
const ACTIONS: &str = "one of :STATUS :DOCTOR :PLANS :APPROVE :DENY :APPROVALS :REVOKE :STOP :CONTINUE :SKILLS :UNSCHEDULE :SESSIONS :TRACE :EXPLAIN :REPL (or a :TARGET beside \
     the :PAYLOAD, for a proposal)";
const SENSORS: &str = "one of :USER-INPUT :CHAT-MESSAGE :REPL-EVAL :BUFFER-UPDATE :POINT-UPDATE :INTERRUPT (others are the daemon's own)";

/// Takes a message apart.
///
/// # Errors
/// When it is nothing a client may send; the error names the field.
pub fn classify(form: Form) -> Result<Envelope, EnvelopeError> {
    let form = normalised(form)?;
    let kind = form.get("TYPE").ok_or(EnvelopeError::Missing {
        field: ":TYPE",
        expected: TYPES,
    })?;
    let kind = kind.designator().map(str::to_uppercase).unwrap_or_default();
    let meta = client_meta(form.get("META"))?;
    let body = match kind.as_str() {
        "HEALTH-CHECK" => Incoming::HealthCheck,
        "EVENT" => {
            only(&form, &["TYPE", "META", "PAYLOAD"], ":TYPE, :META and :PAYLOAD")?;
            event(payload_of(&form)?)?
        }
        "REQUEST" => {
            only(
                &form,
                &["TYPE", "META", "TARGET", "PAYLOAD"],
                ":TYPE, :META, :TARGET and :PAYLOAD",
            )?;
            request(&form)?
        }
        _ => return Err(wrong(":TYPE", form.get("TYPE"), TYPES)),
    };
    Ok(Envelope { meta, body })
}

/// The envelope with the keys of its four plists folded, and each of them checked.
fn normalised(form: Form) -> Result<Form, EnvelopeError> {
    let mut form = plist(form, "the message")?;
    let Form::List(items) = &mut form else { return Ok(form) };
    for pair in items.chunks_exact_mut(2) {
        let field = if pair[0].is_kw("META") {
            ":META"
        } else if pair[0].is_kw("PAYLOAD") {
            ":PAYLOAD"
        } else {
            continue;
        };
        pair[1] = plist(std::mem::replace(&mut pair[1], Form::Nil), field)?;
        let Form::List(inner) = &mut pair[1] else { continue };
        for pair in inner
            .chunks_exact_mut(2)
            .filter(|pair| field == ":PAYLOAD" && pair[0].is_kw("ARGS"))
        {
            pair[1] = plist(std::mem::replace(&mut pair[1], Form::Nil), ":PAYLOAD :ARGS")?;
        }
    }
    Ok(form)
}

fn plist(form: Form, field: &str) -> Result<Form, EnvelopeError> {
    let form = form.with_envelope_keys();
    form.check_plist(field)?;
    Ok(form)
}

fn payload_of(form: &Form) -> Result<&Form, EnvelopeError> {
    form.get("PAYLOAD").ok_or(EnvelopeError::Missing {
        field: ":PAYLOAD",
        expected: "a plist",
    })
}

/// Refuses keys of the envelope itself other than `known`.
fn only(form: &Form, known: &[&str], shown: &'static str) -> Result<(), EnvelopeError> {
    refuse(form, "", HOST_ONLY)?;
    match form.pairs().find(|(key, _)| !known.contains(key)) {
        Some((key, _)) => Err(EnvelopeError::Unknown {
            field: format!(":{key}"),
            known: shown,
        }),
        None => Ok(()),
    }
}

/// Refuses `keys` in `form`, which stands at `place`.
pub(super) fn refuse(form: &Form, place: &str, keys: &[&str]) -> Result<(), EnvelopeError> {
    match form.pairs().find(|(key, _)| keys.contains(key)) {
        Some((key, _)) => Err(EnvelopeError::HostOnly {
            field: format!("{place}:{key}"),
        }),
        None => Ok(()),
    }
}

fn event(payload: &Form) -> Result<Incoming, EnvelopeError> {
    let Some(sensor) = payload.get("SENSOR") else {
        return handshake(payload);
    };
    let name = sensor.designator().unwrap_or_default();
    let sensor = match Sensor::from_name(name) {
        sensor @ (Sensor::UserInput
        | Sensor::ChatMessage
        | Sensor::ReplEval
        | Sensor::BufferUpdate
        | Sensor::PointUpdate
        | Sensor::Interrupt) => sensor,
        _ => return Err(wrong(":PAYLOAD :SENSOR", Some(sensor), SENSORS)),
    };
    refuse(payload, ":PAYLOAD ", HOST_ONLY_IN_EVENT)?;
    match sensor {
        Sensor::UserInput | Sensor::ChatMessage => {
            let field = ":PAYLOAD :TEXT";
            required_text(payload, "TEXT", field, "a string, the message")?;
            let blank = payload.text_at("text").filter(|text| is_blank(text));
            blank.map_or(Ok(()), |_| Err(EnvelopeError::Blank { field }))?;
        }
        Sensor::ReplEval => required_text(payload, "CODE", ":PAYLOAD :CODE", "a string, the code")?,
        Sensor::Interrupt if !matches!(payload.get("REQUEST-IDS"), None | Some(Form::List(_))) => {
            let found = payload.get("REQUEST-IDS");
            return Err(wrong(":PAYLOAD :REQUEST-IDS", found, "a list of their names"));
        }
        _ => {}
    }
    // One spelling from here on: the host and its skills compare keywords.
    let payload = payload.clone().with("SENSOR", kw(sensor.name()));
    Ok(Incoming::Event(EventKind::Sensed { sensor, payload }))
}

fn handshake(payload: &Form) -> Result<Incoming, EnvelopeError> {
    let text = |key, field, expected| required_text(payload, key, field, expected).map(|()| payload.text_at(key));
    match payload
        .get("ACTION")
        .and_then(Form::designator)
        .map(str::to_uppercase)
        .as_deref()
    {
        Some("HELLO") => {
            let nonce = text("NONCE", ":PAYLOAD :NONCE", "a string of 32 hexadecimal digits")?;
            Ok(Incoming::Hello {
                nonce: nonce.unwrap_or_default().to_owned(),
            })
        }
        Some("PROOF") => {
            let mac = text("MAC", ":PAYLOAD :MAC", "a string of 64 hexadecimal digits")?;
            Ok(Incoming::Proof {
                mac: mac.unwrap_or_default().to_owned(),
            })
        }
        _ => Err(EnvelopeError::Missing {
            field: ":PAYLOAD :SENSOR",
            expected: SENSORS,
        }),
    }
}

fn request(form: &Form) -> Result<Incoming, EnvelopeError> {
    let payload = payload_of(form)?;
    if let Some(target) = form.get("TARGET").filter(|target| target.is_true()) {
        let name = target.designator().filter(|name| (1..=64).contains(&name.len()));
        let name = name.ok_or_else(|| wrong(":TARGET", Some(target), "the name of a target such as :SHELL"))?;
        let proposal = Form::plist([
            ("TYPE", kw("REQUEST")),
            ("TARGET", kw(&name.to_uppercase())),
            ("PAYLOAD", payload.clone()),
        ]);
        return Ok(Incoming::Event(EventKind::Proposal(proposal)));
    }
    let Some(action) = payload.get("ACTION") else {
        return Err(EnvelopeError::Missing {
            field: ":PAYLOAD :ACTION",
            expected: ACTIONS,
        });
    };
    let name = action.designator().unwrap_or_default();
    let known = AdminAction::ALL
        .into_iter()
        .find(|known| known.name().eq_ignore_ascii_case(name));
    let known = known.ok_or_else(|| wrong(":PAYLOAD :ACTION", Some(action), ACTIONS))?;
    if let Some((key, field, expected)) = known.required() {
        required_text(payload, key, field, expected)?;
    }
    Ok(Incoming::Admin(AdminRequest {
        action: known,
        payload: payload.clone(),
    }))
}

fn required_text(
    payload: &Form,
    key: &str,
    field: &'static str,
    expected: &'static str,
) -> Result<(), EnvelopeError> {
    match payload.get(key) {
        Some(Form::String(_)) => Ok(()),
        Some(other) => Err(wrong(field, Some(other), expected)),
        None => Err(EnvelopeError::Missing { field, expected }),
    }
}

pub(super) fn wrong(field: &'static str, found: Option<&Form>, expected: &'static str) -> EnvelopeError {
    let found = found.map(|form| form.shortened(60)).unwrap_or_default();
    EnvelopeError::Wrong { field, found, expected }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use proptest::prelude::*;

    use super::super::client_meta::request_id;
    use super::*;
    use crate::sexp::read;

    proptest! {
        #[test]
        fn nothing_that_can_be_read_makes_it_panic_or_says_what_only_the_host_may(
            words in prop::collection::vec(
                prop::sample::select(vec![
                    "(", ")", "(", ")", ":TYPE", ":EVENT", ":REQUEST", ":META", ":PAYLOAD", "payload", ":ARGS", ":SENSOR",
                    ":USER-INPUT", ":TEXT", "\"x\"", ":TARGET", ":SHELL", ":DEPTH", "3", "NIL", ".", ":ACTION", ":STATUS",
                    ":TAINTED", ":APPROVED",
                ]),
                0..24,
            ),
        ) {
            let text = format!("(:TYPE {}", words.join(" "));
            let Ok(form) = read(&text) else { return Ok(()) };
            if let Ok(Envelope { body: Incoming::Event(_), .. }) = classify(form.clone()) {
                prop_assert!(form.get("DEPTH").is_none() && form.get("APPROVED").is_none(), "{}", form);
            }
        }
    }

    #[test]
    fn a_request_id_is_found_in_a_message_that_is_otherwise_wrong() {
        let id = |text| request_id(&read(text).unwrap()).map(|id| id.to_string());
        assert_eq!(id("(:TYPE :FOO :meta (REQUEST-ID 7) :ODD)"), Some("7".to_owned()));
        assert_eq!(id("(:META (:REQUEST-ID (1 2)))"), None);
        assert_eq!(id("42"), None);
    }

    #[test]
    fn every_administrative_action_is_read_from_its_name() {
        for action in AdminAction::ALL {
            let text = format!(
                "(:TYPE :REQUEST :PAYLOAD (:ACTION :{} :PLAN \"1\" :ID \"1\" :CODE \"1\" :SKILL \"x\"))",
                action.name().to_lowercase()
            );
            let body = classify(read(&text).unwrap()).unwrap().body;
            assert!(matches!(body, Incoming::Admin(request) if request.action == action));
        }
    }
}
