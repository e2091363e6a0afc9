//! What of the table a pattern of names may match at all, told at a glance by its ends and by its letters: nearly none, and the
//! table is long.

use super::table::{Effect, Match, ROWS};

/// What a pattern has, beside stars and the like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glance {
    /// What it begins and ends with, in small letters, if that is no sign.
    first: Option<u8>,
    last: Option<u8>,
    /// Bits of its characters.
    letters: u64,
    /// Whether it has a set of characters.
    open: bool,
}

impl Glance {
    /// Of what may be anything.
    pub(super) const ANY: Glance = Glance {
        first: None,
        last: None,
        letters: 0,
        open: true,
    };

    /// Of what it begins and ends with, if that stands for itself, and all that does.
    pub(super) fn of(
        first: Option<char>,
        last: Option<char>,
        chars: impl Iterator<Item = char> + Clone,
        open: bool,
    ) -> Glance {
        // Where a bracket is left, what stands for itself may be a set.
        if chars.clone().any(|char| matches!(char, '[' | ']')) {
            return Glance::ANY;
        }
        // No row has what is not of ASCII.
        let byte = |char: char| u8::try_from(char).map_or(u8::MAX, |byte| byte.to_ascii_lowercase());
        Glance {
            first: first.map(byte),
            last: last.map(byte),
            letters: chars.fold(0, |letters, char| letters | bit(byte(char))),
            open,
        }
    }

    /// Whether it spells one of these.
    pub(super) fn spells(&self, letters: u64) -> bool {
        self.open || self.letters & letters != 0
    }

    /// Whether what matches may be this.
    pub(super) fn may_be(&self, wants: &Wants) -> bool {
        let ends = |own: Option<u8>, wanted: Option<u8>| own.is_none() || wanted.is_none() || own == wanted;
        self.letters & !wants.only == 0
            && self.spells(wants.any)
            && ends(self.first, wants.first)
            && ends(self.last, wants.last)
    }
}

/// What a pattern must have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wants {
    first: Option<u8>,
    last: Option<u8>,
    /// It has no other letters than these,
    only: u64,
    /// and one of these.
    any: u64,
}

impl Wants {
    const fn of(what: Match) -> Wants {
        match what {
            Match::Name(name) => match name.as_bytes() {
                // All that begins so is one of them.
                b".env" => Wants {
                    last: None,
                    only: u64::MAX,
                    ..Wants::whole(name)
                },
                _ => Wants::whole(name),
            },
            Match::Stem(stem) => Wants {
                first: Some(stem.as_bytes()[0].to_ascii_lowercase()),
                last: None,
                only: u64::MAX,
                any: bits(stem) | bits(SAMPLE_ENDING) | bits(SAMPLE),
            },
            Match::Suffix(suffix) => Wants {
                first: None,
                last: Some(suffix.as_bytes()[suffix.len() - 1].to_ascii_lowercase()),
                only: u64::MAX,
                any: bits(suffix) | bits(SAMPLE),
            },
            Match::Part(parts) | Match::Root(parts) => Wants::whole(parts[0]),
        }
    }

    /// For exactly this.
    const fn whole(name: &str) -> Wants {
        let text = name.as_bytes();
        Wants {
            first: Some(text[0].to_ascii_lowercase()),
            last: Some(text[text.len() - 1].to_ascii_lowercase()),
            only: bits(name),
            any: bits(name),
        }
    }
}

/// What stands for anything in the name of a file that a row matches, and for the end of one.
pub(super) const SAMPLE: &str = "x";
pub(super) const SAMPLE_ENDING: &str = "gpg";

/// Bit of a character; others may share it.
const fn bit(byte: u8) -> u64 {
    1 << (byte.to_ascii_lowercase() & 63)
}

/// Bits of the characters of a text.
pub(super) const fn bits(text: &str) -> u64 {
    let text = text.as_bytes();
    let (mut bits, mut at) = (0, 0);
    while at < text.len() {
        bits |= bit(text[at]);
        at += 1;
    }
    bits
}

/// Whether a row is about names that may not be read, or about parts of such paths.
const fn is_about(at: usize, parts: bool) -> bool {
    let (what, read, ..) = ROWS[at];
    !matches!(read, Effect::Allow)
        && match what {
            Match::Part(_) => parts,
            Match::Root(_) => false,
            _ => !parts,
        }
}

const fn count(parts: bool) -> usize {
    let (mut found, mut at) = (0, 0);
    while at < ROWS.len() {
        found += is_about(at, parts) as usize;
        at += 1;
    }
    found
}

const fn gather<const COUNT: usize>(parts: bool) -> [(Match, Wants); COUNT] {
    let mut all = [(Match::Name(""), Wants::whole("-")); COUNT];
    let (mut found, mut at) = (0, 0);
    while at < ROWS.len() {
        if is_about(at, parts) {
            all[found] = (ROWS[at].0, Wants::of(ROWS[at].0));
            found += 1;
        }
        at += 1;
    }
    all
}

/// Names of files that must not be read, with what a pattern must have that may match them.
pub(super) static NAMES: [(Match, Wants); count(false)] = gather(false);

/// Parts of paths that must not be read, with what a pattern must have that may match the first.
pub(super) static PARTS: [(Match, Wants); count(true)] = gather(true);
