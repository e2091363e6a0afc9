//! How people and programs name a copy, and what such a name is a copy of. A rule of its own, which whoever looks into files
//! has from here (`skills/files/src/private.rs`).

/// Endings of a copy that editors, programs and people put beside a file: emacs(1), patch(1), rcs(1), the manuals of Debian's
/// packages.
const ENDINGS: &[&str] = &[
    "~",
    ".backup",
    ".bak",
    ".bkp",
    ".copy",
    ".dpkg-dist",
    ".dpkg-old",
    ".old",
    ".orig",
    ".rpmsave",
    ".sav",
    ".save",
    ".temp",
    ".tmp",
    ",v",
];
/// The same of those that begin with a dot more: vim(1), Kate's.
const SWAPS: &[&str] = &[".swp", ".swo", ".kate-swp"];
/// Words that say the same behind one of [`JOINTS`], perhaps with a number.
const WORDS: &[&str] = &[
    "backup", "bak", "bkp", "copy", "old", "orig", "original", "save", "saved", "temp", "tmp",
];
const JOINTS: [char; 4] = ['.', '-', '_', ' '];
/// What file managers put before the name.
const BEFORE: &str = "copy of ";

/// The name of what a file called `name` is a copy of, where the name says that it is one; of a copy of a copy, that of the
/// other. In any case.
pub(crate) fn original(name: &str) -> Option<&str> {
    let rest = ending(name)
        .or_else(|| numbered(name))
        .or_else(|| between(name, "#", "#"))
        .or_else(|| worded(name))
        .or_else(|| before(name))?;
    (!rest.is_empty()).then_some(rest)
}

fn ending(name: &str) -> Option<&str> {
    let without = |end: &&str| {
        let (rest, own) = name.split_at_checked(name.len().checked_sub(end.len())?)?;
        own.eq_ignore_ascii_case(end).then_some(rest)
    };
    let swap = SWAPS
        .iter()
        .find_map(without)
        .map(|rest| rest.strip_prefix('.').unwrap_or(rest));
    ENDINGS.iter().find_map(without).or(swap)
}

fn between<'n>(name: &'n str, begin: &str, end: &str) -> Option<&'n str> {
    name.strip_prefix(begin)?.strip_suffix(end)
}

/// One of several, as logrotate(8) numbers them, and those who download a file again.
fn numbered(name: &str) -> Option<&str> {
    let (name, joint) = match name.strip_suffix(')') {
        Some(rest) => (rest, " ("),
        None => (name, "."),
    };
    let rest = name.trim_end_matches(|digit: char| digit.is_ascii_digit());
    rest.strip_suffix(joint).filter(|_| rest.len() < name.len())
}

/// `id_rsa-copy`, `id_rsa_old2`, `id_rsa - Copy`.
fn worded(name: &str) -> Option<&str> {
    let whole = name
        .trim_end_matches(|digit: char| digit.is_ascii_digit())
        .trim_end_matches(JOINTS);
    let at = whole.rfind(JOINTS)?;
    let word = whole.get(at + 1..)?;
    let is_word = WORDS.iter().any(|own| own.eq_ignore_ascii_case(word));
    is_word.then(|| whole.get(..at).unwrap_or_default().trim_end_matches(JOINTS))
}

fn before(name: &str) -> Option<&str> {
    let (own, rest) = name.split_at_checked(BEFORE.len())?;
    own.eq_ignore_ascii_case(BEFORE).then_some(rest)
}
