//! The project's automation: `cargo xtask run`, `cargo xtask test`, `cargo xtask skills`, `cargo xtask bindings`, `cargo
//! xtask bench`.
//!
//! It needs Rust and nothing else to run the daemon, says what it does at each step, and ends with one clear line. It
//! knows how the parts are built and in which order, never what they do.

mod authors;
mod bench;
mod bindings;
mod check;
mod lisps;
mod run;
mod skills;
mod step;
mod tally;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};

/// The project's automation.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Builds everything and starts the daemon; on a terminal, with a chat on it
    #[command(after_help = "\
Examples:
  cargo xtask run                                   talk to it here
  cargo xtask run -- --provider script:answers.txt  options of `passepartout-host run`
  cargo xtask run -- gate check -- rm -rf build     another command of passepartout-host")]
    Run {
        /// Options of `passepartout-host run`, or another of its commands
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
        arguments: Vec<OsString>,
    },
    /// Checks everything: formatting, clippy, skills, all tests
    Test,
    /// Builds the bundled skills into skills/target/bundled
    Skills,
    /// Measures an optimised build, and prints the figures beside the goals
    #[command(after_help = "\
Examples:
  cargo xtask bench          everything, some minutes
  cargo xtask bench daemon   start, memory, and files dropped into a running daemon")]
    Bench {
        /// Only these: daemon, gates, skills
        names: Vec<String>,
    },
    /// Writes the SDK's bindings anew from wit/
    Bindings,
}

fn main() -> ExitCode {
    let arguments = Arguments::try_parse().unwrap_or_else(|error| {
        if error.kind() != ErrorKind::InvalidSubcommand {
            error.exit();
        }
        // A slip of two letters in so short a word is too much for clap's own guess.
        let tasks: Vec<String> = Arguments::command()
            .get_subcommands()
            .map(|task| task.get_name().to_owned())
            .collect();
        eprint!("{error}");
        eprintln!("\nThere are {}.", tasks.join(", "));
        std::process::exit(error.exit_code());
    });
    match perform(arguments.task) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn perform(task: Task) -> Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .context("the crate xtask stands in no workspace")?;
    match task {
        Task::Run { arguments } => Err(run::run(root, &arguments)?.into()),
        Task::Bench { names } => bench::bench(root, &names).map(|()| ExitCode::SUCCESS),
        Task::Test => check::check(root),
        Task::Skills => {
            for component in skills::build_skills(root)? {
                let bytes = std::fs::metadata(&component)
                    .with_context(|| format!("cannot read {}", component.display()))?
                    .len();
                println!("{} ({bytes} bytes)", component.display());
            }
            Ok(ExitCode::SUCCESS)
        }
        Task::Bindings => {
            let written = bindings::write(root)?;
            let what = if written { "written anew" } else { "up to date" };
            println!("sdk/src/bindings.rs is {what}");
            Ok(ExitCode::SUCCESS)
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    #[test]
    fn what_follows_run_reaches_the_host_untouched() {
        let parsed = |line: &str| match Arguments::try_parse_from(line.split(' ')).unwrap().task {
            Task::Run { arguments } => arguments,
            Task::Test | Task::Skills | Task::Bindings | Task::Bench { .. } => unreachable!("{line}"),
        };
        assert!(parsed("xtask run").is_empty());
        assert_eq!(parsed("xtask run -- --provider offline"), ["--provider", "offline"]);
        assert_eq!(parsed("xtask run --provider offline"), ["--provider", "offline"]);
        assert_eq!(
            parsed("xtask run -- gate check -- rm -rf"),
            ["gate", "check", "--", "rm", "-rf"]
        );
        assert_eq!(
            parsed("xtask run gate check -- rm -rf"),
            ["gate", "check", "--", "rm", "-rf"]
        );
    }
}
