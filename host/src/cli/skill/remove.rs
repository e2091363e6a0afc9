//! `skill remove`: takes a file out of the skills folder.

use std::fs;

use anyhow::Context;

use super::fell;
use crate::cli::completions::skill_with_file;
use crate::cli::{Exit, config};
use crate::daemon;
use crate::sexp::visible_line;
use crate::skill::{BUNDLED, Grants, files_in};

/// What `skill remove` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Example:
  passepartout-host skill remove no-shouting

Its file in the skills folder is deleted, as `rm` would. A bundled skill in whose place it stood comes back.")]
pub(in crate::cli) struct Args {
    /// The skill's name
    #[arg(add = skill_with_file())]
    skill: String,
}

pub(super) fn remove(args: &Args) -> anyhow::Result<Exit> {
    let (config, _) = config(None)?;
    let name = args.skill.strip_suffix(".wasm").unwrap_or(&args.skill);
    let folder = &config.home.skills;
    // A name, and no way to a file elsewhere.
    let files = files_in(folder).unwrap_or_default();
    let is_bundled = BUNDLED.iter().any(|own| own.name == name);
    let shown = visible_line(name);
    if !files.iter().any(|own| own == name) {
        let there = match files.is_empty() {
            true => "there is none".to_owned(),
            false => format!("there are files of {}", visible_line(&files.join(", "))),
        };
        let why = match is_bundled {
            true => "; what is bundled can't be removed, only replaced (`passepartout-host skill trust --help`)",
            false => "",
        };
        anyhow::bail!(
            "no file of a skill `{shown}` lies in {}: {there}{why}",
            folder.display()
        );
    }
    let file = folder.join(format!("{name}.wasm"));
    let grants = Grants::load(&daemon::grants_path(&config)).unwrap_or_default();
    let before = fell::with(&config, &grants);
    let fallen = fell::fallen(before.as_ref());
    // Where it can't be told, it may have been one.
    let judged = before.is_none_or(|set| set.gates().iter().any(|gate| gate.name() == name));
    fs::remove_file(&file).with_context(|| {
        let file = visible_line(&file.display().to_string());
        match name.contains(char::REPLACEMENT_CHARACTER) {
            true => format!(
                "{file} can't be deleted; if its name is no UTF-8, no command names it: use a file manager or `rm -i`"
            ),
            false => format!("{file} can't be deleted"),
        }
    })?;
    // A file that came back after a loss of power would be used again.
    crate::audit::sync_folder_of(&file)
        .with_context(|| format!("{} is deleted, but not for sure yet", file.display()))?;
    outln!("{} is deleted", visible_line(&file.display().to_string()));
    if is_bundled {
        outln!("the bundled {shown} takes its place");
    }
    if !is_bundled && config.gates.required.iter().any(|own| own == name) {
        outln!(
            "warning: `gates.required` in config.toml names {shown}, so that nothing passes without it: put another file in its \
             place with `passepartout-host skill install FILE`, or take the name out there, and start the daemon again"
        );
    }
    if grants.of(name).next().is_some() {
        outln!("what it was granted is kept; `passepartout-host skill revoke {shown}` takes that back");
    }
    fell::tell(&config, &fallen);
    let when = match judged {
        true => "within three seconds, in which the gate judges on",
        false => "within a second",
    };
    outln!("a running daemon takes this up {when}; `passepartout-host skill list` shows when it has");
    Ok(Exit::Ok)
}
