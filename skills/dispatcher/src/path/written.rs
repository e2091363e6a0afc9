//! Names that what is copied or moved gets, and that nobody wrote down.

use super::table::{Match, ROWS};
use super::{Effect, Place, Roots, glob};

impl Roots {
    /// Whether a folder at this place would hold what is protected beneath it, whatever is in it: `.vscode`, of which
    /// only some files are meant, and the beginning of a pattern of the operator's.
    pub(crate) fn may_hold_protected(&self, place: &Place) -> bool {
        let parts: Vec<&str> = place.parts().collect();
        let of_table = ROWS.iter().any(|(what, _, write, _)| match what {
            Match::Part(wanted) if *write != Effect::Allow => {
                (1..wanted.len()).any(|length| parts.ends_with(&wanted[..length]))
            }
            _ => false,
        });
        of_table || self.protected.iter().any(|pattern| begins(pattern, &parts))
    }
}

/// Whether these components end with the beginning of a pattern.
fn begins(pattern: &str, parts: &[&str]) -> bool {
    let wanted: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    let fits = |window: &[&str]| wanted.iter().zip(window).all(|(wanted, own)| glob(wanted, own));
    if pattern.starts_with('/') {
        return parts.len() < wanted.len() && fits(parts);
    }
    (1..wanted.len()).any(|length| parts.len() >= length && fits(&parts[parts.len() - length..]))
}

/// Whether a pattern of names, in which no set of characters is left, may match one that must not be written.
pub(crate) fn may_match_written(pattern: &str) -> bool {
    let sign = |char: char| matches!(char, '*' | '?');
    let end = &pattern[pattern.rfind(sign).map_or(0, |at| at + 1)..];
    let may = |what: &Match| match *what {
        Match::Name(name) => glob(pattern, name),
        Match::Stem(stem) => glob(pattern, &format!("{stem}x")),
        Match::Suffix(suffix) => end.ends_with(suffix) || suffix.ends_with(end),
        // The name of a folder, which is moved whole.
        Match::Part(wanted) => wanted.iter().any(|part| glob(pattern, part)),
        Match::Root(_) => false,
    };
    // Of hidden ones there are too many to tell.
    pattern.starts_with('.')
        || ROWS
            .iter()
            .any(|(what, _, write, _)| *write != Effect::Allow && may(what))
}
