//! What a turn that a client began ended with, where that client has gone and nobody else is attached: whoever comes next is
//! told, as of an answer. What nobody asked for is told by whoever began it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::{Core, Outlet, Unheard, lock};
use crate::sexp::Form;
use crate::signal::{Meta, SessionId};

/// Of so many sessions it is known what was noted last.
const SESSIONS: usize = 1_000;

/// The way to people, on which that is noted.
pub(super) struct Unfollowed {
    outlet: Arc<dyn Outlet>,
    unheard: Arc<Unheard>,
    /// What was noted last of a session, by the request that it was about: a turn may tell of one end in two frames.
    noted: Mutex<HashMap<SessionId, String>>,
}

impl Unfollowed {
    /// To those whom `outlet` reaches.
    pub(super) fn before(outlet: Arc<dyn Outlet>, unheard: &Arc<Unheard>) -> Arc<dyn Outlet> {
        let unheard = unheard.clone();
        let noted = Mutex::default();
        Arc::new(Unfollowed { outlet, unheard, noted })
    }
}

impl Outlet for Unfollowed {
    fn send(&self, session: SessionId, frame: Form) {
        if !self.outlet.is_heard(session)
            && let Some(text) = end(&frame)
        {
            let request = frame.text_at("meta.request-id").unwrap_or_default();
            let about = format!("{request}\n{text}");
            let mut noted = lock(&self.noted);
            if noted.len() > SESSIONS {
                noted.clear();
            }
            if noted.insert(session, about.clone()) != Some(about) {
                self.unheard.add(session, &text);
            }
        }
        self.outlet.send(session, frame);
    }

    fn is_heard(&self, session: SessionId) -> bool {
        self.outlet.is_heard(session)
    }
}

impl Core {
    /// Writes down what was noted of the turn of `meta`, if anything can have been.
    pub(super) async fn keep_unfollowed(self: &Arc<Core>, session: SessionId, meta: &Meta) {
        if meta.request_id.is_none() || self.outlet.is_heard(session) {
            return;
        }
        if let Err(error) = self.blocking(|core| Ok(core.unheard.save()?)).await {
            tracing::error!(%session, "that nobody has heard how a turn ended can't be kept: {error}");
        }
    }
}

/// What somebody has to hear of `frame`, if a client began its turn and it tells of another end than an answer.
fn end(frame: &Form) -> Option<String> {
    frame.text_at("meta.request-id")?;
    let payload = frame.get("PAYLOAD")?;
    let text = |form: &Form, key: &str| form.text_at(key).unwrap_or_default().to_owned();
    match payload.get("ACTION")?.keyword()? {
        "ERROR" if payload.get("TURN").is_some_and(Form::is_true) => {
            let code = payload.get("CODE").and_then(Form::designator).unwrap_or_default();
            // That a plan waits again is told with the plan.
            let is_told = code.eq_ignore_ascii_case("plan-waits");
            (!is_told).then(|| format!("it ended without an answer: {}", text(payload, "text")))
        }
        "REFUSAL" => {
            let last = payload.get("REJECTIONS").and_then(Form::items)?.last()?;
            let (gate, rule, reason) = (text(last, "gate"), text(last, "rule"), text(last, "reason"));
            Some(format!("it was refused: {gate} ({rule}): {reason}"))
        }
        "PLAN" => {
            let plan = text(payload, "plan");
            Some(format!(
                "plan {plan} waits for you; `passepartout-host status` shows it"
            ))
        }
        _ => None,
    }
}
