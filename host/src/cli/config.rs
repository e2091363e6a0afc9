//! `config`: what can be set, what it means, and what is wrong with what is set. It changes nothing: the file is the
//! operator's, and is written with an editor.

use serde_json::json;

use super::completions::key;
use super::{Exit, config, output};
use crate::config::about::{self, About, key_meant};
use crate::daemon;

/// What `config` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host config
      every key, its meaning, its default and what it takes
  passepartout-host config shell
      those with `shell` in their name or meaning
  passepartout-host config --json | jq '.keys[].name'
  passepartout-host config >/dev/null
      only what is wrong with the file

A key such as shell.timeout_seconds stands in config.toml as `timeout_seconds = 60` below `[shell]`. `*` in a name stands \
for one of your choice (providers, select) or for the name of a skill, a tool or a target. Below `[settings.NAME]` any key may \
stand: the skill NAME reads it, as settings.NAME.KEY. A daemon that runs reads the file \
when it starts; of providers, cascade and select also while it runs.

Each fault of the file is a line that begins with `fault:`, at the end, on standard error. As long as there is one, every \
gate is closed. A line that begins with `models:` is about who is asked, and closes no gate: `doctor` says more of that.

Exits with 1 when the file has a fault, or no key is found.")]
pub(super) struct Args {
    /// Only keys with this in their name or meaning
    #[arg(add = key())]
    word: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn print(args: &Args) -> anyhow::Result<Exit> {
    let (mut config, variables) = config(None)?;
    let faults = daemon::complete_providers(&mut config, &variables);
    config.add_faults(faults);
    let of_models = daemon::faults_of_models(&config);
    let file = config.home.config.join("config.toml");
    let word = args.word.as_deref().unwrap_or_default().to_lowercase();
    let wanted = |key: &About| key.name.contains(&word) || key.meaning.to_lowercase().contains(&word);
    let keys: Vec<About> = about::keys().into_iter().filter(wanted).collect();
    let faults: Vec<String> = config.faults.iter().map(ToString::to_string).collect();
    let is_found = !keys.is_empty();
    if args.json {
        let keys: Vec<_> = keys
            .iter()
            .map(|key| {
                let default = Some(key.default).filter(|default| !default.is_empty());
                json!({ "name": key.name, "default": default, "takes": key.takes, "meaning": key.meaning })
            })
            .collect();
        output::json(
            &json!({ "file": file.display().to_string(), "faults": faults, "models": of_models, "keys": keys }),
        );
    } else {
        for key in &keys {
            match key.default {
                "" => outln!("{}", key.name),
                default => outln!("{} = {default}", key.name),
            }
            outln!("    {}: {}", key.meaning, key.takes);
        }
        if !is_found {
            let faults = match faults.is_empty() && of_models.is_empty() {
                true => "The file has no fault, which would be shown here as `fault: …`",
                false => "What is wrong with the file is shown here, as `fault: …`",
            };
            let hint = key_meant(&word).map(|own| format!("did you mean `{own}`? "));
            let hint = hint.unwrap_or_default();
            errln!(
                "no key has {word:?} in its name or meaning; {hint}`passepartout-host config` shows them all. {faults}"
            );
        }
        let there = if file.exists() {
            ""
        } else {
            " (not there: nothing has to be set)"
        };
        outln!("\nfile: {}{there}", file.display());
    }
    for fault in &faults {
        errln!("fault: {fault}");
    }
    for fault in &of_models {
        errln!("models: {fault}");
    }
    Ok(if is_found && faults.is_empty() && of_models.is_empty() {
        Exit::Ok
    } else {
        Exit::Error
    })
}
