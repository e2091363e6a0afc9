//! The signs of a pattern of names: what each stands for.

use super::glance::Glance;
use super::set::set_length;

/// A sign of a pattern.
pub(super) enum Sign<'a> {
    /// Any run of characters.
    Star,
    /// Any one.
    Any,
    /// One of a set, as it is written.
    Set(&'a [char]),
    /// One of a set that is not followed.
    Unread,
    Char(char),
}

/// A part of a pattern sign by sign, and at a glance.
pub(super) struct Signs<'a> {
    pub(super) all: Vec<Sign<'a>>,
    pub(super) glance: Glance,
}

impl<'a> Signs<'a> {
    /// `None` where it can be read in two ways.
    pub(super) fn read(chars: &'a [char]) -> Option<Signs<'a>> {
        let all = signs(chars)?;
        let char = |sign: Option<&Sign<'_>>| match sign {
            Some(Sign::Char(char)) => Some(*char),
            _ => None,
        };
        let open = all.iter().any(|sign| matches!(sign, Sign::Set(_)));
        let chars = all.iter().filter_map(|sign| char(Some(sign)));
        let glance = match all.iter().any(|sign| matches!(sign, Sign::Unread)) {
            // All that stands between two of them may be anything.
            true => Glance::ANY,
            false => Glance::of(char(all.first()), char(all.last()), chars, open),
        };
        Some(Signs { all, glance })
    }
}

/// The signs of a part. `None` where a bracket is left: quotes, which are gone, may have said what it is.
fn signs(chars: &[char]) -> Option<Vec<Sign<'_>>> {
    let mut found = Vec::new();
    // No set ends behind the last of these.
    let end = chars.iter().rposition(|char| *char == ']').unwrap_or_default();
    let (mut at, mut sets, mut left) = (0, false, false);
    while let Some(char) = chars.get(at) {
        let rest = &chars[at..];
        let length = if *char == '[' && at < end {
            set_length(rest)
        } else {
            None
        };
        let sign = match (char, length) {
            (_, Some(length)) => {
                sets = true;
                at += length;
                let set = &rest[..length];
                // Where a class is named in it, or it is what is left out, anything may be meant.
                let followed = !matches!(set.get(1), Some('!' | '^')) && !set[1..].contains(&'[');
                found.push(if followed { Sign::Set(set) } else { Sign::Unread });
                continue;
            }
            ('*', None) => Sign::Star,
            ('?', None) => Sign::Any,
            (char, None) => {
                left |= *char == ']';
                Sign::Char(*char)
            }
        };
        // Beside a star a sign that stands for any one says only how long the name is.
        match (&sign, found.last()) {
            (Sign::Star | Sign::Any, Some(Sign::Star)) => {}
            (Sign::Star, Some(Sign::Any)) => {
                while matches!(found.last(), Some(Sign::Any | Sign::Star)) {
                    found.pop();
                }
                found.push(sign);
            }
            _ => found.push(sign),
        }
        at += 1;
    }
    (!(sets && left)).then_some(found)
}
