//! `completions`: a script that completes this command line in a shell.

use clap::CommandFactory;

use super::Exit;

/// What `completions` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  mkdir -p ~/.local/share/bash-completion/completions
  passepartout-host completions bash > ~/.local/share/bash-completion/completions/passepartout-host
  passepartout-host completions fish > ~/.config/fish/completions/passepartout-host.fish")]
pub(super) struct Args {
    /// The shell
    shell: clap_complete::Shell,
}

pub(super) fn print(args: &Args) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::Cli::command(), "passepartout-host", &mut script);
    use std::io::Write;
    std::io::stdout().write_all(&script)?;
    Ok(Exit::Ok)
}
