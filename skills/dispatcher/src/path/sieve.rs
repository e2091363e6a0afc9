//! Whether any row of the table can match a path at all, told at a glance: nearly none can, and the table is long.

use super::table::{Match, ROWS};
use super::{Place, is_environment};
use crate::text;

/// Bit of a component that only begins like that.
const STEM: u64 = 1;

/// Bit of a text by its length and its last byte; others may share it.
const fn bit(text: &[u8]) -> u64 {
    let last = match text {
        [.., last] => last.to_ascii_lowercase() as usize,
        [] => 0,
    };
    2 << ((text.len() * 5 + last) % 63)
}

/// For each first byte of a component: the bits of those that a row looks for first.
const COMPONENTS: [u64; 256] = {
    let mut bits = [0; 256];
    let mut at = 0;
    while at < ROWS.len() {
        let (text, stem) = match ROWS[at].0 {
            Match::Name(name) => (name, false),
            Match::Stem(stem) => (stem, true),
            Match::Part(parts) | Match::Root(parts) => (parts[0], false),
            Match::Suffix(_) => ("", false),
        };
        if !text.is_empty() {
            bits[text.as_bytes()[0] as usize] |= if stem { STEM } else { bit(text.as_bytes()) };
        }
        at += 1;
    }
    bits
};

/// For each byte behind the last dot of a name: the bits of the endings that a row looks for.
const ENDINGS: [u64; 256] = {
    let mut bits = [0; 256];
    let mut at = 0;
    while at < ROWS.len() {
        if let Match::Suffix(suffix) = ROWS[at].0 {
            let (_, ending) = suffix.as_bytes().split_at(1);
            bits[ending[0] as usize] |= bit(ending);
        }
        at += 1;
    }
    bits
};

/// Whether a row may match. If not, none does.
pub(super) fn may_match(place: &Place) -> bool {
    let Some((name, _)) = place.split_last() else {
        return false;
    };
    let ending = text::split_last(name, b'.').map_or("", |(_, ending)| ending).as_bytes();
    let ends = |first: &u8| ENDINGS[usize::from(first.to_ascii_lowercase())] & bit(ending) != 0;
    let stem = |first: &u8| COMPONENTS[usize::from(*first)] & STEM != 0;
    ending.first().is_some_and(ends)
        || name.as_bytes().first().is_some_and(stem)
        || place.parts().any(|part| {
            let first = part.as_bytes().first();
            let environment = first == Some(&b'.') && is_environment(part);
            environment || first.is_some_and(|first| COMPONENTS[usize::from(*first)] & bit(part.as_bytes()) != 0)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_row_matches_is_never_held_back() {
        for (what, ..) in ROWS {
            let names = match what {
                Match::Name(name) => vec![format!("a/{name}"), format!("{name}")],
                Match::Stem(stem) => vec![format!("a/{stem}x"), format!("{stem}gpg")],
                Match::Suffix(suffix) => {
                    assert!(!suffix[1..].contains('.'), "{suffix} has two dots");
                    vec![format!("a/x.y{suffix}"), format!("X{}", suffix.to_uppercase())]
                }
                Match::Part(parts) => vec![format!("a/{}/b", parts.join("/")), parts.join("/")],
                Match::Root(parts) => vec![parts.join("/").replace('*', "7"), format!("{}/x", parts.join("/"))],
            };
            for name in names {
                assert!(may_match(&Place::absolute(&format!("/{name}"))), "{name}");
            }
        }
        assert!(may_match(&Place::absolute("/a/.env.local")));
    }

    #[test]
    fn most_names_are_held_back() {
        for name in [
            "/home/me/work/src/main.rs",
            "/home/me/work/README.md",
            "/home/me/work",
            "/",
        ] {
            assert!(!may_match(&Place::absolute(name)), "{name}");
        }
    }
}
