//! `status`: how the daemon is, at a glance.

use super::link::Link;
use super::{Exit, client_runtime, home, output, show};
use crate::plist;
use crate::sexp::{Form, kw, visible};

/// What `status` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  passepartout-host status --json")]
pub(super) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn status(args: &Args) -> anyhow::Result<Exit> {
    let home = home(None)?;
    let answer = client_runtime()?.block_on(async {
        Link::open(&home, None)
            .await?
            .ask(plist!("ACTION" => kw("STATUS")))
            .await
    })?;
    if args.json {
        output::json(&show::json(&answer));
        return Ok(Exit::Ok);
    }
    let text = |form: &Form, path: &str| {
        form.at(path)
            .and_then(Form::designator)
            .map(visible)
            .unwrap_or_default()
    };
    let items = |path: &str| answer.at(path).and_then(Form::items).unwrap_or_default();
    let number = |path: &str| answer.at(path).and_then(Form::as_int).unwrap_or(0);
    outln!("health     {}", text(&answer, "health").to_lowercase());
    outln!("version    {}, process {}", text(&answer, "version"), number("pid"));
    outln!("workspace  {}", text(&answer, "workspace"));
    outln!(
        "skills     {}",
        items("skills")
            .iter()
            .filter_map(Form::as_str)
            .collect::<Vec<_>>()
            .join(", ")
    );
    for provider in items("providers") {
        let failure = text(provider, "last-failure");
        let failure = if failure.is_empty() {
            String::new()
        } else {
            format!("; last failure: {failure}")
        };
        outln!(
            "provider   {}: {}{failure}",
            text(provider, "name"),
            text(provider, "state")
        );
    }
    for own in items("budgets") {
        outln!("budget     {}", show::budget(own));
    }
    outln!("sessions   {} in use", number("sessions"));
    for check in items("checks") {
        let label = format!("{:<10} {}: ", text(check, "level").to_lowercase(), text(check, "check"));
        outln!("{}", show::check(check, &label));
    }
    let plans = items("plans");
    if plans.is_empty() {
        outln!("plans      none wait for you");
    }
    for plan in plans {
        outln!("{}", show::plan(plan, show::Place::Shell));
    }
    Ok(Exit::Ok)
}
