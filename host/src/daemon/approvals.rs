//! A person's answers to plans, and what the operator approved once and for all: from a chat or from the operator's door.

use std::str::FromStr;

use super::lists;
use super::service::Daemon;
use crate::audit::read_entries;
use crate::cycle::{Core, Entry, PipelineError, unix_now};
use crate::gate::Ask;
use crate::gate::approval::{ApprovalError, Approver, Plan};
use crate::gate::standing::Standing;
use crate::plist;
use crate::protocol::{BoxFuture, Door, Refusal};
use crate::sexp::{Digest, Form, is_blank, kw, visible};
use crate::signal::{Meta, SessionId, frames};

/// How often an approval counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Once {
    /// For this plan only.
    Only,
    /// For whatever is the same, for so many seconds or as long as usual.
    AndForAll(Option<u64>),
}

impl Daemon {
    /// The id of the plan that a person means, who may have written only its beginning.
    pub(super) fn plan_named(&self, id: &str) -> Result<String, Refusal> {
        let plans = self.core.plans();
        let named = plans.named(id).map(|plan| plan.id.clone());
        named.map_err(|error| refusal(&error.into()))
    }

    /// Consumes a plan and queues what comes of it, in the plan's own session. Returns that session, and what stands now.
    pub(super) fn approve(
        &self,
        id: &str,
        by: Approver,
        once: Once,
        meta: &Meta,
    ) -> Result<(SessionId, Vec<Standing>), Refusal> {
        // What is over is recorded as that before anybody hears that it is.
        self.core.expire().map_err(|error| refusal(&error))?;
        // Nothing would come of it now: the plan is better kept.
        if let Some(rejection) = self.core.closed() {
            let text = format!("plan {id} was not approved and still waits: {}", rejection.reason);
            return Err(Refusal::new("closed", None, text));
        }
        let now = unix_now();
        let drafts = match once {
            Once::Only => Vec::new(),
            Once::AndForAll(seconds) => self.drafts(id, seconds)?,
        };
        let consumed = self.core.plans().consume(id, by, now);
        let (plan, approval) = consumed.map_err(|error| refusal(&error.into()))?;
        let remembered = match drafts.as_slice() {
            [] => Ok(Vec::new()),
            drafts => self.core.remember(drafts, &plan, &approval),
        };
        let replaced = remembered.map_err(|error| self.reopen(id, refusal(&error)))?;
        let session = plan.session;
        self.answered(session, Entry::Approved(Box::new(plan), approval), meta)
            .map_err(|refused| {
                if !drafts.is_empty()
                    && let Err(error) = self.core.forget(&drafts, &replaced)
                {
                    tracing::error!(
                        plan = id,
                        "what was approved once and for all can't be taken back: {error}"
                    );
                }
                self.reopen(id, refused)
            })?;
        Ok((session, drafts))
    }

    /// What approving the plan `id` once and for all would make.
    fn drafts(&self, id: &str, seconds: Option<u64>) -> Result<Vec<Standing>, Refusal> {
        let plan = self.core.plans().get(id).cloned();
        // A plan that is not there is refused where every other one is.
        let Some(plan) = plan else { return Ok(Vec::new()) };
        let drafts = self.core.standing().drafts(&plan, seconds, unix_now());
        drafts.map_err(|error| {
            let text = format!("plan {id} was not approved and still waits: {error}");
            Refusal::new("remember", Some(":PAYLOAD :REMEMBER"), text)
        })
    }

    /// Refuses a plan, and queues telling the model.
    pub(super) fn deny(
        &self,
        id: &str,
        by: Approver,
        reason: Option<String>,
        meta: &Meta,
    ) -> Result<SessionId, Refusal> {
        self.core.expire().map_err(|error| refusal(&error))?;
        let plan = self.core.deny(id, by, reason).map_err(|error| refusal(&error))?;
        let session = plan.session;
        self.answered(session, Entry::Denied(Box::new(plan)), meta)
            .map_err(|refused| {
                self.core.owe_denial(id, &refused.text);
                let text = format!(
                    "it is denied, and its conversation does not say so yet, which is tried again by itself with each heartbeat: \
                     {}",
                    refused.text
                );
                Refusal { text, ..refused }
            })?;
        Ok(session)
    }

    /// Queues what an answer to a plan starts.
    fn answered(&self, id: SessionId, entry: Entry, meta: &Meta) -> Result<(), Refusal> {
        let session = self.session(id)?;
        let meta = Meta {
            session: id,
            ..meta.clone()
        };
        self.queue(&session, entry, meta)
    }

    /// Lets a plan wait again whose approval was `refused`: nothing has begun. Returns what the person hears.
    fn reopen(&self, id: &str, refused: Refusal) -> Refusal {
        self.core.reopen(id, &refused.text);
        let text = format!("plan {id} was not approved and still waits: {}", refused.text);
        Refusal { text, ..refused }
    }
}

fn refusal(error: &PipelineError) -> Refusal {
    let (code, field) = match error {
        PipelineError::Approval(_) => ("plan", Some(":PAYLOAD :PLAN")),
        other => (other.code(), None),
    };
    Refusal::new(code, field, error.to_string())
}

/// Most plans of which one answer shows how a file would change, or that a chat lists: what is looked at together.
const SHOWN: usize = 50;

/// The plans that wait, of `session` or of all, the oldest first. What is over is not offered, also before the next heartbeat.
pub(super) fn waiting(core: &Core, session: Option<SessionId>) -> Vec<Plan> {
    let now = unix_now();
    let store = core.plans();
    let waiting = store.waiting(session).filter(|plan| now < plan.until());
    let mut plans: Vec<Plan> = waiting.cloned().collect();
    plans.sort_by_key(Plan::until);
    plans
}

/// Tells who has just said yes or no that this answers no plan, if one waits in that session. No model hears of it.
pub(super) fn tell_waiting(core: &Core, meta: &Meta) {
    let plans = waiting(core, Some(meta.session));
    let how = match plans.as_slice() {
        [] => return,
        [only] => format!(
            "a plan waits: `/approve {id}` carries it out, `/deny {id}` refuses it",
            id = only.id
        ),
        [.., newest] => format!(
            "{} plans wait, of which {} is the newest: `/plans` lists them",
            plans.len(),
            newest.id
        ),
    };
    let text = format!("{how}. What you say else goes to the model, and answers no plan");
    core.outlet.send(meta.session, frames::progress(meta, "PLANS", &text));
}

/// The plan that is meant by `id`, if it waits.
fn one(core: &Core, id: &str) -> Result<Plan, ApprovalError> {
    let store = core.plans();
    let plan = store.named(id)?;
    match store.why_over(plan, unix_now()) {
        Some(over) => Err(over),
        None => Ok(plan.clone()),
    }
}

/// `answer`, and the plans that wait beside it: of all of them the beginning, or the one that is named, whole, or why that
/// does not wait.
pub(super) fn with_plans(daemon: &Daemon, answer: Form, named: Option<&str>) -> BoxFuture<Result<Form, Refusal>> {
    let (core, named) = (daemon.core.clone(), named.map(str::to_owned));
    Box::pin(async move {
        // Files are read to show how they would change.
        let answer = tokio::task::spawn_blocking(move || match named.map(|id| one(&core, &id)) {
            Some(Ok(plan)) => answer.with("PLANS", vec![form(&core, &plan, core.changes(&plan))]),
            Some(Err(why)) => answer.with("PLANS", Form::Nil).with("WHY", why.to_string()),
            None => {
                let waiting = waiting(&core, None);
                let plans = waiting.iter().enumerate();
                lists::with_list(answer, "PLANS", plans.map(|(at, plan)| in_list(&core, at, plan)))
            }
        });
        answer
            .await
            .map_err(|error| Refusal::new("internal", None, error.to_string()))
    })
}

/// The plan at `at` of a list, in which a long text is given in its beginning, and says how long it is.
fn in_list(core: &Core, at: usize, plan: &Plan) -> Form {
    let form = form(core, plan, if at < SHOWN { core.changes(plan) } else { None });
    match plan.action.canonical().len() {
        0..=lists::TEXT => form,
        bytes => form.with("TEXT-BYTES", bytes),
    }
}

fn form(core: &Core, plan: &Plan, diff: Option<String>) -> Form {
    let form = plist!(
        "PLAN" => &plan.id, "TEXT" => plan.action.canonical().clone(), "SESSION-ID" => plan.session.to_string(),
        "DIGEST" => plan.digest.to_string(), "ASKS" => plan.asks.iter().map(Ask::to_form).collect::<Vec<Form>>(),
        "EXPIRES" => plan.until(),
    );
    // It can't be approved where the daemon works now.
    let form = if core.plans().is_here(plan) {
        form
    } else {
        form.with("ELSEWHERE", &plan.workspace)
    };
    frames::with_notes(form, core.why_not_remembered(), diff)
}

/// What `/plans` answers in the chat of `session`: the beginning of each, which was shown whole when it was made, and how many
/// wait elsewhere. Blocks: files are read.
pub(super) fn listed(core: &Core, session: SessionId) -> String {
    let (plans, all) = (waiting(core, Some(session)), waiting(core, None).len());
    let elsewhere = match all.saturating_sub(plans.len()) {
        0 => None,
        1 => Some("1 waits in another session: `passepartout-host status`".to_owned()),
        count => Some(format!("{count} wait in other sessions: `passepartout-host status`")),
    };
    let line = |plan: &Plan| {
        let text = format!("{}  {}", plan.id, visible(&lists::begun(plan.action.canonical())));
        let text = if core.plans().is_here(plan) {
            format!("{text}\n    /approve {id}   or   /deny {id}", id = plan.id)
        } else {
            format!(
                "{text}\n    (for the workspace {}, not for this one)",
                visible(&plan.workspace)
            )
        };
        match core.changes(plan) {
            Some(diff) => format!("{text}\n    {}", lists::begun(&diff).replace('\n', "\n    ")),
            None => text,
        }
    };
    let mut lines: Vec<String> = plans.iter().take(SHOWN).map(line).collect();
    if plans.is_empty() {
        lines.push("Nothing waits for you in this session.".to_owned());
    }
    if plans.len() > SHOWN {
        let more = plans.len() - SHOWN;
        lines.push(format!("and {more} more; `passepartout-host status` lists them"));
    }
    lines.extend(elsewhere);
    lines.join("\n")
}

/// The answer to `:APPROVE`, from the operator's door.
pub(super) fn approve(daemon: &Daemon, door: Door, meta: Option<&Meta>, payload: &Form) -> Result<Form, Refusal> {
    let by = operator(payload)?;
    let once = if payload.get("REMEMBER").is_some_and(Form::is_true) {
        if door != Door::Unix {
            let text = "only the command `passepartout-host approve PLAN --remember`, on the daemon's own machine, approves once \
                        and for all; nothing was approved";
            return Err(Refusal::new("remember", Some(":PAYLOAD :REMEMBER"), text));
        }
        Once::AndForAll(lifetime(payload)?)
    } else {
        Once::Only
    };
    let id = daemon.plan_named(payload.text_at("plan").unwrap_or_default())?;
    let (session, made) = daemon.approve(&id, by, once, &addressed(meta)?)?;
    let answer =
        plist!("ACTION" => kw("APPROVE"), "PLAN" => id, "SESSION-ID" => session.to_string(), "QUEUED" => true);
    Ok(match once {
        Once::Only => answer,
        Once::AndForAll(_) => answer.with("STANDING", made.iter().map(Standing::to_form).collect::<Vec<Form>>()),
    })
}

fn lifetime(payload: &Form) -> Result<Option<u64>, Refusal> {
    let Some(given) = payload.get("FOR").filter(|given| given.is_true()) else {
        return Ok(None);
    };
    let seconds = given.as_int().and_then(|seconds| u64::try_from(seconds).ok());
    seconds.map(Some).ok_or_else(|| {
        let text = ":FOR needs a number of seconds; nothing was approved";
        Refusal::new("remember", Some(":PAYLOAD :FOR"), text)
    })
}

/// The answer to `:DENY`, from the operator's door.
pub(super) fn deny(daemon: &Daemon, meta: Option<&Meta>, payload: &Form) -> Result<Form, Refusal> {
    let by = operator(payload)?;
    let id = daemon.plan_named(payload.text_at("plan").unwrap_or_default())?;
    let reason = payload.text_at("reason").filter(|reason| !is_blank(reason));
    let reason = reason.map(str::to_owned);
    let session = daemon.deny(&id, by, reason, &addressed(meta)?)?;
    Ok(plist!("ACTION" => kw("DENY"), "PLAN" => id, "SESSION-ID" => session.to_string(), "QUEUED" => true))
}

/// The answer to `:APPROVALS`: what stands, and how often the record says that it was used.
pub(super) fn list(daemon: &Daemon) -> BoxFuture<Result<Form, Refusal>> {
    let standing: Vec<Standing> = daemon.core.standing().list(unix_now()).cloned().collect();
    let fault = daemon.core.standing().fault().map(ToString::to_string);
    let path = daemon.core.record_path();
    Box::pin(async move {
        let forms = tokio::task::spawn_blocking(move || with_uses(&path, &standing)).await;
        let forms = forms.map_err(|error| Refusal::new("internal", None, error.to_string()))??;
        let answer = plist!("ACTION" => kw("APPROVALS"), "FAULT" => fault);
        Ok(lists::with_list(answer, "APPROVALS", forms))
    })
}

fn with_uses(record: &std::path::Path, standing: &[Standing]) -> Result<Vec<Form>, Refusal> {
    if standing.is_empty() {
        return Ok(Vec::new());
    }
    let entries = read_entries(record).map_err(|error| Refusal::new("record", None, error.to_string()))?;
    let cleared: Vec<&Form> = entries
        .iter()
        .filter(|entry| entry.get("OUTCOME").is_some_and(|outcome| outcome.is_kw("CLEARED")))
        .collect();
    let form = |own: &Standing| {
        let names = |entry: &&&Form| {
            let used = entry.get("STANDING").and_then(Form::items).unwrap_or_default();
            used.iter().any(|id| id.as_str() == Some(&own.id))
        };
        let uses: Vec<&&Form> = cleared.iter().filter(names).collect();
        let last = uses.last().and_then(|entry| entry.text_at("at"));
        own.to_form()
            .with("USES", uses.len())
            .with("LAST-USED", last.map(str::to_owned))
    };
    Ok(standing.iter().map(form).collect())
}

/// The answer to `:REVOKE`: what was taken back, and as `:FAULT` what was wrong with the file that held it.
pub(super) fn revoke(daemon: &Daemon, payload: &Form) -> Result<Form, Refusal> {
    let id = payload.text_at("id");
    let all = payload.get("ALL").is_some_and(Form::is_true);
    if id.is_some() == all {
        let text = "either :ID, the id of a standing approval, or :ALL T is needed";
        return Err(Refusal::new("revoke", Some(":PAYLOAD :ID"), text));
    }
    let revoked = daemon.core.revoke(id).map_err(|error| refusal(&error))?;
    let ids: Vec<Form> = revoked.ids.iter().map(Form::from).collect();
    let answer = plist!("ACTION" => kw("REVOKE"), "REVOKED" => ids);
    Ok(match revoked.fault {
        Some(fault) => answer.with("FAULT", fault),
        None => answer,
    })
}

/// Whoever answers a plan out of its chat must name what was shown to him.
fn operator(payload: &Form) -> Result<Approver, Refusal> {
    let named = payload.text_at("digest").and_then(|text| Digest::from_str(text).ok());
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
            let session = SessionId::random().map_err(|error| Refusal::new("random", None, error.to_string()))?;
            Ok(Meta {
                source: "CLI".to_owned(),
                session,
                request_id: None,
            })
        }
    }
}
