//! Whether any row of the table can match a path at all, told at a glance: nearly none can, and the table is long.

use super::Place;
use super::table::{Match, ROWS};

/// Bit of a component that only begins like that.
const STEM: u32 = 1;

/// Bit of a component of that length; all long ones share one.
const fn bit(length: usize) -> u32 {
    1 << if length < 31 { length } else { 31 }
}

/// For each first byte of a component: the lengths of those that a row looks for first.
const COMPONENTS: [u32; 256] = {
    let mut lengths = [0; 256];
    let mut at = 0;
    while at < ROWS.len() {
        let (text, stem) = match ROWS[at].0 {
            Match::Name(name) => (name, false),
            Match::Stem(stem) => (stem, true),
            Match::Part(parts) | Match::Root(parts) => (parts[0], false),
            Match::Suffix(_) => ("", false),
        };
        if !text.is_empty() {
            lengths[text.as_bytes()[0] as usize] |= if stem { STEM } else { bit(text.len()) };
        }
        at += 1;
    }
    lengths
};

/// For each byte behind the last dot of a name: the lengths of the endings that a row looks for.
const ENDINGS: [u32; 256] = {
    let mut lengths = [0; 256];
    let mut at = 0;
    while at < ROWS.len() {
        if let Match::Suffix(suffix) = ROWS[at].0 {
            lengths[suffix.as_bytes()[1] as usize] |= bit(suffix.len() - 1);
        }
        at += 1;
    }
    lengths
};

/// Whether a row may match. If not, none does.
pub(super) fn may_match(place: &Place) -> bool {
    let Some((name, _)) = place.split_last() else {
        return false;
    };
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).as_bytes();
    let ends = |first: &u8| ENDINGS[usize::from(first.to_ascii_lowercase())] & bit(ending.len()) != 0;
    let stem = |first: &u8| COMPONENTS[usize::from(*first)] & STEM != 0;
    name.starts_with(".env")
        || ending.first().is_some_and(ends)
        || name.as_bytes().first().is_some_and(stem)
        || place.parts().any(|part| {
            let first = part.as_bytes().first();
            first.is_some_and(|first| COMPONENTS[usize::from(*first)] & bit(part.len()) != 0)
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
