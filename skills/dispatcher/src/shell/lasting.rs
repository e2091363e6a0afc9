//! Whether a program does the same each time it is given the same arguments, so that approving them once may be enough.
//! It must be the system's own, and each of its options one that is known to run nothing and to obey no file: what the
//! workspace holds may be changed behind the approval.

use super::grammar::{Grammar, Operands, Takes};
use super::harmless;
use super::hidden::Invocation;
use super::programs::{self, Does};
use super::word::Field;
use crate::path::{Place, Roots};

/// Options of one program, beside those of its row.
struct More {
    name: &'static str,
    /// Short ones.
    flags: &'static str,
    /// Short ones with a value.
    values: &'static str,
    /// Long ones, by their whole names, with `=` where a value follows in the same argument.
    long: &'static [&'static str],
}

const fn more(name: &'static str, flags: &'static str, values: &'static str, long: &'static [&'static str]) -> More {
    More {
        name,
        flags,
        values,
        long,
    }
}

/// Programs that change or reach something. One that has neither a row with options nor stands here may obey a file in
/// the home folder, which is the workspace. What writes names that an archive holds is not here: they are not the command's,
/// and the archive can change (tar's `x`, unzip, cpio, ar, pax). Nor has split: how many names it writes depends on the file.
/// Sources: their manuals. These obey none: GNU coreutils, sed and tar, binutils and iputils know only variables and what is
/// in /etc (`TAR_OPTIONS`), as zip does (`ZIPOPT`); curl obeys ~/.curlrc unless it is first told not to. Not here, for they
/// do: rsync and whatever else reads its options with popt(3) (~/.popt gives an option another meaning, or another program),
/// scp and sftp (~/.ssh/config: ssh_config(5)), wget (~/.wgetrc), ftp (~/.netrc), nmap (~/.nmap).
const MORE: &[More] = &[
    more("chgrp", "cfhRv", "", &["recursive", "verbose"]),
    more("chown", "cfhRv", "", &["recursive", "verbose"]),
    more("cp", "bs", "", &["symbolic-link", "link"]),
    more(
        "curl",
        "fgGiIjkLOqsSv0123456",
        "AcemorX",
        &[
            "compressed",
            "disable",
            "fail",
            "head",
            "insecure",
            "location",
            "output=",
            "remote-name",
            "request=",
            "show-error",
            "silent",
            "verbose",
        ],
    ),
    more("install", "cdDpv", "gmot", &["directory", "mode="]),
    more("link", "", "", &[]),
    more("ln", "bfiLnPrsTv", "t", &["force", "relative", "symbolic", "verbose"]),
    more("mkfifo", "", "m", &["mode="]),
    more("mv", "b", "", &[]),
    more("ping", "46DnqvU", "ciwWs", &[]),
    more("rm", "rR", "", &["recursive"]),
    more(
        "sed",
        "Enrsuz",
        "e",
        &[
            "debug",
            "expression=",
            "null-data",
            "posix",
            "quiet",
            "regexp-extended",
            "sandbox",
            "separate",
            "silent",
            "unbuffered",
        ],
    ),
    more("shred", "fuvxz", "ns", &["force", "remove", "verbose", "zero"]),
    more("strings", "af", "ent", &["all"]),
    more("sync", "df", "", &["data", "file-system"]),
    more(
        "tar",
        "acjJhkmOpStvzZ",
        "fC",
        &[
            "create",
            "directory=",
            "exclude=",
            "file=",
            "gzip",
            "list",
            "verbose",
            "xz",
            "zstd",
        ],
    ),
    more("unlink", "", "", &[]),
    more("zip", "0123456789DXjqruvy", "", &[]),
];

/// Programs with a row that obey a file in the home folder all the same: file(1) ~/.magic and ~/.magic.mgc, jq(1) ~/.jq,
/// less(1) ~/.lesskey, ~/.config/lesskey and what lesskey(1) made of them, as more and zmore where they are less.
const OBEYING: &[&str] = &["file", "jq", "less", "more", "zmore"];

/// What find(1) does beside looking. Behind `--` it is done as well.
const ACTIONS: &[&str] = &["-delete", "-exec", "-files0-from", "-fls", "-fprint", "-ok"];

/// Whether an invocation does the same each time.
pub(super) fn lasts(invocation: &Invocation<'_>, roots: &Roots, here: Option<&Place>) -> bool {
    let Some((program, arguments)) = invocation.fields.split_first() else {
        // It only sets variables.
        return false;
    };
    let name = invocation.name.as_ref();
    if !invocation.does.is_some_and(Does::is_its_own) || programs::installed(&program.text) != Some(name) {
        return false;
    }
    if OBEYING.contains(&name) {
        return false;
    }
    // A name that matches may look like an option.
    let may_be_option = |field: &Field| field.glob && field.text.starts_with(['*', '?', '[', '-', '+']);
    if arguments.iter().any(may_be_option) {
        return false;
    }
    let texts: Vec<&str> = arguments.iter().map(|field| field.text.as_str()).collect();
    if takes_along(invocation, roots, here) {
        return false;
    }
    let own = MORE.iter().find(|more| more.name == name);
    let row = invocation.row.and_then(|row| row.grammar.as_ref());
    match (name, row.map(|row| row.operands)) {
        (_, Some(Operands::Find)) => !texts.iter().any(|text| ACTIONS.iter().any(|act| text.starts_with(act))),
        // It obeys a file in the home folder, unless that is the first that it is told.
        ("curl", _) if !matches!(texts.first(), Some(&"-q" | &"--disable")) => false,
        ("sed", _) => {
            is_known(own, None, &texts)
                && script_of_sed(&texts).is_some_and(|script| harmless::acts(&script).is_none())
        }
        // Its row is about where it lists; otherwise it writes what the archive holds.
        ("unzip", _) => false,
        // What stands in such a file are options; GNU binutils.
        ("strings", _) if texts.iter().any(|text| text.starts_with('@')) => false,
        // A colon in a name is another machine.
        ("tar", _) => {
            let known = |letters: &str| own.is_some_and(|own| unsigned(own, letters));
            let rest = match texts.split_first() {
                Some((first, rest)) if !first.starts_with('-') => known(first).then_some(rest),
                _ => Some(texts.as_slice()),
            };
            !texts.iter().any(|text| text.contains(':')) && rest.is_some_and(|rest| is_known(own, None, rest))
        }
        (_, row_operands) => {
            let known = own.is_some() || row_operands.is_some();
            let bare = row.is_some_and(|row| row.bare);
            match bare {
                true => harmless::sets_nothing(name, arguments),
                false => known && is_known(own, row, &texts),
            }
        }
    }
}

/// Whether names come to be that the command does not say: all that is in a folder or matches a pattern, under names that may
/// be protected where they come to be.
fn takes_along(invocation: &Invocation<'_>, roots: &Roots, here: Option<&Place>) -> bool {
    if invocation.does != Some(Does::Copies) {
        return false;
    }
    let has = |short: char, long: &str| invocation.has_option(short, long);
    if has('r', "recursive") || has('R', "recursive") || has('a', "archive") {
        return true;
    }
    // A folder that is moved, or that a link leads to, comes with what is in it then.
    let whole = |field: &Field| here.is_none_or(|here| roots.may_hold_protected(&Place::of(&field.text, here)));
    let folders = matches!(invocation.name.as_ref(), "mv" | "ln");
    invocation
        .arguments()
        .iter()
        .any(|field| field.glob || folders && whole(field))
}

/// Whether letters of options that have no sign are known: their values stand behind all of them, in their order.
fn unsigned(own: &More, letters: &str) -> bool {
    letters
        .chars()
        .all(|letter| own.flags.contains(letter) || own.values.contains(letter))
}

/// Whether each option is known.
fn is_known(own: Option<&More>, row: Option<&Grammar>, texts: &[&str]) -> bool {
    let flag = |letter: char| {
        own.is_some_and(|own| own.flags.contains(letter)) || row.is_some_and(|row| row.flags.contains(letter))
    };
    let valued = |letter: char| {
        let of_row = |row: &Grammar| {
            [row.values, row.reads, row.picks, row.leaves]
                .iter()
                .any(|own| own.contains(letter))
        };
        own.is_some_and(|own| own.values.contains(letter)) || row.is_some_and(of_row)
    };
    let mut rest = texts.iter();
    while let Some(text) = rest.next() {
        if *text == "--" {
            return true;
        }
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            let of_more = |own: &More| {
                own.long.iter().any(|known| match known.strip_suffix('=') {
                    Some(known) => known == name && value.is_some(),
                    None => *known == name && value.is_none(),
                })
            };
            let of_row = |row: &Grammar| {
                row.long.iter().any(|(known, takes)| {
                    *known == name
                        && match takes {
                            Takes::Nothing => value.is_none(),
                            Takes::Maybe => true,
                            Takes::Value | Takes::File | Takes::Names | Takes::Others => value.is_some(),
                        }
                })
            };
            if !own.is_some_and(of_more) && !row.is_some_and(of_row) {
                return false;
            }
        } else if let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            if row.is_some_and(|row| row.numbers) && letters.bytes().all(|byte| byte.is_ascii_digit()) {
                continue;
            }
            for (at, letter) in letters.char_indices() {
                let value = &letters[at + letter.len_utf8()..];
                if row.is_some_and(|row| row.optional.contains(letter)) {
                    break;
                }
                if valued(letter) {
                    // A version that knows no value there takes it for an option.
                    if value.is_empty()
                        && rest
                            .next()
                            .is_some_and(|value| value.starts_with('-') && value.len() > 1)
                    {
                        return false;
                    }
                    break;
                }
                if !flag(letter) {
                    return false;
                }
            }
        } else if text.starts_with('+') && row.is_some_and(|row| !row.plus) {
            // Some programs that read files take it for an option.
            return false;
        }
    }
    true
}

/// The script of sed, where all of it stands in its arguments. `None` if there is none.
pub(super) fn script_of_sed(texts: &[&str]) -> Option<String> {
    let mut given = Vec::new();
    let mut operands = Vec::new();
    let mut rest = texts.iter();
    while let Some(text) = rest.next() {
        if *text == "--" {
            operands.extend(rest.by_ref());
        } else if let Some(script) = text.strip_prefix("--expression=") {
            given.push(script);
        } else if let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.starts_with('-')) {
            match letters.split_once('e') {
                Some((_, "")) => given.push(rest.next()?),
                Some((_, script)) => given.push(script),
                None => {}
            }
        } else if !text.starts_with("--") {
            operands.push(text);
        }
    }
    if given.is_empty() {
        given.push(operands.first()?);
    }
    Some(given.join("\n"))
}
