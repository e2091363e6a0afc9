//! `skill inspect`: what a file is, before anything of it is loaded.

use std::path::PathBuf;

use anyhow::Context;

use super::{in_folder, other_name, read_at};
use crate::cli::completions::skill_or_file;
use crate::cli::{Exit, config, output};
use crate::daemon;
use crate::sexp::{visible, visible_line};
use crate::skill::{BUNDLED, Grants, Outside, Source};

/// What `skill inspect` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host skill inspect target/wasm32-unknown-unknown/release/greeter.wasm
  passepartout-host skill inspect greeter
      the file that lies in the skills folder
  passepartout-host skill inspect policy
      a bundled skill, unless a file of its name lies there

It says too which of the rights that it asks for are granted, and the command that grants the others.

Exit code 0: it said what it is. 1: it is no skill, or could not say it; what can be read off the file is shown.")]
pub(in crate::cli) struct Args {
    /// A component file, or a skill's name
    #[arg(add = skill_or_file())]
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn inspect(args: &Args) -> anyhow::Result<Exit> {
    let (config, _) = config(None)?;
    let path = in_folder(&config, &args.file)?;
    let (name, bytes, inspection) = read_at(&config, &path)?;
    let inspection = match inspection {
        Ok(inspection) => inspection,
        Err(fault) => {
            show_outside(&Outside::of(&bytes), &fault.to_string(), args.json);
            return Err(fault).with_context(|| path.display().to_string());
        }
    };
    let grants = Grants::load(&daemon::grants_path(&config)).unwrap_or_else(|error| {
        errln!("nothing is granted: {error}");
        Grants::default()
    });
    let is_bundled = BUNDLED.iter().any(|own| path.as_os_str() == own.name);
    let is_installed = is_bundled || path.parent() == Some(config.home.skills.as_path());
    let source = if is_bundled {
        Source::Bundled
    } else {
        Source::File(path.clone())
    };
    let called = if is_installed {
        name.clone()
    } else {
        path.display().to_string()
    };
    let inspection = inspection.beside(&name, &source, &called, &grants);
    if args.json {
        output::json(&inspection.json());
    } else {
        outln!("{}", visible(&inspection.to_string()));
    }
    if let Some(own) = other_name(&name, &inspection) {
        errln!(
            "warning: the file is called `{}`, but the skill in it says that its name is `{own}`; it will not be loaded",
            visible_line(&name)
        );
    }
    Ok(match inspection.description {
        Ok(_) => Exit::Ok,
        Err(_) => Exit::Error,
    })
}

/// Shows what can be read off a file that is no skill; `fault` says why it is none.
fn show_outside(outside: &Outside, fault: &str, as_json: bool) {
    if as_json {
        let mut value = outside.json();
        value["problem"] = fault.into();
        output::json(&value);
    } else {
        outln!("{}", visible(&outside.to_string()));
    }
}
