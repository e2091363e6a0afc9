//! `skill`: what is loaded, what a file is, and what the operator lets it do; and how a new one begins. Grants and trust are
//! changed here, in a file that only its owner can write, and never over the wire. One file a subcommand.

mod check;
mod entries;
mod fell;
mod grant;
mod inspect;
mod install;
mod list;
mod new;
mod remove;
mod revoke;
mod scaffold;
mod unschedule;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;

use super::Exit;
use crate::capability::{SecretSet, process};
use crate::config::{Config, shell_word};
use crate::sexp::{Digest, visible_line};
use crate::skill::{BUNDLED, Inspection, LoadFault, Workshop, files_in, name_of_stem, read_whole};

/// Skills: what is loaded, what they may do, how to write one.
#[derive(clap::Subcommand, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host skill new no-shouting           begin one
  passepartout-host skill install no_shouting.wasm  have it used
  passepartout-host skill list                      is it ready?
  passepartout-host skill inspect no-shouting       what is it?
  passepartout-host skill revoke greeter process    take a right back")]
pub(super) enum Skill {
    /// Write a new skill: a crate that works at once, without a network
    New(new::Args),
    /// Say everything that the loader would say about a file
    Check(check::Args),
    /// Show what a file asks for, and after a yes grant it and copy the file into the skills folder
    Install(install::Args),
    /// Delete a skill's file from the skills folder
    Remove(remove::Args),
    /// What is loaded, what is not, and why
    List(list::Args),
    /// What a file is: exports, imports, size, digest, and the rights it would need
    #[command(alias = "show")]
    Inspect(inspect::Args),
    /// Let a skill have a right
    Grant(grant::GrantArgs),
    /// Take rights and trust back
    Revoke(revoke::Args),
    /// End what a skill has scheduled
    Unschedule(unschedule::Args),
    /// Let a file replace the bundled or required skill of its name
    Trust(grant::TrustArgs),
}

pub(super) fn skill(command: &Skill) -> anyhow::Result<Exit> {
    match command {
        Skill::New(args) => new::new(args),
        Skill::Check(args) => check::check(args),
        Skill::Install(args) => install::install(args),
        Skill::Remove(args) => remove::remove(args),
        Skill::List(args) => list::list(args),
        Skill::Inspect(args) => inspect::inspect(args),
        Skill::Grant(args) => grant::grant(args),
        Skill::Revoke(args) => revoke::revoke(args),
        Skill::Unschedule(args) => unschedule::unschedule(args),
        Skill::Trust(args) => grant::trust(args),
    }
}

fn hint_live() {
    outln!("a running daemon takes this up within a second; `passepartout-host skill list` shows when it has");
}

/// What is named: a file, if it looks like one (a `/` in it, or `.wasm` at its end), else the skill of this name in the skills
/// folder, else a bundled one. A folder that happens to be called like a skill is not meant.
///
/// # Errors
/// When nothing is called so; then it says what there is.
fn in_folder(config: &Config, skill: &Path) -> anyhow::Result<PathBuf> {
    let has_folder = skill.components().count() > 1;
    let is_path = has_folder || skill.extension().is_some_and(|extension| extension == "wasm");
    let inside = config.home.skills.join(skill).with_extension("wasm");
    if has_folder && !inside.exists() || is_path && skill.exists() {
        return Ok(skill.to_owned());
    }
    if inside.exists() || BUNDLED.iter().any(|own| skill.as_os_str() == own.name) {
        return Ok(if inside.exists() { inside } else { skill.to_owned() });
    }
    let bundled: Vec<&str> = BUNDLED.iter().map(|own| own.name).collect();
    let files: Vec<String> = files_in(&config.home.skills).unwrap_or_default();
    let files = match files.as_slice() {
        [] => "there is no skill".to_owned(),
        [only] => format!("there is {}", visible_line(only)),
        several => format!("there are {}", visible_line(&several.join(", "))),
    };
    anyhow::bail!(
        "there is no skill `{}`: in {} {files}, and bundled there are {}; a file elsewhere is named with its path",
        visible_line(&skill.display().to_string()),
        config.home.skills.display(),
        bundled.join(", ")
    )
}

/// The name of the skill that a file is meant to be.
fn name_of(path: &Path) -> anyhow::Result<String> {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    stem.map(name_of_stem)
        .with_context(|| format!("{} has no name of a skill", path.display()))
}

/// Engines and limits as the daemon has them, without secrets.
fn workshop(config: &Config) -> anyhow::Result<Workshop> {
    let settings = Arc::new(config.settings.clone());
    let required = config.gates.required.clone();
    Ok(
        Workshop::new(config.skills.clone(), required, settings, SecretSet::default())?
            .compiling_apart(process::OWN_BINARY.into()),
    )
}

/// A file, if it is not longer than `longest`.
fn read(path: &Path, longest: u64) -> anyhow::Result<Vec<u8>> {
    anyhow::ensure!(!path.is_dir(), "{} is a folder: {}", path.display(), in_crate(path));
    read_whole(path, longest).with_context(|| path.display().to_string())
}

/// What to name instead of the folder `path`: what a build makes of the crate in it, if one is.
fn in_crate(path: &Path) -> String {
    if !path.join("Cargo.toml").is_file() {
        return "name the .wasm file".to_owned();
    }
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = whole.file_name().map(|name| name.to_string_lossy().replace('-', "_"));
    let built = path
        .join("target/wasm32-unknown-unknown/release")
        .join(name.unwrap_or_default())
        .with_extension("wasm");
    format!(
        "build the skill there with `cargo build --release --target wasm32-unknown-unknown`, then name {}",
        shell_word(&built.display().to_string())
    )
}

/// The name, digest and inspection of a file, or of a bundled skill.
fn look_at(config: &Config, path: &Path) -> anyhow::Result<(String, Digest, Inspection)> {
    let (name, _, inspection) = read_at(config, path)?;
    let inspection = inspection.with_context(|| path.display().to_string())?;
    Ok((name, inspection.anatomy.digest, inspection))
}

/// The name of a file, or of a bundled skill, its bytes, and the inspection, or why there is none.
fn read_at(config: &Config, path: &Path) -> anyhow::Result<(String, Vec<u8>, Result<Inspection, LoadFault>)> {
    let name = name_of(path)?;
    let workshop = workshop(config)?;
    let bundled = BUNDLED.iter().find(|own| path.as_os_str() == own.name);
    let bytes = match bundled {
        Some(own) => own.wasm.to_vec(),
        None => read(path, workshop.limits_of(&name).file)?,
    };
    let inspection = workshop.inspect(&name, &bytes);
    Ok((name, bytes, inspection))
}

/// The name that the skill gives itself, where it is another than its file's.
fn other_name<'i>(stem: &str, inspection: &'i Inspection) -> Option<&'i str> {
    let own = inspection.description.as_ref().ok()?.name.as_str();
    (own != stem).then_some(own)
}

/// Refuses a file that would never be loaded under its name.
fn same_name(stem: &str, inspection: &Inspection) -> anyhow::Result<()> {
    match other_name(stem, inspection) {
        None => Ok(()),
        Some(own) => anyhow::bail!(
            "the file is called `{stem}`, but the skill in it says that its name is `{own}`, so it is never loaded; make \
             both the same first"
        ),
    }
}
