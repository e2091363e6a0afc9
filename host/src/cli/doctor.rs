//! `doctor`: what is wrong, and what to do about it. Asks the daemon, and looks for itself where none runs.

use super::link::Link;
use super::{Exit, client_runtime, config, output, show};
use crate::daemon::{self, Level};
use crate::plist;
use crate::protocol::ClientError;
use crate::sexp::{Form, kw, visible};

/// What `doctor` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  passepartout-host doctor\n\nExits with 1 when something is broken.")]
pub(super) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn doctor(args: &Args) -> anyhow::Result<Exit> {
    let (mut config, variables) = config(None)?;
    let asked = client_runtime()?.block_on(async {
        let mut link = Link::open(&config.home, None).await?;
        link.ask(plist!("ACTION" => kw("DOCTOR"))).await
    });
    let (from, checks): (&str, Vec<Form>) = match asked {
        Ok(answer) => (
            "the running daemon",
            answer.get("CHECKS").and_then(Form::items).unwrap_or_default().to_vec(),
        ),
        Err(error) if matches!(error.downcast_ref(), Some(ClientError::NoDaemon { .. })) => {
            let faults = daemon::complete_providers(&mut config, &variables);
            config.add_faults(faults);
            let set = daemon::skills_now(&config, daemon::secrets(&config))?;
            let checks = daemon::local_checks(&config, &variables, &set);
            (
                "this machine; no daemon runs",
                checks.iter().map(daemon::Check::to_form).collect(),
            )
        }
        Err(error) => return Err(error),
    };
    let level = |check: &Form| {
        check
            .get("LEVEL")
            .and_then(Form::keyword)
            .unwrap_or_default()
            .to_lowercase()
    };
    let broken = checks.iter().any(|check| level(check) == Level::Broken.name());
    if args.json {
        output::json(&show::json(&plist!("FROM" => from, "CHECKS" => checks)));
    } else {
        outln!("checked: {from}");
        for check in &checks {
            let name = visible(check.text_at("check").unwrap_or_default());
            outln!("{}", show::check(check, &format!("{:<9} {name:<14} ", level(check))));
        }
    }
    Ok(if broken { Exit::Error } else { Exit::Ok })
}
