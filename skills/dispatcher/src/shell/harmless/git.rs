//! git(1): what only looks at the repository. Its configuration can name programs, so that is protected; what a command
//! line can name is not let by. Sources: the manuals of git 2.43.

use super::arguments::unknown;
use super::expand::Argument;
use super::paths::shown;
use super::state::{Output, State};
use super::{Doubt, Proof, Prover, UNKNOWN};
use crate::path::Access;

/// A command, its options without or with a value behind `=`, and its short options with one. `*` stands for the
/// options that show changes.
struct Looks {
    name: &'static str,
    options: &'static [&'static str],
    values: &'static [&'static str],
    /// Operands are data; else there must be none.
    operands: bool,
}

/// Options of git-diff(1) and git-log(1) that change what is shown and nothing else.
const SHOWING: &[&str] = &[
    "--abbrev",
    "--abbrev-commit",
    "--after",
    "--all",
    "--author",
    "--before",
    "--branches",
    "--cached",
    "--cc",
    "--check",
    "--color",
    "--color-words",
    "--date",
    "--date-order",
    "--decorate",
    "--diff-filter",
    "--exit-code",
    "--find-renames",
    "--first-parent",
    "--follow",
    "--format",
    "--full-history",
    "--full-index",
    "--function-context",
    "--graph",
    "--grep",
    "--histogram",
    "--ignore-all-space",
    "--ignore-blank-lines",
    "--ignore-space-change",
    "--max-count",
    "--merge-base",
    "--merges",
    "--minimal",
    "--name-only",
    "--name-status",
    "--no-color",
    "--no-decorate",
    "--no-ext-diff",
    "--no-merges",
    "--no-patch",
    "--no-pager",
    "--no-renames",
    "--no-textconv",
    "--not",
    "--numstat",
    "--oneline",
    "--patch",
    "--patience",
    "--pretty",
    "--quiet",
    "--raw",
    "--relative",
    "--relative-date",
    "--remotes",
    "--reverse",
    "--shortstat",
    "--show-signature",
    "--since",
    "--skip",
    "--staged",
    "--stat",
    "--summary",
    "--tags",
    "--topo-order",
    "--unified",
    "--until",
    "--word-diff",
    "-M",
    "-R",
    "-b",
    "-c",
    "-i",
    "-m",
    "-p",
    "-q",
    "-s",
    "-u",
    "-w",
    "-z",
];

const COMMANDS: &[Looks] = &[
    Looks {
        name: "blame",
        options: &["-w", "-M", "-C", "-e", "-s", "--porcelain", "--date"],
        values: &["-L"],
        operands: true,
    },
    Looks {
        name: "branch",
        options: &[
            "-a",
            "-r",
            "-v",
            "-vv",
            "--all",
            "--remotes",
            "--list",
            "--show-current",
            "--verbose",
            "--no-color",
            "--sort",
            "--format",
        ],
        values: &[],
        operands: false,
    },
    Looks {
        name: "cat-file",
        options: &["-t", "-s", "-e", "-p"],
        values: &[],
        operands: true,
    },
    Looks {
        name: "check-ignore",
        options: &["-v", "-q", "-n"],
        values: &[],
        operands: true,
    },
    Looks {
        name: "count-objects",
        options: &["-v", "-H"],
        values: &[],
        operands: false,
    },
    Looks {
        name: "describe",
        options: &["--all", "--tags", "--long", "--always", "--dirty", "--abbrev"],
        values: &[],
        operands: true,
    },
    Looks {
        name: "diff",
        options: SHOWING,
        values: &["-U", "-G", "-S"],
        operands: true,
    },
    Looks {
        name: "for-each-ref",
        options: &["--count", "--sort", "--format", "--points-at"],
        values: &[],
        operands: true,
    },
    Looks {
        name: "grep",
        options: &[
            "-n",
            "-i",
            "-l",
            "-L",
            "-c",
            "-w",
            "-v",
            "-h",
            "-H",
            "-E",
            "-F",
            "-P",
            "-G",
            "-q",
            "-I",
            "--cached",
            "--untracked",
            "--line-number",
            "--ignore-case",
            "--files-with-matches",
            "--count",
            "--name-only",
            "--heading",
            "--break",
            "--all-match",
            "--and",
            "--or",
            "--not",
        ],
        values: &["-e", "-A", "-B", "-C"],
        operands: true,
    },
    Looks {
        name: "log",
        options: SHOWING,
        values: &["-n", "-S", "-G", "-L", "-U"],
        operands: true,
    },
    Looks {
        name: "ls-files",
        options: &[
            "-c",
            "-d",
            "-m",
            "-o",
            "-s",
            "-t",
            "-u",
            "-z",
            "--cached",
            "--deleted",
            "--modified",
            "--others",
            "--stage",
            "--exclude-standard",
            "--full-name",
            "--ignored",
        ],
        values: &[],
        operands: true,
    },
    Looks {
        name: "ls-tree",
        options: &["-r", "-d", "-t", "-l", "-z", "--name-only", "--full-tree"],
        values: &[],
        operands: true,
    },
    Looks {
        name: "merge-base",
        options: &["--all", "--is-ancestor"],
        values: &[],
        operands: true,
    },
    Looks {
        name: "name-rev",
        options: &["--tags", "--name-only"],
        values: &[],
        operands: true,
    },
    Looks {
        name: "reflog",
        options: SHOWING,
        values: &["-n"],
        operands: false,
    },
    Looks {
        name: "rev-list",
        options: SHOWING,
        values: &["-n"],
        operands: true,
    },
    Looks {
        name: "rev-parse",
        options: &[
            "--abbrev-ref",
            "--short",
            "--show-toplevel",
            "--git-dir",
            "--show-prefix",
            "--is-inside-work-tree",
            "--verify",
            "--quiet",
            "-q",
            "--symbolic-full-name",
        ],
        values: &[],
        operands: true,
    },
    Looks {
        name: "shortlog",
        options: &[
            "-s",
            "-n",
            "-e",
            "--summary",
            "--numbered",
            "--email",
            "--all",
            "--no-merges",
        ],
        values: &[],
        operands: true,
    },
    Looks {
        name: "show",
        options: SHOWING,
        values: &["-U"],
        operands: true,
    },
    Looks {
        name: "show-ref",
        options: &["--heads", "--tags", "-s", "--hash", "-q"],
        values: &[],
        operands: true,
    },
    Looks {
        name: "status",
        options: &[
            "-s",
            "-b",
            "-v",
            "-z",
            "-sb",
            "--short",
            "--branch",
            "--porcelain",
            "--long",
            "--ignored",
            "--untracked-files",
            "-uno",
            "-uall",
            "-unormal",
        ],
        values: &[],
        operands: true,
    },
    Looks {
        name: "version",
        options: &["--build-options"],
        values: &[],
        operands: false,
    },
    Looks {
        name: "whatchanged",
        options: SHOWING,
        values: &["-n"],
        operands: true,
    },
];

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
        let lists = matches!(
            (
                name,
                rest.clone()
                    .map(|word| word.text.as_str())
                    .collect::<Vec<_>>()
                    .as_slice()
            ),
            ("stash", ["list"])
                | ("remote", [] | ["-v"])
                | ("tag", [] | ["-l" | "--list"])
                | ("worktree", ["list"])
                | ("submodule", ["status"])
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
        let mut options = true;
        let mut paths = Vec::new();
        while let Some(argument) = rest.next() {
            let text = argument.text.as_str();
            if argument.splits || text.starts_with(UNKNOWN) {
                return Err(Doubt::new("what git is given is only told by running", shown(text)));
            }
            if options && text == "--" {
                options = false;
            } else if options && text.starts_with('-') && text.len() > 1 {
                let option = text.split('=').next().unwrap_or_default();
                if command.options.contains(&option) {
                    continue;
                }
                if let Some(own) = command.values.iter().find(|own| option.starts_with(**own)) {
                    if option.len() == own.len() {
                        rest.next();
                    }
                } else if !(text[1..].bytes().all(|byte| byte.is_ascii_digit()) && command.options == SHOWING) {
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
        // What names a revision names no file outside. `git diff a b` compares files anywhere.
        for path in paths {
            let text = path.text.as_str();
            if text.starts_with(['/', '~']) || text.split('/').any(|part| part == "..") {
                self.file(path, Access::Read, state)?;
            }
            // `HEAD:.env` is a file of the past.
            let file = text.rsplit(':').next().unwrap_or_default();
            if !file.is_empty() && !text.contains(UNKNOWN) {
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
