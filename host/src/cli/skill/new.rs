//! `skill new`: a crate that works at once.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::scaffold::{self, Kind};
use crate::cli::{Exit, Usage};
use crate::config::shell_word;
use crate::sexp::visible_line;
use crate::skill::{BUNDLED, NAME_RULE, check_free, is_name};

/// What `skill new` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host skill new no-shouting
      a gate, in the folder no-shouting
  passepartout-host skill new running-total --kind actuator
  passepartout-host skill new count-words --kind tool --path ~/skills
  passepartout-host skill new service-status --kind fetcher
      a tool that reads a file and asks a server
  passepartout-host skill new copy-folder --kind proposer
      a tool that proposes a command of its own making
  passepartout-host skill new remind-later --kind reminder
      a tool that schedules something
  passepartout-host skill new stand-up --kind heartbeat
      called on each heartbeat
  passepartout-host skill new house-style --kind hint
      adds to what the model is told

The crate builds without a network. Its README has the commands.")]
pub(in crate::cli) struct Args {
    /// The skill's name: lower-case letters, digits and `-`
    name: String,
    /// What it begins as
    #[arg(long, value_enum, default_value = "gate")]
    kind: Kind,
    /// The folder to make the skill's folder in, made if it is not there; the current one if none is given
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
}

pub(super) fn new(args: &Args) -> anyhow::Result<Exit> {
    let name = args.name.as_str();
    if !is_name(name) {
        let text = format!("`{}` can't name a skill: {NAME_RULE}", visible_line(name));
        return Err(Usage(text).into());
    }
    check_free(name).map_err(Usage)?;
    if !scaffold::is_free(name) {
        let text =
            format!("`{name}` means something else to Rust, so no crate can be called that; choose another name");
        return Err(Usage(text).into());
    }
    let parent = args.path.clone().unwrap_or_else(|| PathBuf::from("."));
    let folder = parent.join(name);
    let made = make(&parent)?;
    if let Err(error) = fill(&folder, name, args.kind) {
        // Only what is empty goes: what was made above for nothing.
        for folder in made {
            let _ = std::fs::remove_dir(folder);
        }
        return Err(error);
    }
    let shown = folder.canonicalize().unwrap_or_else(|_| folder.clone());
    let (folder, built) = (
        shell_word(&folder.strip_prefix(".").unwrap_or(&folder).display().to_string()),
        scaffold::built(name),
    );
    outln!(
        "{name} is written to {}\n\nnext:\n  cd {folder}\n  cargo test\n  rustup target add wasm32-unknown-unknown          \
         # once\n  cargo build --release --target wasm32-unknown-unknown\n  passepartout-host skill check \
         target/wasm32-unknown-unknown/release/{built}\n  passepartout-host skill install \
         target/wasm32-unknown-unknown/release/{built}\n\n`cargo doc --open -p passepartout-sdk` shows what a skill \
         can call. `cargo component build --release` makes\nthe component as well; README.md says more",
        shown.display()
    );
    if BUNDLED.iter().any(|own| own.name == name) {
        errln!(
            "note: a bundled skill is called {name}; yours would replace it, and `skill install` asks you about that"
        );
    }
    Ok(Exit::Ok)
}

/// Makes the folder `parent`, and those that it is in, where they are not there. Gives back what it made, innermost first.
fn make(parent: &Path) -> anyhow::Result<Vec<&Path>> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing: Vec<&Path> = parent.ancestors().take_while(is_missing).collect();
    std::fs::create_dir_all(parent).with_context(|| {
        format!(
            "the folder {} can't be made; choose another with --path",
            parent.display()
        )
    })?;
    Ok(missing)
}

/// Makes the skill's folder, which must not be there yet, with all that is in it; or nothing.
fn fill(folder: &Path, name: &str, kind: Kind) -> anyhow::Result<()> {
    match std::fs::create_dir(folder) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => anyhow::bail!(
            "{} is there already, and nothing is overwritten; choose another name, or another folder with --path",
            folder.display()
        ),
        Err(error) => return Err(error).with_context(|| format!("{} can't be made", folder.display())),
    }
    scaffold::write(folder, &scaffold::files(name, kind)).map_err(|error| {
        // Half a crate helps nobody. The folder is ours: it was made above.
        let _ = std::fs::remove_dir_all(folder);
        anyhow::Error::from(error).context(format!("{} can't be written", folder.display()))
    })
}
