//! The command line: one file a subcommand, errors that say what to do next, and the exit codes.
//!
//! Everything here speaks to a daemon as any client does, or works on files of the operator's own machine. Grants and
//! configuration are changed here and never over the wire.

#[macro_use]
mod output;

mod approvals;
mod approve;
mod chat;
mod completions;
mod config;
mod confirm;
mod doctor;
mod explain;
mod gate_check;
mod hidden;
mod link;
mod logging;
mod repl;
mod run;
mod send;
mod show;
mod skill;
mod status;
mod time;
mod vault;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::audit::LogError;
use crate::capability::process;
use crate::config::{Config, Home, Variables};
use crate::protocol::ClientError;
use crate::vault::VaultError;

/// What a command ended with. The numbers are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is well.
    Ok = 0,
    /// Something went wrong.
    Error = 1,
    /// A gate refused it.
    Refused = 3,
    /// A person must approve it first.
    Waiting = 4,
    /// No daemon runs.
    NoDaemon = 5,
    /// No provider answered.
    Exhausted = 6,
    /// It took too long.
    Timeout = 7,
    /// A person stopped it with Ctrl-C.
    Interrupted = 130,
}

/// A usage error that clap can't see.
const USAGE: u8 = 2;

/// Something on the command line that can't be meant, and why.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Usage(String);

#[derive(Parser, Debug)]
#[command(name = "passepartout-host", version, about, max_term_width = 100, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  passepartout-host run                         start the daemon, and talk to it
  passepartout-host send 'what can you do?'     say one thing, print the answer
  passepartout-host approve 1a2b3c4d            carry out what waits for you
  passepartout-host gate check -- rm -rf build  what would the gates say?

Everything is kept under PASSEPARTOUT_HOME, or in the XDG folders without it. The record of what was allowed and refused \
is read with `explain`. The daemon's own log is its standard error, or state/daemon.log where it has a chat.

Exit codes: 0 ok, 1 error, 2 usage, 3 refused by a gate, 4 waiting for approval, 5 no daemon, \
6 providers exhausted, 7 time-out, 130 stopped by Ctrl-C.";

#[derive(Subcommand, Debug)]
enum Command {
    /// Start the daemon; on a terminal, open a chat on it
    Run(run::Args),
    /// Talk to the running daemon
    Chat(chat::Args),
    /// Say one thing and print the answer
    Send(send::Args),
    /// Evaluate Lisp in the daemon's REPL skill, past any model
    Repl(repl::Args),
    /// How the daemon is
    Status(status::Args),
    /// What is wrong, and what to do about it
    Doctor(doctor::Args),
    /// Carry out a plan that waits for a person
    Approve(approve::Args),
    /// Refuse a plan that waits for a person
    Deny(approve::DenyArgs),
    /// What you approved once and for all
    #[command(subcommand)]
    Approvals(approvals::Approvals),
    /// Why an action was allowed or refused
    Explain(explain::Args),
    /// Skills: what is loaded, what they may do
    #[command(subcommand)]
    Skill(skill::Skill),
    /// Gates: what they would say
    #[command(subcommand)]
    Gate(Box<gate_check::Gate>),
    /// The vault: secrets that skills and providers use without seeing them
    #[command(subcommand)]
    Vault(vault::Vault),
    /// What can be set in config.toml, what it means, and what is wrong with what is set
    Config(config::Args),
    /// Print a completion script for a shell
    Completions(completions::Args),
    /// Where the log and the record are
    #[command(hide = true, aliases = ["logs", "record"])]
    Log {
        #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
}

/// Runs the command line. Must be called first in `main`, before any thread is started.
pub fn main() -> ExitCode {
    // The shell's jail is this binary, started again, and so is what compiles skills.
    process::enter_if_asked();
    crate::skill::compile_if_asked();
    completions::answer_if_asked();
    let cli = Cli::parse();
    match dispatch(cli.command) {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(error) => {
            // One error is one line: what it quotes of a file, or of a path, can't begin another.
            errln!("error: {}", crate::sexp::visible_line(&output::told(&error)));
            if let Some(advice) = uncreatable(&error) {
                errln!("{advice}");
            }
            if let Some(client) = error.downcast_ref::<ClientError>() {
                let exit = match client {
                    ClientError::NoDaemon { .. } => Exit::NoDaemon,
                    ClientError::Silent { .. } => Exit::Timeout,
                    _ => Exit::Error,
                };
                return ExitCode::from(exit as u8);
            }
            if error.is::<crate::config::HomeError>() || error.is::<Usage>() {
                return ExitCode::from(USAGE);
            }
            ExitCode::from(Exit::Error as u8)
        }
    }
}

fn dispatch(command: Command) -> anyhow::Result<Exit> {
    match command {
        Command::Run(args) => run::run(args),
        Command::Chat(args) => chat::chat(&args),
        Command::Send(args) => send::send(&args),
        Command::Repl(args) => repl::repl(&args),
        Command::Status(args) => status::status(&args),
        Command::Doctor(args) => doctor::doctor(&args),
        Command::Approve(args) => approve::approve(&args),
        Command::Deny(args) => approve::deny(&args),
        Command::Approvals(command) => approvals::approvals(&command),
        Command::Explain(args) => explain::explain(&args),
        Command::Skill(command) => skill::skill(&command),
        Command::Gate(gate) => gate_check::gate(&gate),
        Command::Vault(command) => vault::vault(&command),
        Command::Config(args) => config::print(&args),
        Command::Completions(args) => completions::print(&args),
        Command::Log { words: _ } => Err(Usage(where_the_log_is(home(None)?)).into()),
    }
}

/// For who looks for a command that shows the log, which is no command's.
fn where_the_log_is(home: Home) -> String {
    format!(
        "there is no such command: what was allowed and refused is shown by `passepartout-host explain last`; the daemon's own \
         log is {} where it has a chat, else its standard error",
        home.state.join("daemon.log").display()
    )
}

/// What to do where a folder of ours can't be made: which variable says where it is.
fn uncreatable(error: &anyhow::Error) -> Option<String> {
    let folder = error.chain().find_map(|cause| match cause.downcast_ref() {
        // It stands for what it holds, and is seen in its place.
        Some(VaultError::Write(error)) => error.uncreatable(),
        _ => cause.downcast_ref::<LogError>()?.uncreatable(),
    })?;
    let names = [
        "PASSEPARTOUT_HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "HOME",
    ];
    let set =
        |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty() && folder.starts_with(value));
    let name = names.into_iter().find(set)?;
    Some(format!(
        "{name} says that it is there; set {} to a folder that you can write to",
        if name == "HOME" { "PASSEPARTOUT_HOME" } else { name }
    ))
}

/// The folders of this environment.
fn home(workspace: Option<&PathBuf>) -> Result<Home, crate::config::HomeError> {
    // As every option that names a file: from where the command is run.
    let workspace = workspace.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()));
    Home::find(&|name| std::env::var(name).ok(), workspace.as_deref())
}

/// The configuration of this environment.
fn config(workspace: Option<&PathBuf>) -> Result<(Config, Variables), crate::config::HomeError> {
    let variables: Variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    Ok(Config::load(home(workspace)?, &variables))
}

/// A runtime for a client: one thread is plenty.
fn client_runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}
