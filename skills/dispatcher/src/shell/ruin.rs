//! What is never run, whoever approves: taking away everything, overwriting disks, fork bombs.

use std::borrow::Cow;

use super::hidden::Invocation;
use super::parse::Command;
use super::programs::Does;
use super::word::{Field, Word};
use crate::path::{Base, Place, Roots, glob};

/// Folders of the system that hold its every part: the Filesystem Hierarchy Standard 3.0.
const SYSTEM: &[&str] = &[
    "Users", "bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "opt", "proc", "root", "run", "sbin",
    "srv", "sys", "usr", "var",
];

/// Devices that can be written without harm: null(4), zero(4), tty(4), pts(4), fd(4).
const HARMLESS_DEVICES: &[&str] = &[
    "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout", "tcp", "tty", "udp",
    "urandom", "zero",
];

/// Why something is never run: the rule, the reason, and what to try instead.
pub(crate) struct Ruin {
    /// The rule.
    pub(crate) rule: &'static str,
    /// What would happen.
    pub(crate) reason: String,
    /// What to try instead.
    pub(crate) repair: &'static str,
}

const NAME_THE_FILES: &str =
    "Name the files inside the workspace that should go, one by one or by a folder's own name.";
const NO_DEVICES: &str = "Write to a file in the workspace; disks are not the agent's to change.";

/// Wrappers that run a command where they are called, and as it stands.
const PLAIN: &[&str] = &["command", "ionice", "nice", "nohup", "stdbuf", "time", "timeout"];

/// How an invocation stands in its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It is all that runs, where it stands.
    Alone,
    /// All its arguments are seen, and nothing in them came to nothing.
    Whole,
    /// More may come behind its arguments, or other ones in their place.
    Open,
}

impl Standing {
    /// That of a command of so many words, at this depth of scripts.
    pub(crate) fn of(invocations: &[Invocation<'_>], words: usize, fields: usize, depth: usize) -> Standing {
        let is = |names: &[&str]| invocations.iter().any(|one| names.contains(&one.name.as_ref()));
        let others = invocations.split_last().map_or(&[][..], |(_, others)| others);
        if fields < words || is(&["fd", "fdfind", "find", "parallel", "xargs"]) {
            Standing::Open
        } else if depth == 0 && others.iter().all(|one| PLAIN.contains(&one.name.as_ref())) {
            Standing::Alone
        } else {
            Standing::Whole
        }
    }
}

/// Judges one invocation. `here` is the current folder, if it is known.
pub(crate) fn judge(
    invocation: &Invocation<'_>,
    standing: Standing,
    here: Option<&Place>,
    roots: &Roots,
) -> Option<Ruin> {
    let name = invocation.name.as_ref();
    let named = |own: &str| name == own || (invocation.fields[0].glob && glob(name, own));
    if named("rm") || named("srm") || named("wipe") {
        return removal(invocation, here, roots);
    }
    if standing != Standing::Open && name == "wipefs" && only_lists(invocation) {
        return None;
    }
    if named("shred") || named("wipefs") || name == "blkdiscard" {
        return invocation
            .operands()
            .find_map(|field| device(field, &format!("{name} destroys what is on")));
    }
    if makes_none(invocation, standing) || makes_in_file(invocation, standing, here, roots) {
        return None;
    }
    if name.starts_with("mkfs") || named("mformat") || (named("mkswap") || named("mke2fs")) {
        let reason = format!("{name} makes a new file system over what is there");
        return Some(Ruin {
            rule: "shell-format",
            reason,
            repair: NO_DEVICES,
        });
    }
    match name {
        "dd" => invocation
            .arguments()
            .iter()
            .filter_map(|field| field.text.strip_prefix("of="))
            .find_map(|target| device(&Field::from(target), "dd overwrites")),
        "tee" | "cp" | "install" | "truncate" => invocation
            .operands()
            .last()
            .and_then(|field| device(field, &format!("{name} overwrites"))),
        "find" => find(invocation, here, roots),
        "rsync" if syncs_deletions(invocation) => invocation
            .operands()
            .last()
            .and_then(|field| everything(field, here, roots))
            .map(|what| Ruin {
                rule: "shell-remove-everything",
                reason: format!("rsync would take away {what}"),
                repair: NAME_THE_FILES,
            }),
        "chmod" | "chown" | "chgrp" if invocation.has_option('R', "recursive") => invocation
            .operands()
            .skip(1)
            .find_map(|field| everything(field, here, roots))
            .map(|what| Ruin {
                rule: "shell-change-everything",
                reason: format!("{name} -R would change {what}"),
                repair: "Name the files inside the workspace that should change.",
            }),
        "mv" => {
            let sources: Vec<&Field> = invocation.operands().collect();
            let (_, sources) = sources.split_last()?;
            sources
                .iter()
                .find_map(|field| everything(field, here, roots))
                .map(|what| Ruin {
                    rule: "shell-remove-everything",
                    reason: format!("mv would move {what} away"),
                    repair: NAME_THE_FILES,
                })
        }
        _ => None,
    }
}

/// Whether folders are taken away with what is in them.
pub(super) fn is_recursive(invocation: &Invocation<'_>) -> bool {
    invocation.has_option('r', "recursive") || invocation.has_option('R', "recursive")
}

/// Whether rsync deletes what is not where it copies from.
pub(super) fn syncs_deletions(invocation: &Invocation<'_>) -> bool {
    invocation
        .arguments()
        .iter()
        .any(|field| field.text.starts_with("--del"))
}

/// Whether wipefs(8) is not told to erase anything, or told not to.
fn only_lists(invocation: &Invocation<'_>) -> bool {
    let arguments = invocation.arguments();
    // Letters of options without a value.
    let flags = |text: &str| {
        let letters = text.strip_prefix('-').filter(|letters| !letters.is_empty());
        letters.is_some_and(|letters| letters.chars().all(|letter| "afhiJnpqV".contains(letter)))
    };
    let erases = invocation.has_option('a', "all") || invocation.has_option('o', "offset");
    let tries = arguments
        .iter()
        .take_while(|field| flags(&field.text) || matches!(field.text.as_str(), "--all" | "--no-act"))
        .any(|field| field.text == "--no-act" || flags(&field.text) && field.text.contains('n'));
    arguments.iter().all(|field| field.is_known() && !field.glob) && (!erases || tries)
}

/// Whether a program that makes file systems is only asked about itself.
fn makes_none(invocation: &Invocation<'_>, standing: Standing) -> bool {
    let asks = |field: &Field| matches!(field.text.as_str(), "--help" | "--version" | "-V" | "-h");
    standing != Standing::Open && makes(invocation) && matches!(invocation.arguments(), [only] if asks(only))
}

/// Whether it makes one in a plain file of the workspace.
fn makes_in_file(invocation: &Invocation<'_>, standing: Standing, here: Option<&Place>, roots: &Roots) -> bool {
    let Some(here) = here.filter(|_| standing == Standing::Alone && makes(invocation)) else {
        return false;
    };
    let plain = |field: &Field| {
        let text = field.text.as_str();
        field.is_known() && !field.glob && !text.contains(['{', '}']) && !text.contains("/dev")
    };
    let inside = |field: &Field| roots.is_inside(&Place::of(&field.text, here));
    invocation.arguments().iter().all(plain)
        && invocation.operands().next().is_some()
        && invocation.operands().all(inside)
}

/// Whether it is one of the programs that make a file system in what they are told, and nowhere else.
fn makes(invocation: &Invocation<'_>) -> bool {
    let name = invocation.name.as_ref();
    let plain = invocation
        .fields
        .first()
        .is_some_and(|field| field.is_known() && !field.glob);
    plain && (name.starts_with("mkfs") || matches!(name, "mke2fs" | "mkswap"))
}

/// `rm` that takes away everything, in all its spellings.
fn removal(invocation: &Invocation<'_>, here: Option<&Place>, roots: &Roots) -> Option<Ruin> {
    let no_preserve = invocation.arguments().iter().any(|field| {
        field.text.len() >= 6
            && "--no-preserve-root".starts_with(field.text.as_str())
            && field.text.starts_with("--no-p")
    });
    if no_preserve {
        let reason = "rm is told that it may take away the root of the file system".to_owned();
        return Some(Ruin {
            rule: "shell-remove-everything",
            reason,
            repair: NAME_THE_FILES,
        });
    }
    if !is_recursive(invocation) {
        return None;
    }
    let what = invocation.operands().find_map(|field| everything(field, here, roots))?;
    let reason = format!("rm would take away {what}");
    Some(Ruin {
        rule: "shell-remove-everything",
        reason,
        repair: NAME_THE_FILES,
    })
}

/// `find / -delete` and its like, without any test on what is found.
fn find(invocation: &Invocation<'_>, here: Option<&Place>, roots: &Roots) -> Option<Ruin> {
    if !finds_all_to_delete(invocation) {
        return None;
    }
    let what = starts_of_find(invocation).find_map(|field| everything(field, here, roots))?;
    let reason = format!("find would take away {what}");
    Some(Ruin {
        rule: "shell-remove-everything",
        reason,
        repair: NAME_THE_FILES,
    })
}

/// Where find(1) begins to look.
pub(super) fn starts_of_find<'a>(invocation: &Invocation<'a>) -> impl Iterator<Item = &'a Field> {
    let mut arguments = invocation.arguments().iter();
    std::iter::from_fn(move || {
        arguments
            .next()
            .filter(|field| !field.text.starts_with(['-', '(', '!']))
    })
}

/// Whether find(1) deletes what it finds, without any test that it must meet.
pub(super) fn finds_all_to_delete(invocation: &Invocation<'_>) -> bool {
    let arguments = invocation.arguments();
    let deletes = arguments
        .iter()
        .enumerate()
        .any(|(at, field)| match field.text.as_str() {
            "-delete" => true,
            "-exec" | "-execdir" => {
                let run = arguments.get(at + 1).map(Field::known_part).unwrap_or_default();
                matches!(run.rsplit('/').next(), Some("rm" | "shred" | "unlink"))
            }
            _ => false,
        });
    const TESTS: &[&str] = &[
        "-name",
        "-iname",
        "-path",
        "-ipath",
        "-regex",
        "-iregex",
        "-newer",
        "-empty",
        "-mtime",
        "-atime",
        "-ctime",
        "-mmin",
        "-amin",
        "-cmin",
        "-size",
        "-user",
        "-group",
        "-inum",
        "-perm",
        "-uid",
        "-gid",
        "-nouser",
        "-nogroup",
        "-links",
        "-samefile",
    ];
    // What a test keeps out is little of all there is.
    let keeps_out = |at: usize| at > 0 && matches!(arguments[at - 1].text.as_str(), "!" | "-not");
    let narrows = |(at, field): (usize, &Field)| TESTS.contains(&field.text.as_str()) && !keeps_out(at);
    deletes && !arguments.iter().enumerate().any(narrows)
}

/// What a path names, if that is everything somebody has: the root, the system, a home, what the workspace lies in.
fn everything(field: &Field, here: Option<&Place>, roots: &Roots) -> Option<String> {
    let known = if field.is_known() {
        Cow::Borrowed(field.text.as_str())
    } else {
        Cow::Owned(field.known_part())
    };
    // `$x` alone may be anything; `$x/` with an `x` that nothing set is the root, and then it is known.
    if known.is_empty() || (!field.is_known() && known.trim_matches(['/', '*', '.']).is_empty()) {
        return None;
    }
    let relative = !known.starts_with(['/', '~']);
    let unknown = Place::absolute("/unknown/unknown/unknown");
    let mut place = Place::of(&field.text, if relative { here.unwrap_or(&unknown) } else { &unknown });
    if relative && here.is_none() {
        return None;
    }
    while field.glob
        && place.parts().next_back().is_some_and(|part| {
            part.starts_with(['*', '?', '['])
                || part.starts_with(".*")
                || part.starts_with(".[")
                || part.starts_with(".?")
        })
    {
        place.pop();
    }
    let parts: Vec<&str> = place.parts().take(3).collect();
    match (place.base, parts.as_slice()) {
        (Base::Home, []) => Some("somebody's whole home folder".to_owned()),
        (Base::Root, []) => Some("the root of the file system".to_owned()),
        (Base::Root, [only]) if SYSTEM.contains(only) => Some(format!("/{only}, a part of the system")),
        (Base::Root, ["home" | "Users", user]) => Some(format!("the whole home folder of {user}")),
        _ if roots.holds_workspace(&place) => Some(format!("{place}, in which the workspace lies")),
        _ => None,
    }
}

/// A device that must not be written.
pub(crate) fn device(field: &Field, verb: &str) -> Option<Ruin> {
    if !field.text.starts_with('/') {
        return None;
    }
    let place = Place::absolute(field.text.as_str());
    let mut parts = place.parts();
    if parts.next() != Some("dev") {
        return None;
    }
    let name = parts.next()?;
    let stem = name.trim_end_matches(|char: char| char.is_ascii_digit());
    if HARMLESS_DEVICES.contains(&name) || HARMLESS_DEVICES.contains(&stem) {
        return None;
    }
    Some(Ruin {
        rule: "shell-device",
        reason: format!("{verb} the device {place}"),
        repair: NO_DEVICES,
    })
}

/// A function that calls itself twice at once, so that it never stops multiplying, and where the first call stands.
pub(crate) fn fork_bomb(commands: &[Command]) -> Option<(usize, Ruin)> {
    let name = |command: &Command| command.words.first().map(Word::literal).unwrap_or_default();
    let calls_itself = |command: &&Command| !command.inside.is_empty() && command.inside.contains(&name(command));
    let mut pairs = commands.iter().zip(commands.iter().skip(1));
    let at = pairs.position(|(first, second)| {
        first.writes_pipe && calls_itself(&first) && calls_itself(&second) && name(first) == name(second)
    })?;
    let ruin = Ruin {
        rule: "shell-fork-bomb",
        reason: "a function calls itself twice at once, which fills the machine with processes".to_owned(),
        repair: "Write a loop with a bound.",
    };
    Some((at, ruin))
}

/// Whether the program reads its script from its input.
pub(crate) fn reads_script(invocation: &Invocation<'_>) -> bool {
    matches!(invocation.does, Some(Does::Shell | Does::Interprets))
}
