//! `skill unschedule`: ends what a skill has scheduled.

use crate::cli::completions::{scheduled, skill};
use crate::cli::link::Link;
use crate::cli::{Exit, client_runtime, home};
use crate::gate::approval::as_kept;
use crate::plist;
use crate::sexp::{Form, kw, visible_line};

/// What `skill unschedule` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host skill unschedule remind-later             all that it has scheduled
  passepartout-host skill unschedule remind-later 1a2b3c4d    this one

`passepartout-host status --json` shows the ids. To keep the skill from scheduling more: skill revoke NAME schedule.")]
pub(in crate::cli) struct Args {
    /// The skill's name, also of one that is gone
    #[arg(add = skill())]
    skill: String,
    /// The entry's id
    #[arg(add = scheduled())]
    id: Option<String>,
}

pub(super) fn unschedule(args: &Args) -> anyhow::Result<Exit> {
    let home = home(None)?;
    let request =
        plist!("ACTION" => kw("UNSCHEDULE"), "SKILL" => &args.skill, "ID" => args.id.as_deref().map(as_kept));
    let answer = client_runtime()?.block_on(async { Link::open(&home, None).await?.ask(request).await })?;
    let skill = visible_line(&args.skill);
    match (answer.get("GONE").and_then(Form::as_int).unwrap_or(0), &args.id) {
        (0, Some(id)) => anyhow::bail!("{skill} has nothing scheduled as {}", visible_line(id)),
        (0, None) => anyhow::bail!("{skill} has nothing scheduled"),
        (1, _) => outln!("1 entry that {skill} scheduled is gone"),
        (gone, _) => outln!("{gone} entries that {skill} scheduled are gone"),
    }
    Ok(Exit::Ok)
}
