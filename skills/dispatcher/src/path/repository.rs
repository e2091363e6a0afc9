//! What lies in git's own folder and may never have been shown to anybody, as shapes of paths, and whether a pattern matches
//! such a path: gitrepository-layout(5), of git 2.43. The jail can't hide it, since git could not do without it.

use super::set::{plain_set, set_length, spans_folders};

/// Paths beneath the folder that holds the repository. `#` is any digit of a hash, `~` a decimal one in place of any letter, and `*`
/// any run of characters. Hashes have 40 digits or 64, of which a file of its own has all but two.
const SHAPES: &[&str] = &[
    ".git/objects/##/######################################",
    ".git/objects/##/##############################################################",
    ".git/objects/##/tmp_obj_~~~~~~",
    ".git/objects/pack/pack-########################################.pack",
    ".git/objects/pack/pack-################################################################.pack",
    ".git/objects/pack/tmp_pack_~~~~~~",
    ".git/lfs/objects/##/##/################################################################",
    ".git/modules/*/objects/##/######################################",
    ".git/modules/*/objects/pack/pack-########################################.pack",
    // What was left of a rebase or a merge that did not end.
    ".git/rebase-apply/patch",
    ".git/rebase-apply/0001",
    ".git/rebase-merge/patch",
    ".git/rr-cache/########################################/preimage",
    ".git/rr-cache/########################################/postimage",
    // Addresses of remotes, which may hold passwords, by names that remotes mostly have.
    ".git/remotes/origin",
    ".git/remotes/upstream",
    ".git/branches/main",
    ".git/branches/master",
    ".git/branches/origin",
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

/// A path that a file or a folder there may have.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    signs: Vec<Sign>,
    /// How far beneath the folder that the search begins at.
    pub(crate) depth: usize,
}

impl Shape {
    fn read(text: &str, depth: usize) -> Shape {
        let sign = |byte: u8| match byte {
            b'*' => Sign::Star,
            b'#' => Sign::One(run(b'0', b'9') | run(b'a', b'f')),
            b'~' => Sign::One(run(b'0', b'9')),
            _ => Sign::One(bit(byte)),
        };
        Shape {
            signs: text.bytes().map(sign).collect(),
            depth,
        }
    }

    /// How a pattern is about this path, or with `name` about the last part of it.
    pub(crate) fn matched(&self, pattern: &Pattern, name: bool) -> Matched {
        let slash = |sign: &Sign| *sign == Sign::One(bit(b'/'));
        let start = match name {
            true => self.signs.iter().rposition(slash).map_or(0, |at| at + 1),
            false => 0,
        };
        let own = &self.signs[start..];
        if !meets(&pattern.signs, own, touches) {
            Matched::Never
        } else if meets(&pattern.signs, own, covers) {
            Matched::Always
        } else {
            Matched::Perhaps
        }
    }
}

/// Files that may be there, each with the folders above it, the outermost first, where a search begins at a folder whose name
/// is written like this; at any that there is without one.
pub(crate) fn unshown(start: Option<&str>) -> Vec<(Vec<Shape>, Shape)> {
    let start = match start {
        None => "*",
        // It would be a sign.
        Some(start) if start.contains(['*', '#', '~']) => "*",
        Some(start) => start,
    };
    let whole = |rest: &str| format!("{}/{rest}", start.strip_suffix('/').unwrap_or(start));
    let paths = SHAPES.iter().map(|shape| {
        let folders = shape.match_indices('/').enumerate();
        let folders = folders.map(|(at, (end, _))| Shape::read(&whole(&shape[..end]), at + 1));
        let above: Vec<Shape> = [Shape::read(start, 0)].into_iter().chain(folders).collect();
        let depth = above.len();
        (above, Shape::read(&whole(shape), depth))
    });
    paths.collect()
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
    unshown(Some(start)).iter().all(|(_, file)| gone(file))
}

const fn bit(byte: u8) -> u128 {
    1 << (byte & 127)
}

fn run(first: u8, last: u8) -> u128 {
    (first..=last).fold(0, |set, byte| set | bit(byte))
}

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
fn meets(pattern: &[Sign], shape: &[Sign], goes: fn(u128, Sign) -> bool) -> bool {
    if shape.contains(&Sign::Star) {
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
            Some(Sign::One(set)) if goes(*set, *own) => (at, to) = (at + 1, to + 1),
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

/// The same where there is any run of characters in the shape: it goes with no sign of the pattern, with one, or with several,
/// if one can go with it at all.
fn meets_open(pattern: &[Sign], shape: &[Sign], goes: fn(u128, Sign) -> bool) -> bool {
    // Whether what is left of the pattern goes with what is left of the shape, from each place of it.
    let open = goes(u128::MAX, Sign::Star);
    let mut below: Vec<bool> = Vec::new();
    for at in (0..=pattern.len()).rev() {
        let mut row = vec![false; shape.len() + 1];
        for to in (0..=shape.len()).rev() {
            let skipped = open && shape.get(to) == Some(&Sign::Star) && row.get(to + 1) == Some(&true);
            row[to] = skipped
                || match (pattern.get(at), shape.get(to)) {
                    (None, None) => true,
                    (None, Some(_)) => false,
                    (Some(Sign::Star), other) => below[to] || other.is_some() && row[to + 1],
                    (Some(Sign::One(set)), Some(own)) => {
                        let stays = *own == Sign::Star && below[to];
                        goes(*set, *own) && (below[to + 1] || stays)
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
