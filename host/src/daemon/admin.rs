//! Administrative requests: answers about the daemon itself, past the loop.

use super::approvals;
use super::budget;
use super::check::Bench;
use super::health;
use super::lists;
use super::older;
use super::providers;
use super::service::{Daemon, aside};
use crate::audit::{LAST, about, ambiguous, meant, read_entries};
use crate::capability::schedule;
use crate::cycle::{Entry, unix_now};
use crate::gate::approval::{SHORTEST, as_kept};
use crate::plist;
use crate::protocol::{AdminAction, AdminRequest, BoxFuture, Door, Refusal};
use crate::sexp::{Form, kw};
use crate::signal::{Meta, Sensor, Signal};
use crate::skill::{Readiness, SkillStatus};

/// How many decisions `trace` answers with, unless `:LAST` asks for another number.
const TRACE: usize = 20;

/// The answer to `request`.
pub(super) fn answer(
    daemon: &Daemon,
    door: Door,
    meta: Option<Meta>,
    request: AdminRequest,
) -> BoxFuture<Result<Form, Refusal>> {
    let payload = &request.payload;
    let name = request.action.name();
    let done = match request.action {
        AdminAction::Status => {
            let status = aside(|| budget::beside(daemon, meta, status(daemon)));
            return approvals::with_plans(daemon, status, None);
        }
        AdminAction::Doctor => {
            let (health, checks) = aside(|| daemon.report());
            let checks = checks.into_iter().chain(providers::reports(&daemon.core));
            let answer = plist!("ACTION" => kw(name), "HEALTH" => kw(health.name()));
            Ok(lists::with_list(answer, "CHECKS", checks.map(|check| check.to_form())))
        }
        AdminAction::Plans => {
            return approvals::with_plans(daemon, plist!("ACTION" => kw(name)), payload.text_at("plan"));
        }
        AdminAction::Unheard => {
            let nothing = || plist!("COUNT" => 0, "TEXT" => "", "MESSAGES" => Form::Nil);
            let unheard = daemon.all_unheard();
            return Box::pin(async move {
                Ok(plist!("ACTION" => kw(name)).joined(unheard.await.unwrap_or_else(nothing)))
            });
        }
        AdminAction::Approve => aside(|| approvals::approve(daemon, door, meta.as_ref(), payload)),
        AdminAction::Deny => aside(|| approvals::deny(daemon, meta.as_ref(), payload)),
        AdminAction::Approvals => return approvals::list(daemon),
        AdminAction::Revoke => aside(|| approvals::revoke(daemon, payload)),
        AdminAction::Stop => bound(meta).and_then(|meta| {
            let stopped = daemon.session(meta.session)?.stop().is_some();
            Ok(plist!("ACTION" => kw(name), "STOPPED" => stopped))
        }),
        AdminAction::Continue => bound(meta).and_then(|meta| {
            let session = daemon.session(meta.session)?;
            daemon.queue(&session, Entry::Continue, meta)?;
            Ok(plist!("ACTION" => kw(name), "QUEUED" => true))
        }),
        AdminAction::Skills => {
            let skills = daemon.core.registry.current().statuses();
            let answer = match aside(|| older::judges_by_older(&daemon.core.config)) {
                Some(note) => plist!("ACTION" => kw(name), "NOTE" => note),
                None => plist!("ACTION" => kw(name)),
            };
            Ok(lists::with_list(answer, "SKILLS", skills.iter().map(skill)))
        }
        AdminAction::Unschedule => aside(|| unschedule(daemon, payload)),
        AdminAction::Sessions => {
            let open = daemon.core.sessions.all();
            let form = |id: &crate::signal::SessionId| {
                let own = match open.iter().find(|session| session.id() == *id) {
                    Some(session) => session.to_form(),
                    None => plist!("SESSION-ID" => id.to_string()),
                };
                let used = daemon.core.sessions.last_used(*id);
                let used = used.and_then(|used| used.duration_since(std::time::UNIX_EPOCH).ok());
                own.with("LAST-USED", used.map(|since| since.as_secs()))
            };
            let mut sessions: Vec<Form> = daemon.core.sessions.ids().iter().map(form).collect();
            sessions.sort_by_key(|own| std::cmp::Reverse(own.get("LAST-USED").and_then(Form::as_int)));
            Ok(lists::with_list(plist!("ACTION" => kw(name)), "SESSIONS", sessions))
        }
        AdminAction::Trace | AdminAction::Explain => {
            let last = payload
                .at("last")
                .and_then(Form::as_int)
                .and_then(|last| usize::try_from(last).ok());
            let (id, core) = (payload.text_at("id").map(str::to_owned), daemon.core.clone());
            return Box::pin(async move {
                let read = tokio::task::spawn_blocking(move || {
                    // What is over is recorded as that before anybody is told that it waits.
                    if let Err(error) = core.expire() {
                        tracing::error!("that plans are over can't be recorded: {error}");
                    }
                    entries(&core.record_path(), id.as_deref(), last.unwrap_or(TRACE))
                });
                let (entries, left_out) = read
                    .await
                    .map_err(|error| Refusal::new("internal", None, error.to_string()))??;
                let answer = plist!("ACTION" => kw(name));
                Ok(lists::with_bounded(answer, "ENTRIES", entries, left_out))
            });
        }
        AdminAction::Check => {
            let (bench, payload) = (Bench::of(&daemon.core), request.payload.clone());
            let config = daemon.core.config.clone();
            return Box::pin(async move {
                let judge = move || {
                    let verdict = bench.judge(&payload)?;
                    Ok::<Form, String>(match older::judges_by_older(&config) {
                        Some(note) => verdict.with("NOTE", note),
                        None => verdict,
                    })
                };
                let judged = tokio::task::spawn_blocking(judge).await;
                let judged = judged.map_err(|error| Refusal::new("internal", None, error.to_string()))?;
                let judged = judged.map_err(|problem| Refusal::new("check", Some(":PAYLOAD"), problem))?;
                Ok(plist!("ACTION" => kw(name)).joined(judged))
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
                began: None,
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
    // What is rejected is not up to a bundled gate beside one that has fallen.
    let ready = skills.skills().iter().filter(|own| !skills.is_fallen(own.name()));
    let (health, checks) = daemon.report();
    let checks = checks
        .iter()
        .filter(|check| check.is_of_note())
        .map(health::Check::to_form);
    let status = plist!(
        "ACTION" => kw("STATUS"), "HEALTH" => kw(health.name()), "VERSION" => env!("CARGO_PKG_VERSION"),
        "PID" => std::process::id(), "WORKSPACE" => core.config.home.workspace.display().to_string(),
        "SKILLS" => ready.map(|own| Form::from(own.name())).collect::<Vec<Form>>(),
        "SESSIONS" => core.sessions.all().len(), "UNHEARD" => core.unheard.count(),
    );
    let status = lists::with_list(status, "PROVIDERS", providers::forms(core));
    let running = core.sessions.all().into_iter().filter_map(|session| {
        let text = core.beginning(&session.running()?);
        Some(plist!("SESSION-ID" => session.id().to_string(), "TEXT" => text))
    });
    let status = lists::with_list(status, "RUNNING", running);
    let status = lists::with_list(status, "SCHEDULED", scheduled(daemon));
    lists::with_list(status, "CHECKS", checks)
}

/// What skills have scheduled, the next one first.
fn scheduled(daemon: &Daemon) -> Vec<Form> {
    let schedule = daemon.core.services.schedule.iter();
    let now = unix_now();
    let entries = schedule.flat_map(|schedule| schedule.all(now));
    let set = daemon.core.registry.current();
    let held = |skill: &str| match set.readiness(skill) {
        Readiness::Ready(skill) if skill.may_schedule() => None,
        Readiness::Ready(_) => Some("its skill may not schedule".to_owned()),
        Readiness::Absent => Some("its skill is gone".to_owned()),
        Readiness::NotNow(state) => Some(format!("its skill {}", state.told())),
    };
    let form = |entry: schedule::Entry| {
        let shown = entry.shown(now).with("SKILL", &entry.skill);
        match held(&entry.skill) {
            None => shown,
            Some(why) => shown.with("HELD", why),
        }
    };
    entries.map(form).collect()
}

/// Lets entries go, also of a skill that is gone: their ids are no secret, and they are nobody's but the operator's.
fn unschedule(daemon: &Daemon, payload: &Form) -> Result<Form, Refusal> {
    let refused = |text: String| Refusal::new("unschedule", Some(":PAYLOAD :SKILL"), text);
    let schedule = daemon.core.services.schedule.as_ref();
    let schedule =
        schedule.ok_or_else(|| refused("the schedule can't be read: `passepartout-host doctor`".to_owned()))?;
    let skill = payload.text_at("skill").unwrap_or_default();
    let gone = schedule
        .clear(skill, payload.text_at("id"))
        .map_err(|error| refused(error.to_string()))?;
    Ok(plist!("ACTION" => kw("UNSCHEDULE"), "GONE" => gone))
}

fn skill(status: &SkillStatus) -> Form {
    let texts = |texts: &[String]| texts.iter().map(Form::from).collect::<Vec<Form>>();
    plist!(
        "NAME" => &status.name, "STATE" => status.state.to_string(), "SOURCE" => status.source.to_string(),
        "VERSION" => status.version.clone(), "DIGEST" => status.digest.clone(), "PRIORITY" => status.priority,
        "FUNCTIONS" => texts(&status.functions), "CAPABILITIES" => texts(&status.capabilities),
        "RIGHTS" => texts(&status.rights), "CALLS" => status.counts.calls, "TRAPS" => status.counts.faults,
        "LAST-FAULT" => status.counts.last_fault.clone(),
        "P50-US" => status.counts.p50_us, "P99-US" => status.counts.p99_us, "MEMORY" => status.counts.memory,
        "SESSIONS" => status.sessions, "REASON" => status.reason.clone(),
    )
}

/// The last entries, or those that `id` (a number, a plan, a standing approval, the beginning of a digest, `last`) names, as
/// far as there is room for them, and how many there are beside: the older ones of the last, the later ones about `id`.
fn entries(path: &std::path::Path, id: Option<&str>, last: usize) -> Result<(Vec<Form>, usize), Refusal> {
    let all = read_entries(path).map_err(|error| Refusal::new("record", None, error.to_string()))?;
    let Some(id) = id else {
        let newest = all.into_iter().rev().take(last).collect();
        let (mut entries, left_out) = lists::whole_or_bounded(newest);
        entries.reverse();
        return Ok((entries, left_out));
    };
    let id = as_kept(id);
    let several = |plans: Vec<String>| Refusal::new("ambiguous", Some(":PAYLOAD :ID"), ambiguous(&id, &plans));
    let meant = meant(&all, &id).map_err(several)?;
    let chosen = about(all, &meant);
    if chosen.is_empty() && id != LAST {
        let more = match id.len() < SHORTEST {
            true => format!("; of a plan's id write at least {SHORTEST} of its eight digits"),
            false => String::new(),
        };
        let text = format!(
            "no decision has this number, plan or digest{more}; `passepartout-host explain last` shows the newest"
        );
        return Err(Refusal::new("no-such-decision", Some(":PAYLOAD :ID"), text));
    }
    Ok(lists::whole_or_bounded(chosen))
}
