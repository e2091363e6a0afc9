//! Administrative requests: answers about the daemon itself, past the loop.

use std::str::FromStr;

use super::health;
use super::service::Daemon;
use crate::audit::read_entries;
use crate::cycle::Entry;
use crate::gate::Ask;
use crate::gate::approval::Approver;
use crate::model::ProviderState;
use crate::plist;
use crate::protocol::{AdminAction, AdminRequest, BoxFuture, Refusal, Service};
use crate::sexp::{Digest, Form, kw};
use crate::signal::{Meta, Sensor, Signal};
use crate::skill::SkillStatus;

/// How many decisions `trace` answers with, unless `:LAST` asks for another number.
const TRACE: usize = 20;

/// The answer to `request`.
pub(super) fn answer(daemon: &Daemon, meta: Option<Meta>, request: AdminRequest) -> BoxFuture<Result<Form, Refusal>> {
    let payload = &request.payload;
    let text = |key: &str| payload.text_at(key).unwrap_or_default().to_owned();
    let name = request.action.name();
    let done = match request.action {
        AdminAction::Status => Ok(status(daemon)),
        AdminAction::Doctor => {
            let checks: Vec<Form> = daemon.checks().iter().map(health::Check::to_form).collect();
            Ok(plist!("ACTION" => kw(name), "HEALTH" => kw(daemon.health().name()), "CHECKS" => checks))
        }
        AdminAction::Plans => Ok(plist!("ACTION" => kw(name), "PLANS" => plans(daemon))),
        AdminAction::Approve => approve(daemon, meta.as_ref(), &text("plan"), payload.text_at("digest")),
        AdminAction::Deny => deny(
            daemon,
            meta.as_ref(),
            &text("plan"),
            payload.text_at("digest"),
            payload.text_at("reason"),
        ),
        AdminAction::Stop => bound(meta).and_then(|meta| {
            let stopped = daemon.session(meta.session)?.stop();
            Ok(plist!("ACTION" => kw(name), "STOPPED" => stopped))
        }),
        AdminAction::Continue => bound(meta).and_then(|meta| {
            let session = daemon.session(meta.session)?;
            daemon.queue(&session, Entry::Continue, meta)?;
            Ok(plist!("ACTION" => kw(name), "QUEUED" => true))
        }),
        AdminAction::Skills => {
            let skills: Vec<Form> = daemon.core.registry.current().statuses().iter().map(skill).collect();
            Ok(plist!("ACTION" => kw(name), "SKILLS" => skills))
        }
        AdminAction::Sessions => {
            let open = daemon.core.sessions.all();
            let form = |id: &crate::signal::SessionId| match open.iter().find(|session| session.id() == *id) {
                Some(session) => session.to_form(),
                None => plist!("SESSION-ID" => id.to_string()),
            };
            let sessions: Vec<Form> = daemon.core.sessions.ids().iter().map(form).collect();
            Ok(plist!("ACTION" => kw(name), "SESSIONS" => sessions))
        }
        AdminAction::Trace | AdminAction::Explain => {
            let last = payload
                .at("last")
                .and_then(Form::as_int)
                .and_then(|last| usize::try_from(last).ok());
            let (id, path) = (payload.text_at("id").map(str::to_owned), daemon.core.record_path());
            let digest = id
                .as_deref()
                .and_then(|id| daemon.core.plans().get(id).map(|plan| plan.action.digest()));
            return Box::pin(async move {
                let read =
                    tokio::task::spawn_blocking(move || entries(&path, id.as_deref(), digest, last.unwrap_or(TRACE)));
                let entries = read
                    .await
                    .map_err(|error| Refusal::new("internal", None, error.to_string()))??;
                Ok(plist!("ACTION" => kw(name), "ENTRIES" => entries))
            });
        }
        AdminAction::Repl => bound(meta).and_then(|meta| {
            let session = daemon.session(meta.session)?;
            let code = payload.get("CODE").cloned().unwrap_or(Form::Nil);
            let payload = plist!("SENSOR" => kw("REPL-EVAL"), "CODE" => code);
            let signal = Signal {
                sensor: Sensor::ReplEval,
                meta: meta.clone(),
                payload,
                depth: 0,
                tainted: false,
            };
            daemon.queue(&session, Entry::Signal(signal), meta)?;
            Ok(plist!("ACTION" => kw(name), "QUEUED" => true))
        }),
    };
    Box::pin(std::future::ready(done))
}

fn bound(meta: Option<Meta>) -> Result<Meta, Refusal> {
    meta.ok_or_else(|| {
        Refusal::new(
            "no-session",
            Some(":META"),
            "this is about a session, and the connection has none",
        )
    })
}

fn status(daemon: &Daemon) -> Form {
    let core = &daemon.core;
    let skills = core.registry.current();
    let providers: Vec<Form> = core
        .cascade
        .status()
        .iter()
        .map(|status| {
            let failure = status.last_failure.as_ref().map(|(_, cause)| cause.to_string());
            plist!("NAME" => &status.name, "STATE" => state(&status.state), "ANSWERS" => status.answers, "LAST-FAILURE" => failure)
        })
        .collect();
    plist!(
        "ACTION" => kw("STATUS"), "HEALTH" => kw(daemon.health().name()), "VERSION" => env!("CARGO_PKG_VERSION"),
        "PID" => std::process::id(), "WORKSPACE" => core.config.home.workspace.display().to_string(),
        "SKILLS" => skills.skills().iter().map(|own| Form::from(own.name())).collect::<Vec<Form>>(),
        "PROVIDERS" => providers, "SESSIONS" => core.sessions.all().len(), "PLANS" => plans(daemon),
        "CHECKS" => daemon.checks().iter().filter(|check| check.is_of_note()).map(health::Check::to_form).collect::<Vec<Form>>(),
    )
}

fn state(state: &ProviderState) -> String {
    match state {
        ProviderState::Ready => "ready".to_owned(),
        ProviderState::Resting { remaining } => format!("failing; asked last for {} s more", remaining.as_secs()),
        ProviderState::Probing => "being tried again".to_owned(),
    }
}

fn plans(daemon: &Daemon) -> Vec<Form> {
    let store = daemon.core.plans();
    let form = |plan: &crate::gate::approval::Plan| {
        plist!(
            "PLAN" => &plan.id, "TEXT" => plan.action.canonical().clone(), "SESSION-ID" => plan.session.to_string(),
            "DIGEST" => plan.digest.to_string(), "ASKS" => plan.asks.iter().map(Ask::to_form).collect::<Vec<Form>>(),
            "EXPIRES" => plan.expires,
        )
    };
    store.waiting(None).map(form).collect()
}

fn approve(daemon: &Daemon, meta: Option<&Meta>, id: &str, digest: Option<&str>) -> Result<Form, Refusal> {
    let by = operator(digest)?;
    let session = daemon.approve(id, by, &addressed(meta)?)?;
    Ok(plist!("ACTION" => kw("APPROVE"), "PLAN" => id, "SESSION-ID" => session.to_string(), "QUEUED" => true))
}

fn deny(
    daemon: &Daemon,
    meta: Option<&Meta>,
    id: &str,
    digest: Option<&str>,
    reason: Option<&str>,
) -> Result<Form, Refusal> {
    let by = operator(digest)?;
    let session = daemon.deny(id, by, reason.map(str::to_owned), &addressed(meta)?)?;
    Ok(plist!("ACTION" => kw("DENY"), "PLAN" => id, "SESSION-ID" => session.to_string(), "QUEUED" => true))
}

/// Whoever answers a plan out of its chat must name what was shown to him.
fn operator(digest: Option<&str>) -> Result<Approver, Refusal> {
    let named = digest.and_then(|text| Digest::from_str(text).ok());
    named.map(Approver::Operator).ok_or_else(|| {
        let text = "the digest of the text that was shown is missing; :PLANS gives it with each plan as :DIGEST";
        Refusal::new("digest", Some(":PAYLOAD :DIGEST"), text)
    })
}

/// To whom the turn that an answer opens is addressed; the plan's own session is filled in later.
fn addressed(meta: Option<&Meta>) -> Result<Meta, Refusal> {
    match meta {
        Some(meta) => Ok(meta.clone()),
        None => {
            let session = crate::signal::SessionId::random()
                .map_err(|error| Refusal::new("random", None, error.to_string()))?;
            Ok(Meta {
                source: "CLI".to_owned(),
                session,
                request_id: None,
            })
        }
    }
}

fn skill(status: &SkillStatus) -> Form {
    let texts = |texts: &[String]| texts.iter().map(Form::from).collect::<Vec<Form>>();
    plist!(
        "NAME" => &status.name, "STATE" => status.state.to_string(), "SOURCE" => status.source.to_string(),
        "VERSION" => status.version.clone(), "DIGEST" => status.digest.clone(), "PRIORITY" => status.priority,
        "FUNCTIONS" => texts(&status.functions), "CAPABILITIES" => texts(&status.capabilities),
        "RIGHTS" => texts(&status.rights), "CALLS" => status.counts.calls, "TRAPS" => status.counts.faults,
        "P50-US" => status.counts.p50_us, "P99-US" => status.counts.p99_us, "MEMORY" => status.counts.memory,
        "SESSIONS" => status.sessions, "REASON" => status.reason.clone(),
    )
}

/// The last decisions, or those that `id` (a number, a plan, the beginning of a digest) names.
fn entries(
    path: &std::path::Path,
    id: Option<&str>,
    plan: Option<Digest>,
    last: usize,
) -> Result<Vec<Form>, Refusal> {
    let all = read_entries(path).map_err(|error| Refusal::new("record", None, error.to_string()))?;
    let chosen: Vec<Form> = match id {
        None => all.into_iter().rev().take(last).rev().collect(),
        Some(id) => all.into_iter().filter(|entry| is_about(entry, id, plan)).collect(),
    };
    if chosen.is_empty() && id.is_some() {
        let text = "no decision has this number, plan or digest; `passepartout-host explain last` shows the newest";
        return Err(Refusal::new("no-such-decision", Some(":PAYLOAD :ID"), text));
    }
    Ok(chosen)
}

fn is_about(entry: &Form, id: &str, plan: Option<Digest>) -> bool {
    let number = |key: &str| {
        entry
            .at(key)
            .and_then(Form::as_int)
            .is_some_and(|number| number.to_string() == id)
    };
    let digest = entry.text_at("digest").unwrap_or_default();
    number("sequence")
        || number("of")
        || entry.text_at("plan") == Some(id)
        || plan.is_some_and(|plan| digest == plan.to_string())
        || (id.len() >= 8 && digest.starts_with(id))
}
