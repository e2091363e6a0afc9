//! The frames that the daemon sends: one constructor for each, so that every client sees the same keys in the same
//! order. They stand here, below the loop that fills them and the protocol that carries them; this room knows neither.

use super::{Meta, SessionId};
use crate::plist;
use crate::sexp::{Form, Text, kw};

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The user got an answer.
    Answered,
    /// Gates refused what was proposed.
    Refused,
    /// A plan waits for a person.
    Waiting,
    /// Something broke.
    Failed,
    /// No provider answered.
    Exhausted,
    /// A person stopped it.
    Cancelled,
    /// It took too long.
    Timeout,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Outcome; 7] = [
        Outcome::Answered,
        Outcome::Refused,
        Outcome::Waiting,
        Outcome::Failed,
        Outcome::Exhausted,
        Outcome::Cancelled,
        Outcome::Timeout,
    ];

    /// The keyword's name, upper case, without colon.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Answered => "ANSWERED",
            Outcome::Refused => "REFUSED",
            Outcome::Waiting => "WAITING",
            Outcome::Failed => "FAILED",
            Outcome::Exhausted => "EXHAUSTED",
            Outcome::Cancelled => "CANCELLED",
            Outcome::Timeout => "TIMEOUT",
        }
    }

    /// The outcome that a keyword's name means.
    pub fn from_name(name: &str) -> Option<Outcome> {
        Outcome::ALL
            .into_iter()
            .find(|outcome| outcome.name().eq_ignore_ascii_case(name))
    }
}

/// What became of what a turn set out to do, beside answering: of the action that was approved, or else of the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upshot {
    /// It was carried out.
    Done,
    /// It was begun and failed, or its command ended with another exit code than 0.
    Failed,
    /// Gates refused it, or it could not be read as an action.
    Refused,
    /// It was approved, and nothing of it has begun: its plan waits again.
    Waiting,
}

impl Upshot {
    /// Every one.
    pub const ALL: [Upshot; 4] = [Upshot::Done, Upshot::Failed, Upshot::Refused, Upshot::Waiting];

    /// The keyword's name, upper case, without colon.
    pub fn name(self) -> &'static str {
        match self {
            Upshot::Done => "DONE",
            Upshot::Failed => "FAILED",
            Upshot::Refused => "REFUSED",
            Upshot::Waiting => "WAITING",
        }
    }

    /// The one that a keyword's name means.
    pub fn from_name(name: &str) -> Option<Upshot> {
        Upshot::ALL
            .into_iter()
            .find(|upshot| upshot.name().eq_ignore_ascii_case(name))
    }
}

/// What a reply says, beside its address.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The message.
    pub text: Text,
    /// Why it is sent.
    pub explanation: Text,
    /// What the gates said on the way, one form each.
    pub gate_trace: Vec<Form>,
    /// How many plans wait for a person, as the original counted.
    pub rule_count: usize,
    /// The memory object in focus.
    pub foveal_id: Option<String>,
}

/// What a plan shows a person, beside its address.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanNotice<'a> {
    /// The plan's id.
    pub plan: &'a str,
    /// The canonical text of the action.
    pub text: Text,
    /// What the gates ask, one form each.
    pub asks: Vec<Form>,
    /// When it expires, RFC 3339.
    pub expires: String,
    /// How a file would change, where it writes one.
    pub diff: Option<String>,
    /// Why nothing can be approved once and for all now, if nothing can.
    pub not_remembered: Option<String>,
}

/// What came of an action, as the host saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Came {
    /// How it ended, for a person.
    pub detail: String,
    /// Whether a person approved it.
    pub is_approved: bool,
    /// Whether it failed, or its command ended with another exit code than 0.
    pub is_failed: bool,
}

/// A message for a person: `:REQUEST` to the source.
pub fn reply(meta: &Meta, reply: Reply) -> Form {
    plist!(
        "TYPE" => kw("REQUEST"),
        "TARGET" => kw(&meta.source),
        "META" => meta_form(meta),
        "PAYLOAD" => plist!(
            "ACTION" => kw("MESSAGE"), "TEXT" => reply.text, "EXPLANATION" => reply.explanation,
            "GATE-TRACE" => reply.gate_trace, "RULE-COUNT" => reply.rule_count, "FOVEAL-ID" => reply.foveal_id,
        ),
    )
}

/// What the loop is doing. `stage` is an upper-case name.
pub fn progress(meta: &Meta, stage: &str, detail: &str) -> Form {
    status(
        meta,
        plist!("ACTION" => kw("PROGRESS"), "STAGE" => kw(stage), "DETAIL" => detail),
    )
}

/// A proposal that was rejected, after which the turn goes on. `decision` is its number in the record, if it has one.
pub fn rejected(meta: &Meta, detail: &str, decision: Option<u64>) -> Form {
    let payload = plist!("ACTION" => kw("PROGRESS"), "STAGE" => kw("REJECTED"), "DETAIL" => detail);
    let payload = match decision {
        Some(number) => payload.with("DECISION", number),
        None => payload,
    };
    status(meta, payload)
}

/// What the host saw come of an action: whatever a model says of it later, this is so. `decision` is its number in the
/// record.
pub fn carried_out(meta: &Meta, came: &Came, decision: u64) -> Form {
    let payload = plist!(
        "ACTION" => kw("PROGRESS"), "STAGE" => kw("CARRIED-OUT"), "DETAIL" => &came.detail, "DECISION" => decision,
        "APPROVED" => came.is_approved, "FAILED" => came.is_failed,
    );
    status(meta, payload)
}

/// A plan that waits for a person, and how to answer it.
pub fn plan(meta: &Meta, notice: PlanNotice<'_>) -> Form {
    let payload = plist!(
        "ACTION" => kw("PLAN"), "PLAN" => notice.plan, "TEXT" => notice.text, "ASKS" => notice.asks,
        "EXPIRES" => notice.expires, "APPROVE" => format!("/approve {}", notice.plan),
        "DENY" => format!("/deny {}", notice.plan),
    );
    plist!(
        "TYPE" => kw("EVENT"),
        "LEVEL" => kw("APPROVAL-REQUIRED"),
        "META" => meta_form(meta),
        "PAYLOAD" => with_notes(payload, notice.not_remembered, notice.diff),
    )
}

/// A plan, with why nothing can be approved once and for all now, and how a file would change, where there is such.
pub fn with_notes(plan: Form, not_remembered: Option<String>, diff: Option<String>) -> Form {
    let notes = [("NOT-REMEMBERED", not_remembered), ("DIFF", diff)];
    let notes = notes.into_iter().filter_map(|(key, note)| Some((key, note?)));
    notes.fold(plan, |plan, (key, note)| plan.with(key, note))
}

/// What was said in sessions while nobody was attached to them: `said` is the payload without its action.
pub fn unheard(meta: &Meta, said: Form) -> Form {
    plist!(
        "TYPE" => kw("LOG"),
        "META" => meta_form(meta),
        "PAYLOAD" => plist!("ACTION" => kw("UNHEARD")).joined(said),
    )
}

/// What gates refused, one form a rejection.
pub fn refusal(meta: &Meta, rejections: Vec<Form>) -> Form {
    plist!(
        "TYPE" => kw("LOG"),
        "META" => meta_form(meta),
        "PAYLOAD" => plist!("ACTION" => kw("REFUSAL"), "REJECTIONS" => rejections),
    )
}

/// What went wrong. `code` is a short stable name, `field` the place in the client's message, if there is one.
pub fn error(meta: &Meta, code: &str, field: Option<&str>, text: &str) -> Form {
    error_frame(meta_form(meta), code, field, text)
}

/// What went wrong inside a turn, which its end will follow: an error with `:TURN T`. Without it, an error refuses the
/// client's message, and no turn was begun.
pub fn turn_error(meta: &Meta, code: &str, text: &str) -> Form {
    let frame = error(meta, code, None, text);
    let payload = frame.get("PAYLOAD").cloned().unwrap_or(Form::Nil).with("TURN", true);
    frame.with("PAYLOAD", payload)
}

/// What went wrong, for a client that has no session yet.
pub fn error_without_session(request_id: Option<&Form>, code: &str, field: Option<&str>, text: &str) -> Form {
    error_frame(address(None, None, request_id), code, field, text)
}

/// The end of a turn, with `:UPSHOT` where it set out to do something.
pub fn cycle_end(meta: &Meta, outcome: Outcome, upshot: Option<Upshot>) -> Form {
    let payload = plist!("ACTION" => kw("CYCLE-END"), "OUTCOME" => kw(outcome.name()));
    let payload = match upshot {
        Some(upshot) => payload.with("UPSHOT", kw(upshot.name())),
        None => payload,
    };
    status(meta, payload)
}

/// The answer to an administrative request; a client that has no session yet gets only its request id back.
pub fn response(source: Option<&str>, session: Option<SessionId>, request_id: Option<&Form>, payload: Form) -> Form {
    plist!("TYPE" => kw("RESPONSE"), "META" => address(source, session, request_id), "PAYLOAD" => payload)
}

/// Part `index` (from 1) of `of` parts of the text that the next frame without `:TEXT` belongs to.
pub fn part(meta: &Form, index: usize, of: usize, text: &str) -> Form {
    plist!(
        "TYPE" => kw("STATUS"),
        "META" => meta.clone(),
        "PAYLOAD" => plist!("ACTION" => kw("PART"), "INDEX" => index, "OF" => of, "TEXT" => text),
    )
}

fn status(meta: &Meta, payload: Form) -> Form {
    plist!("TYPE" => kw("STATUS"), "META" => meta_form(meta), "PAYLOAD" => payload)
}

fn error_frame(meta: Form, code: &str, field: Option<&str>, text: &str) -> Form {
    plist!(
        "TYPE" => kw("LOG"),
        "LEVEL" => kw("ERROR"),
        "META" => meta,
        "PAYLOAD" => plist!(
            "ACTION" => kw("ERROR"), "CODE" => kw(&code.to_uppercase()), "FIELD" => field, "TEXT" => text,
        ),
    )
}

/// `(:SOURCE … :SESSION-ID … :REQUEST-ID …)`, the last only where the client gave one.
fn meta_form(meta: &Meta) -> Form {
    address(Some(&meta.source), Some(meta.session), meta.request_id.as_ref())
}

fn address(source: Option<&str>, session: Option<SessionId>, request_id: Option<&Form>) -> Form {
    let pairs = [
        source.map(|source| ("SOURCE", kw(source))),
        session.map(|session| ("SESSION-ID", session.to_string().into())),
        request_id.map(|id| ("REQUEST-ID", id.clone())),
    ];
    Form::plist(pairs.into_iter().flatten())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;
    use crate::sexp::read;

    fn meta() -> Meta {
        let session = "000102030405060708090a0b0c0d0e0f".parse().unwrap();
        Meta {
            source: "CLI".to_owned(),
            session,
            request_id: Some(7.into()),
        }
    }

    #[test]
    fn a_reply_has_the_keys_of_the_table_in_their_order() {
        let reply = reply(
            &meta(),
            Reply {
                text: "hi".into(),
                explanation: "a greeting".into(),
                gate_trace: vec![plist!("GATE" => "policy")],
                rule_count: 2,
                foveal_id: None,
            },
        );
        assert_eq!(
            reply.to_string(),
            "(:TYPE :REQUEST :TARGET :CLI :META (:SOURCE :CLI :SESSION-ID \"000102030405060708090a0b0c0d0e0f\" \
             :REQUEST-ID 7) :PAYLOAD (:ACTION :MESSAGE :TEXT \"hi\" :EXPLANATION \"a greeting\" :GATE-TRACE ((:GATE \
             \"policy\")) :RULE-COUNT 2 :FOVEAL-ID NIL))"
        );
    }

    #[test]
    fn a_plan_says_how_to_answer_it() {
        let notice = PlanNotice {
            plan: "p1",
            text: "(:TYPE :REQUEST)".into(),
            asks: vec![],
            expires: String::new(),
            diff: None,
            not_remembered: None,
        };
        let form = plan(&meta(), notice);
        assert_eq!(form.text_at("payload.approve"), Some("/approve p1"));
        assert_eq!(form.text_at("payload.deny"), Some("/deny p1"));
        assert!(form.get("LEVEL").unwrap().is_kw("APPROVAL-REQUIRED"));
    }

    #[test]
    fn an_error_for_nobody_in_particular_has_only_the_request_id() {
        let form = error_without_session(Some(&"r".into()), "form", Some(":TYPE"), "is missing");
        assert_eq!(
            form,
            read(
                "(:TYPE :LOG :LEVEL :ERROR :META (:REQUEST-ID \"r\") :PAYLOAD (:ACTION :ERROR :CODE :FORM :FIELD \
                 \":TYPE\" :TEXT \"is missing\"))"
            )
            .unwrap()
        );
    }

    #[test]
    fn every_outcome_is_read_back_from_its_name() {
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::from_name(outcome.name()), Some(outcome));
        }
        for upshot in Upshot::ALL {
            assert_eq!(Upshot::from_name(upshot.name()), Some(upshot));
        }
    }
}
