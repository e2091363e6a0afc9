//! find(1), which reads its whole command line before it does anything: its expression is read word by word;
//! POSIX.1-2024, and GNU findutils 4.9.

use super::arguments::unknown;
use super::expand::{Argument, Kind};
use super::expression::{Expression, Role};
use super::paths::shown;
use super::reach::Reach;
use super::state::{Output, State};
use super::{Doubt, Proof, Prover};
use crate::path::{self, Access, KeptOut, Place, RegexKind, Selection};
use crate::shell::grammar::Operands;
use crate::shell::programs;

/// Tests and actions without an argument. Sorted.
pub(super) const ALONE: &[&str] = &[
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
pub(super) const WITH_DATA: &[&str] = &[
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
pub(super) const WITH_FILE: &[&str] = &["-anewer", "-cnewer", "-newer", "-samefile"];

impl Prover<'_> {
    pub(super) fn find(&mut self, arguments: &[Argument], state: &State) -> Proof<Output> {
        // What a pattern matches may be any word of the expression that it matches, and move those behind it.
        if let Some(open) = arguments.iter().find(|word| word.kind == Kind::Pattern)
            && arguments.iter().any(may_act)
        {
            return Err(Doubt::new(
                "a file that is called like an option would be one",
                shown(&open.text),
            ));
        }
        let mut rest = arguments.iter().peekable();
        while let Some(option) = rest.next_if(|option| is_leading(option)) {
            if option.text.starts_with("-D") {
                return Err(unknown("find", &option.text));
            }
        }
        let mut roots = 0;
        // Those at which a repository may lie, as they are written, if that is known.
        let mut starts = Vec::new();
        // Whether names that it finds stay inside, and are not hidden ones that were asked for.
        let mut plain = true;
        // Whether what is above a folder that it begins at is not above the workspace.
        let mut relative = true;
        while let Some(root) = rest.next_if(|root| !begins_expression(root)) {
            if root.may_be_option() {
                return Err(Doubt::new(
                    "where find begins is only told by running",
                    shown(&root.text),
                ));
            }
            self.file(root, Access::Look, state)?;
            plain &= root.kind == Kind::Found || root.is_known() && !root.text.split('/').any(|part| part == "..");
            plain &= self.file(root, Access::Read, state).is_ok();
            relative &= root.is_known() && !root.text.starts_with('/');
            starts.extend(self.holds_repository(root, state));
            roots += 1;
        }
        if roots == 0 {
            let here = Argument::plain(".");
            self.file(&here, Access::Look, state)?;
            plain &= self.file(&here, Access::Read, state).is_ok();
            starts.extend(self.holds_repository(&here, state));
        }
        // Each action that prints, and what comes of it.
        let mut prints = Vec::new();
        // Whether what it finds may at least be looked at.
        let inside = plain;
        // How many negations stand right before a word.
        let mut negations = 0;
        let words: Vec<&Argument> = rest.collect();
        let expression = Expression::read(&words);
        let mut rest = words.iter().copied();
        // What tests keep out: surely, and perhaps.
        let (mut surely, mut perhaps) = (Vec::new(), Vec::new());
        // And what all tests say together.
        let mut selection = Selection::default();
        let kind = kind_of_regexes(arguments);
        let depth_first = arguments.iter().any(|word| word.text == "-d");
        let reach = Reach::read(&words, &starts, kind, depth_first);
        while let Some(word) = rest.next() {
            let at = words.len() - rest.len() - 1;
            let text = word.text.as_str();
            if !word.is_known() {
                return Err(Doubt::new("what find looks for is only told by running", shown(text)));
            }
            let negates = is_negation(text);
            let before = negations;
            negations = if negates { before + 1 } else { 0 };
            // What stands behind an action keeps nothing out of what is printed before.
            if matches!(text, "-print" | "-print0" | "-printf") && rest.len() > 1 {
                plain = plain && self.leaves_plain(&surely, &perhaps, &selection);
            }
            if ALONE.binary_search(&text).is_ok() {
                match text {
                    "-ls" => prints.push(Output::Unknown),
                    "-print" => prints.push(Output::Names(Selection::default())),
                    "-print0" => prints.push(Output::Exact(false)),
                    _ => {}
                }
            } else if WITH_DATA.binary_search(&text).is_ok() {
                let Some(value) = rest.next() else { break };
                if !matches!(value.kind, Kind::One | Kind::Pattern) {
                    return Err(Doubt::new(
                        "what find looks for is only told by running",
                        shown(&value.text),
                    ));
                }
                // What is kept out is not asked for. Elsewhere a test may be about what it finds or about the rest.
                let role = expression.role(at, before);
                let keeps_out = matches!(role, Role::KeepsOut | Role::Narrows);
                plain = plain && (keeps_out || !self.finds_protected(text, &value.text, kind));
                match self.found(text, &value.text, kind) {
                    Some(found) if role == Role::Picks => selection.pick(found),
                    Some(found) => {
                        perhaps.extend(found.iter().cloned());
                        match role {
                            Role::KeepsOut => {
                                surely.extend(found.iter().cloned());
                                selection.keep_out(found);
                            }
                            _ => {
                                if role == Role::Either && before == 0 {
                                    selection.may_pick(&found);
                                }
                                selection.may_keep_out(found);
                            }
                        }
                    }
                    None => plain = false,
                }
                if text == "-printf" {
                    prints.push(printed(&value.text, relative));
                }
            } else if WITH_FILE.binary_search(&text).is_ok() || compares_times(text) {
                let Some(value) = rest.next() else { break };
                if value.kind != Kind::One {
                    return Err(Doubt::new(
                        "what find looks for is only told by running",
                        shown(&value.text),
                    ));
                }
                if !text.ends_with('t') {
                    self.file(value, Access::Look, state)?;
                }
            } else if matches!(text, "-exec" | "-execdir") {
                let mut command: Vec<Argument> = Vec::new();
                loop {
                    // What does not end is an error before anything is done.
                    let Some(word) = rest.next() else {
                        return Ok(Output::Unknown);
                    };
                    let last = command.last().is_some_and(|last| last.text == "{}");
                    if word.text == ";" || (word.text == "+" && last) {
                        break;
                    }
                    // What is not known may be the end of it.
                    if !word.is_known() {
                        return Err(Doubt::new("what find runs is only told by running", shown(&word.text)));
                    }
                    command.push(word.clone());
                }
                plain = plain && self.leaves_plain(&surely, &perhaps, &selection);
                let kind = if plain || inside && only_looks(&command) {
                    Kind::Found
                } else {
                    Kind::Anything
                };
                let mut inside = state.clone();
                if text == "-execdir" {
                    // In whichever folder the file is: for one that was named itself, the folder above.
                    inside.here = None;
                }
                // What a command finds is told apart in lines, whatever it is.
                let reaches = reach.comes_to(at);
                prints.push(match self.given_names(&command, Some("{}"), kind, reaches, &inside)? {
                    Output::Names(names) if text == "-exec" => Output::Names(names),
                    _ => Output::Unknown,
                });
            } else if text.starts_with('-') && !UNHEARD.contains(&text) {
                return Err(unknown("find", text));
            } else {
                // A folder behind the expression, or a test that there is nowhere: find reads the whole line,
                // complains, and does nothing.
                return Ok(Output::Unknown);
            }
        }
        plain = plain && self.leaves_plain(&surely, &perhaps, &selection);
        if reach.is_printed() {
            let written = starts.into_iter().map(|start| start.unwrap_or_else(|| "*".to_owned()));
            selection.reaches = written.collect();
        }
        Ok(match prints.as_slice() {
            _ if !plain => Output::Unknown,
            [] | [Output::Names(_)] => Output::Names(selection),
            [Output::Exact(_)] => Output::Exact(!selection.reaches.is_empty()),
            [only] => only.clone(),
            _ => Output::Unknown,
        })
    }

    /// How a folder is written that find begins at, if it may be one in which a repository lies: the workspace's own. `Some(None)`
    /// if it is not known which it is.
    pub(super) fn holds_repository(&self, root: &Argument, state: &State) -> Option<Option<String>> {
        let is_it = |here: &Place| Place::of(&root.text, here) == *state.home;
        match (root.kind, state.here.as_deref()) {
            // What no dot stands before in the pattern matches no hidden name, and no folder above.
            (Kind::Pattern, _) => None,
            (Kind::One, Some(here)) => here.iter().any(is_it).then(|| Some(root.text.clone())),
            _ => Some(None),
        }
    }

    /// Whether what is left where these are kept out, surely and perhaps, is not all protected or hidden.
    fn leaves_plain(&self, surely: &[KeptOut], perhaps: &[KeptOut], selection: &Selection) -> bool {
        !self.leaves_protected(perhaps) && !self.leaves_protected(surely) && !self.leaves_hidden(selection)
    }
}

/// Of which kind the regular expressions are that `find` is given.
fn kind_of_regexes(arguments: &[Argument]) -> RegexKind {
    const EXTENDED: &[&str] = &["egrep", "posix-egrep", "posix-extended"];
    let texts = || arguments.iter().map(|word| word.text.as_str());
    // Some versions have an option for it, which this one does not know.
    if texts()
        .take_while(|text| text.starts_with('-'))
        .any(|text| text == "-E")
    {
        return RegexKind::Open;
    }
    let Some(at) = texts().position(|text| text == "-regextype") else {
        return RegexKind::Emacs;
    };
    let before = texts().take(at).any(|text| text.ends_with("regex"));
    let again = texts().filter(|text| *text == "-regextype").count() > 1;
    match texts().nth(at + 1) {
        Some(own) if EXTENDED.contains(&own) && !before && !again => RegexKind::Extended,
        _ => RegexKind::Open,
    }
}

/// Whether a command looks at names and attributes of what it is given, and at nothing in it.
pub(super) fn only_looks(command: &[Argument]) -> bool {
    let name = command.first().and_then(|name| programs::installed(&name.text));
    let grammar = name.and_then(programs::row).and_then(|row| row.grammar.as_ref());
    grammar.is_some_and(|grammar| grammar.operands == Operands::Look)
}

pub(super) fn is_negation(word: &str) -> bool {
    matches!(word, "!" | "-not")
}

/// What is written for `-type f` and the like, and no find knows.
const UNHEARD: &[&str] = &["-f", "-regex-type"];

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

/// Whether a word acts, or may become one that does. What is said to be run is looked at for itself.
fn may_act(word: &Argument) -> bool {
    match word.kind {
        Kind::Pattern => {
            let wide = path::widened(&word.text);
            ACTS.iter().any(|own| path::glob(&wide, own))
        }
        _ => !matches!(word.text.as_str(), "-exec" | "-execdir") && ACTS.contains(&word.text.as_str()),
    }
}

/// Whether the expression begins here: all before it are folders.
fn begins_expression(word: &Argument) -> bool {
    word.text.starts_with('-') || matches!(word.text.as_str(), "(" | ")" | "!" | ",")
}

/// Options that stand before the folders.
fn is_leading(word: &Argument) -> bool {
    let text = word.text.as_str();
    let level = text.strip_prefix("-O").is_some_and(|level| level.parse::<u8>().is_ok());
    word.is_known() && (level || matches!(text, "-D" | "-E" | "-H" | "-L" | "-P" | "-d" | "-s" | "-x"))
}

/// `-newerXY`: compares with a file, or with a time if Y is t.
pub(super) fn compares_times(text: &str) -> bool {
    text.strip_prefix("-newer").is_some_and(|rest| {
        let mut kinds = rest.chars();
        matches!(
            (kinds.next(), kinds.next(), kinds.next()),
            (Some('a' | 'B' | 'c' | 'm'), Some('a' | 'B' | 'c' | 'm' | 't'), None)
        )
    })
}

/// What a format prints: names, one a line, or something else.
fn printed(format: &str, relative: bool) -> Output {
    match format {
        "%p\\n" | "%f\\n" | "%P\\n" => Output::Names(Selection::default()),
        "%p\\0" => Output::Exact(false),
        "%h\\n" if relative => Output::Names(Selection::default()),
        "%h\\0" if relative => Output::Exact(false),
        _ => Output::Unknown,
    }
}
