//! What lies in git's own folder and may never have been shown to anybody, as shapes of paths, and whether a pattern matches
//! such a path: gitrepository-layout(5), of git 2.43. The jail can't hide it, since git could not do without it.

use super::set::{plain_set, set_length, spans_folders};
use crate::text;

/// Paths beneath the folder that holds the repository, each behind how that is written. `#` is any digit of a hash, `~` a
/// decimal one in place of any letter, and `*` any run of characters. Hashes have 40 digits or 64, of which a file of its own
/// has all but two.
const SHAPES: &[&str] = &[
    "/.git/objects/##/######################################",
    "/.git/objects/##/##############################################################",
    "/.git/objects/##/tmp_obj_~~~~~~",
    "/.git/objects/pack/pack-########################################.pack",
    "/.git/objects/pack/pack-################################################################.pack",
    "/.git/objects/pack/tmp_pack_~~~~~~",
    "/.git/lfs/objects/##/##/################################################################",
    "/.git/modules/*/objects/##/######################################",
    "/.git/modules/*/objects/pack/pack-########################################.pack",
    // What was left of a rebase or a merge that did not end.
    "/.git/rebase-apply/patch",
    "/.git/rebase-apply/0001",
    "/.git/rebase-merge/patch",
    "/.git/rr-cache/########################################/preimage",
    "/.git/rr-cache/########################################/postimage",
    // Addresses of remotes, which may hold passwords, by names that remotes mostly have.
    "/.git/remotes/origin",
    "/.git/remotes/upstream",
    "/.git/branches/main",
    "/.git/branches/master",
    "/.git/branches/origin",
];
/// What of git's own folder may be read when it is named: nothing that holds a file of the work tree.
const SHOWN: &[&str] = &[
    "COMMIT_EDITMSG",
    "FETCH_HEAD",
    "HEAD",
    "MERGE_HEAD",
    "MERGE_MODE",
    "MERGE_MSG",
    "ORIG_HEAD",
    "config",
    "config.worktree",
    "description",
    "hooks",
    "index",
    "info",
    "logs",
    "packed-refs",
    "refs",
    "shallow",
];
/// A pattern that is longer, in bytes, is one to keep us busy.
const LONGEST: usize = 256;

/// Whether a place, by its parts, lies in git's own folder where there may be what was never shown to anybody.
pub(crate) fn is_unshown<'a>(parts: impl Iterator<Item = &'a str>) -> bool {
    let mut behind = parts.skip_while(|part| *part != ".git").skip(1).peekable();
    behind.peek().is_some_and(|first| !SHOWN.contains(first))
}

/// A sign of a pattern or a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    /// Any run of characters.
    Star,
    /// One of these characters of ASCII, a bit each: shapes have no others.
    One(u128),
}

impl Sign {
    /// That of a shape.
    fn read(byte: u8) -> Sign {
        match byte {
            b'*' => Sign::Star,
            b'#' => Sign::One(DIGITS | HEX_LETTERS),
            b'~' => Sign::One(DIGITS),
            _ => Sign::One(SETS[usize::from(byte & 127)]),
        }
    }
}

/// A path that a file or a folder there may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape<'s> {
    /// How the folder is written that the search begins at.
    start: &'s str,
    /// What is beneath it, behind a `/`.
    beneath: &'static str,
}

impl<'s> Shape<'s> {
    /// How far beneath the folder that the search begins at.
    pub(crate) fn depth(&self) -> usize {
        self.beneath.bytes().filter(|byte| *byte == b'/').count()
    }

    /// The folders above it, the outermost first, from the one that the search begins at.
    pub(crate) fn above(self) -> impl Iterator<Item = Shape<'s>> {
        let ends = self.beneath.match_indices('/').map(|(at, _)| at);
        ends.map(move |end| Shape {
            beneath: &self.beneath[..end],
            ..self
        })
    }

    /// Its signs, or with `name` those of the last part of it.
    fn signs(&self, name: bool) -> Signs<'s> {
        let start = match self.beneath {
            "" => self.start,
            _ => self.start.strip_suffix('/').unwrap_or(self.start),
        };
        let last = |path: &str| text::last(path, b'/').map_or(0, |at| at + 1);
        match (name, self.beneath) {
            (true, "") => Signs(&start.as_bytes()[last(start)..], &[]),
            (true, beneath) => Signs(&[], &beneath.as_bytes()[last(beneath)..]),
            (false, beneath) => Signs(start.as_bytes(), beneath.as_bytes()),
        }
    }

    /// How a pattern is about this path, or with `name` about the last part of it.
    pub(crate) fn matched(&self, pattern: &Pattern, name: bool) -> Matched {
        let own = self.signs(name);
        if !meets(&pattern.signs, own, touches) {
            Matched::Never
        } else if meets(&pattern.signs, own, covers) {
            Matched::Always
        } else {
            Matched::Perhaps
        }
    }
}

/// Signs of a shape, of which each is a byte, in two pieces.
#[derive(Clone, Copy)]
struct Signs<'s>(&'s [u8], &'s [u8]);

impl Signs<'_> {
    fn get(&self, at: usize) -> Option<Sign> {
        let byte = self.0.get(at).or_else(|| self.1.get(at - self.0.len()));
        byte.map(|byte| Sign::read(*byte))
    }

    fn length(&self) -> usize {
        self.0.len() + self.1.len()
    }

    fn has_star(&self) -> bool {
        self.0.contains(&b'*') || self.1.contains(&b'*')
    }
}

/// Files that may be there, where a search begins at a folder whose name is written like this; at any that there is without one.
pub(crate) fn unshown(start: Option<&str>) -> impl Iterator<Item = Shape<'_>> {
    // What would be a sign is not followed.
    let start = start.filter(|start| !start.contains(['*', '#', '~'])).unwrap_or("*");
    SHAPES.iter().map(move |beneath| Shape { start, beneath })
}

/// How a pattern is about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Matched {
    Never,
    Perhaps,
    Always,
}

/// A pattern of the shell's kind, of which each sign may stand for that between folders.
#[derive(Debug)]
pub(crate) struct Pattern {
    signs: Vec<Sign>,
}

impl Pattern {
    /// `None` if it can't be read.
    pub(crate) fn read(text: &str, any_case: bool) -> Option<Pattern> {
        // Where a set ends is not followed then.
        if text.len() > LONGEST || text.contains('\\') && text.contains('[') {
            return None;
        }
        let chars: Vec<char> = text.chars().collect();
        let (mut at, mut signs) = (0, Vec::new());
        while let Some(char) = chars.get(at) {
            let set = (*char == '[').then(|| set_length(&chars[at..])).flatten();
            let (sign, length) = match (char, set) {
                ('*', _) => (Sign::Star, 1),
                ('?', _) => (Sign::One(u128::MAX), 1),
                ('\\', _) => (Sign::One(chars.get(at + 1).map_or(0, |char| one(*char))), 2),
                (_, Some(length)) => (Sign::One(members(&chars[at..at + length])?), length),
                (char, None) => (Sign::One(one(*char)), 1),
            };
            signs.push(match sign {
                Sign::One(set) if any_case => Sign::One(folded(set)),
                sign => sign,
            });
            at += length;
        }
        Some(Pattern { signs })
    }

    pub(crate) fn length(&self) -> usize {
        self.signs.len()
    }
}

/// Whether where only what one of these patterns matches is left, or with `keeps_out` what none does, no file is left that is
/// found there from a folder whose name is written like this.
pub(crate) fn leaves_no_unshown(patterns: &[Pattern], keeps_out: bool, start: &str) -> bool {
    let gone = |file: &Shape| {
        let mut each = patterns.iter().map(|pattern| file.matched(pattern, false));
        match keeps_out {
            true => each.any(|matched| matched == Matched::Always),
            false => each.all(|matched| matched == Matched::Never),
        }
    };
    unshown(Some(start)).all(|file| gone(&file))
}

/// By its byte, the set of one character. Shifting takes longer.
static SETS: [u128; 128] = {
    let (mut sets, mut byte) = ([0; 128], 0);
    while byte < 128 {
        sets[byte] = bit(byte as u8);
        byte += 1;
    }
    sets
};

const fn bit(byte: u8) -> u128 {
    1 << (byte & 127)
}

/// All from this one to that one.
const fn run(first: u8, last: u8) -> u128 {
    (bit(last) << 1).wrapping_sub(bit(first))
}

const DIGITS: u128 = run(b'0', b'9');
const HEX_LETTERS: u128 = run(b'a', b'f');

/// No shape has a character that is not of ASCII.
fn one(char: char) -> u128 {
    if char.is_ascii() { bit(char as u8) } else { 0 }
}

/// Which characters a set has. `None` if it can't be read.
fn members(set: &[char]) -> Option<u128> {
    let made = plain_set(set)?;
    let spans = if spans_folders(set) { bit(b'/') } else { 0 };
    if made == "?" {
        return Some(!bit(b'/') | spans);
    }
    let inner: Vec<char> = made.strip_prefix('[')?.strip_suffix(']')?.chars().collect();
    let negated = inner.first() == Some(&'!');
    let inner = &inner[usize::from(negated)..];
    let (mut at, mut found) = (0, 0);
    while let Some(first) = inner.get(at) {
        let last = match inner.get(at + 1..at + 3) {
            Some(['-', last]) => *last,
            _ => *first,
        };
        found |= (*first..=last).take(128).fold(0, |set, char| set | one(char));
        at += if last == *first { 1 } else { 3 };
    }
    let found = if negated { !found } else { found };
    Some(found & !bit(b'/') | spans)
}

/// A set with the small and the capital letters of each that is in it.
fn folded(set: u128) -> u128 {
    let (small, capital) = (run(b'a', b'z'), run(b'A', b'Z'));
    set | (set & small) >> 32 | (set & capital) << 32
}

/// Whether a sign of a pattern matches all that one of a shape stands for.
fn covers(pattern: u128, shape: Sign) -> bool {
    matches!(shape, Sign::One(set) if set & !pattern == 0)
}

/// Whether it may match it.
fn touches(pattern: u128, shape: Sign) -> bool {
    match shape {
        Sign::One(set) => set & pattern != 0,
        Sign::Star => pattern != 0,
    }
}

/// Whether a pattern goes with a shape, sign by sign.
fn meets(pattern: &[Sign], shape: Signs<'_>, goes: fn(u128, Sign) -> bool) -> bool {
    if !ends_meet(pattern, shape, goes) {
        return false;
    }
    if shape.has_star() {
        return meets_open(pattern, shape, goes);
    }
    // Behind the last star as few signs are left over as can be.
    let (mut at, mut to, mut star) = (0, 0, None);
    while let Some(own) = shape.get(to) {
        match pattern.get(at) {
            Some(Sign::Star) => {
                at += 1;
                star = Some((at, to));
            }
            Some(Sign::One(set)) if goes(*set, own) => (at, to) = (at + 1, to + 1),
            _ => {
                let Some((behind, from)) = star else {
                    return false;
                };
                (at, to) = (behind, from + 1);
                star = Some((behind, to));
            }
        }
    }
    pattern[at..].iter().all(|sign| *sign == Sign::Star)
}

/// Whether the last signs of both do, where neither stands for any run of characters: mostly that says it.
fn ends_meet(pattern: &[Sign], shape: Signs<'_>, goes: fn(u128, Sign) -> bool) -> bool {
    let last = shape.length().checked_sub(1).and_then(|last| shape.get(last));
    match (pattern.last(), last) {
        (Some(Sign::One(set)), Some(own @ Sign::One(_))) => goes(*set, own),
        _ => true,
    }
}

/// Whether it goes with a shape in which there is any run of characters: that goes with no sign of the pattern, with one, or
/// with several, if one can go with it at all.
fn meets_open(pattern: &[Sign], shape: Signs<'_>, goes: fn(u128, Sign) -> bool) -> bool {
    // Whether what is left of the pattern goes with what is left of the shape, from each place of it.
    let open = goes(u128::MAX, Sign::Star);
    let length = shape.length();
    let mut below: Vec<bool> = Vec::new();
    for at in (0..=pattern.len()).rev() {
        let mut row = vec![false; length + 1];
        for to in (0..=length).rev() {
            let other = shape.get(to);
            let skipped = open && other == Some(Sign::Star) && row.get(to + 1) == Some(&true);
            row[to] = skipped
                || match (pattern.get(at), other) {
                    (None, None) => true,
                    (None, Some(_)) => false,
                    (Some(Sign::Star), other) => below[to] || other.is_some() && row[to + 1],
                    (Some(Sign::One(set)), Some(own)) => {
                        let stays = own == Sign::Star && below[to];
                        goes(*set, own) && (below[to + 1] || stays)
                    }
                    (Some(Sign::One(_)), None) => false,
                };
        }
        below = row;
    }
    below[0]
}

#[cfg(test)]
mod tests;
