//! `approvals`: what the operator approved once and for all, and taking it back.

use clap::Subcommand;

use super::approve::moment;
use super::completions::standing;
use super::link::Link;
use super::{Exit, client_runtime, home, output, show, time};
use crate::audit::Writes;
use crate::cycle::unix_now;
use crate::daemon::standing_path;
use crate::gate::standing::{Standing, StandingStore};
use crate::plist;
use crate::protocol::ClientError;
use crate::sexp::{Form, kw, visible, visible_line};
use std::time::SystemTime;

/// What can be done with standing approvals.
#[derive(Subcommand, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host approve 1a2b3c4d --remember
      makes one, with the plan that it approves
  passepartout-host approvals list
      shows those that stand
  passepartout-host approvals revoke 5e6f7a8b
      takes one back")]
pub(super) enum Approvals {
    /// What stands, until when, and how often it was used
    List(ListArgs),
    /// Take one back, or all of them
    Revoke(RevokeArgs),
}

/// What `approvals list` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  passepartout-host approvals list --json")]
pub(super) struct ListArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `approvals revoke` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host approvals revoke 5e6f7a8b
  passepartout-host approvals revoke --all
      also when their file has an error")]
#[group(required = true, multiple = false)]
pub(super) struct RevokeArgs {
    /// The approval's id, as `approvals list` shows it, or its beginning
    #[arg(add = standing())]
    id: Option<String>,
    /// All of them
    #[arg(long)]
    all: bool,
}

pub(super) fn approvals(command: &Approvals) -> anyhow::Result<Exit> {
    match command {
        Approvals::List(args) => list(args),
        Approvals::Revoke(args) => revoke(args),
    }
}

fn list(args: &ListArgs) -> anyhow::Result<Exit> {
    let home = home(None)?;
    let request = plist!("ACTION" => kw("APPROVALS"));
    let asked = client_runtime()?.block_on(async { Link::open(&home, None).await?.ask(request).await });
    let answer = match asked {
        Ok(answer) => answer,
        // Without a daemon they can still be read.
        Err(error) if matches!(error.downcast_ref(), Some(ClientError::NoDaemon { .. })) => {
            let store = StandingStore::open(&standing_path(&home), &home.workspace, &Writes::default());
            let standing: Vec<Form> = store.list(unix_now()).map(Standing::to_form).collect();
            plist!("ACTION" => kw("APPROVALS"), "APPROVALS" => standing, "FAULT" => store.fault().map(ToString::to_string))
        }
        Err(error) => return Err(error),
    };
    if args.json {
        output::json(&show::json(&answer));
    } else {
        let standing = answer.get("APPROVALS").and_then(Form::items).unwrap_or_default();
        if answer.text_at("fault").is_some() {
            outln!("Nothing counts as approved once and for all: the file of that has an error.");
        } else if standing.is_empty() {
            outln!("Nothing is approved once and for all.");
        }
        for own in standing {
            outln!("{}", shown(own));
        }
        match show::left_out(&answer, "APPROVALS") {
            0 => {}
            count => outln!("and {count} more, for which one answer has no room"),
        }
    }
    match answer.text_at("fault") {
        Some(fault) => anyhow::bail!("{fault}"),
        None => Ok(Exit::Ok),
    }
}

/// One of them, whole.
pub(super) fn shown(own: &Form) -> String {
    let text = |key: &str| visible(own.text_at(key).unwrap_or_default());
    let used = match (own.get("USES").and_then(Form::as_int), own.text_at("last-used")) {
        (Some(1), Some(last)) => format!("; used once, on {}", visible(last)),
        (Some(uses), Some(last)) => format!("; used {uses} times, last on {}", visible(last)),
        (Some(_), None) => "; never used".to_owned(),
        (None, _) => String::new(),
    };
    format!(
        "{}  until {}{used}\n  {} ({}): {}\n  {}",
        text("id"),
        time::until(&moment(own, "EXPIRES"), SystemTime::now()),
        text("gate"),
        text("rule"),
        text("remember"),
        text("scope"),
    )
}

fn revoke(args: &RevokeArgs) -> anyhow::Result<Exit> {
    let home = home(None)?;
    let request = match &args.id {
        Some(id) => plist!("ACTION" => kw("REVOKE"), "ID" => id),
        None => plist!("ACTION" => kw("REVOKE"), "ALL" => true),
    };
    let answer = client_runtime()?.block_on(async { Link::open(&home, None).await?.ask(request).await })?;
    let revoked = answer.get("REVOKED").and_then(Form::items).unwrap_or_default();
    let fault = answer.text_at("fault");
    match (revoked, fault) {
        ([], None) => outln!("Nothing was approved once and for all."),
        ([], Some(_)) => outln!("Nothing that was approved once and for all could be read."),
        _ => {}
    }
    for id in revoked {
        outln!("taken back: {}", visible(id.as_str().unwrap_or_default()));
    }
    if let Some(fault) = fault {
        errln!(
            "note: the file had an error, so that nothing in it counted. It is empty now, of what could not be read too: {}",
            visible_line(fault)
        );
    }
    Ok(Exit::Ok)
}
