//! What is known at one point of a script: its variables, and the current folder.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::UNKNOWN;
use super::expand::{Argument, Kind};
use crate::path::{Place, Selection};

/// The most folders that the current one may be.
const MOST_FOLDERS: usize = 8;

/// Variables that bash, the environment of a command, or a program obeys or sets: bash(1), "Shell Variables", and
/// environ(7).
const RESERVED: &[&str] = &[
    "CDPATH",
    "CHILD_MAX",
    "CLICOLOR",
    "COLUMNS",
    "DIRSTACK",
    "EMACS",
    "ENV",
    "EUID",
    "EXECIGNORE",
    "FCEDIT",
    "FIGNORE",
    "GROUPS",
    "HOME",
    "IFS",
    "IGNOREEOF",
    "INPUTRC",
    "INSIDE_EMACS",
    "LINENO",
    "LINES",
    "MACHTYPE",
    "MAPFILE",
    "NO_COLOR",
    "OLDPWD",
    "OSTYPE",
    "PATH",
    "PIPESTATUS",
    "PPID",
    "PS0",
    "PS1",
    "PS2",
    "PS3",
    "PS4",
    "PWD",
    "RANDOM",
    "REPLY",
    "SECONDS",
    "SHELL",
    "SHELLOPTS",
    "SHLVL",
    "SRANDOM",
    "TIMEFORMAT",
    "TMOUT",
    "TMPDIR",
    "TZ",
    "UID",
    "_",
    "auto_resume",
    "histchars",
];
/// What the names of others begin with.
const RESERVED_STARTS: &[&str] = &[
    "BASH",
    "COMP",
    "COPROC",
    "EPOCH",
    "FUNC",
    "GIT_",
    "GLOB",
    "HIST",
    "HOST",
    "LANG",
    "LC_",
    "LD_",
    "LESS",
    "MAIL",
    "OPT",
    "POSIX",
    "PROMPT_",
    "READLINE",
    "TERM",
    "TEXTDOMAIN",
    "WATCH",
    "_STDBUF",
];

/// Whether a variable means something to the shell, or may be set without the script having done it.
pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name) || RESERVED_STARTS.iter().any(|start| name.starts_with(start))
}

/// Variables that mean something, and that may be set all the same where nothing comes behind: to set some others computes
/// what they are given.
pub(super) const INERT: &[&str] = &[
    "CDPATH",
    "HOME",
    "PATH",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS2",
    "PS3",
    "PS4",
    "TMPDIR",
];

/// Whether a script may set this variable as the last that it does.
pub(super) fn is_inert(name: &str) -> bool {
    !is_reserved(name) || INERT.contains(&name)
}

/// Whether a script may set this variable and go on: what means something is in capitals.
pub(super) fn is_own(name: &str) -> bool {
    !is_reserved(name)
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// What a command prints, or what flows into one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// This text.
    Text(String),
    /// What is made of the words of the command alone, and of no file.
    Given,
    /// Names of files in the workspace, one a line. A name with a newline or a blank in it may look like anything. What they
    /// were picked by goes along.
    Names(Selection),
    /// Names of files in the workspace, each with its folder before it and a NUL behind it; whether there may be some among them
    /// that lie in git's own folder, where there may be what was never shown.
    Exact(bool),
    /// Anything.
    Unknown,
}

/// What is known.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// What each variable that was assigned holds.
    variables: BTreeMap<String, String>,
    /// Of those that a loop sets to each name that matches a pattern, the pattern.
    picked: BTreeMap<String, String>,
    /// Where relative paths may begin; `None` if that is not known.
    pub(super) here: Option<Rc<[Place]>>,
    /// The workspace, which is also the home folder of a command.
    pub(super) home: Rc<Place>,
    /// `$0` and so on; `None` if they are not known.
    pub(super) arguments: Option<Rc<[Argument]>>,
    /// Whether the command that is followed surely runs.
    pub(super) sure: bool,
    /// Whether the shell ends behind the command that is followed.
    pub(super) last: bool,
}

impl State {
    pub(super) fn new(workspace: &Rc<Place>) -> State {
        State {
            variables: BTreeMap::new(),
            picked: BTreeMap::new(),
            here: Some(Rc::from([Place::clone(workspace)])),
            home: Rc::clone(workspace),
            arguments: Some(Rc::from([Argument::plain(UNKNOWN.to_string())])),
            sure: true,
            last: false,
        }
    }

    /// What is known in a shell beside or beneath this one.
    pub(super) fn beneath(&self) -> State {
        State {
            sure: true,
            last: true,
            ..self.clone()
        }
    }

    pub(super) fn set(&mut self, name: &str, value: String) {
        self.picked.remove(name);
        self.variables.insert(name.to_owned(), value);
    }

    /// A variable holds one name that matches `pattern`.
    pub(super) fn pick(&mut self, name: &str, pattern: &str) {
        self.set(name, UNKNOWN.to_string());
        self.picked.insert(name.to_owned(), pattern.to_owned());
    }

    /// What a variable holds if it is one name that matches a pattern: no more than all that match.
    pub(super) fn picked(&self, name: &str) -> Option<Argument> {
        let text = self.picked.get(name)?.clone();
        Some(Argument {
            text,
            kind: Kind::Pattern,
        })
    }

    /// The same, where it counts that a name is one argument, and not which.
    pub(super) fn without_patterns(&self) -> State {
        State {
            picked: BTreeMap::new(),
            ..self.clone()
        }
    }

    /// What a variable holds. What nothing set is empty: the environment of a command is known.
    pub(super) fn variable(&self, name: &str) -> String {
        if let Some(value) = self.variables.get(name) {
            return value.clone();
        }
        match (name, self.here.as_deref()) {
            ("HOME", _) => self.home.to_string(),
            ("PWD", Some([here])) => here.to_string(),
            _ if is_reserved(name) => UNKNOWN.to_string(),
            _ => String::new(),
        }
    }

    /// `$0` and so on.
    pub(super) fn positional(&self, at: usize) -> Argument {
        let Some(arguments) = &self.arguments else {
            return Argument::plain(UNKNOWN.to_string());
        };
        match arguments.get(at) {
            Some(argument) => argument.clone(),
            // Names may be several.
            None if arguments.iter().any(|one| one.kind != Kind::One) => Argument::plain(UNKNOWN.to_string()),
            None => Argument::plain(""),
        }
    }

    /// Whether the current folder is surely the workspace itself.
    pub(super) fn is_at_home(&self) -> bool {
        self.here.as_deref() == Some(std::slice::from_ref(&*self.home))
    }

    /// The folder changes, or does not, if that fails. `None` if nobody knows where to.
    pub(super) fn may_move(&mut self, to: Option<Vec<Place>>) {
        let (Some(own), Some(to)) = (&self.here, to) else {
            self.here = None;
            return;
        };
        let new: Vec<Place> = to.into_iter().filter(|place| !own.contains(place)).collect();
        self.here = (own.len() + new.len() <= MOST_FOLDERS).then(|| own.iter().cloned().chain(new).collect());
    }
}
