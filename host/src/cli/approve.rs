//! `approve` and `deny`: a person's answer to a plan, bound to the text that was shown.

use super::confirm::confirmed;
use super::link::{Link, within};
use super::send::{Printer, follow};
use super::{Exit, client_runtime, home, show};
use crate::config::Home;
use crate::plist;
use crate::sexp::{Form, kw};
use crate::signal::SessionId;

/// What `approve` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host approve 1a2b3c4d          shows the plan, asks, carries it out, prints what came of it
  passepartout-host approve 1a2b3c4d --yes    does not ask; for scripts

`passepartout-host status` lists the plans that wait.")]
pub(super) struct Args {
    /// The plan's id
    plan: String,
    /// Don't ask
    #[arg(long)]
    yes: bool,
    /// Give up after so many seconds; the plan is carried out all the same
    #[arg(long, default_value_t = 600, value_name = "SECONDS")]
    timeout: u64,
}

/// What `deny` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Example:
  passepartout-host deny 1a2b3c4d --reason 'use the other folder'")]
pub(super) struct DenyArgs {
    /// The plan's id
    plan: String,
    /// What the model is told
    #[arg(long)]
    reason: Option<String>,
    /// Give up after so many seconds; the plan is denied all the same
    #[arg(long, default_value_t = 600, value_name = "SECONDS")]
    timeout: u64,
}

pub(super) fn approve(args: &Args) -> anyhow::Result<Exit> {
    let home = home(None)?;
    client_runtime()?.block_on(within(args.timeout, async {
        let plan = find(&home, &args.plan).await?;
        errln!("{}", show::plan(&plan, show::Place::Shell));
        if !args.yes && !confirmed("Carry it out?")? {
            errln!("not approved; it still waits");
            return Ok(Exit::Waiting);
        }
        answer(&home, &plan, plist!("ACTION" => kw("APPROVE"))).await
    }))
}

pub(super) fn deny(args: &DenyArgs) -> anyhow::Result<Exit> {
    let home = home(None)?;
    client_runtime()?.block_on(within(args.timeout, async {
        let plan = find(&home, &args.plan).await?;
        answer(
            &home,
            &plan,
            plist!("ACTION" => kw("DENY"), "REASON" => args.reason.clone()),
        )
        .await
    }))
}

/// The plan, as the daemon shows it.
async fn find(home: &Home, id: &str) -> anyhow::Result<Form> {
    let plans = Link::open(home, None)
        .await?
        .ask(plist!("ACTION" => kw("PLANS")))
        .await?;
    let plans = plans.get("PLANS").and_then(Form::items).unwrap_or_default();
    let found = plans.iter().find(|plan| plan.text_at("plan") == Some(id)).cloned();
    found.ok_or_else(|| anyhow::anyhow!("no plan {id} waits; `passepartout-host status` lists those that do"))
}

/// Sends the answer from within the plan's session, so that what comes of it is seen here.
async fn answer(home: &Home, plan: &Form, request: Form) -> anyhow::Result<Exit> {
    let session: SessionId = plan.text_at("session-id").unwrap_or_default().parse()?;
    let mut link = Link::open(home, Some(session)).await?;
    let request = request
        .with("PLAN", plan.text_at("plan").unwrap_or_default())
        .with("DIGEST", plan.text_at("digest").unwrap_or_default());
    let id = link.request(request).await?;
    follow(&mut link, &id, Printer::Text).await
}
