//! Variables: what they hold, and which of them a script may set.

use brush_parser::ast::{Assignment, AssignmentName, AssignmentValue};

use super::expand::{Argument, LONGEST_WORD};
use super::state::State;
use super::{Doubt, NUMBER, Proof, Prover, UNKNOWN};

/// Variables that the environment of a command, or bash itself, sets to a number.
const NUMBERS: &[&str] = &[
    "BASHPID",
    "EPOCHSECONDS",
    "EUID",
    "LINENO",
    "OPTIND",
    "PPID",
    "RANDOM",
    "SECONDS",
    "SHLVL",
    "SRANDOM",
    "UID",
];
/// Variables that they set to something else.
const TEXTS: &[&str] = &[
    "BASH",
    "COMP_WORDBREAKS",
    "DIRSTACK",
    "EPOCHREALTIME",
    "FUNCNAME",
    "GROUPS",
    "HISTCMD",
    "HOSTNAME",
    "HOSTTYPE",
    "IFS",
    "LANG",
    "LOGNAME",
    "MACHTYPE",
    "MAPFILE",
    "OLDPWD",
    "OPTARG",
    "OPTERR",
    "OSTYPE",
    "PATH",
    "PIPESTATUS",
    "PS1",
    "PS2",
    "PS4",
    "REPLY",
    "SHELL",
    "SHELLOPTS",
    "TERM",
    "USER",
    "_",
];
/// Variables whose change does nothing but to how texts are shown.
const SHOWN: &[&str] = &[
    "CLICOLOR",
    "COLUMNS",
    "LANG",
    "LANGUAGE",
    "LINES",
    "NO_COLOR",
    "TIMEFORMAT",
    "TZ",
];

impl Prover<'_> {
    /// What a variable holds, as far as that is known: its elements. `None` if nothing assigned it.
    pub(super) fn variable(&self, name: &str, state: &State) -> Option<Vec<String>> {
        if name == "_" {
            return Some(vec![UNKNOWN.to_string()]);
        }
        if let Some(value) = state.variables.get(name) {
            return Some(value.clone());
        }
        if NUMBERS.contains(&name) {
            return Some(vec![NUMBER.to_string()]);
        }
        match name {
            "HOME" => return Some(vec![state.home.to_string()]),
            // A script that is given as an argument has no file.
            "BASH_SOURCE" if !self.in_function => return Some(vec![String::new()]),
            "TMPDIR" => return Some(vec!["/tmp".to_owned()]),
            "PWD" => {
                let here = state.here.as_deref();
                return Some(vec![match here {
                    Some([here]) => here.to_string(),
                    _ => UNKNOWN.to_string(),
                }]);
            }
            _ => {}
        }
        let set =
            TEXTS.contains(&name) || name.starts_with("BASH_") || name.starts_with("LC_") || SHOWN.contains(&name);
        set.then(|| vec![UNKNOWN.to_string()])
    }

    /// Follows `NAME=value`.
    pub(super) fn assign(&mut self, assignment: &Assignment, state: &mut State) -> Proof<()> {
        let (name, index) = match &assignment.name {
            AssignmentName::VariableName(name) => (name, None),
            AssignmentName::ArrayElementName(name, index) => (name, Some(index)),
        };
        self.settable(name)?;
        let mut value = match &assignment.value {
            AssignmentValue::Scalar(word) => {
                let text = self.text(&word.value, state)?;
                vec![text.text]
            }
            AssignmentValue::Array(items) => {
                let mut values = Vec::new();
                let mut clear = true;
                for (key, word) in items {
                    if let Some(key) = key {
                        self.arithmetic(&key.value, state)?;
                        clear = false;
                    }
                    let fields = self.fields(&word.value, state)?;
                    clear &= !fields.iter().any(Argument::moves_others);
                    values.extend(fields.into_iter().map(Argument::value));
                }
                if clear {
                    values
                } else {
                    vec![UNKNOWN.to_string(), UNKNOWN.to_string()]
                }
            }
        };
        if let Some(index) = index {
            self.arithmetic(index, state)?;
        }
        if assignment.append || index.is_some() {
            let before = self.variable(name, state);
            value = match (before, index, &assignment.value) {
                (None, None, _) => value,
                (Some(mut before), None, AssignmentValue::Array(_)) => {
                    before.extend(value);
                    before
                }
                (Some(before), None, AssignmentValue::Scalar(_)) => match (before.as_slice(), value.as_slice()) {
                    ([before], [value]) => vec![format!("{before}{value}")],
                    _ => vec![UNKNOWN.to_string()],
                },
                // Which element comes first is not known then.
                (_, Some(_), _) => vec![UNKNOWN.to_string(), UNKNOWN.to_string()],
            };
        }
        if value.iter().map(String::len).sum::<usize>() > LONGEST_WORD {
            return Err(Doubt::new("a variable in it is too long to be followed", name.as_str()));
        }
        match (&assignment.value, value.as_slice()) {
            (AssignmentValue::Scalar(_), [one]) => state.set(name, one.clone()),
            _ => drop(state.variables.insert(name.clone(), value)),
        }
        Ok(())
    }

    /// `NAME=value command`: what is set for one command only.
    pub(super) fn lend(&mut self, assignment: &Assignment, program: &str, state: &mut State) -> Proof<()> {
        let AssignmentName::VariableName(name) = &assignment.name else {
            return Err(Doubt::new("it sets an element for one command", assignment.to_string()));
        };
        let AssignmentValue::Scalar(word) = &assignment.value else {
            return Err(Doubt::new("it sets an array for one command", assignment.to_string()));
        };
        let value = self.text(&word.value, state)?;
        if name == "IFS" && program == "read" {
            self.separators = !value.text.is_empty();
            return Ok(());
        }
        // A function sees it, and a shell.
        state.set(name, UNKNOWN.to_string());
        exportable(name)
    }

    /// Whether a script may set this variable: others change how the shell itself works, or what programs find.
    pub(super) fn settable(&self, name: &str) -> Proof<()> {
        self.plain_name(name)?;
        let own = name.starts_with("BASH")
            || name.starts_with("LD_")
            || name.starts_with("HIST")
            || name.starts_with("COMP_")
            || (TEXTS.contains(&name) && !matches!(name, "REPLY" | "LANG" | "USER" | "HOSTNAME" | "PS1" | "PS2"))
            || matches!(
                name,
                "CDPATH"
                    | "ENV"
                    | "EXECIGNORE"
                    | "FIGNORE"
                    | "FUNCNEST"
                    | "GLOBIGNORE"
                    | "HOME"
                    | "INPUTRC"
                    | "PWD"
                    | "POSIXLY_CORRECT"
                    | "PROMPT_COMMAND"
                    | "TMPDIR"
                    | "OPTIND"
            );
        if own {
            return Err(Doubt::new(
                format!("it sets {name}, which changes what runs or where"),
                name,
            ));
        }
        Ok(())
    }

    /// A name of a variable and nothing else: `a[$(x)]` would run `x`.
    pub(super) fn plain_name(&self, name: &str) -> Proof<()> {
        let mut chars = name.chars();
        let begins = chars
            .next()
            .is_some_and(|char| char.is_ascii_alphabetic() || char == '_');
        if begins && chars.all(|char| char.is_ascii_alphanumeric() || char == '_') {
            return Ok(());
        }
        Err(Doubt::new("it names no variable", name))
    }
}

/// Whether programs may be given this variable.
pub(super) fn exportable(name: &str) -> Proof<()> {
    if SHOWN.contains(&name) || name.starts_with("LC_") {
        return Ok(());
    }
    Err(Doubt::new(
        format!("it sets {name} for a program, which may change what that does"),
        name,
    ))
}
