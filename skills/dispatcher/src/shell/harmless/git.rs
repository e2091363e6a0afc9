//! git(1): what only looks at the repository. Its configuration can name programs, so that is protected; what a command
//! line can name is not let by. Sources: the manuals of git 2.43.

use super::arguments::{looks_like_option, unknown};
use super::expand::{Argument, Kind};
use super::looks::{COMMANDS, COUNTED, Looks, SHOWING, VALUED};
use super::paths::{climbs, shown};
use super::pathspec::Pathspec;
use super::state::{Output, State};
use super::unshown::{unshown, untold};
use super::{Doubt, Proof, Prover};
use crate::path::{self, Access, KeptOut, Place};

/// Why it isn't let by where another repository may be.
const ELSEWHERE: &str = "git runs in another folder than the workspace's";

/// Those of which an operand may be a file that is shown.
const SHOWS: &[&str] = &[
    "blame",
    "cat-file",
    "diff",
    "grep",
    "log",
    "show",
    "status",
    "whatchanged",
];
impl Prover<'_> {
    pub(super) fn git(&mut self, arguments: &[Argument], state: &State) -> Proof<Output> {
        let mut rest = arguments.iter();
        let mut place = state.clone();
        let name = loop {
            let Some(argument) = rest.next() else {
                return Ok(Output::Unknown);
            };
            match argument.text.as_str() {
                "--no-pager" | "-P" | "--no-optional-locks" | "--literal-pathspecs" => {}
                "-C" => match rest.next().and_then(|folder| moved(folder, &place)) {
                    Some(moved) => place = moved,
                    None => return Err(Doubt::new(ELSEWHERE, "-C")),
                },
                "--version" | "--help" if rest.len() == 0 => return Ok(Output::Unknown),
                text if text.starts_with('-') => return Err(unknown("git", text)),
                text => break text,
            }
        };
        // The folder it runs in decides which repository, and which configuration, it is about. Beneath the workspace there may be
        // another one, whose configuration came with it: there the host refuses what no person was asked about.
        self.file(&Argument::plain("."), Access::Read, &place)?;
        let is_inside = |folder: &Place| self.roots.is_inside(folder) && folder.parts().all(|part| part != ".git");
        if !place.here.as_deref().is_some_and(|here| here.iter().all(is_inside)) {
            return Err(Doubt::new(ELSEWHERE, "git"));
        }
        // What it is given counts from there or from the top of the work tree.
        place.may_move(Some(vec![(*state.home).clone()]));
        let state = &place;
        let is_given = rest.clone().all(|word| word.kind == Kind::One && word.is_known());
        let words: Vec<&str> = rest.clone().map(|word| word.text.as_str()).collect();
        let lists = matches!(
            (name, words.as_slice()),
            ("stash", ["list"])
                | ("symbolic-ref", ["HEAD"] | ["--short" | "-q", "HEAD"])
                | ("remote", [])
                | ("tag", [])
                | ("worktree", ["list"])
        );
        if is_given && (lists || name == "config" && reads_a_setting(&words)) {
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
        // Without an option that says so, what is named is made.
        let mut lists = false;
        // Whether an option gives grep's pattern.
        let mut given = false;
        let mut paths = Vec::new();
        // How many of them come before `--`, and may be revisions.
        let mut before = None;
        // Which of them are no revision, although a hash may look like that.
        let mut numbers = Vec::new();
        while let Some(argument) = rest.next() {
            let text = argument.text.as_str();
            let name_of_file = matches!(argument.kind, Kind::Found | Kind::Pattern);
            if !argument.is_known() && !(name_of_file && (!argument.may_be_option() || !options)) {
                return Err(Doubt::new("what git is given is only told by running", shown(text)));
            }
            if options && text == "--" {
                options = false;
                before = Some(paths.len());
            } else if options && text.starts_with('-') && text.len() > 1 {
                let option = text.split('=').next().unwrap_or_default();
                // It asks GnuPG, which makes its folder.
                if asks_gnupg(text) {
                    return Err(unknown(&format!("git {name}"), text));
                }
                if VALUED.contains(&text) && command.options.contains(&text) {
                    let Some(value) = rest.next() else { continue };
                    if value.kind != Kind::One || !value.is_known() || looks_like_option(&value.text) {
                        return Err(unknown(&format!("git {name}"), text));
                    }
                    // A version that wants it behind `=` takes it for an operand.
                    if command.operands {
                        let number = value.text.bytes().all(|byte| byte.is_ascii_digit());
                        numbers.extend((number && COUNTED.contains(&text)).then_some(paths.len()));
                        paths.push(value);
                    }
                    continue;
                }
                if command.options.contains(&option) || stands_for_several(command, text) {
                    lists |= matches!((name, text), ("branch" | "tag", "--list") | ("tag", "-l"));
                    continue;
                }
                if let Some(own) = command.values.iter().find(|own| option.starts_with(**own)) {
                    // `-S=x` has its value in it: it is `=x`.
                    let value = match &text[own.len()..] {
                        "" => rest.next().cloned(),
                        joined => Some(Argument::plain(joined)),
                    };
                    let Some(value) = value else { continue };
                    let separate = text.len() == own.len();
                    if separate && (value.kind != Kind::One || looks_like_option(&value.text)) {
                        return Err(unknown(&format!("git {name}"), text));
                    }
                    given |= *own == "-e";
                    // Lines of a file: `-L1,5:x`. What is blamed is an operand.
                    if *own == "-L" && name != "blame" {
                        self.tails(&value.text, state)?;
                    }
                    continue;
                }
                // `-5`, `-U5`: without a number the latter takes none from behind it.
                let number = text.trim_start_matches("-U").trim_start_matches('-');
                let counts = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
                let lines = text.strip_prefix("-n").filter(|_| name == "tag");
                let tells = lines.is_some_and(|lines| lines.bytes().all(|byte| byte.is_ascii_digit()));
                if !tells && (!counts || command.options != SHOWING) {
                    return Err(unknown(&format!("git {name}"), text));
                }
            } else {
                paths.push(argument);
            }
        }
        if let Some(operand) = paths.first().filter(|_| !command.operands && !lists) {
            return Err(Doubt::new(
                format!("what `git {name}` does with an operand is not known"),
                shown(&operand.text),
            ));
        }
        if let Some(format) = arguments.iter().find(|argument| asks_gnupg(&argument.text)) {
            return Err(unknown(&format!("git {name}"), &format.text));
        }
        // Before what is looked for it ends the options and nothing else.
        let before = before.filter(|before| name != "grep" || given || *before > 0);
        let operands: Vec<&str> = paths
            .iter()
            .enumerate()
            .take(before.unwrap_or(paths.len()))
            .filter(|(at, _)| !numbers.contains(at))
            .map(|(_, path)| path.text.as_str())
            .collect();
        let operands = match name {
            // What is looked for.
            "grep" if !given => operands.get(1..).unwrap_or_default(),
            _ => &operands,
        };
        if let Some(what) = unshown(name, arguments, operands) {
            let why = "it shows what may be in no branch: what was stashed, taken back or never committed";
            return Err(Doubt::new(why, shown(what)));
        }
        // There the host leaves out what may be private, file by file.
        if let Some(what) = untold(name, arguments, operands) {
            let why =
                "it shows what it is not told by of what file it is, so that what is private could not be left out";
            return Err(Doubt::new(why, shown(what)));
        }
        let shows = SHOWS.contains(&name);
        let kept_out: Vec<_> = paths.iter().filter_map(|path| Pathspec::left_out(&path.text)).collect();
        let picks: Vec<KeptOut> = paths.iter().flat_map(|path| Pathspec::picks(&path.text)).collect();
        let left_over = self.left_over(&kept_out, KeptOut::paths).and_then(|mut selection| {
            selection.pick(picks);
            match self.leaves_hidden(&selection) {
                true => Err(Doubt::new(
                    "its patterns pick hardly any file that is not hidden",
                    shown(name),
                )),
                false => Ok(selection),
            }
        });
        if shows && left_over.is_err() {
            return left_over.map(|_| Output::Unknown);
        }
        let named = paths.clone();
        // What names a revision names no file outside. `git diff a b` compares files anywhere.
        for (at, path) in paths.into_iter().enumerate() {
            let text = path.text.as_str();
            if text.starts_with(['/', '~']) || text.split('/').any(|part| part == "..") {
                self.file(path, Access::Read, state)?;
            }
            if path.kind == Kind::Found {
                continue;
            }
            // What is looked for is no path, whatever it looks like.
            let sought = name == "grep" && at == 0 && !given && path.kind == Kind::One;
            self.object(text, shows && !sought, state)?;
        }
        // What is listed may be read then.
        let listed = name == "ls-files" && arguments.iter().all(|argument| lists_plainly(&argument.text));
        let mut unasked = || named.iter().all(|path| self.object(&path.text, true, state).is_ok());
        Ok(match left_over {
            Ok(selection) if listed && unasked() => Output::Names(selection),
            _ => Output::Unknown,
        })
    }
}

impl Prover<'_> {
    /// Shows the same of what an operand names: a revision, a file, a file of a revision, or a pattern of paths, all of
    /// which is git's to tell apart; gitglossary(7), "pathspec". With `shows`, contents are shown.
    fn object(&mut self, text: &str, shows: bool, state: &State) -> Proof<()> {
        let doubt = |why: &str| Err(Doubt::new(why, shown(text)));
        let mut path = text.to_owned();
        if let Some(told) = Pathspec::read(text).filter(|_| shows) {
            if !told.is_simple {
                return doubt("which files git looks at is not followed");
            }
            if told.excludes {
                return Ok(());
            }
            if text.starts_with(":(") {
                path = told.pattern;
            }
        }
        self.tails(&path, state)?;
        self.tails(&path.replace('\\', ""), state)?;
        let tails = path.match_indices(':').map(|(at, _)| &path[at + 1..]);
        if shows && [path.as_str()].into_iter().chain(tails).any(|one| self.may_match(one)) {
            return doubt("a pattern in it may match a file that is protected");
        }
        Ok(())
    }

    /// Shows that a text names no file that must not be read, as a whole or behind a colon: `HEAD:.env` is a file of the
    /// past.
    fn tails(&mut self, text: &str, state: &State) -> Proof<()> {
        let tails = text.match_indices(':').map(|(at, _)| &text[at + 1..]);
        for tail in [text].into_iter().filter(|text| !text.contains(':')).chain(tails) {
            let file = tail.trim_start_matches('^');
            if !file.is_empty() {
                self.file(&Argument::plain(file), Access::Read, state)?;
            }
        }
        Ok(())
    }

    /// Whether a pattern of git's may match a protected file: a sign in it stands for `/` and for a dot that comes first as well.
    fn may_match(&self, path: &str) -> bool {
        // Where a set ends is not followed then.
        if path.contains('\\') && path.contains('[') {
            return true;
        }
        let written = path.replace('\\', "");
        let Some(path) = path::plain(&written) else {
            return true;
        };
        let hidden = |part: &str| part.starts_with('.') && path::is_pattern(&path::widened(part));
        let behind = path
            .match_indices(['*', '?', ']'])
            .map(|(at, _)| format!("*{}", &path[at + 1..]));
        let signs = path.matches(['*', '?', '[']).count();
        signs > 0
            && (self.is_much(signs)
                || path.split('/').any(hidden)
                || self.picks_hidden_beneath(&written)
                || path::may_match_protected(&path)
                || behind.into_iter().any(|rest| path::may_match_protected(&rest)))
    }
}

/// Whether what `git config` is given has it tell one setting that opens nothing: not where a remote is, nor what git runs.
fn reads_a_setting(words: &[&str]) -> bool {
    const KEYS: &[&str] = &[
        "init.defaultbranch",
        "merge.conflictstyle",
        "pull.ff",
        "pull.rebase",
        "push.autosetupremote",
        "push.default",
        "user.email",
        "user.name",
    ];
    let words = match words {
        ["--global" | "--local", rest @ ..] => rest,
        all => all,
    };
    match words {
        ["--get" | "--get-all", key] | [key] => KEYS.iter().any(|own| own.eq_ignore_ascii_case(key)),
        _ => false,
    }
}

/// What is known in the folder that an argument names.
fn moved(folder: &Argument, state: &State) -> Option<State> {
    let text = folder.text.as_str();
    let is_plain = folder.kind == Kind::One
        && folder.is_known()
        && !text.is_empty()
        && !text.starts_with('~')
        && !climbs(text, state);
    let here = state
        .here
        .as_deref()?
        .iter()
        .map(|here| Place::of(text, here))
        .collect();
    let mut moved = state.clone();
    moved.here = Some(here);
    is_plain.then_some(moved)
}

/// Whether an option is several in one word, each of which is known and has no value: gitcli(7). The commands that show changes
/// read theirs otherwise.
fn stands_for_several(command: &Looks, text: &str) -> bool {
    let known = |letter: char| command.options.contains(&format!("-{letter}").as_str());
    let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    command.options != SHOWING && letters.is_some_and(|letters| letters.chars().all(known))
}

/// Whether a word lets `git ls-files` print names and nothing else, each in a line: git-ls-files(1).
fn lists_plainly(word: &str) -> bool {
    const OPTIONS: &[&str] = &[
        "--",
        "--cached",
        "--exclude-standard",
        "--full-name",
        "--modified",
        "--others",
    ];
    let letters = word.strip_prefix('-').filter(|letters| !letters.is_empty());
    letters.is_none_or(|letters| letters.chars().all(|letter| "cmo".contains(letter))) || OPTIONS.contains(&word)
}

/// Whether a format has a signature looked at: `%G?`, `%+GK`, `%(signature)`.
fn asks_gnupg(text: &str) -> bool {
    let signs = text
        .split('%')
        .skip(1)
        .any(|rest| rest.trim_start_matches(['+', '-', ' ']).starts_with('G'));
    signs || text.contains("signature")
}
