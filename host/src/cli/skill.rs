//! `skill`: what is loaded, what a file is, and what the operator lets it do. Grants and trust are changed here, in a
//! file that only its owner can write, and never over the wire.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::link::Link;
use super::{Exit, client_runtime, config, show};
use crate::capability::SecretSet;
use crate::config::Config;
use crate::daemon;
use crate::plist;
use crate::protocol::ClientError;
use crate::sexp::{Digest, Form, kw, visible};
use crate::skill::{Entry, Inspection, LoadFault, Pin, Right, Workshop, grants, is_name, read_whole};

/// Skills: what is loaded, what they may do.
#[derive(clap::Subcommand, Debug)]
pub(super) enum Skill {
    /// What is loaded, what is not, and why
    List(ListArgs),
    /// What a file is: exports, imports, size, digest, and the rights it would need
    Inspect(InspectArgs),
    /// Let a skill have a right
    Grant(GrantArgs),
    /// Let a file replace the bundled or required skill of its name
    Trust(TrustArgs),
}

/// What `skill list` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  passepartout-host skill list --json")]
pub(super) struct ListArgs {
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

/// What `skill inspect` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host skill inspect greeter.wasm
  passepartout-host skill inspect policy         a bundled skill, by its name")]
pub(super) struct InspectArgs {
    /// A component file, or the name of a bundled skill
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `skill grant` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host skill grant greeter process            the file that lies in the skills folder now, and no other
  passepartout-host skill grant greeter process --follow   whatever bears the name; for development

  passepartout-host skill grant greeter files:read:workspace http:api.example.org

Rights: process, contains-secret, revise, recover, heartbeat, target:NAME, target:NAME/ACTION, tool:NAME,
and how far capabilities reach:
  files:read:DIR, files:write:DIR   files in DIR: an absolute path, `workspace`, or a folder below it
  http:HOST, http:HOST:PORT         https to a host; without a port, the usual one
  http:*.DOMAIN                     https to the hosts below a domain; http:* is any public host
  http-private:HOST:PORT            a host of this machine or a private network, also without encryption
  memory:read, memory:write         memory objects
  model                             asking the model
  vault:NAME                        using a secret of the vault, without seeing it
  schedule                          doing things later

A running daemon reads grants when it is started again.")]
pub(super) struct GrantArgs {
    /// The skill's name, or its file
    skill: PathBuf,
    /// The rights
    #[arg(required = true)]
    rights: Vec<Right>,
    /// Let the grant follow the name instead of this one file
    #[arg(long)]
    follow: bool,
}

/// What `skill trust` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Example:
  passepartout-host skill trust ~/skills/dispatcher.wasm

The file is trusted by its digest: another file of the name is not.")]
pub(super) struct TrustArgs {
    /// The component file
    file: PathBuf,
}

pub(super) fn skill(command: &Skill) -> anyhow::Result<Exit> {
    match command {
        Skill::List(args) => list(args),
        Skill::Inspect(args) => inspect(args),
        Skill::Grant(args) => grant(args),
        Skill::Trust(args) => trust(args),
    }
}

fn list(args: &ListArgs) -> anyhow::Result<Exit> {
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
            let set = daemon::skills_now(&config, daemon::secrets(&config))?;
            set.statuses().iter().map(crate::skill::SkillStatus::json).collect()
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

fn inspect(args: &InspectArgs) -> anyhow::Result<Exit> {
    let (config, _) = config(None)?;
    let (name, _, inspection) = look_at(&config, &args.file)?;
    if args.json {
        outln!("{}", inspection.json());
    } else {
        outln!("{}", visible(&inspection.to_string()));
    }
    if let Some(own) = other_name(&name, &inspection) {
        errln!(
            "warning: the file is called `{name}`, but the skill in it says that its name is `{own}`; it will not be loaded"
        );
    }
    Ok(Exit::Ok)
}

fn grant(args: &GrantArgs) -> anyhow::Result<Exit> {
    let (config, _) = config(None)?;
    let path = in_folder(&config, &args.skill);
    let (name, pin) = if args.follow {
        (stem(&args.skill)?, Pin::Follow)
    } else {
        let (name, digest, inspection) = look_at(&config, &path)?;
        same_name(&name, &inspection)?;
        (name, Pin::Digest(digest))
    };
    if !is_name(&name) {
        return Err(LoadFault::BadStem(visible(&name)).into());
    }
    crate::audit::create_private_dir(&config.home.config)?;
    for right in &args.rights {
        let entry = Entry::Grant {
            skill: name.clone(),
            pin: pin.clone(),
            right: right.clone(),
        };
        grants::add(&daemon::grants_path(&config), &entry)?;
    }
    let rights: Vec<String> = args.rights.iter().map(Right::to_string).collect();
    let which = match pin {
        Pin::Follow => "whatever file bears the name".to_owned(),
        Pin::Digest(digest) => format!("the file with digest {}", digest.short()),
    };
    outln!("{name} may now: {} ({which})", rights.join(", "));
    hint_restart();
    Ok(Exit::Ok)
}

fn trust(args: &TrustArgs) -> anyhow::Result<Exit> {
    let (config, _) = config(None)?;
    let (name, digest, inspection) = look_at(&config, &in_folder(&config, &args.file))?;
    same_name(&name, &inspection)?;
    crate::audit::create_private_dir(&config.home.config)?;
    grants::add(
        &daemon::grants_path(&config),
        &Entry::Trust {
            skill: name.clone(),
            digest,
        },
    )?;
    outln!(
        "the file with digest {} may now replace the skill {name}",
        digest.short()
    );
    hint_restart();
    Ok(Exit::Ok)
}

fn hint_restart() {
    outln!("a running daemon takes this up when it is started again");
}

/// A bare name means the file of that name in the skills folder, if there is one.
fn in_folder(config: &Config, skill: &Path) -> PathBuf {
    let inside = config.home.skills.join(skill).with_extension("wasm");
    if skill.exists() || !inside.exists() {
        skill.to_owned()
    } else {
        inside
    }
}

fn stem(path: &Path) -> anyhow::Result<String> {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    stem.map(str::to_owned)
        .with_context(|| format!("{} has no name of a skill", path.display()))
}

/// The name, digest and inspection of a file, or of a bundled skill.
fn look_at(config: &Config, path: &Path) -> anyhow::Result<(String, Digest, Inspection)> {
    let name = stem(path)?;
    let settings = std::sync::Arc::new(config.settings.clone());
    let workshop = Workshop::new(
        config.skills.clone(),
        config.gates.required.clone(),
        settings,
        SecretSet::default(),
    )?;
    let bundled = crate::skill::BUNDLED
        .iter()
        .find(|own| !path.exists() && path.as_os_str() == own.name);
    let bytes = match bundled {
        Some(own) => own.wasm.to_vec(),
        None => read_whole(path, workshop.limits_of(&name).file).with_context(|| path.display().to_string())?,
    };
    let inspection = workshop
        .inspect(&name, &bytes)
        .with_context(|| path.display().to_string())?;
    Ok((name, inspection.anatomy.digest, inspection))
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
