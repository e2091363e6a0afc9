//! `approve` and `deny`: a person's answer to a plan, bound to the text that was shown.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use humantime::format_rfc3339_seconds;

use super::completions::plan;
use super::confirm::{Answer, confirmed};
use super::link::Link;
use super::send::{Turn, follow};
use super::time::{length, wait};
use super::{Exit, Usage, client_runtime, home, show};
use crate::config::Home;
use crate::gate::approval::as_kept;
use crate::gate::standing::{LIFETIME, LONGEST_LIFETIME, StandingError};
use crate::plist;
use crate::sexp::{Form, kw, visible, visible_line};
use crate::signal::SessionId;

/// What `approve` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host approve 1a2b3c4d
      shows the plan, asks, carries it out, prints what came of it
  passepartout-host approve 1a2b3c4d --yes
      does not ask; for scripts
  passepartout-host approve 1a2b3c4d --remember --for 2h
      and what is the same as well, for two hours

`passepartout-host status` lists the plans that wait.

Exit codes: 0 carried out, 1 it failed or its command ended with another exit code than 0, 3 a gate refuses it now, \
4 not approved, and still waiting, 5 no daemon, 7 time-out.")]
pub(super) struct Args {
    /// The plan's id, or its beginning
    #[arg(add = plan())]
    plan: String,
    /// Don't ask
    #[arg(long)]
    yes: bool,
    /// Approve once and for all what is the same: only where the gates offer it, until it lapses or is revoked
    #[arg(long)]
    remember: bool,
    /// How long it stands, such as 2h or 7days; 30 days otherwise, and at most 366
    #[arg(long = "for", value_name = "TIME", requires = "remember", value_parser = lifetime)]
    lifetime: Option<Duration>,
    /// Give up after this time, such as 90s or 10min; a number alone is seconds. The plan is carried out all the same
    #[arg(long, default_value = "600", value_name = "TIME", value_parser = wait)]
    timeout: Duration,
}

/// What `deny` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Example:
  passepartout-host deny 1a2b3c4d --reason 'use the other folder'")]
pub(super) struct DenyArgs {
    /// The plan's id, or its beginning
    #[arg(add = plan())]
    plan: String,
    /// What the model is told
    #[arg(long)]
    reason: Option<String>,
    /// Give up after this time, such as 90s or 10min; a number alone is seconds. The plan is denied all the same
    #[arg(long, default_value = "600", value_name = "TIME", value_parser = wait)]
    timeout: Duration,
}

/// How long something may stand, as it is typed.
fn lifetime(text: &str) -> Result<Duration, String> {
    let lifetime = length(text)?;
    match lifetime.as_secs() {
        1..=LONGEST_LIFETIME => Ok(lifetime),
        seconds => Err(StandingError::Lifetime { seconds }.to_string()),
    }
}

/// Refuses an id that names nothing: a variable of a script that is empty, most likely.
fn named(plan: &str) -> Result<(), Usage> {
    match plan.trim() {
        "" => Err(Usage(
            "no plan is named; `passepartout-host status` lists those that wait".to_owned(),
        )),
        _ => Ok(()),
    }
}

pub(super) fn approve(args: &Args) -> anyhow::Result<Exit> {
    named(&args.plan)?;
    let home = home(None)?;
    client_runtime()?.block_on(async {
        let plan = find(&home, &args.plan).await?;
        // What can't be is said before anything is shown and asked.
        let seconds = args.lifetime.map_or(LIFETIME, |lifetime| lifetime.as_secs());
        let remembered = args.remember.then(|| remembered(&plan, seconds)).transpose()?;
        if args.yes {
            errln!("To be carried out:\n{}", show::plan_itself(&plan));
        } else {
            errln!("{}", show::plan_to_answer(&plan));
        }
        let mut request = plist!("ACTION" => kw("APPROVE"));
        let mut question = "Carry it out?";
        if let Some(remembered) = remembered {
            errln!("{remembered}");
            request = request.with("REMEMBER", true).with("FOR", seconds);
            question = "Carry it out, and whatever is the same without asking?";
        }
        if !args.yes
            && let Answer::No(why) = confirmed(question)?
        {
            errln!("not approved, and it still waits{why}");
            return Ok(Exit::Waiting);
        }
        let turn = answer(&home, &plan, request, args.timeout).await?;
        Ok(turn.when_carried_out())
    })
}

pub(super) fn deny(args: &DenyArgs) -> anyhow::Result<Exit> {
    named(&args.plan)?;
    let home = home(None)?;
    client_runtime()?.block_on(async {
        let plan = find(&home, &args.plan).await?;
        let request = plist!("ACTION" => kw("DENY"), "REASON" => args.reason.clone());
        let turn = answer(&home, &plan, request, args.timeout).await?;
        if !matches!(turn.exit, Exit::Error) {
            let id = plan.text_at("plan").unwrap_or_default();
            errln!("denied: {}; it is not carried out", visible_line(id));
        }
        Ok(turn.exit)
    })
}

/// What would stand once the plan is approved so, for a person.
///
/// # Errors
/// When it is not offered. The daemon refuses it too.
fn remembered(plan: &Form, seconds: u64) -> anyhow::Result<String> {
    let refused = |why: String| {
        let id = visible_line(plan.text_at("plan").unwrap_or_default());
        anyhow::anyhow!("plan {id} was not approved and still waits: {why}")
    };
    if let Some(fault) = plan.text_at("not-remembered") {
        return Err(refused(visible(fault)));
    }
    if show::is_bound_to_content(plan) {
        return Err(refused(StandingError::BoundToContent.to_string()));
    }
    let until = format_rfc3339_seconds(SystemTime::now() + Duration::from_secs(seconds.min(LONGEST_LIFETIME)));
    let mut lines = vec![format!(
        "This would be approved once and for all until {until}, in every session of this workspace:"
    )];
    for ask in plan.get("ASKS").and_then(Form::items).unwrap_or_default() {
        let part = |key: &str| visible(ask.text_at(key).unwrap_or_default());
        let Some(scope) = ask.text_at("remember") else {
            let (gate, rule) = (part("gate"), part("rule"));
            return Err(refused(StandingError::NotOffered { gate, rule }.to_string()));
        };
        let (gate, rule) = (part("gate"), part("rule"));
        lines.push(format!("  {gate} ({rule}): {}", visible(scope)));
    }
    lines.push("  and nothing that differs from the plan elsewhere, but in its explanation.".to_owned());
    Ok(lines.join("\n"))
}

/// A moment that the daemon gave in seconds since 1970.
pub(super) fn moment(form: &Form, key: &str) -> String {
    let seconds = form.get(key).and_then(Form::as_int);
    let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
    // Later than any year that can be printed is as good as unknown.
    match seconds.filter(|seconds| *seconds < 1 << 37) {
        Some(seconds) => format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(seconds)).to_string(),
        None => "an unknown time".to_owned(),
    }
}

/// The plan, whole, as the daemon shows it.
async fn find(home: &Home, id: &str) -> anyhow::Result<Form> {
    let plans = Link::open(home, None)
        .await?
        .ask(plist!("ACTION" => kw("PLANS"), "PLAN" => id))
        .await?;
    let found = plans.get("PLANS").and_then(Form::items).unwrap_or_default();
    let kept = as_kept(id);
    let is_meant = |plan: &&Form| plan.text_at("plan").is_some_and(|own| own.starts_with(&kept));
    match found {
        [plan] if is_meant(&plan) => Ok(plan.clone()),
        _ => match plans.text_at("why") {
            Some(why) => Err(anyhow::anyhow!(visible(why))),
            None => Err(anyhow::anyhow!(
                "no plan {id} waits; `passepartout-host status` lists those that do"
            )),
        },
    }
}

/// Sends the answer from within the plan's session, so that what comes of it is seen here.
async fn answer(home: &Home, plan: &Form, request: Form, longest: Duration) -> anyhow::Result<Turn> {
    let session: SessionId = plan.text_at("session-id").unwrap_or_default().parse()?;
    let mut link = Link::open(home, Some(session)).await?;
    let request = request
        .with("PLAN", plan.text_at("plan").unwrap_or_default())
        .with("DIGEST", plan.text_at("digest").unwrap_or_default());
    let id = link.request(request).await?;
    follow(&mut link, &id, longest).await
}
