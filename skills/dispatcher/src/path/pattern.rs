//! Whether a pattern of paths may match one that must not be read.
//!
//! What a star alone would match as well is not meant: `README*` may stand for `README.pem`, and says nothing of it.
//! `server.pe?` spells letters of what is protected: that is its name in disguise.

use super::table::{Effect, Match, ROWS, SAMPLES, SOURCES, WORDS};
use super::{glob, one};

/// No name of a file is longer, in bytes. A pattern that is may be one to keep us busy.
const LONGEST: usize = 255;
/// So many letters of a name or a word are not spelt by chance.
const TELLING: usize = 2;

/// A sign of a pattern.
enum Sign<'a> {
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

/// A part of what is protected.
#[derive(Clone, Copy)]
enum Own {
    Any,
    /// What stands between words.
    Gap,
    Char(char),
}

/// Whether a pattern of paths, or of the name of a file, may match what must not be read.
pub(crate) fn may_match_protected(pattern: &str) -> bool {
    let parts: Vec<&str> = pattern.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let Some((last, folders)) = parts.split_last() else {
        return false;
    };
    // A name that ends like source code is about the word.
    let prose = is_prose(last);
    let folder = |part: &&str| {
        judged(part, |signs| {
            !prose && WORDS.iter().any(|word| tells(signs, word, TELLING))
        })
    };
    let named = |signs: &[Sign<'_>]| !prose && WORDS.iter().any(|word| tells_word(signs, word));
    judged(last, named) || folders.iter().any(folder) || has_parts(&parts)
}

/// Whether one part of a pattern may match a protected name, or is found by `by_word`.
fn judged(part: &str, by_word: impl Fn(&[Sign<'_>]) -> bool) -> bool {
    if !is_pattern(&widened(part)) {
        return false;
    }
    if part.len() > LONGEST {
        return true;
    }
    let chars: Vec<char> = part.chars().collect();
    // What can be read in two ways may be either.
    let Some(signs) = signs(&chars) else {
        return true;
    };
    by_row(part, &signs) || by_word(&signs)
}

/// Whether one part of a pattern may match the name of a row.
fn by_row(part: &str, signs: &[Sign<'_>]) -> bool {
    let followed = !signs.iter().any(|sign| matches!(sign, Sign::Unread));
    let wide = if followed { part.to_owned() } else { widened(part) };
    let lower = wide.to_ascii_lowercase();
    // A bare star matches all there is; what is protected by its name alone, and not hidden, is no secret from it. One
    // letter before it makes little of a difference.
    let bare = wide.bytes().all(|byte| matches!(byte, b'*' | b'?'));
    let broad = bare || matches!(signs, [Sign::Char(_) | Sign::Set(_) | Sign::Unread, Sign::Star]);
    let fits = |name: &str| !broad && (glob(&wide, name) || glob(&lower, name));
    let may = |what: &Match| match *what {
        Match::Name(name) => {
            let more = name == ".env" && tells_with(signs, &begins(".env."), TELLING);
            fits(name) || more || tells(signs, name, TELLING)
        }
        Match::Stem(stem) => {
            fits(&format!("{stem}gpg")) || fits(&format!("{stem}x")) || { tells_with(signs, &begins(stem), TELLING) }
        }
        Match::Suffix(suffix) => {
            let ends: Vec<Own> = [Own::Any].into_iter().chain(suffix.chars().map(Own::Char)).collect();
            fits(&format!("x{suffix}")) || tells_with(signs, &ends, 1)
        }
        Match::Part(_) | Match::Root(_) => false,
    };
    ROWS.iter().any(|(what, read, ..)| *read != Effect::Allow && may(what))
}

/// Whether parts of a pattern, one after the other, may match those of a row.
fn has_parts(parts: &[&str]) -> bool {
    let meets = |part: &str, wanted: &str, least: usize| {
        let chars: Vec<char> = part.chars().take(LONGEST).collect();
        wanted == part || signs(&chars).is_none_or(|signs| tells(&signs, wanted, least))
    };
    ROWS.iter().any(|(what, read, ..)| match what {
        Match::Part(wanted) if *read != Effect::Allow => {
            let least = if wanted.len() > 1 { 1 } else { TELLING };
            parts.windows(wanted.len()).any(|window| {
                let mut pairs = window.iter().zip(*wanted);
                pairs.all(|(part, wanted)| meets(part, wanted, least))
            })
        }
        _ => false,
    })
}

/// Whether what ends a pattern makes what it matches source code, prose or a sample.
fn is_prose(part: &str) -> bool {
    let end = part.rfind(['*', '?', ']']).map_or(part, |at| &part[at + 1..]);
    end.rsplit_once('.').is_some_and(|(_, ending)| {
        let is = |own: &&str| own.eq_ignore_ascii_case(ending);
        SOURCES.iter().chain(SAMPLES).any(is)
    })
}

/// What begins so.
fn begins(start: &str) -> Vec<Own> {
    start.chars().map(Own::Char).chain([Own::Any]).collect()
}

/// Whether a pattern may match `name`, and spells so many letters of it.
fn tells(signs: &[Sign<'_>], name: &str, least: usize) -> bool {
    let own: Vec<Own> = name.chars().map(Own::Char).collect();
    tells_with(signs, &own, least)
}

/// Whether it may match a name in which `word` stands alone, and spells letters of the word.
fn tells_word(signs: &[Sign<'_>], word: &str) -> bool {
    let word: Vec<Own> = word.chars().map(Own::Char).collect();
    let [before, after]: [&[Own]; 2] = [&[Own::Any, Own::Gap], &[Own::Gap, Own::Any]];
    [(&[][..], &[][..]), (before, &[]), (&[], after), (before, after)]
        .iter()
        .any(|(before, after)| tells_with(signs, &[before, word.as_slice(), after].concat(), TELLING))
}

fn tells_with(signs: &[Sign<'_>], own: &[Own], least: usize) -> bool {
    spelt(signs, own).is_some_and(|letters| letters >= least)
}

/// How many letters of `own` a pattern spells where it spells most of them. `None` if it can't match.
fn spelt(signs: &[Sign<'_>], own: &[Own]) -> Option<usize> {
    // What comes of the signs behind this one, for each end of `own`, from the last sign to the first.
    let mut below: Vec<Option<usize>> = vec![None; own.len() + 1];
    for at in (0..=signs.len()).rev() {
        let mut row = vec![None; own.len() + 1];
        for to in (0..=own.len()).rev() {
            let behind = below.get(to + 1).copied().flatten();
            row[to] = match (signs.get(at), own.get(to)) {
                (None, None) => Some(0),
                (Some(Sign::Star), None) => below[to],
                (Some(Sign::Star), Some(_)) => below[to].max(row[to + 1]),
                (None, Some(Own::Any)) => row[to + 1],
                (Some(_), Some(Own::Any)) => row[to + 1].max(below[to]),
                (Some(sign), Some(own)) => behind.and_then(|behind| Some(behind + letters(sign, *own)?)),
                (Some(_), None) | (None, Some(_)) => None,
            };
        }
        below = row;
    }
    below[0]
}

/// How many letters a sign spells that stands for this one: one or none. `None` if it can't.
fn letters(sign: &Sign<'_>, own: Own) -> Option<usize> {
    let Own::Char(own) = own else {
        return (!matches!(sign, Sign::Char(char) if char.is_ascii_alphanumeric())).then_some(0);
    };
    let letter = usize::from(own.is_ascii_alphanumeric());
    match sign {
        Sign::Char(char) => char.eq_ignore_ascii_case(&own).then_some(letter),
        Sign::Set(set) => {
            let has = |char: char| one(set, char).is_some();
            (has(own.to_ascii_lowercase()) || has(own.to_ascii_uppercase())).then_some(letter)
        }
        Sign::Unread => Some(letter),
        Sign::Any | Sign::Star => Some(0),
    }
}

/// The signs of a part. `None` where a bracket is left: quotes, which are gone, may have said what it is.
fn signs(chars: &[char]) -> Option<Vec<Sign<'_>>> {
    let mut found = Vec::new();
    let (mut at, mut sets, mut left) = (0, false, false);
    while let Some(char) = chars.get(at) {
        let rest = &chars[at..];
        let length = if *char == '[' { set_length(rest) } else { None };
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

/// How long the set is that begins here, with its brackets. One that comes first in it is one of the set.
fn set_length(chars: &[char]) -> Option<usize> {
    let mut at = 1 + usize::from(matches!(chars.get(1), Some('!' | '^')));
    let first = at;
    loop {
        match (chars.get(at)?, chars.get(at + 1)) {
            (']', _) if at > first => return Some(at + 1),
            ('[', Some(kind @ (':' | '.' | '='))) => {
                let end = chars[at + 2..].windows(2).position(|pair| pair == [*kind, ']']);
                at += end.map_or(1, |end| end + 4);
            }
            _ => at += 1,
        }
    }
}

/// Whether a part of a path in which sets are `widened` is a pattern.
pub(crate) fn is_pattern(part: &str) -> bool {
    part.contains(['*', '?'])
}

/// A pattern that matches at least what `part` does: a set of characters may be any.
pub(crate) fn widened(part: &str) -> String {
    match (part.find('['), part.rfind(']')) {
        (Some(from), Some(to)) if from < to => format!("{}*{}", &part[..from], &part[to + 1..]),
        _ => part.to_owned(),
    }
}
