//! `skill list`: what is loaded, what is not, and why.

use crate::cli::link::Link;
use crate::cli::{Exit, client_runtime, config, show};
use crate::daemon;
use crate::plist;
use crate::protocol::ClientError;
use crate::sexp::{Form, kw, visible};

/// What `skill list` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  passepartout-host skill list --json")]
pub(in crate::cli) struct Args {
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

pub(super) fn list(args: &Args) -> anyhow::Result<Exit> {
    let (config, _) = config(None)?;
    let asked = client_runtime()?.block_on(async {
        Link::open(&config.home, None)
            .await?
            .ask(plist!("ACTION" => kw("SKILLS")))
            .await
    });
    let skills: Vec<serde_json::Value> = match asked {
        Ok(answer) => answer
            .get("SKILLS")
            .and_then(Form::items)
            .unwrap_or_default()
            .iter()
            .map(show::json)
            .collect(),
        // Without a daemon: what one would load now.
        Err(error) if matches!(error.downcast_ref(), Some(ClientError::NoDaemon { .. })) => {
            errln!("no daemon runs; this is what it would load now");
            let registry = daemon::load_skills(&config, daemon::secrets(&config))?;
            registry
                .current()
                .statuses()
                .iter()
                .map(crate::skill::SkillStatus::json)
                .collect()
        }
        Err(error) => return Err(error),
    };
    if args.json {
        outln!("{}", serde_json::Value::Array(skills));
        return Ok(Exit::Ok);
    }
    outln!(
        "{:<14} {:<8} {:>8} {:<12} {:>8} {:>6}  RIGHTS",
        "NAME",
        "STATE",
        "PRIORITY",
        "DIGEST",
        "CALLS",
        "TRAPS"
    );
    for skill in &skills {
        let text = |key: &str| match skill.get(key) {
            // One line each: a file's name with a line break in it must not look like another skill.
            Some(serde_json::Value::String(text)) => visible(text).replace('\n', "<U+000A>"),
            Some(serde_json::Value::Null) | None => String::new(),
            Some(other) => other.to_string(),
        };
        let rights: Vec<&str> = skill
            .get("rights")
            .and_then(serde_json::Value::as_array)
            .map(|rights| rights.iter().filter_map(serde_json::Value::as_str).collect())
            .unwrap_or_default();
        let digest: String = text("digest").chars().take(12).collect();
        outln!(
            "{:<14} {:<8} {:>8} {:<12} {:>8} {:>6}  {}",
            text("name"),
            text("state"),
            text("priority"),
            digest,
            text("calls"),
            text("traps"),
            rights.join(", ")
        );
        if !text("reason").is_empty() {
            outln!("               {}", text("reason"));
        }
    }
    Ok(Exit::Ok)
}
