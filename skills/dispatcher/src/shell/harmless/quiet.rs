//! Programs that show nothing of what is in a file of git's own, which is compressed: they count, sum up, or tell the kind of
//! it, or search for lines, of which there are none. What `grep -r` may do of itself it may do with what find(1) finds.

use super::expand::Argument;
use super::find::only_looks;
use crate::shell::programs;

/// Programs, and the letters and names of options by which each shows more.
const QUIET: &[(&str, &str, &[&str])] = &[
    ("b2sum", "c", &["--check"]),
    ("cksum", "c", &["--check"]),
    ("egrep", "az", &["--text", "--binary-files", "--null-data"]),
    ("fgrep", "az", &["--text", "--binary-files", "--null-data"]),
    ("file", "fmM", &["--files-from", "--magic-file"]),
    ("grep", "az", &["--text", "--binary-files", "--null-data"]),
    ("md5", "", &[]),
    ("md5sum", "c", &["--check"]),
    ("sha1sum", "c", &["--check"]),
    ("sha224sum", "c", &["--check"]),
    ("sha256sum", "c", &["--check"]),
    ("sha384sum", "c", &["--check"]),
    ("sha512sum", "c", &["--check"]),
    ("sum", "", &[]),
    ("wc", "", &["--files0-from"]),
];

/// Whether a command shows nothing of what is in files that it is given behind it.
pub(super) fn shows_nothing(command: &[Argument]) -> bool {
    let name = command.first().and_then(|name| programs::installed(&name.text));
    let Some((_, letters, long)) = QUIET.iter().find(|(own, ..)| Some(*own) == name) else {
        return only_looks(command);
    };
    // Long options may be written shorter.
    let shows = |text: &str| match text.strip_prefix("--") {
        Some(rest) => {
            let name = rest.split('=').next().unwrap_or_default();
            !name.is_empty() && long.iter().any(|own| own[2..].starts_with(name))
        }
        None => text.starts_with('-') && text.contains(|letter| letters.contains(letter)),
    };
    !command
        .iter()
        .skip(1)
        .any(|word| !word.text.starts_with('{') && shows(&word.text))
}
