//! find(1), which reads its whole command line before it does anything: its expression is read word by word; POSIX.1-2024, and GNU findutils 4.9.

use super::arguments::unknown;
use super::expand::Argument;
use super::state::{Output, State};
use super::{Doubt, NAME, Proof, Prover, UNKNOWN};
use crate::path::Access;

/// Tests and actions without an argument. Sorted.
const ALONE: &[&str] = &[
    "!",
    "(",
    ")",
    ",",
    "-a",
    "-and",
    "-daystart",
    "-depth",
    "-empty",
    "-executable",
    "-false",
    "-follow",
    "-ignore_readdir_race",
    "-ls",
    "-mount",
    "-nogroup",
    "-noignore_readdir_race",
    "-noleaf",
    "-not",
    "-nouser",
    "-nowarn",
    "-o",
    "-or",
    "-print",
    "-print0",
    "-prune",
    "-quit",
    "-readable",
    "-true",
    "-warn",
    "-writable",
    "-xdev",
    "[",
    "]",
];
/// Those with one that is data. Sorted.
const WITH_DATA: &[&str] = &[
    "-amin",
    "-atime",
    "-cmin",
    "-context",
    "-ctime",
    "-fstype",
    "-gid",
    "-group",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-name",
    "-path",
    "-perm",
    "-printf",
    "-regex",
    "-regextype",
    "-size",
    "-type",
    "-uid",
    "-used",
    "-user",
    "-wholename",
    "-xtype",
];
/// Those with one that is a file, of which the attributes are compared. Sorted.
const WITH_FILE: &[&str] = &["-anewer", "-cnewer", "-newer", "-samefile"];

impl Prover<'_> {
    pub(super) fn find(&mut self, arguments: &[Argument], state: &State) -> Proof<Output> {
        if let Some(open) = arguments.iter().find(|word| may_act(word)) {
            return Err(Doubt::new(
                "a file that is called like an option would be one",
                super::paths::shown(&open.text),
            ));
        }
        let mut at = 0;
        let next = |at: &mut usize| -> Option<Argument> {
            let argument = arguments.get(*at).cloned();
            *at += 1;
            argument
        };
        while let Some(option) = arguments.get(at).map(|argument| argument.text.as_str()) {
            match option {
                "-H" | "-L" | "-P" => at += 1,
                "-D" | "-E" => return Err(unknown("find", option)),
                _ if option
                    .strip_prefix("-O")
                    .is_some_and(|level| level.parse::<u8>().is_ok()) =>
                {
                    at += 1
                }
                _ => break,
            }
        }
        let mut roots = 0;
        // Whether names that it finds stay inside, and are not hidden ones that were asked for.
        let mut plain = true;
        while let Some(root) = arguments
            .get(at)
            .filter(|root| !root.text.starts_with(['-', '(', '!', ',', ')']))
        {
            // Names of folders may be words of the expression, where they may be several or none.
            if root.splits {
                return Err(Doubt::new(
                    "where find begins is only told by running",
                    super::paths::shown(&root.text),
                ));
            }
            self.file(root, Access::Look, state)?;
            plain &= !root.text.split('/').any(|part| part == "..") && !root.glob && !super::is_open(&root.text);
            roots += 1;
            at += 1;
        }
        if roots == 0 {
            self.file(&Argument::plain("."), Access::Look, state)?;
        }
        let mut output = if plain { Output::Found } else { Output::Unknown };
        let mut hidden = false;
        while let Some(word) = next(&mut at) {
            let text = word.text.as_str();
            if word.splits || text.contains([UNKNOWN, NAME]) {
                return Err(Doubt::new(
                    "what find looks for is only told by running",
                    super::paths::shown(text),
                ));
            }
            if ALONE.binary_search(&text).is_ok() {
                if text == "-ls" {
                    output = Output::Unknown;
                }
            } else if WITH_DATA.binary_search(&text).is_ok() {
                let Some(value) = next(&mut at) else { break };
                if value.splits {
                    return Err(Doubt::new(
                        "what find looks for is only told by running",
                        super::paths::shown(&value.text),
                    ));
                }
                let last = value.text.rsplit('/').next().unwrap_or_default();
                if text.ends_with("name") && (last.starts_with('.') || crate::path::may_match_protected(last)) {
                    hidden = true;
                    output = Output::Unknown;
                }
                if text == "-printf" && !prints_names(&value.text) {
                    output = Output::Unknown;
                }
            } else if WITH_FILE.binary_search(&text).is_ok() || compares_times(text) {
                let Some(value) = next(&mut at) else { break };
                if !text.ends_with('t') {
                    self.file(&value, Access::Look, state)?;
                }
            } else if matches!(text, "-exec" | "-execdir") {
                let item = &if plain && !hidden {
                    format!("./{NAME}")
                } else {
                    UNKNOWN.to_string()
                };
                let mut command = Vec::new();
                loop {
                    // What does not end is an error before anything is done.
                    let Some(word) = next(&mut at) else {
                        return Ok(Output::Nothing);
                    };
                    let ends = word.text == ";" || (word.text == "+" && command.last().is_some_and(is_placeholder));
                    if ends {
                        break;
                    }
                    // What is not known may be the end of it.
                    if word.splits || word.glob || super::is_open(&word.text) {
                        return Err(Doubt::new(
                            "what find runs is only told by running",
                            super::paths::shown(&word.text),
                        ));
                    }
                    command.push(word);
                }
                if command.first().is_some_and(|name| name.text.contains("{}")) {
                    return Err(Doubt::new("find runs what it finds", text));
                }
                for word in &mut command {
                    word.text = word.text.replace("{}", item);
                }
                let mut inside = state.clone();
                if text == "-execdir" {
                    // In whichever folder the file is: for one that was named itself, the folder above.
                    inside.move_to(None);
                }
                inside.functions.clear();
                let printed = self.wrapped(&command, &inside, &Output::Nothing)?;
                output = match (output, printed) {
                    (Output::Found, Output::Found | Output::Nothing) => Output::Found,
                    (Output::Names | Output::Found, Output::Names | Output::Found | Output::Nothing) => Output::Names,
                    _ => Output::Unknown,
                };
            } else if text.starts_with('-') {
                return Err(unknown("find", text));
            } else {
                // A folder behind the expression: find reads the whole line, complains, and does nothing.
                return Ok(Output::Nothing);
            }
        }
        Ok(output)
    }
}

fn is_placeholder(word: &Argument) -> bool {
    word.text == "{}"
}

/// Words of an expression that act. A pattern of file names that could become one is not let by.
const ACTS: &[&str] = &[
    "-delete",
    "-exec",
    "-execdir",
    "-files0-from",
    "-fls",
    "-fprint",
    "-fprint0",
    "-fprintf",
    "-ok",
    "-okdir",
];

/// Whether a word may become one that acts.
fn may_act(word: &Argument) -> bool {
    word.glob && ACTS.iter().any(|own| crate::path::glob(&word.text, own))
}

/// `-newerXY`: compares with a file, or with a time if Y is t.
fn compares_times(text: &str) -> bool {
    text.strip_prefix("-newer").is_some_and(|rest| {
        let mut kinds = rest.chars();
        matches!(
            (kinds.next(), kinds.next(), kinds.next()),
            (Some('a' | 'B' | 'c' | 'm'), Some('a' | 'B' | 'c' | 'm' | 't'), None)
        )
    })
}

/// Whether a format prints nothing but names, one a line.
fn prints_names(format: &str) -> bool {
    let rest = format
        .strip_suffix("\\n")
        .or_else(|| format.strip_suffix("\\0"))
        .unwrap_or(format);
    matches!(rest, "%p" | "%P" | "%f" | "%h")
}
