//! `vault`: the operator's secrets. They are changed here, on the machine, and never over the wire. A value comes from
//! standard input or is typed unseen, never from an argument, which other programs and the shell's history could show;
//! and it is never printed.

use std::io::{ErrorKind, IsTerminal, Read};

use anyhow::Context;
use serde_json::json;
use zeroize::Zeroizing;

use super::completions::secret;
use super::{Exit, config, hidden, output};
use crate::config::{Config, Variables};
use crate::daemon;
use crate::vault::{Entry, Host, Reach, SecretName, Value, VaultError};

/// Most that is read of standard input, in bytes: more than any value has.
const MOST: u64 = 1 << 20;

/// The vault: secrets that skills and providers use without seeing them.
#[derive(clap::Subcommand, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host vault set github --host api.github.com
  passepartout-host vault list
  passepartout-host vault remove github")]
pub(super) enum Vault {
    /// Set a secret; the value comes from standard input, or is typed unseen
    Set(SetArgs),
    /// The names of the secrets, where they may be sent, and when they were set
    List(ListArgs),
    /// Remove a secret
    Remove(RemoveArgs),
}

/// What `vault set` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host vault set OPENAI_API_KEY
      asks for the value, and does not show it
  passepartout-host vault set github --host api.github.com < token
      from a file; one line break at its end goes
  pass show github | passepartout-host vault set github

Without --host no skill may send a secret anywhere: it can be a provider's key, sign messages, and is recognised wherever \
it turns up. Setting one again without --host keeps the hosts it had; with --host those that are named now take \
the place of all it had, so name each again that is to stay. \
Values of fewer than 8 characters are not recognised in what the agent says and does.")]
pub(super) struct SetArgs {
    /// The secret's name: letters, digits, `_`, `-` and `.`
    name: SecretName,
    /// A host that skills may send it to, such as api.github.com; can be given several times. Together they replace those
    /// that it had
    #[arg(long, value_name = "HOST")]
    host: Vec<Host>,
}

/// What `vault list` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  passepartout-host vault list --json")]
pub(super) struct ListArgs {
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

/// What `vault remove` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Example:
  passepartout-host vault remove github

What was removed is no longer recognised where it turns up: make it worthless first, where it came from.")]
pub(super) struct RemoveArgs {
    /// The secret's name
    #[arg(add = secret())]
    name: SecretName,
}

pub(super) fn vault(command: &Vault) -> anyhow::Result<Exit> {
    match command {
        Vault::Set(args) => set(args),
        Vault::List(args) => list(args),
        Vault::Remove(args) => remove(args),
    }
}

fn set(args: &SetArgs) -> anyhow::Result<Exit> {
    let (mut config, variables) = config(None)?;
    let value = Value::new(&typed(&args.name)?)?;
    let store = daemon::vault_store(&config);
    let recognised = value.is_recognised();
    let reach = store.set(args.name.clone(), value, args.host.clone())?;
    outln!("{} is set; {}", args.name, told(&reach));
    if !recognised {
        errln!(
            "warning: the value has fewer than 8 characters; it is not recognised in what the agent says and does, and \
             can be guessed"
        );
    }
    // Faults of the configuration are told where it is used.
    let _ = daemon::complete_providers(&mut config, &variables);
    hint_key(&config, &args.name, &variables);
    Ok(Exit::Ok)
}

fn list(args: &ListArgs) -> anyhow::Result<Exit> {
    let (config, _) = config(None)?;
    let contents = daemon::vault_store(&config).load()?;
    let when = |entry: &Entry| humantime::format_rfc3339_seconds(entry.set).to_string();
    if args.json {
        let secrets: Vec<serde_json::Value> = contents
            .entries()
            .map(|entry| {
                let hosts: Vec<&str> = entry.hosts.iter().map(Host::as_str).collect();
                json!({ "name": entry.name.as_str(), "hosts": hosts, "set": when(entry) })
            })
            .collect();
        output::json(&serde_json::Value::Array(secrets));
        return Ok(Exit::Ok);
    }
    if contents.entries().len() == 0 {
        outln!("the vault is empty; `passepartout-host vault set NAME` puts a secret into it");
        return Ok(Exit::Ok);
    }
    outln!("{:<24} {:<21} MAY BE SENT TO", "NAME", "SET");
    for entry in contents.entries() {
        let hosts = match entry.hosts.as_slice() {
            [] => "nowhere".to_owned(),
            hosts => listed(hosts),
        };
        // As a text, which can be made as wide as its column; the type itself can't.
        outln!("{:<24} {:<21} {hosts}", entry.name.as_str(), when(entry));
    }
    Ok(Exit::Ok)
}

fn remove(args: &RemoveArgs) -> anyhow::Result<Exit> {
    let (mut config, variables) = config(None)?;
    let _ = daemon::complete_providers(&mut config, &variables);
    daemon::vault_store(&config).remove(args.name.as_str())?;
    outln!("{} is removed", args.name);
    hint_key(&config, &args.name, &variables);
    Ok(Exit::Ok)
}

/// The value, from standard input: whole where it is a file or a pipe, one unseen line where it is a terminal.
fn typed(name: &SecretName) -> anyhow::Result<Zeroizing<Vec<u8>>> {
    let input = std::io::stdin();
    if input.is_terminal() {
        let line = hidden::line(&format!("the value of {name} (it is not shown): "));
        return line.map_err(|error| match error.kind() {
            // It was broken off.
            ErrorKind::Interrupted => error.into(),
            _ => anyhow::Error::from(error).context("the terminal"),
        });
    }
    let mut bytes = Zeroizing::new(Vec::with_capacity(128 << 10));
    input
        .lock()
        .take(MOST)
        .read_to_end(&mut bytes)
        .context("standard input can't be read")?;
    if bytes.is_empty() {
        return Err(VaultError::BadValue("is empty; give it on standard input, or type it when asked").into());
    }
    Ok(bytes)
}

/// Says where a provider's key changes with it.
fn hint_key(config: &Config, name: &SecretName, variables: &Variables) {
    let mut users = config.model.providers.iter().filter(|(_, own)| {
        let named = |own: &Option<String>| {
            own.as_deref()
                .is_some_and(|own| own.eq_ignore_ascii_case(name.as_str()))
        };
        named(&own.key_secret) || (own.key_secret.is_none() && named(&own.key_variable))
    });
    let Some((provider, own)) = users.next() else { return };
    let is_set = |variable: &&String| variables.get(*variable).is_some_and(|value| !value.trim().is_empty());
    if let Some(variable) = own
        .key_variable
        .as_ref()
        .filter(|_| own.key_secret.is_none())
        .filter(is_set)
    {
        outln!(
            "nothing changes for {provider}: its key is {variable} as config/env or the environment sets it, which goes \
             before the vault; take it out there to have the vault's used"
        );
    } else {
        outln!("it is the key of {provider}; a running daemon takes that up within moments");
    }
}

/// Where a secret may be sent now, and where it could be before, if that was elsewhere.
fn told(reach: &Reach) -> String {
    let now = match reach.now.as_slice() {
        [] => "no skill may send it anywhere".to_owned(),
        hosts => format!("it may be sent to {}", listed(hosts)),
    };
    match &reach.before {
        Some(before) if *before != reach.now => match before.as_slice() {
            [] => format!("{now}; before, none might"),
            hosts => format!("{now}; before that was {}", listed(hosts)),
        },
        Some(_) | None => now,
    }
}

fn listed(hosts: &[Host]) -> String {
    hosts.iter().map(Host::as_str).collect::<Vec<_>>().join(", ")
}
