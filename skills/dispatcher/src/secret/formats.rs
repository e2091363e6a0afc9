//! The formats of secrets: `data/secrets.txt`, read when the component is compiled. A malformed row does not build.

/// The rule set, with sources, licences and samples, which only the tests read.
pub(super) const DATA: &str = include_str!("../../data/secrets.txt");

/// A set of ASCII characters, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chars([u64; 2]);

impl Chars {
    /// Letters, digits, `_` and `-`.
    pub(super) const WORD: Chars = Chars::parse(b"0-9A-Za-z_-");
    /// The same and `.`.
    pub(super) const DOTTED: Chars = Chars::parse(b"0-9A-Za-z_.-");

    pub(super) const fn holds(self, byte: u8) -> bool {
        byte < 128 && self.0[(byte >> 6) as usize] >> (byte & 63) & 1 == 1
    }

    /// The set that a regular expression's brackets would name.
    const fn parse(text: &[u8]) -> Chars {
        let mut set = [0; 2];
        let mut at = 0;
        while at < text.len() {
            let (first, mut last) = (text[at], text[at]);
            if at + 2 < text.len() && text[at + 1] == b'-' {
                last = text[at + 2];
                at += 2;
            }
            assert!(
                first <= last && last < 128,
                "a range of a row is no range of ASCII characters"
            );
            let mut byte = first;
            while byte <= last {
                set[(byte >> 6) as usize] |= 1 << (byte & 63);
                byte += 1;
            }
            at += 1;
        }
        assert!(set[0] | set[1] != 0, "a row has no characters");
        Chars(set)
    }

    /// Whether words of a language can be made of it, so that a body without a digit is more likely such words.
    const fn spells_words(self) -> bool {
        self.holds(b'-') || self.holds(b'_') || self.holds(b'.')
    }
}

/// One format.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    /// What it is, for the reason of a rejection.
    pub(super) name: &'static str,
    /// How it begins.
    pub(super) prefix: &'static str,
    /// What it goes on with.
    pub(super) body: Chars,
    /// The fewest characters of the body.
    pub(super) least: usize,
    /// The most, or 0 where there is no bound.
    pub(super) most: usize,
    /// The place plus one of the next format that begins with the same byte; 0 at the last.
    next: u8,
}

const COUNT: usize = {
    let mut count = 0;
    let mut rest = DATA.as_bytes();
    while !rest.is_empty() {
        let (line, after) = split(rest, b'\n');
        rest = after;
        if is_row(line) {
            count += 1;
        }
    }
    count
};

/// The formats, and by a text's byte the place plus one of the first that begins with it.
static TABLE: ([Format; COUNT], [u8; 256]) = {
    let blank = Format {
        name: "",
        prefix: "",
        body: Chars([0; 2]),
        least: 0,
        most: 0,
        next: 0,
    };
    assert!(COUNT < 255, "the places of formats no longer fit");
    let mut formats = [blank; COUNT];
    let mut first = [0; 256];
    let mut count = 0;
    let mut rest = DATA.as_bytes();
    while !rest.is_empty() {
        let (line, after) = split(rest, b'\n');
        rest = after;
        if is_row(line) {
            formats[count] = parse(line);
            let byte = formats[count].prefix.as_bytes()[0] as usize;
            formats[count].next = first[byte];
            count += 1;
            first[byte] = count as u8;
        }
    }
    (formats, first)
};

/// For each byte that a format begins with, bits of those that come second.
static SECOND: [u64; 256] = {
    let mut second = [0; 256];
    let mut at = 0;
    while at < COUNT {
        let prefix = TABLE.0[at].prefix.as_bytes();
        second[prefix[0] as usize] |= if prefix.len() > 1 { bit(prefix[1]) } else { u64::MAX };
        at += 1;
    }
    second
};

/// Bit of a byte; others share it.
const fn bit(byte: u8) -> u64 {
    1 << (byte & 63)
}

/// Whether some format begins with these bytes, as far as the first two tell.
pub(super) fn may_begin(first: u8, second: Option<&u8>) -> bool {
    SECOND[usize::from(first)] & second.map_or(u64::MAX, |second| bit(*second)) != 0
}

/// Whether some format begins with this byte.
pub(super) const fn begins_some(byte: u8) -> bool {
    TABLE.1[byte as usize] != 0
}

/// The formats that begin with `byte`.
pub(super) fn beginning_with(byte: u8) -> impl Iterator<Item = &'static Format> {
    let at = |place: u8| TABLE.0.get(usize::from(place).checked_sub(1)?);
    std::iter::successors(at(TABLE.1[usize::from(byte)]), move |format| at(format.next))
}

#[cfg(test)]
pub(super) fn all() -> &'static [Format] {
    &TABLE.0
}

impl Format {
    /// The body at the start of `rest`, which stands behind the prefix: as much of it as shows what it is.
    pub(super) fn body_of<'a>(&self, rest: &'a [u8]) -> Option<&'a [u8]> {
        let enough = if self.most == 0 { self.least } else { self.most };
        let length = rest
            .iter()
            .take(enough)
            .take_while(|byte| self.body.holds(**byte))
            .count();
        let ends = self.most == 0 || rest.get(length).is_none_or(|next| !next.is_ascii_alphanumeric());
        (length >= self.least && ends && self.looks_random(&rest[..length])).then(|| &rest[..length])
    }

    /// A body of one character over and over, or with words in place of it, is an example.
    fn looks_random(&self, body: &[u8]) -> bool {
        let mut seen = 0_u128;
        for byte in body {
            seen |= 1 << (byte & 127);
        }
        let has_digit = body.iter().any(u8::is_ascii_digit);
        let lower = body.to_ascii_lowercase();
        seen.count_ones() >= 6
            && (has_digit || !self.body.spells_words())
            && !lower.ends_with(b"example")
            && !lower.windows(4).any(|four| four == b"xxxx")
    }
}

const fn is_row(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    !line.is_empty() && line[0] != b'#'
}

const fn parse(line: &'static [u8]) -> Format {
    let (name, rest) = split(line, b'|');
    let (prefix, rest) = split(rest, b'|');
    let (body, rest) = split(rest, b'|');
    let (length, rest) = split(rest, b'|');
    let (source, rest) = split(rest, b'|');
    let (licence, sample) = split(rest, b'|');
    assert!(
        !source.trim_ascii().is_empty() && !licence.trim_ascii().is_empty() && !sample.trim_ascii().is_empty(),
        "a row has no source, no licence or no sample"
    );
    let (least, most) = lengths(length.trim_ascii());
    let (name, prefix) = (text(name), text(prefix));
    assert!(
        !name.is_empty() && !prefix.is_empty(),
        "a row has no name or no beginning"
    );
    Format {
        name,
        prefix,
        body: Chars::parse(body.trim_ascii()),
        least,
        most,
        next: 0,
    }
}

/// `42` is exactly so many, `20+` at least, `22-60` from one to the other. The most is 0 where there is no bound.
const fn lengths(text: &[u8]) -> (usize, usize) {
    if let Some((b'+', number)) = text.split_last() {
        return (number_of(number), 0);
    }
    let (least, most) = split(text, b'-');
    let least = number_of(least);
    if most.is_empty() {
        return (least, least);
    }
    let most = number_of(most);
    assert!(least <= most, "a row's shortest is longer than its longest");
    (least, most)
}

const fn number_of(text: &[u8]) -> usize {
    assert!(!text.is_empty(), "a row has no length");
    let mut number = 0;
    let mut at = 0;
    while at < text.len() {
        assert!(text[at].is_ascii_digit(), "a row's length is no number");
        number = number * 10 + (text[at] - b'0') as usize;
        at += 1;
    }
    assert!(number > 0, "a row's length is 0");
    number
}

/// What stands before the first `at`, and what behind it.
const fn split(text: &[u8], at: u8) -> (&[u8], &[u8]) {
    let mut end = 0;
    while end < text.len() && text[end] != at {
        end += 1;
    }
    let (before, rest) = text.split_at(end);
    match rest.split_first() {
        Some((_, after)) => (before, after),
        None => (before, rest),
    }
}

const fn text(bytes: &'static [u8]) -> &'static str {
    match std::str::from_utf8(bytes.trim_ascii()) {
        Ok(text) => text,
        Err(_) => panic!("a row is no UTF-8"),
    }
}
