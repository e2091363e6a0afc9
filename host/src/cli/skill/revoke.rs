//! `skill revoke`: takes back what was granted, and trust.

use std::path::PathBuf;

use super::{fell, hint_live, in_folder, name_of};
use crate::cli::completions::{granted, right_of};
use crate::cli::{Exit, config};
use crate::daemon;
use crate::sexp::{Digest, visible_line};
use crate::skill::{BUNDLED, Entry, Grants, Pin, Right, comes_with, grants};

/// What `skill revoke` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host skill revoke running-total
      every right, and trust
  passepartout-host skill revoke running-total process
      this one right

What the bundled skills come with can't be taken back here.")]
pub(in crate::cli) struct Args {
    /// The skill's name, or its file
    #[arg(add = granted())]
    skill: PathBuf,
    /// The rights; all of them, and trust, if none is named
    #[arg(add = right_of())]
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
    let before = Grants::load(&path)?;
    let its = |entry: &&Entry| is_its(entry);
    let gone = grants::remove(&path, |entry| is_its(entry) && is_meant(entry))?;
    if gone == 0 {
        let is_known = before.of(&name).next().is_some() || BUNDLED.iter().any(|own| own.name == name);
        if !is_known {
            in_folder(&config, &args.skill)?;
        }
        let brought: Vec<String> = comes_with(&name)
            .iter()
            .filter(|right| args.rights.contains(right))
            .map(Right::to_string)
            .collect();
        let never = |right: &&Right| {
            let granted = |entry: &Entry| matches!(entry, Entry::Grant { right: own, .. } if own == *right);
            !comes_with(&name).contains(*right) && !before.entries().iter().filter(its).any(granted)
        };
        let never: Vec<String> = args.rights.iter().filter(never).map(Right::to_string).collect();
        let mut why = String::new();
        if !never.is_empty() {
            why.push_str(&format!("; {} was not granted to it", never.join(", ")));
        }
        if !brought.is_empty() {
            why.push_str(&format!(
                "; it comes with {}, which can't be taken back",
                brought.join(", ")
            ));
        }
        anyhow::bail!(
            "nothing was taken back: {} has {}{why}",
            visible_line(&name),
            has(&name, before.entries().iter().filter(its))
        );
    }
    let taken = told(before.entries().iter().filter(its).filter(|entry| is_meant(entry)));
    let left = has(&name, Grants::load(&path)?.entries().iter().filter(its));
    outln!("taken back: {taken}; {name} now has {left}");
    // Afterwards, so that nothing is kept waiting.
    fell::tell(&config, &fell::fallen(fell::with(&config, &before).as_ref()));
    hint_live();
    Ok(Exit::Ok)
}

/// What the skill `name` has, of which `entries` are the operator's word.
fn has<'e>(name: &str, entries: impl Iterator<Item = &'e Entry>) -> String {
    let told = told(entries);
    if BUNDLED.iter().any(|own| own.name == name) {
        format!("{told} beside what it comes with")
    } else {
        told
    }
}

fn is_bundled(name: &str, digest: &Digest) -> bool {
    let own = BUNDLED.iter().find(|own| own.name == name);
    own.is_some_and(|own| Digest::of_file(own.wasm) == *digest)
}

/// Entries in a few words, each right once, however many builds of the skill have it.
fn told<'e>(entries: impl Iterator<Item = &'e Entry>) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for entry in entries {
        let text = match entry {
            Entry::Grant {
                skill,
                right,
                pin: Pin::Digest(digest),
            } => match is_bundled(skill, digest) {
                true => format!("{right} (the bundled one)"),
                false => right.to_string(),
            },
            Entry::Grant {
                right,
                pin: Pin::Follow,
                ..
            } => format!("{right} (whatever file bears the name)"),
            Entry::Trust { .. } => "trust".to_owned(),
        };
        match counts.iter_mut().find(|(own, _)| *own == text) {
            Some((_, count)) => *count += 1,
            None => counts.push((text, 1)),
        }
    }
    if counts.is_empty() {
        return "nothing".to_owned();
    }
    let told = counts.into_iter().map(|(text, count)| match count {
        1 => text,
        _ => format!("{text} (for {count} files of the name)"),
    });
    told.collect::<Vec<String>>().join(", ")
}
