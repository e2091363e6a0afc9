//! The programs that run what they are given, and how they are given it. Any name will do for them, however it ends.

/// What is done with the word behind an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behind {
    /// The same as without the option.
    Nothing,
    /// It is run, as the file that it names.
    Script,
    /// It is run, as the module of Python that it names.
    Module,
    /// It says something else, and what is run still comes.
    Value,
    /// It is run itself, or nothing is: no file is.
    Code,
}

/// A program that runs what it is given, or several that are given it in the same way.
#[derive(Debug)]
pub(super) struct Program {
    names: &'static [&'static str],
    /// Whether that may be its first operand. Otherwise there is an option for it, which may stand anywhere.
    pub(super) operand: bool,
    /// What these letters mean, alone or together behind one dash.
    letters: &'static [(&'static str, Behind)],
    /// What whole options mean.
    options: &'static [(&'static str, Behind)],
}

const PROGRAMS: [Program; 15] = [
    Program {
        names: &[
            "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "elvish", "xonsh", "nu",
        ],
        operand: true,
        letters: &[("oO", Behind::Value), ("cn", Behind::Code)],
        options: &[
            ("--rcfile", Behind::Script),
            ("--init-file", Behind::Script),
            ("--command", Behind::Code),
        ],
    },
    Program {
        names: &[".", "source", "include", "sinclude"],
        operand: true,
        letters: &[],
        options: &[],
    },
    Program {
        names: &["python", "pypy"],
        operand: true,
        letters: &[("WX", Behind::Value), ("m", Behind::Module), ("c", Behind::Code)],
        options: &[],
    },
    Program {
        names: &["node", "nodejs", "bun", "deno", "tsx", "ts-node"],
        operand: true,
        letters: &[("r", Behind::Script), ("C", Behind::Value), ("epc", Behind::Code)],
        options: &[
            ("--require", Behind::Script),
            ("--import", Behind::Script),
            ("--loader", Behind::Script),
            ("--experimental-loader", Behind::Script),
            ("--eval", Behind::Code),
            ("--print", Behind::Code),
            ("--check", Behind::Code),
        ],
    },
    Program {
        names: &["php"],
        operand: true,
        letters: &[("f", Behind::Script), ("dc", Behind::Value), ("rl", Behind::Code)],
        options: &[("--file", Behind::Script), ("--run", Behind::Code)],
    },
    Program {
        names: &["pwsh", "powershell", "java"],
        operand: true,
        letters: &[],
        options: &[
            ("-file", Behind::Script),
            ("-f", Behind::Script),
            ("-jar", Behind::Script),
            ("-cp", Behind::Value),
            ("-classpath", Behind::Value),
            ("-executionpolicy", Behind::Value),
            ("-command", Behind::Code),
            ("-c", Behind::Code),
        ],
    },
    Program {
        names: &[
            "perl",
            "ruby",
            "lua",
            "luajit",
            "julia",
            "rscript",
            "tclsh",
            "wish",
            "expect",
            "groovy",
            "guile",
            "racket",
            "raku",
            "escript",
            "elixir",
            "swift",
            "scala",
            "kotlin",
            "ocaml",
            "runghc",
            "crystal",
            "osascript",
        ],
        operand: true,
        letters: &[("Ir", Behind::Value), ("eE", Behind::Code)],
        options: &[("--eval", Behind::Code)],
    },
    Program {
        names: &["awk", "gawk", "mawk", "nawk", "sed", "gsed"],
        operand: false,
        letters: &[("f", Behind::Script)],
        options: &[("--file", Behind::Script)],
    },
    Program {
        names: &["require_relative"],
        operand: true,
        letters: &[],
        options: &[],
    },
    Program {
        names: &["emacs"],
        operand: false,
        letters: &[],
        options: &[
            ("--script", Behind::Script),
            ("-script", Behind::Script),
            ("--load", Behind::Script),
            ("-load", Behind::Script),
            ("-l", Behind::Script),
        ],
    },
    Program {
        names: &["vim", "nvim", "vi", "ex", "gvim"],
        operand: false,
        letters: &[],
        options: &[("-S", Behind::Script), ("-u", Behind::Script), ("--cmd", Behind::Value)],
    },
    Program {
        names: &["psql"],
        operand: false,
        letters: &[("cdhpUv", Behind::Value), ("f", Behind::Script)],
        options: &[("--file", Behind::Script)],
    },
    // Of its own commands that one that runs what it is given.
    Program {
        names: &[GO],
        operand: true,
        letters: &[],
        options: &[
            ("-exec", Behind::Script),
            ("-asmflags", Behind::Value),
            ("-gcflags", Behind::Value),
            ("-ldflags", Behind::Value),
            ("-mod", Behind::Value),
            ("-modfile", Behind::Value),
            ("-overlay", Behind::Value),
            ("-p", Behind::Value),
            ("-tags", Behind::Value),
        ],
    },
    Program {
        names: &["ansible-playbook"],
        operand: true,
        letters: &[("i", Behind::Script), ("elutfM", Behind::Value)],
        options: &[
            ("--inventory", Behind::Script),
            ("--extra-vars", Behind::Value),
            ("--limit", Behind::Value),
            ("--tags", Behind::Value),
            ("--user", Behind::Value),
        ],
    },
    Program {
        names: &MAKES,
        operand: false,
        letters: &[("f", Behind::Script)],
        options: &[("--file", Behind::Script), ("--makefile", Behind::Script)],
    },
];

const MAKES: [&str; 4] = ["make", "gmake", "bmake", "MAKE"];

/// Where those look for what to run that are not told, in this order.
pub(super) const MAKEFILES: [&str; 4] = ["GNUmakefile", "BSDmakefile", "makefile", "Makefile"];

/// It does much else as well.
pub(super) const GO: &str = "go";

/// The program that a word names, whatever folder it stands in and whichever version of it that is.
pub(super) fn program(word: &str) -> Option<&'static Program> {
    let name = name(word);
    let versionless = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.' || char == '-');
    let lower = versionless.to_ascii_lowercase();
    let is = |own: &&Program| {
        let names = own.names.iter();
        names.into_iter().any(|own| [name, versionless, &lower].contains(own))
    };
    PROGRAMS.iter().find(is)
}

/// Whether it looks for a file by itself where it is told none.
pub(super) fn makes(word: &str) -> bool {
    MAKES.contains(&name(word))
}

/// Without its folder.
fn name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

impl Program {
    /// Whether what it is given is a program in several files, or a folder of them.
    pub(super) fn compiles(&self) -> bool {
        self.names == [GO]
    }

    /// What is done with what stands behind an option, and what of that stands in the option itself.
    pub(super) fn behind<'a>(&self, option: &'a str) -> (Behind, Option<&'a str>) {
        let lower = option.to_ascii_lowercase();
        if let Some((_, behind)) = self.options.iter().find(|(own, _)| *own == option || *own == lower) {
            return (*behind, None);
        }
        let letters = option.get(1..).filter(|letters| !letters.starts_with(['-', '+']));
        for (at, letter) in letters.unwrap_or_default().char_indices() {
            let known = self.letters.iter().find(|(own, _)| own.contains(letter));
            let Some((_, behind)) = known else { continue };
            let rest = option.get(1 + at + letter.len_utf8()..).filter(|rest| !rest.is_empty());
            return match (behind, rest) {
                (Behind::Value, Some(_)) => (Behind::Nothing, None),
                other => (*other.0, rest),
            };
        }
        (Behind::Nothing, None)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn programs_are_known_by_name_in_any_version_and_by_what_their_options_mean() {
        for (word, option, behind) in [
            ("sh", "-e", (Behind::Nothing, None)),
            ("/bin/bash", "-ec", (Behind::Code, None)),
            ("bash", "-euo", (Behind::Value, None)),
            (".", "-x", (Behind::Nothing, None)),
            ("python3.12", "-um", (Behind::Module, None)),
            ("python", "-mtools", (Behind::Module, Some("tools"))),
            ("perl5.36", "-lne", (Behind::Code, None)),
            ("perl", "-Ideep", (Behind::Nothing, None)),
            ("node", "--require", (Behind::Script, None)),
            ("pwsh", "-File", (Behind::Script, None)),
            ("gawk", "-fx.awk", (Behind::Script, Some("x.awk"))),
            ("make", "--makefile", (Behind::Script, None)),
            ("Rscript", "--vanilla", (Behind::Nothing, None)),
            ("emacs", "-batch", (Behind::Nothing, None)),
            ("emacs", "-l", (Behind::Script, None)),
            ("nvim", "-S", (Behind::Script, None)),
            ("psql", "-qf", (Behind::Script, None)),
            ("ansible-playbook", "-i", (Behind::Script, None)),
        ] {
            assert_eq!(program(word).unwrap().behind(option), behind, "{word} {option}");
        }
        for none in ["", "..", "echo", "shell", "1.2", "makefile"] {
            assert!(program(none).is_none(), "{none}");
        }
    }
}
