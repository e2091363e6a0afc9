//! `skill revoke`: takes back what was granted, and trust.

use std::path::PathBuf;

use super::{hint_live, name_of};
use crate::cli::{Exit, config};
use crate::daemon;
use crate::sexp::visible;
use crate::skill::{Entry, Grants, Right, grants};

/// What `skill revoke` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host skill revoke running-total             every right, and trust
  passepartout-host skill revoke running-total process     this one right

What the bundled skills come with can't be taken back here.")]
pub(in crate::cli) struct Args {
    /// The skill's name, or its file
    skill: PathBuf,
    /// The rights; all of them, and trust, if none is named
    rights: Vec<Right>,
}

pub(super) fn revoke(args: &Args) -> anyhow::Result<Exit> {
    let (config, _) = config(None)?;
    let path = daemon::grants_path(&config);
    let name = name_of(&args.skill)?;
    let is_its = |entry: &Entry| match entry {
        Entry::Grant { skill, .. } | Entry::Trust { skill, .. } => *skill == name,
    };
    let is_meant = |entry: &Entry| match entry {
        Entry::Grant { right, .. } => args.rights.is_empty() || args.rights.contains(right),
        Entry::Trust { .. } => args.rights.is_empty(),
    };
    let has: Vec<String> = Grants::load(&path)?
        .entries()
        .iter()
        .filter(|entry| is_its(entry))
        .map(told)
        .collect();
    let gone = grants::remove(&path, |entry| is_its(entry) && is_meant(entry))?;
    if gone == 0 {
        let has = if has.is_empty() {
            "nothing".to_owned()
        } else {
            has.join(", ")
        };
        anyhow::bail!(
            "nothing was taken back: {} has {has}, beside what a bundled skill comes with",
            visible(&name)
        );
    }
    let left: Vec<String> = Grants::load(&path)?
        .entries()
        .iter()
        .filter(|entry| is_its(entry))
        .map(told)
        .collect();
    let left = if left.is_empty() {
        "nothing".to_owned()
    } else {
        left.join(", ")
    };
    outln!("{gone} taken back; {name} now has {left}");
    hint_live();
    Ok(Exit::Ok)
}

/// An entry in a few words.
fn told(entry: &Entry) -> String {
    match entry {
        Entry::Grant { right, .. } => right.to_string(),
        Entry::Trust { .. } => "trust".to_owned(),
    }
}
