//! Paths: where they lead once `.` and `..` are taken out, whether that is inside the workspace, and whether what is
//! there is protected. Purely by text: symbolic links are seen through when the action is carried out.

mod copies;
mod glance;
mod hidden;
mod kind;
mod left;
mod pattern;
mod place;
mod repository;
mod selection;
mod set;
mod sieve;
mod signs;
mod spelt;
mod table;
mod words;
mod written;

pub(crate) use hidden::{is_shown, picks_hidden};
pub(crate) use kind::{RegexKind, fixed, lettered};
pub(crate) use left::{KeptOut, leaves_protected};
pub(crate) use pattern::{is_pattern, may_match_git, may_match_protected, widened};
use place::Parts;
pub(crate) use place::{Base, Place};
pub(crate) use repository::{Matched, Pattern, Shape, is_unshown, leaves_no_unshown, unshown};
pub(crate) use selection::Selection;
pub(crate) use set::{has_plain_sets, plain, tails};
pub(crate) use spelt::{Span, alternatives, is_unclear, matched_by_regex, spelt_by_regex};
pub(crate) use table::Effect;
use table::{Match, PACKED, ROWS};
use words::{SAMPLES, SOURCES, WORDS};
pub(crate) use written::may_match_written;

use crate::text;

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Only its name or its attributes are looked at.
    Look,
    /// Its contents are read.
    Read,
    /// It is changed, moved, or taken away.
    Write,
}

/// The folders that the operator's settings name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Roots {
    /// Where the agent works.
    pub(crate) workspace: Option<Place>,
    /// Our own folders.
    pub(crate) private: Vec<Place>,
    /// Extra patterns: a name, an absolute path, or components, with `*` for any run of characters.
    pub(crate) protected: Vec<String>,
}

impl Roots {
    /// Where relative paths begin.
    pub(crate) fn start(&self) -> Place {
        self.workspace
            .clone()
            .unwrap_or_else(|| Place::absolute("/unknown-workspace"))
    }

    /// Whether a place is inside the workspace.
    pub(crate) fn is_inside(&self, place: &Place) -> bool {
        let resolved = place.at_home(self);
        let place = resolved.as_ref().unwrap_or(place);
        self.workspace.as_ref().is_some_and(|workspace| place.is_in(workspace))
    }

    /// Whether a place is the workspace.
    pub(crate) fn is_workspace(&self, place: &Place) -> bool {
        let resolved = place.at_home(self);
        let place = resolved.as_ref().unwrap_or(place);
        self.workspace.as_ref().is_some_and(|workspace| workspace == place)
    }

    /// Whether the workspace is beneath a place.
    pub(crate) fn holds_workspace(&self, place: &Place) -> bool {
        let resolved = place.at_home(self);
        let place = resolved.as_ref().unwrap_or(place);
        self.workspace
            .as_ref()
            .is_some_and(|workspace| workspace.is_in(place) && workspace != place)
    }

    /// Whether a place is in one of our own folders (the workspace may lie in one of them, and is not meant).
    fn is_private(&self, place: &Place) -> bool {
        let resolved = place.at_home(self);
        let place = resolved.as_ref().unwrap_or(place);
        !self.is_inside(place) && self.private.iter().any(|own| place.is_in(own))
    }

    /// What protects a place from `access`, and what it is. `None` if nothing does.
    pub(crate) fn protection(&self, place: &Place, access: Access) -> Option<(Effect, &'static str)> {
        if self.is_private(place) {
            return Some((Effect::Reject, "one of Passepartout's own folders"));
        }
        let extra = self.protected.iter().any(|pattern| matches_pattern(pattern, place));
        let mut found = extra.then_some((Effect::Reject, "protected by the setting dispatcher.protected"));
        if sieve::may_match(place) {
            let parts: Vec<&str> = place.parts().collect();
            for (what, read, write, name) in ROWS {
                let effect = if access == Access::Write { *write } else { *read };
                if found.is_none_or(|(worst, _)| effect > worst) && row_matches(*what, place.base, &parts) {
                    found = Some((effect, name));
                }
            }
        }
        if found.is_none() {
            found = by_words(place).map(|name| (Effect::Ask, name));
        }
        // Of what is a copy there may be more than one, and what it is of stays what it is.
        let Some((mut effect, name)) = found else {
            let (effect, name) = originals(place).find_map(|own| self.protection(&own, access))?;
            return Some((effect.min(Effect::Ask), name));
        };
        // Names in those folders are no secret, and some files in `.ssh` are not either.
        if access == Access::Look || (access == Access::Read && is_public(place)) {
            effect = effect.min(Effect::Ask);
        }
        (effect != Effect::Allow).then_some((effect, name))
    }
}

/// The files of which a place may be a copy, as it is or packed, by its name; and the one that it is on a file system to which
/// small and capital letters are the same.
fn originals(place: &Place) -> impl Iterator<Item = Place> {
    let name = place.split_last().map_or("", |(name, _)| name);
    let packed = || {
        PACKED.iter().find_map(|end| {
            let (rest, own) = name.split_at_checked(name.len().checked_sub(end.len())?)?;
            (own.eq_ignore_ascii_case(end) && !rest.is_empty()).then_some(rest)
        })
    };
    let names = [copies::original(name).or_else(packed), copies::undotted(name)];
    let beside = names.into_iter().flatten().map(|name| {
        // As those of keys may be that no editor made.
        let name = name
            .strip_prefix('.')
            .filter(|rest| rest.starts_with("id_"))
            .unwrap_or(name);
        let mut own = place.clone();
        own.pop();
        own.push(name);
        own
    });
    let dotted = copies::dotted(&name.to_ascii_lowercase()).map(|name| {
        let mut own = place.clone();
        own.pop();
        own.push(&name);
        own
    });
    beside
        .chain(in_original(place))
        .chain(dotted)
        .chain(in_small_letters(place))
}

/// The same place in the hidden folder of which one that it is in is a copy.
fn in_original(place: &Place) -> Option<Place> {
    let (_, folders) = place.split_last()?;
    Parts::of(folders).find_map(copies::folder)?;
    let mut own = place.clone();
    while own.pop() {}
    let last = place.parts().count().saturating_sub(1);
    for (at, part) in place.parts().enumerate() {
        own.push(copies::folder(part).filter(|_| at < last).unwrap_or(part));
    }
    Some(own)
}

/// The same place in small letters, if it has others.
fn in_small_letters(place: &Place) -> Option<Place> {
    let has_capitals = |part: &str| part.bytes().any(|byte| byte.is_ascii_uppercase());
    place.parts().any(has_capitals).then(|| {
        let mut own = place.clone();
        while own.pop() {}
        for part in place.parts() {
            own.push(&part.to_ascii_lowercase());
        }
        own
    })
}

/// Public halves and settings in folders of keys.
fn is_public(place: &Place) -> bool {
    place.split_last().is_some_and(|(name, _)| {
        name.ends_with(".pub") || matches!(name, "known_hosts" | "config" | "authorized_keys" | "gpg.conf")
    }) && place.parts().any(|part| part == ".ssh" || part == ".gnupg")
}

fn row_matches(what: Match, base: Base, parts: &[&str]) -> bool {
    match what {
        Match::Name(".env") => parts.iter().any(|part| is_environment(part)),
        Match::Name(name) => parts.last().is_some_and(|own| *own == name),
        Match::Stem(stem) => parts
            .last()
            .is_some_and(|own| own.len() > stem.len() && own.starts_with(stem)),
        Match::Suffix(suffix) => parts
            .last()
            .is_some_and(|own| own.len() > suffix.len() && ends_with(own, suffix)),
        Match::Part(wanted) => parts.windows(wanted.len()).any(|window| window == wanted),
        Match::Root(wanted) => {
            base == Base::Root
                && parts.len() >= wanted.len()
                && wanted
                    .iter()
                    .zip(parts)
                    .all(|(wanted, own)| *wanted == "*" || wanted == own)
        }
    }
}

/// Whether `name` ends with `suffix`, which is lower case, in any case.
fn ends_with(name: &str, suffix: &str) -> bool {
    let (name, suffix) = (name.as_bytes(), suffix.as_bytes());
    let end = name.len().checked_sub(suffix.len()).and_then(|start| name.get(start..));
    end.is_some_and(|end| end.eq_ignore_ascii_case(suffix))
}

/// Files of that kind of particular programs: Flask, Wrangler, Ansible.
const VARIABLES: [&str; 5] = [
    ".dev.vars",
    ".flaskenv",
    ".vault_pass",
    ".vault_pass.txt",
    ".vault_password",
];

/// `.env`, `.env.local`, `.env-prod`, folders of that name, and not `.env.example` or `notes.env.txt`.
fn is_environment(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(".env") else {
        return VARIABLES.contains(&name);
    };
    let end = rest.rsplit(['.', '-', '_']).next().unwrap_or_default();
    end == rest || !SAMPLES.contains(&end)
}

/// Names with a word such as `password` in them, that are no source code.
fn by_words(place: &Place) -> Option<&'static str> {
    let (name, folders) = place.split_last()?;
    let mut words = name.as_bytes().split(|byte| !byte.is_ascii_alphanumeric());
    let is_one = |word: &[u8]| WORDS.iter().any(|own| own.as_bytes().eq_ignore_ascii_case(word));
    let named = words.any(|word| begins_word(word) && is_one(word));
    let folder = || {
        Parts::of(folders)
            .map(|part| part.trim_start_matches('.'))
            .any(|part| begins_word(part.as_bytes()) && WORDS.contains(&part))
    };
    if !named && !folder() {
        return None;
    }
    let is_one_of = |endings: &[&str], ending: &str| endings.iter().any(|own| own.eq_ignore_ascii_case(ending));
    if let Some((_, ending)) = text::split_last(name, b'.')
        && (is_one_of(SOURCES, ending) || is_one_of(SAMPLES, ending))
    {
        return None;
    }
    Some(if named {
        "named like something that holds a secret"
    } else {
        "in a folder named like one that holds secrets"
    })
}

/// Whether an ending, in small letters, is one of source code or prose.
pub(crate) fn is_source(ending: &str) -> bool {
    SOURCES.contains(&ending)
}

/// Whether one of the words begins with the same letter: most parts of paths are told apart by it.
fn begins_word(part: &[u8]) -> bool {
    const FIRST: u32 = {
        let (mut letters, mut at) = (0, 0);
        while at < WORDS.len() {
            letters |= 1 << (WORDS[at].as_bytes()[0] - b'a');
            at += 1;
        }
        letters
    };
    let first = part.first().map(u8::to_ascii_lowercase);
    first.is_some_and(|first| first.is_ascii_lowercase() && FIRST >> (first - b'a') & 1 == 1)
}

/// Whether a pattern from the settings matches: an absolute path and what is beneath it, or components anywhere.
fn matches_pattern(pattern: &str, place: &Place) -> bool {
    let wanted: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    if wanted.is_empty() {
        return false;
    }
    let parts: Vec<&str> = place.parts().collect();
    let fits = |window: &[&str]| wanted.iter().zip(window).all(|(wanted, own)| glob(wanted, own));
    if pattern.starts_with('/') {
        return place.base == Base::Root && parts.len() >= wanted.len() && fits(&parts);
    }
    parts.windows(wanted.len()).any(fits)
}

/// Whether `name` matches `pattern`, in which `*` is any run of characters, `?` any one, and `[a-c]` one of a set. Takes
/// at most the product of the two lengths.
pub(crate) fn glob(pattern: &str, name: &str) -> bool {
    if pattern.is_ascii() && name.is_ascii() {
        return matches(pattern.as_bytes(), name.as_bytes());
    }
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    matches(&pattern, &name)
}

/// The same of characters, or of bytes that are one each.
fn matches<C: Copy + Ord + From<u8>>(pattern: &[C], name: &[C]) -> bool {
    let (mut p, mut n) = (0, 0);
    // The last star, and how much of the name it has taken.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        if pattern.get(p) == Some(&C::from(b'*')) {
            star = Some((p, n));
            p += 1;
        } else if let Some(length) = one(&pattern[p..], name[n]) {
            p += length;
            n += 1;
        } else if let Some((at, taken)) = star {
            star = Some((at, taken + 1));
            p = at + 1;
            n = taken + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|char| *char == C::from(b'*'))
}

/// How long the part at the start of `pattern` is that stands for `char`, if it does.
fn one<C: Copy + Ord + From<u8>>(pattern: &[C], char: C) -> Option<usize> {
    let is = |item: &C, sign: u8| *item == C::from(sign);
    let set = match pattern {
        [own, ..] if is(own, b'?') => return Some(1),
        [own, set @ ..] if is(own, b'[') => set,
        [own, ..] => return (*own == char).then_some(1),
        [] => return None,
    };
    let negated = set.first().is_some_and(|first| is(first, b'!') || is(first, b'^'));
    let items = &set[usize::from(negated)..];
    // A bracket that comes first is one of the set.
    let Some(end) = items.iter().skip(1).position(|item| is(item, b']')).map(|end| end + 1) else {
        return is(&char, b'[').then_some(1);
    };
    let ranges = items[..end]
        .windows(3)
        .any(|window| is(&window[1], b'-') && window[0] <= char && char <= window[2]);
    let within = ranges || items[..end].contains(&char);
    (within != negated).then_some(1 + usize::from(negated) + end + 1)
}

#[cfg(test)]
mod tests;
