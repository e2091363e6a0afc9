//! `completions`: a script that completes this command line in a shell. The script asks this program, started with
//! [`VARIABLE`] in its environment, for what fits: it knows the commands, and the names of skills, rights, plans and keys.
//! That speaks to no daemon, compiles nothing, and changes nothing.

mod bash;
mod names;

use clap::CommandFactory;
use clap_complete::CompleteEnv;
use clap_complete::env::{Elvish, EnvCompleter, Fish, Powershell, Shells, Zsh};

pub(super) use names::{
    component, decision, granted, key, plan, provider, right, right_of, scheduled, secret, session, skill,
    skill_or_file, skill_with_file, standing,
};

use super::Exit;

/// What `completions` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  mkdir -p ~/.local/share/bash-completion/completions
  passepartout-host completions bash > ~/.local/share/bash-completion/completions/passepartout-host
      for bash, which reads it when it is needed
  echo 'source <(passepartout-host completions zsh)' >> ~/.zshrc
      for zsh, on a line behind `compinit`
  mkdir -p ~/.config/fish/completions
  passepartout-host completions fish > ~/.config/fish/completions/passepartout-host.fish
      for fish

A shell that is started afterwards completes. The script asks the `passepartout-host` on your PATH for what fits, names of skills and plans included. \
Write a file again after an update.")]
pub(super) struct Args {
    /// The shell
    shell: clap_complete::Shell,
}

/// What the program is called.
const NAME: &str = "passepartout-host";

/// The variable that says for which shell something is to be completed.
const VARIABLE: &str = "PASSEPARTOUT_COMPLETE";

const SHELLS: Shells<'static> = Shells(&[&bash::Bash, &Elvish, &Fish, &Powershell, &Zsh]);

pub(super) fn print(args: &Args) -> anyhow::Result<Exit> {
    use std::io::Write;
    let mut script = Vec::new();
    let shell: &dyn EnvCompleter = match args.shell {
        clap_complete::Shell::Bash => &bash::Bash,
        clap_complete::Shell::Elvish => &Elvish,
        clap_complete::Shell::Fish => &Fish,
        clap_complete::Shell::PowerShell => &Powershell,
        clap_complete::Shell::Zsh => &Zsh,
        other => anyhow::bail!("there is no script for {other}"),
    };
    shell.write_registration(VARIABLE, NAME, NAME, NAME, &mut script)?;
    std::io::stdout().write_all(&script)?;
    Ok(Exit::Ok)
}

/// Says what completes a line, and ends, if a completion script asks for it. Must be called before any thread is started.
pub(super) fn answer_if_asked() {
    CompleteEnv::with_factory(super::Cli::command)
        .var(VARIABLE)
        .shells(SHELLS)
        .complete();
}
