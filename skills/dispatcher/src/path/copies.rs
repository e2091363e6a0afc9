//! How people and programs name a copy, and what such a name is a copy of. A rule of its own, which whoever looks into files
//! has from here (`skills/files/src/private.rs`).

/// Endings of a copy that editors, programs and people put beside a file: emacs(1), patch(1), rcs(1), the manuals of Debian's
/// packages.
const ENDINGS: &[&str] = &["~", ",v", ".dpkg-dist", ".dpkg-old", ".rpmsave", ".rej", ".un"];
/// Of editors, which put a dot before names that begin with none: vim(1), Kate's.
const SWAPS: &[&str] = &[".swp", ".swo", ".swn", ".kate-swp"];
/// Words that say the same behind one of [`JOINTS`], perhaps with a number.
const WORDS: &[&str] = &[
    "backup", "bak", "bck", "bk", "bkp", "copy", "kopie", "new", "old", "orig", "original", "prev", "previous",
    "sav", "save", "saved", "temp", "tmp",
];
const JOINTS: [char; 4] = ['.', '-', '_', ' '];
/// What file managers put before the name.
const BEFORE: [&str; 2] = ["copy of ", "kopie von "];
/// What stands between an ending of a number and a name: logrotate(8), cp(1), those who download a file again.
const NUMBERED: [&str; 2] = [".", ".~"];
/// How many digits a year has.
const YEAR: usize = 4;
/// What people put behind a name that has no ending, for a program that wants one.
const SHOWN: &[&str] = &[".txt"];

/// The name of what a file called `name` is a copy of, where the name says that it is one; of a copy of a copy, that of the
/// other. In any case of letters.
pub(crate) fn original(name: &str) -> Option<&str> {
    let is_bare = |rest: &&str| rest.strip_prefix('.').is_some_and(|rest| !rest.contains('.'));
    let rest = swapped(name)
        .or_else(|| ending(name, ENDINGS))
        .or_else(|| ending(name, SHOWN).filter(is_bare))
        .or_else(|| numbered(name))
        .or_else(|| name.strip_prefix('#')?.strip_suffix('#'))
        .or_else(|| in_brackets(name))
        .or_else(|| worded(name))
        .or_else(|| before(name))?;
    (!rest.is_empty()).then_some(rest)
}

/// What else a file of that name may be a copy of: one of a name without the dot that an editor has put there.
pub(crate) fn undotted(name: &str) -> Option<&str> {
    swapped(name)?.strip_prefix('.').filter(|rest| !rest.is_empty())
}

/// Names that programs hide with a dot, which people leave out, or write as a word: chezmoi(1). The one of libpq on Windows.
const UNDOTTED: &[&str] = &[
    "authinfo",
    "bash_history",
    "git-credentials",
    "htpasswd",
    "netrc",
    "npmrc",
    "pgpass",
    "psql_history",
    "pypirc",
    "vault_pass",
    "zsh_history",
];
const WORDED: &[&str] = &["dot_", "dot-"];
/// Names of files of environment variables, and what those are called after.
const ENVIRONMENT: &[&str] = &["dotenv", "env-file", "env_file", "envfile"];
const STAGES: &[&str] = &[
    "dev",
    "development",
    "live",
    "local",
    "prod",
    "production",
    "stage",
    "staging",
    "test",
    "txt",
];

/// The name with a dot of which `name`, in lower case, is one without.
pub(crate) fn dotted(name: &str) -> Option<String> {
    let worded = WORDED.iter().find_map(|dot| name.strip_prefix(dot));
    let bare = worded.unwrap_or(name);
    if ENVIRONMENT.contains(&name) || worded == Some("env") {
        return Some(".env".to_owned());
    }
    if let Some(stage) = name.strip_prefix("env.").filter(|stage| STAGES.contains(stage)) {
        return Some(format!(".env.{stage}"));
    }
    let bare = if bare == "pgpass.conf" { "pgpass" } else { bare };
    let bare = bare.strip_suffix(".txt").unwrap_or(bare);
    UNDOTTED.contains(&bare).then(|| format!(".{bare}"))
}

/// What a hidden folder called `name` is a copy of.
pub(crate) fn folder(name: &str) -> Option<&str> {
    name.starts_with('.').then(|| original(name)).flatten()
}

fn swapped(name: &str) -> Option<&str> {
    ending(name, SWAPS)
}

fn ending<'n>(name: &'n str, ends: &[&str]) -> Option<&'n str> {
    ends.iter().find_map(|end| {
        let (rest, own) = name.split_at_checked(name.len().checked_sub(end.len())?)?;
        own.eq_ignore_ascii_case(end).then_some(rest)
    })
}

fn undated(name: &str) -> &str {
    name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '-')
}

/// One of several, or of a day: `.netrc.1`, `.netrc.2024-05-01`, `.netrc-2024`, `.netrc_20240501`, `.netrc2`.
fn numbered(name: &str) -> Option<&str> {
    let rest = undated(name);
    let behind = name.get(rest.len()..)?;
    let is_number = behind.starts_with(|char: char| char.is_ascii_digit());
    let joined = NUMBERED.iter().rev().find_map(|joint| rest.strip_suffix(joint));
    let is_year = |number: &str| number.bytes().take(YEAR).filter(u8::is_ascii_digit).count() == YEAR;
    let dated = || match behind.split_once('-') {
        // The name may end with digits itself.
        Some((own, date)) => is_year(date).then(|| name.get(..rest.len() + own.len())).flatten(),
        None => rest.strip_suffix('_').filter(|_| is_year(behind)),
    };
    let counted = || rest.starts_with('.').then_some(rest);
    let numbered = joined.filter(|_| is_number).or_else(dated);
    numbered.or_else(|| counted().filter(|_| is_number))
}

/// `id_rsa (1)`, `id_rsa (another copy)`.
fn in_brackets(name: &str) -> Option<&str> {
    let (rest, inner) = name.strip_suffix(')')?.rsplit_once(" (")?;
    let is_number = inner.bytes().all(|byte| byte.is_ascii_digit());
    let says = |word: &str| WORDS.iter().any(|own| own.eq_ignore_ascii_case(word));
    (is_number || inner.split(' ').any(says)).then_some(rest)
}

/// `id_rsa-copy`, `id_rsa_old2`, `id_rsa - Copy`.
fn worded(name: &str) -> Option<&str> {
    let whole = undated(name).trim_end_matches(JOINTS);
    let at = whole.rfind(JOINTS)?;
    let word = whole.get(at + 1..)?;
    let is_word = WORDS.iter().any(|own| own.eq_ignore_ascii_case(word));
    is_word.then(|| whole.get(..at).unwrap_or_default().trim_end_matches(JOINTS))
}

fn before(name: &str) -> Option<&str> {
    BEFORE.iter().find_map(|before| {
        let (own, rest) = name.split_at_checked(before.len())?;
        own.eq_ignore_ascii_case(before).then_some(rest)
    })
}
