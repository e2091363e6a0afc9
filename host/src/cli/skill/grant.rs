//! `skill grant` and `skill trust`: what the operator lets a skill do, and which file may take another's place.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{hint_live, in_folder, look_at, name_of, same_name};
use crate::capability::Bound;
use crate::capability::files::Protected;
use crate::capability::http::Reach;
use crate::cli::completions::{right, skill_or_file};
use crate::cli::{Exit, config};
use crate::config::{Config, shell_word};
use crate::daemon;
use crate::sexp::{Digest, visible_line};
use crate::skill::{BUNDLED, Entry, Grants, Inspection, LoadFault, Pin, Right, comes_with, grants, is_name};

/// What `skill grant` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host skill grant greeter process
      the file that lies in the skills folder now, and no other
  passepartout-host skill grant greeter process --follow
      whatever bears the name; for development
  passepartout-host skill grant greeter files:read:workspace http:example.org
  passepartout-host skill grant files files:read:/home/me/notes
      a bundled one, beside what it comes with

Rights: process, contains-secret, revise, recover, heartbeat, target:NAME, target:NAME/ACTION, tool:NAME, \
and how far capabilities reach:
  files:read:DIR, files:write:DIR   in DIR: absolute, `workspace`, or below it
  http:HOST, http:HOST:PORT         https to a host, at the usual port or PORT
  http:*.DOMAIN                     https to the hosts below a domain
  http:*                            https to any public host
  http-private:HOST:PORT            this machine or a private network; also http
  memory:read, memory:write         memory objects
  model                             asking the model
  vault:NAME                        using a secret of the vault, unseen
  schedule                          doing things later

A running daemon takes it up within a second.")]
pub(in crate::cli) struct GrantArgs {
    /// The skill's name, or its file
    #[arg(add = skill_or_file())]
    skill: PathBuf,
    /// The rights
    #[arg(required = true, add = right())]
    rights: Vec<Right>,
    /// Let the grant follow the name instead of this one file
    #[arg(long)]
    follow: bool,
    /// Let the bundled skill of the name have it, not a file that may stand in for it
    #[arg(long, conflicts_with = "follow")]
    bundled: bool,
}

/// What `skill trust` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Example:
  passepartout-host skill trust ~/skills/dispatcher.wasm

The file is trusted by its digest: another file of the name is not.")]
pub(in crate::cli) struct TrustArgs {
    /// The component file
    #[arg(add = skill_or_file())]
    file: PathBuf,
}

pub(super) fn grant(args: &GrantArgs) -> anyhow::Result<Exit> {
    let (config, _) = config(None)?;
    let name = name_of(&args.skill)?;
    if !is_name(&name) {
        return Err(LoadFault::BadStem(visible_line(&name)).into());
    }
    let mut useless = Vec::new();
    let (pin, own) = if args.follow {
        (Pin::Follow, BTreeSet::new())
    } else {
        let path = if args.bundled {
            let is_bundled = BUNDLED.iter().any(|own| args.skill.as_os_str() == own.name);
            anyhow::ensure!(is_bundled, "no bundled skill is called `{}`", visible_line(&name));
            args.skill.clone()
        } else {
            in_folder(&config, &args.skill)?
        };
        let (_, digest, inspection) = look_at(&config, &path)?;
        same_name(&name, &inspection)?;
        check_meant(&config, args, &path, &digest, &inspection)?;
        let unused = args.rights.iter().filter(|right| !inspection.can_use(right));
        useless.extend(unused.map(Right::to_string));
        let is_bundled = BUNDLED.iter().any(|own| path.as_os_str() == own.name);
        let own = if is_bundled { comes_with(&name) } else { BTreeSet::new() };
        (Pin::Digest(digest), own)
    };
    let mut near = Vec::new();
    for reach in args.rights.iter().filter_map(Right::reach) {
        match reach {
            Reach::Nothing(why) => anyhow::bail!("{why}; nothing was granted"),
            Reach::Near(what) => near.push(what),
        }
    }
    let absent = places(&config, &args.rights)?;
    crate::audit::create_private_dir(&config.home.config)?;
    let (mut added, mut had, mut brought) = (Vec::new(), Vec::new(), Vec::new());
    let wanted = args.rights.iter().filter(|right| !own.contains(right));
    let entries: Vec<Entry> = wanted
        .map(|right| Entry::Grant {
            skill: name.clone(),
            pin: pin.clone(),
            right: right.clone(),
        })
        .collect();
    let mut new = grants::add_all(&daemon::grants_path(&config), &entries)?
        .into_iter()
        .peekable();
    for right in &args.rights {
        let is_it = |entry: &&Entry| matches!(entry, Entry::Grant { right: own, .. } if own == right);
        if own.contains(right) {
            brought.push(right.to_string());
        } else if new.next_if(is_it).is_some() {
            added.push(right.to_string());
        } else {
            had.push(right.to_string());
        }
    }
    let which = match pin {
        Pin::Follow => "whatever file bears the name".to_owned(),
        Pin::Digest(digest) => format!("the file with digest {}", digest.short()),
    };
    for (rights, said) in [(&added, "may now"), (&had, "was granted this before, and keeps it")] {
        if !rights.is_empty() {
            outln!("{name} {said}: {} ({which})", rights.join(", "));
        }
    }
    if !brought.is_empty() {
        outln!("{name} comes with this, without a grant: {}", brought.join(", "));
    }
    if !useless.is_empty() {
        errln!(
            "note: {name} neither imports nor asks for what takes {}, so that this makes no difference to it",
            useless.join(", ")
        );
    }
    for what in near {
        errln!("warning: {what}");
    }
    for place in absent {
        errln!("note: {place} is not there; as long as it isn't, this opens nothing");
    }
    if added.is_empty() {
        outln!("nothing has changed");
    } else {
        hint_live();
    }
    Ok(Exit::Ok)
}

/// The folders of `rights` that are not there.
///
/// # Errors
/// When one of them is closed whatever is granted.
fn places(config: &Config, rights: &[Right]) -> anyhow::Result<Vec<String>> {
    let workspace = &config.home.workspace;
    let bounds = || {
        rights.iter().filter_map(|right| match right {
            Right::Capability(bound) => Some(bound),
            _ => None,
        })
    };
    // Without places of the host's own that can be found out, that is said where files are asked for.
    if let Ok(protected) = Protected::find(&config.home, &config.protected())
        && let Some(why) = bounds().find_map(|bound| protected.why_useless(bound, workspace))
    {
        anyhow::bail!("{why}; nothing was granted");
    }
    let folders = bounds().filter_map(|bound| match bound {
        Bound::FilesRead(folder) | Bound::FilesWrite(folder) => Some(folder.locate(workspace)),
        _ => None,
    });
    // The workspace is made when the daemon starts.
    let absent = folders.filter(|folder| folder != workspace && !folder.exists());
    let absent: BTreeSet<PathBuf> = absent.collect();
    Ok(absent
        .iter()
        .map(|folder| visible_line(&folder.display().to_string()))
        .collect())
}

/// Refuses where a name is given and its file is not what is in use under it: either could be meant.
fn check_meant(
    config: &Config,
    args: &GrantArgs,
    file: &Path,
    digest: &Digest,
    inspection: &Inspection,
) -> anyhow::Result<()> {
    if file == args.skill {
        return Ok(());
    }
    if let Err(why) = &inspection.description {
        anyhow::bail!(
            "{} can't be used as it is ({why}): mend it first, or name it with its path to grant it all the same; nothing was \
             granted",
            file.display()
        );
    }
    let name = args.skill.display().to_string();
    let is_bundled = BUNDLED.iter().any(|own| own.name == name);
    if is_bundled && !Grants::load(&daemon::grants_path(config))?.trusts(&name, digest) {
        let rights: Vec<String> = args.rights.iter().map(|right| shell_word(&right.to_string())).collect();
        let rights = rights.join(" ");
        anyhow::bail!(
            "{} ({}) is not trusted, so that it is not in use; which of the two is meant? The bundled one: \
             passepartout-host skill grant {name} {rights} --bundled; the file: passepartout-host skill grant {} {rights}; \
             nothing was granted",
            file.display(),
            digest.short(),
            shell_word(&file.display().to_string())
        );
    }
    Ok(())
}

pub(super) fn trust(args: &TrustArgs) -> anyhow::Result<Exit> {
    let (config, _) = config(None)?;
    let (name, digest, inspection) = look_at(&config, &in_folder(&config, &args.file)?)?;
    same_name(&name, &inspection)?;
    crate::audit::create_private_dir(&config.home.config)?;
    let trust = Entry::Trust {
        skill: name.clone(),
        digest,
    };
    let which = format!("the file with digest {}", digest.short());
    if !grants::add(&daemon::grants_path(&config), &trust)? {
        outln!("{which} may replace the skill {name} already; nothing has changed");
        return Ok(Exit::Ok);
    }
    outln!("{which} may now replace the skill {name}");
    if !BUNDLED.iter().any(|own| own.name == name) && !config.gates.required.contains(&name) {
        errln!("note: no bundled or required skill is called {name}, so that this makes no difference now");
    }
    hint_live();
    Ok(Exit::Ok)
}
