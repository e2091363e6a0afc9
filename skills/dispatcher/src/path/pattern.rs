//! Whether a pattern of paths may match one that must not be read.
//!
//! What a star alone would match as well is not meant: `README*` may stand for `README.pem`, and says nothing of it.
//! `server.pe?` spells letters of what is protected: that is its name in disguise.

use std::borrow::Cow;

use super::glance::{NAMES, PARTS, SAMPLE, SAMPLE_ENDING, bits};
use super::signs::{Sign, Signs};
use super::table::Match;
use super::words::{SAMPLES, SOURCES, WORDS};
use super::{glob, one};
use crate::text;

/// No name of a file is longer, in bytes. A pattern that is may be one to keep us busy.
const LONGEST: usize = 255;
/// Endings of what is data mostly: where a star stands for all before one, it is all of a kind that is meant, and what of it is
/// protected by its name the jail hides.
const KINDS: &[&str] = &[
    "cfg",
    "conf",
    "csv",
    "ini",
    "json",
    "properties",
    "toml",
    "txt",
    "xml",
    "yaml",
    "yml",
];
/// So many letters of a name or a word are not spelt by chance.
const TELLING: usize = 2;

/// A part of what is protected.
#[derive(Clone, Copy)]
enum Own {
    Any,
    /// What stands between words.
    Gap,
    Char(u8),
}

/// What is protected, part by part: a text, and what may stand around it.
#[derive(Clone, Copy)]
struct Wanted {
    before: &'static [Own],
    text: &'static [u8],
    after: &'static [Own],
    /// Whether each of what stands around it may be missing.
    open: bool,
}

impl Wanted {
    /// Exactly this.
    const fn name(text: &'static str) -> Wanted {
        Wanted {
            before: &[],
            text: text.as_bytes(),
            after: &[],
            open: false,
        }
    }

    /// What begins so.
    const fn stem(text: &'static str) -> Wanted {
        Wanted {
            after: &[Own::Any],
            ..Wanted::name(text)
        }
    }

    fn length(&self) -> usize {
        self.before.len() + self.text.len() + self.after.len()
    }

    /// Whether all that comes from this place on may be missing.
    fn may_end(&self, at: usize) -> bool {
        at == self.length() || self.open && at == self.before.len() + self.text.len()
    }

    fn at(&self, at: usize) -> Option<Own> {
        if let Some(own) = self.before.get(at) {
            return Some(*own);
        }
        let at = at - self.before.len();
        match self.text.get(at) {
            Some(byte) => Some(Own::Char(*byte)),
            None => self.after.get(at - self.text.len()).copied(),
        }
    }
}

/// One part of a pattern, as it is written and sign by sign.
struct Part<'a> {
    text: &'a str,
    /// `None` where it can be read in two ways.
    read: Option<Signs<'a>>,
}

/// Whether a pattern of paths, or of the name of a file, may match what must not be read.
pub(crate) fn may_match_protected(pattern: &str) -> bool {
    let texts = || pattern.split('/').filter(|part| !matches!(*part, "" | "."));
    let chars: Vec<Vec<char>> = texts().map(|part| part.chars().take(LONGEST).collect()).collect();
    let parts: Vec<Part<'_>> = texts()
        .zip(&chars)
        .map(|(text, chars)| Part {
            text,
            read: Signs::read(chars),
        })
        .collect();
    let Some((last, folders)) = parts.split_last() else {
        return false;
    };
    // A name that ends like source code is about the word.
    let prose = is_prose(last.text);
    let words = |part: &Signs<'_>| {
        let glance = part.glance;
        WORDS.iter().filter(move |word| !prose && glance.spells(bits(word)))
    };
    let folder = |part: &Part<'_>| {
        judged(part, |signs| {
            words(signs).any(|word| tells(&signs.all, Wanted::name(word), TELLING))
        })
    };
    let named = |signs: &Signs<'_>| words(signs).any(|word| tells_word(&signs.all, word));
    judged(last, named) || folders.iter().any(folder) || has_parts(&parts)
}

/// Whether a pattern of paths may match one of git's own files that must not be read: wherever something is looked for, there
/// may be a repository, and the jail does not hide what git itself needs.
pub(crate) fn may_match_git(pattern: &str) -> bool {
    let last = text::behind_last(pattern, b'/');
    let chars: Vec<char> = last.chars().take(LONGEST).collect();
    let signs = Signs::read(&chars);
    PARTS.iter().any(|(what, _)| match what {
        Match::Part([".git", name]) => {
            let spells = |signs: &Signs<'_>| tells(&signs.all, Wanted::name(name), TELLING);
            signs.as_ref().is_none_or(spells)
        }
        _ => false,
    })
}

/// Whether one part of a pattern may match a protected name, or is found by `by_word`.
fn judged(part: &Part<'_>, by_word: impl Fn(&Signs<'_>) -> bool) -> bool {
    if !is_pattern(&widened(part.text)) {
        return false;
    }
    if part.text.len() > LONGEST {
        return true;
    }
    // What can be read in two ways may be either.
    let Some(signs) = &part.read else {
        return true;
    };
    by_row(part.text, signs) || by_word(signs)
}

/// Whether one part of a pattern may match the name of a row.
fn by_row(part: &str, read: &Signs<'_>) -> bool {
    let meant = meant(part, read);
    NAMES
        .iter()
        .any(|(what, wants)| read.glance.may_be(wants) && meant(what))
}

/// Whether one part of a pattern may match the name of this row, whichever it is.
fn meant<'p>(part: &'p str, read: &'p Signs<'p>) -> impl Fn(&Match) -> bool + 'p {
    let signs = read.all.as_slice();
    let followed = !signs.iter().any(|sign| matches!(sign, Sign::Unread));
    let wide = if followed {
        Cow::Borrowed(part)
    } else {
        Cow::Owned(widened(part))
    };
    let lower = wide.to_ascii_lowercase();
    // A bare star matches all there is; what is protected by its name alone, and not hidden, is no secret from it. One
    // letter before it makes little of a difference.
    let bare = wide.bytes().all(|byte| matches!(byte, b'*' | b'?'));
    let broad = bare || matches!(signs, [Sign::Char(_) | Sign::Set(_) | Sign::Unread, Sign::Star]);
    let is_kind = part.strip_prefix("*.").is_some_and(|ending| KINDS.contains(&ending));
    move |what| {
        let fits = |name: &str| !broad && may_be(&lower, name) && (glob(&wide, name) || glob(&lower, name));
        match *what {
            Match::Name(_) if is_kind => false,
            Match::Name(name) => {
                let more = name == ".env" && tells(signs, Wanted::stem(".env"), TELLING);
                fits(name) || more || tells(signs, Wanted::name(name), TELLING)
            }
            Match::Stem(stem) => {
                let like = |end: &str| !broad && may_be(&lower, end) && fits(&format!("{stem}{end}"));
                like(SAMPLE_ENDING) || like(SAMPLE) || tells(signs, Wanted::stem(stem), TELLING)
            }
            Match::Suffix(suffix) => {
                let ends = Wanted {
                    before: &[Own::Any],
                    ..Wanted::name(suffix)
                };
                (!broad && may_be(&lower, suffix) && fits(&format!("{SAMPLE}{suffix}"))) || tells(signs, ends, 1)
            }
            Match::Part(_) | Match::Root(_) => false,
        }
    }
}

/// Whether a name that ends like this can be what a pattern matches, told by the last letter of both.
fn may_be(pattern: &str, end: &str) -> bool {
    match (pattern.as_bytes().last(), end.as_bytes().last()) {
        (Some(b'*' | b'?' | b']'), _) | (_, None) => true,
        (Some(last), Some(own)) => last.eq_ignore_ascii_case(own),
        (None, Some(_)) => false,
    }
}

/// Whether parts of a pattern, one after the other, may match those of a row.
fn has_parts(parts: &[Part<'_>]) -> bool {
    let meets = |part: &Part<'_>, wanted: &'static str, least: usize| {
        let spelt = |signs: &Signs<'_>| tells(&signs.all, Wanted::name(wanted), least);
        wanted == part.text || part.read.as_ref().is_none_or(spelt)
    };
    PARTS.iter().any(|(what, wants)| match what {
        Match::Part(wanted) => {
            let least = if wanted.len() > 1 { 1 } else { TELLING };
            parts.windows(wanted.len()).any(|window| {
                let mut pairs = window.iter().zip(*wanted);
                let may_begin = window[0].read.as_ref().is_none_or(|read| read.glance.may_be(wants));
                may_begin && pairs.all(|(part, wanted)| meets(part, wanted, least))
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

/// Whether it may match a name in which `word` stands alone, and spells letters of the word.
fn tells_word(signs: &[Sign<'_>], word: &'static str) -> bool {
    const BEFORE: &[Own] = &[Own::Any, Own::Gap];
    const AFTER: &[Own] = &[Own::Gap, Own::Any];
    // What is there around it may be missing.
    let wanted = Wanted {
        before: BEFORE,
        text: word.as_bytes(),
        after: AFTER,
        open: true,
    };
    tells(signs, wanted, TELLING)
}

/// Whether a pattern may match what is `wanted`, and spells so many letters of it.
fn tells(signs: &[Sign<'_>], wanted: Wanted, least: usize) -> bool {
    can_tell(signs, &wanted, least) && spelt(signs, &wanted).is_some_and(|letters| letters >= least)
}

/// Whether it can, told at a glance by its ends and by the letters that both have: nearly none can.
fn can_tell(signs: &[Sign<'_>], wanted: &Wanted, least: usize) -> bool {
    let meets = |sign: Option<&Sign<'_>>, own: Option<Own>| match (sign, own) {
        (Some(Sign::Char(char)), Some(Own::Char(own))) => is_letter(*char, own),
        _ => true,
    };
    let last = wanted.length().checked_sub(1).and_then(|last| wanted.at(last));
    let spells = |sign: &&Sign<'_>| match sign {
        Sign::Char(char) => wanted.text.iter().any(|own| is_letter(*char, *own)),
        Sign::Set(_) | Sign::Unread => true,
        Sign::Any | Sign::Star => false,
    };
    let ends = || meets(signs.first(), wanted.at(0)) && meets(signs.last(), last);
    (wanted.open || ends())
        && signs.iter().filter(spells).take(least).count() == least
        && (least < 2 || may_spell_two(signs, wanted.text))
}

/// Whether it may spell two letters of a text: where nothing but its ends stands for others, they stand side by side in both.
fn may_spell_two(signs: &[Sign<'_>], text: &[u8]) -> bool {
    let inner = signs.get(1..signs.len().saturating_sub(1)).unwrap_or_default();
    let is_set = |sign: Option<&Sign<'_>>| matches!(sign, Some(Sign::Set(_) | Sign::Unread));
    if is_set(signs.first()) || is_set(signs.last()) || !inner.iter().all(|sign| matches!(sign, Sign::Char(_))) {
        return true;
    }
    signs.windows(2).any(|pair| match pair {
        [Sign::Char(one), Sign::Char(other)] => text
            .windows(2)
            .any(|own| is_letter(*one, own[0]) && is_letter(*other, own[1])),
        _ => false,
    })
}

/// How many letters of what is `wanted` a pattern spells where it spells most of them. `None` if it can't match.
fn spelt(signs: &[Sign<'_>], wanted: &Wanted) -> Option<usize> {
    let length = wanted.length();
    // What comes of the signs from this one on, for each end of what is wanted, from the last sign to the first.
    let mut found: Vec<Option<usize>> = vec![None; length + 1];
    for at in (0..=signs.len()).rev() {
        // What came of the signs behind this one, for the end that is one shorter.
        let mut behind = None;
        for to in (0..=length).rev() {
            let below = found[to];
            let right = found.get(to + 1).copied().flatten();
            found[to] = match (signs.get(at), wanted.at(to)) {
                (None, _) if wanted.may_end(to) => Some(0),
                (Some(Sign::Star), None) => below,
                (Some(Sign::Star), Some(_)) => below.max(right),
                (None, Some(Own::Any)) => right,
                (Some(_), Some(Own::Any)) => right.max(below),
                (Some(sign), Some(own)) => behind.and_then(|behind| Some(behind + letters(sign, own)?)),
                (Some(_), None) | (None, _) => None,
            };
            behind = below;
        }
    }
    let alone = found.get(wanted.before.len()).copied().flatten();
    found[0].max(alone.filter(|_| wanted.open))
}

/// How many letters a sign spells that stands for this one: one or none. `None` if it can't.
fn letters(sign: &Sign<'_>, own: Own) -> Option<usize> {
    let Own::Char(own) = own else {
        return (!matches!(sign, Sign::Char(char) if char.is_ascii_alphanumeric())).then_some(0);
    };
    let letter = usize::from(own.is_ascii_alphanumeric());
    match sign {
        Sign::Char(char) => is_letter(*char, own).then_some(letter),
        Sign::Set(set) => {
            let has = |own: u8| one(set, char::from(own)).is_some();
            (has(own.to_ascii_lowercase()) || has(own.to_ascii_uppercase())).then_some(letter)
        }
        Sign::Unread => Some(letter),
        Sign::Any | Sign::Star => Some(0),
    }
}

/// Whether a character is this byte, in any case.
fn is_letter(char: char, own: u8) -> bool {
    u8::try_from(char).is_ok_and(|char| char.eq_ignore_ascii_case(&own))
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

#[cfg(test)]
mod tests;
