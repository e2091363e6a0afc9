//! git(1): what only looks at the repository. Its configuration can name programs, so that is protected; what a command
//! line can name is not let by. Sources: the manuals of git 2.43.

use super::arguments::{looks_like_option, unknown};
use super::expand::{Argument, Kind};
use super::looks::{COMMANDS, SHOWING};
use super::paths::shown;
use super::state::{Output, State};
use super::{Doubt, Proof, Prover};
use crate::path::Access;

impl Prover<'_> {
    pub(super) fn git(&mut self, arguments: &[Argument], state: &State) -> Proof<Output> {
        let mut rest = arguments.iter();
        let name = loop {
            let Some(argument) = rest.next() else {
                return Ok(Output::Unknown);
            };
            match argument.text.as_str() {
                "--no-pager" | "-P" | "--no-optional-locks" | "--literal-pathspecs" => {}
                "--version" | "--help" if rest.len() == 0 => return Ok(Output::Unknown),
                text if text.starts_with('-') => return Err(unknown("git", text)),
                text => break text,
            }
        };
        // The folder it runs in decides which repository, and which configuration, it is about.
        self.file(&Argument::plain("."), Access::Read, state)?;
        // Elsewhere in it there may be another repository, whose configuration came with it.
        if !state.is_at_home() {
            return Err(Doubt::new("git runs in another folder than the workspace's own", "git"));
        }
        let lists = matches!(
            (
                name,
                rest.clone()
                    .map(|word| word.text.as_str())
                    .collect::<Vec<_>>()
                    .as_slice()
            ),
            ("stash", ["list"])
                | ("symbolic-ref", ["HEAD"] | ["--short" | "-q", "HEAD"])
                | ("remote", [])
                | ("tag", [] | ["-l" | "--list"])
                | ("worktree", ["list"])
        );
        if lists {
            return Ok(Output::Unknown);
        }
        let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
            return Err(Doubt::new(
                format!("`git {name}` does more than look, or is not known"),
                shown(name),
            ));
        };
        // `status` and `diff` may look into a module whose own configuration names a program, if .gitmodules says so. It runs
        // in the jail of what nobody was asked about, where it can read what the command itself could, and nothing more.
        let mut options = true;
        let mut paths = Vec::new();
        while let Some(argument) = rest.next() {
            let text = argument.text.as_str();
            let name_of_file = matches!(argument.kind, Kind::Found | Kind::Pattern);
            if !argument.is_known() && !(name_of_file && (!argument.may_be_option() || !options)) {
                return Err(Doubt::new("what git is given is only told by running", shown(text)));
            }
            if options && text == "--" {
                options = false;
            } else if options && text.starts_with('-') && text.len() > 1 {
                let option = text.split('=').next().unwrap_or_default();
                // It asks GnuPG, which makes its folder.
                if asks_gnupg(text) {
                    return Err(unknown(&format!("git {name}"), text));
                }
                if command.options.contains(&option) {
                    continue;
                }
                if let Some(own) = command.values.iter().find(|own| option.starts_with(**own)) {
                    let separate = option.len() == own.len();
                    if separate
                        && rest
                            .next()
                            .is_some_and(|value| value.kind != Kind::One || looks_like_option(&value.text))
                    {
                        return Err(unknown(&format!("git {name}"), text));
                    }
                    continue;
                }
                // `-5`, `-U5`: without a number the latter takes none from behind it.
                let number = text.trim_start_matches("-U").trim_start_matches('-');
                let counts = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
                if !counts || command.options != SHOWING {
                    return Err(unknown(&format!("git {name}"), text));
                }
            } else if !command.operands {
                return Err(Doubt::new(
                    format!("what `git {name}` does with an operand is not known"),
                    shown(text),
                ));
            } else {
                paths.push(argument);
            }
        }
        if let Some(format) = arguments.iter().find(|argument| asks_gnupg(&argument.text)) {
            return Err(unknown(&format!("git {name}"), &format.text));
        }
        // What names a revision names no file outside. `git diff a b` compares files anywhere.
        for path in paths {
            let text = path.text.as_str();
            if text.starts_with(['/', '~']) || text.split('/').any(|part| part == "..") {
                self.file(path, Access::Read, state)?;
            }
            // `HEAD:.env` is a file of the past.
            let file = text.rsplit(':').next().unwrap_or_default();
            if path.kind != Kind::Found && !file.is_empty() {
                self.file(&Argument::plain(file.trim_start_matches('^')), Access::Read, state)?;
            }
        }
        Ok(if name == "ls-files" && arguments.len() == 1 {
            Output::Names
        } else {
            Output::Unknown
        })
    }
}

/// Whether a format has a signature looked at: `%G?`, `%+GK`, `%(signature)`.
fn asks_gnupg(text: &str) -> bool {
    let signs = text
        .split('%')
        .skip(1)
        .any(|rest| rest.trim_start_matches(['+', '-', ' ']).starts_with('G'));
    signs || text.contains("signature")
}
