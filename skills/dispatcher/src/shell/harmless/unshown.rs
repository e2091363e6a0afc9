//! What git has that nobody may have agreed to share: what was stashed, taken back or never committed. All of it can be named in
//! many ways, by the names that git keeps for itself and by its hash; so only names that people give, and `HEAD`, are known to
//! mean what is shared. Of a hash the host tells it where git shows changes. Source: gitrevisions(7), of git 2.43.

use super::expand::Argument;
use super::foreign::{is_foreign, is_open, shows_more};

/// Options by which every name that there is, or what was left, is looked at.
const ALL: &[&str] = &["--all", "--glob", "--reflog", "--walk-reflogs", "-g"];

/// Options by which what changed is shown, line by line: `--check` shows those with blanks at their ends.
const PATCHES: &[&str] = &[
    "--binary",
    "--cc",
    "--check",
    "--color-words",
    "--function-context",
    "--patch",
    "--patch-with-raw",
    "--patch-with-stat",
    "--unified",
    "--word-diff",
    "-L",
    "-U",
    "-W",
    "-c",
    "-m",
    "-p",
    "-u",
];

/// Options by which what is printed depends on what lines hold, so that whoever asks often enough learns them all the same.
const SEARCHES: &[&str] = &[
    "--find-object",
    "--ignore-matching-lines",
    "--pickaxe-all",
    "--pickaxe-regex",
    "-G",
    "-I",
    "-S",
];

/// Options by which `git diff` shows no line of a file, unless one of the above does.
const SUMMARIES: &[&str] = &[
    "--name-only",
    "--name-status",
    "--no-patch",
    "--numstat",
    "--quiet",
    "--shortstat",
    "--stat",
    "--summary",
    "-s",
];

/// Names that git keeps for itself, beside those that end in `_HEAD`.
const OWN: &[&str] = &[
    "AUTO_MERGE",
    "BISECT_EXPECTED_REV",
    "MERGE_AUTOSTASH",
    "NOTES_MERGE_PARTIAL",
    "NOTES_MERGE_REF",
];

/// Commands of which a format says what they show.
const FORMATTING: &[&str] = &[
    "branch",
    "diff",
    "for-each-ref",
    "log",
    "reflog",
    "rev-list",
    "show",
    "tag",
    "whatchanged",
];

/// What of these arguments of the command `name` has git show contents that nobody may have agreed to share. `operands` are those
/// of them that may be revisions.
pub(super) fn unshown<'a>(name: &str, arguments: &'a [Argument], operands: &[&'a str]) -> Option<&'a str> {
    let texts = || arguments.iter().map(|argument| argument.text.as_str());
    let has = |known: &[&str]| option(arguments, known);
    if let Some(format) = texts().find(|text| shows_more(text))
        && FORMATTING.contains(&name)
    {
        return Some(format);
    }
    let patches = has(PATCHES).or_else(|| has(SEARCHES)).is_some();
    // Git takes it for a hash, whatever stands before that.
    let disguised = operands.iter().copied().find(|text| {
        let mut signs = text.match_indices("-g").map(|(at, _)| text.split_at(at));
        signs.any(|(before, behind)| {
            let digits = behind[2..].bytes().take_while(u8::is_ascii_hexdigit).count();
            digits >= 4 && before.contains([':', '~', '^', '@'])
        })
    });
    if disguised.is_some() {
        return disguised;
    }
    let unshared = || operands.iter().copied().find(|text| is_unshared(text, true));
    // Where changes are shown the host sees whether what is called by its hash is in a branch or a tag.
    let taken_back = || operands.iter().copied().find(|text| is_unshared(text, false));
    // Of one that is a file of the work tree these show nothing.
    let open = || operands.iter().copied().find(|text| names(text).any(is_open));
    match name {
        "reflog" if patches => texts().find(|text| *text != name),
        "show" => has(ALL).or_else(taken_back).or_else(open),
        "log" | "whatchanged" if patches => has(ALL).or_else(taken_back),
        "rev-list" if patches => has(ALL).or_else(unshared),
        "diff" if !patches && has(SUMMARIES).is_some() => None,
        "diff" => has(ALL).or_else(taken_back),
        "blame" | "grep" => unshared(),
        // Without one of these it shows an object, whatever kind of one it is said to be.
        "cat-file" if has(&["-t", "-s", "-e"]).is_none() => unshared().or_else(open),
        _ => None,
    }
}

/// By which of these arguments lines of other versions are shown without what tells of which file each is.
pub(super) fn untold<'a>(name: &str, arguments: &'a [Argument], operands: &[&'a str]) -> Option<&'a str> {
    let has = |known: &[&str]| option(arguments, known);
    let by_itself = matches!(name, "diff" | "show") && has(SUMMARIES).is_none();
    let patches = by_itself || has(PATCHES).is_some();
    // A name alone may be one of the last commit, or of a file.
    let other = || {
        operands
            .iter()
            .copied()
            .find(|text| text.contains(['^', '~']) || text.contains("..") || text.contains("@{"))
    };
    match name {
        "diff" => has(&["--check"])
            .and_then(|_| other())
            .or_else(|| has(&["--relative", "-z"]).filter(|_| patches)),
        "log" | "show" | "whatchanged" => {
            has(&["--check", "-L"]).or_else(|| has(&["--graph", "--relative", "-z"]).filter(|_| patches))
        }
        "blame" | "grep" => other(),
        _ => None,
    }
}

/// The first of the arguments that is one of these options.
fn option<'a>(arguments: &'a [Argument], known: &[&str]) -> Option<&'a str> {
    let is = |text: &&str| {
        known
            .iter()
            .any(|own| text.split('=').next() == Some(*own) || own.len() == 2 && text.starts_with(own))
    };
    arguments.iter().map(|argument| argument.text.as_str()).find(is)
}

/// Whether an operand may be a revision, or some, of what is in no branch; with `by_hash`, by its hash as well.
fn is_unshared(operand: &str, by_hash: bool) -> bool {
    // It looks for a commit of any name.
    operand.trim_start_matches('^').starts_with(":/")
        || operand.contains(".:/")
        || operand.contains(".^:/")
        || operand.contains("^{/")
        || operand
            .split("..")
            .any(|one| is_unshared_name(one.trim_start_matches(['.', '^']), by_hash))
}

/// The names in an operand, without what says which of their history is meant.
fn names(operand: &str) -> impl Iterator<Item = &str> {
    let revision = operand.split(':').next().unwrap_or_default();
    let all = revision.split("..").map(|one| one.trim_start_matches(['.', '^']));
    all.map(|one| one.split(['~', '^', '@']).next().unwrap_or_default())
}

fn is_unshared_name(text: &str, by_hash: bool) -> bool {
    // A file of a revision.
    let revision = text.split(':').next().unwrap_or_default();
    if let Some((_, behind)) = revision.split_once("@{")
        && (behind.contains("@{") || !["u}", "upstream}", "push}"].iter().any(|own| behind.starts_with(own)))
    {
        return true;
    }
    // What comes behind is of the same history.
    let name = revision.split(['~', '^', '@']).next().unwrap_or_default();
    let digits = |text: &str| text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    // `v1.0-3-g4203a90` is what follows the `g`.
    let described = name.rsplit_once("-g").is_some_and(|(_, hash)| digits(hash));
    let is_own = |known: &[&str], text: &str| known.iter().any(|own| own.eq_ignore_ascii_case(text));
    let is_head = name.len() > 5 && name.to_ascii_uppercase().ends_with("_HEAD");
    by_hash && (digits(name) || described) || is_foreign(name) || is_head || is_own(OWN, name)
}
