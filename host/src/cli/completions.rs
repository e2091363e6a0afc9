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
    let script = script(args.shell)?;
    use std::io::Write;
    std::io::stdout().write_all(script.as_bytes())?;
    Ok(Exit::Ok)
}

fn script(shell: clap_complete::Shell) -> anyhow::Result<String> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut super::Cli::command(), NAME, &mut script);
    let script = String::from_utf8(script)?;
    // clap_complete 4.6 labels the cases of a program whose name has a hyphen otherwise than it names the commands
    // (clap-rs/clap#6421), so that nothing behind the first word would be completed.
    Ok(match shell {
        clap_complete::Shell::Bash => script.replace("passepartout__subcmd__host", "passepartout__host"),
        _ => script,
    })
}

/// What the program is called.
const NAME: &str = "passepartout-host";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    /// The last words of a line that bash completes, as it would offer them.
    fn offered(line: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("completions");
        std::fs::write(&file, script(clap_complete::Shell::Bash).unwrap()).unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let ask = format!(
            "source {}; COMP_WORDS=({}); COMP_CWORD={}; _passepartout__host {NAME} '{}' '{}'; printf '%s\\n' \
             \"${{COMPREPLY[@]}}\"",
            file.display(),
            words
                .iter()
                .map(|word| format!("'{word}'"))
                .collect::<Vec<_>>()
                .join(" "),
            words.len() - 1,
            words[words.len() - 1],
            words[words.len() - 2],
        );
        let ran = std::process::Command::new("bash").args(["-c", &ask]).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        said.lines().map(str::to_owned).collect()
    }

    #[test]
    fn bash_completes_commands_their_commands_and_the_values_of_options() {
        assert_eq!(offered("passepartout-host stat"), ["status"]);
        assert_eq!(offered("passepartout-host skill insp"), ["inspect"]);
        assert_eq!(offered("passepartout-host skill new x --kind act"), ["actuator"]);
        assert_eq!(offered("passepartout-host approvals revoke --al"), ["--all"]);
    }
}
