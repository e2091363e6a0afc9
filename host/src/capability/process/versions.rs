//! What git prints of private files, for a command that no person was asked about: versions lie in no file that could be
//! hidden, so that they are left out of what it prints, file by file, before anything else has it. Source: git-diff(1),
//! "Generating patch text with -p" and "Combined diff format".

use super::blobs::Blobs;
use super::private::is_private_version;
use std::io::{self, BufRead, Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// What stands where something was left out.
const LEFT_OUT: &[u8] = b"(not shown: it may be private)\n";
/// The same where it can't be told where it ends.
const ALL_LEFT_OUT: &[u8] =
    b"(not shown: it may be private; nor is anything that follows, since words are marked and not lines)\n";
/// How much is looked at together, in bytes.
const LONGEST: usize = 1 << 20;
/// The fewest digits by which a commit is called.
const SHORTEST: usize = 4;
/// How the changes of a file begin.
const BEGINNINGS: [&[u8]; 3] = [b"diff --git ", b"diff --cc ", b"diff --combined "];

/// Hands on what git prints but for what may be private.
pub(super) struct Versions<W> {
    out: W,
    blobs: Option<Blobs>,
    how: How,
    part: Part,
    /// Whether something was left out.
    pub(super) left_out: bool,
}

/// How git was told to show it.
#[derive(Clone, Debug)]
pub(super) struct How {
    /// Whether each line that is shown is one line of a file: with the words that changed marked it is not.
    pub(super) by_line: bool,
    /// Whether more than two versions may be compared at once.
    pub(super) several: bool,
    /// The files of versions that it was told to compare: they may be called otherwise then.
    pub(super) files: Vec<PathBuf>,
}

/// What is about one file, or about none.
#[derive(Debug, Default)]
struct Part {
    /// As it was printed, and without the signs by which a terminal shows colours.
    text: Vec<u8>,
    plain: Vec<u8>,
    /// The lines of the file, without the signs before them.
    lines: Vec<u8>,
    /// What the file is called, and was.
    names: Vec<PathBuf>,
    /// Whether it is about a file.
    of_file: bool,
    /// Whether a line of it goes on that was too long to be read at once.
    cut: bool,
    /// How git calls what the file held and holds.
    blobs: Vec<Vec<u8>>,
    /// How many signs stand before a line.
    signs: usize,
    /// Those of a line that was cut off.
    open: Vec<u8>,
    /// How many lines are to come of the older versions and of the newer one.
    left: Vec<usize>,
    /// Whether lines of the file have begun, or what may be some.
    begun: bool,
    /// What was told of the part of it that was handed on.
    told: Option<bool>,
}

impl<W: Write> Versions<W> {
    pub(super) fn new(out: W, blobs: Option<Blobs>, how: How) -> Versions<W> {
        Versions {
            out,
            blobs,
            how,
            part: Part::default(),
            left_out: false,
        }
    }

    /// Hands on all that there is.
    ///
    /// # Errors
    /// When it can't be read or written.
    pub(super) fn all(&mut self, mut from: impl BufRead) -> io::Result<()> {
        let mut line = Vec::new();
        loop {
            line.clear();
            if (&mut from).take(LONGEST as u64).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            self.line(&line)?;
        }
        self.hand_on()?;
        self.out.flush()
    }

    /// Whether a line is one of a file of which more are to come: whatever it is, it begins nothing else.
    fn is_within(&self, plain: &[u8]) -> bool {
        let part = &self.part;
        let is_to_come = self.how.by_line && part.begun && part.left.iter().any(|left| *left > 0);
        // Each has a sign before it, but where it is empty.
        part.cut || is_to_come && plain.first().is_none_or(|sign| b" +-\\\r\n".contains(sign))
    }

    fn line(&mut self, line: &[u8]) -> io::Result<()> {
        let plain = without_colours(line);
        let begins = BEGINNINGS.iter().any(|begin| plain.starts_with(begin));
        let ends = begins || is_commit(&plain) || self.how.by_line && self.part.is_over(&plain);
        // Where lines can't be counted, what is private goes on.
        let stays = !self.how.by_line && self.part.told == Some(true);
        if ends && !self.is_within(&plain) && !stays {
            self.hand_on()?;
            // It may be known only by now.
            if self.part.told != Some(true) || self.how.by_line {
                self.part = Part {
                    of_file: begins,
                    names: if begins { of_a_file(&plain) } else { Vec::new() },
                    ..Part::default()
                };
            }
        } else if self.part.text.len() + line.len() > LONGEST {
            self.hand_on()?;
        }
        self.part.add(line, &plain);
        Ok(())
    }

    /// Hands on what there is of a part, if it may be seen. The part may go on.
    fn hand_on(&mut self) -> io::Result<()> {
        let is_private = self.part.told == Some(true) || self.is_private();
        let part = &mut self.part;
        if !is_private {
            self.out.write_all(&part.text)?;
        } else if part.told != Some(true) {
            self.left_out = true;
            let head = part
                .text
                .split_inclusive(|byte| *byte == b'\n')
                .next()
                .unwrap_or_default();
            if part.of_file && part.told.is_none() {
                self.out.write_all(head)?;
            }
            self.out
                .write_all(if self.how.by_line { LEFT_OUT } else { ALL_LEFT_OUT })?;
        }
        part.told = Some(is_private);
        part.text.clear();
        part.plain.clear();
        part.lines.clear();
        Ok(())
    }

    fn is_private(&mut self) -> bool {
        let part = &self.part;
        // Of a file whose mode or name alone has changed nothing is shown.
        if part.of_file && !part.begun {
            return false;
        }
        if !part.of_file {
            return is_private_version(None, &part.plain);
        }
        part.names.iter().chain(&self.how.files).any(|name| {
            let mut is_known = false;
            if let (Some(blobs), None) = (&mut self.blobs, part.told) {
                let told = part.blobs.iter().map(|blob| blobs.is_private(name, blob));
                let told: Vec<Option<bool>> = told.collect();
                if told.contains(&Some(true)) {
                    return true;
                }
                // All that is shown is of them.
                is_known = !told.is_empty() && told.iter().all(Option::is_some);
            }
            !is_known && (is_private_version(Some(name), &part.plain) || is_private_version(Some(name), &part.lines))
        })
    }
}

impl Part {
    fn add(&mut self, line: &[u8], plain: &[u8]) {
        // What it was called is told for each version, where there are several.
        let is_told = !self.begun && plain.starts_with(b"--- ") && self.plain.ends_with(plain) && !self.cut;
        if is_told && BEGINNINGS[1..].iter().any(|begin| self.plain.starts_with(begin)) {
            return;
        }
        self.text.extend_from_slice(line);
        self.plain.extend_from_slice(plain);
        let begins = !std::mem::replace(&mut self.cut, !line.ends_with(b"\n"));
        if !self.of_file {
            return;
        }
        if !begins {
            self.lines.extend_from_slice(plain);
            self.count(&[], line.ends_with(b"\n"));
            return;
        }
        let is_hunk = plain.starts_with(b"@@") && self.left.iter().all(|left| *left == 0);
        if is_hunk {
            self.begun = true;
            self.signs = plain.iter().take_while(|byte| **byte == b'@').count() - 1;
            self.left = lengths(plain);
        } else if self.begun {
            let signs = plain.get(..self.signs.min(plain.len())).unwrap_or_default();
            if !plain.starts_with(b"\\") {
                self.open = signs.to_vec();
                self.count(signs, line.ends_with(b"\n"));
            }
            self.lines
                .extend_from_slice(plain.get(self.signs..).unwrap_or_default());
        } else if let Some(name) = NAMING.iter().find_map(|sign| plain.strip_prefix(*sign)) {
            self.names.extend(named(name.trim_ascii_end()));
        } else if let Some(names) = plain.strip_prefix(b"index ") {
            // Behind the names the mode may stand.
            let names = names.split(|byte| *byte == b' ').next().unwrap_or_default();
            let names = names.split(|byte| !byte.is_ascii_hexdigit());
            let names = names.filter(|name| name.len() >= SHORTEST && name.iter().any(|digit| *digit != b'0'));
            self.blobs.extend(names.map(<[u8]>::to_owned));
        } else {
            // What is not known to say something about the file alone may be what is in it.
            self.begun = !ABOUT.iter().any(|about| plain.starts_with(about)) && !plain.trim_ascii().is_empty();
        }
    }

    /// Takes a line from those that are to come, once it has ended. One that is not there any more has a minus, one that is new a
    /// plus; where it was cut off the signs of its beginning count.
    fn count(&mut self, signs: &[u8], ends: bool) {
        if !ends {
            return;
        }
        let signs = if signs.is_empty() {
            std::mem::take(&mut self.open)
        } else {
            signs.to_vec()
        };
        let is_gone = signs.contains(&b'-');
        if let Some((new, olds)) = self.left.split_last_mut() {
            *new = new.saturating_sub(usize::from(!is_gone));
            for (at, old) in olds.iter_mut().enumerate() {
                let sign = signs.get(at).copied().unwrap_or(b' ');
                let was = if is_gone { sign == b'-' } else { sign != b'+' };
                *old = old.saturating_sub(usize::from(was));
            }
        }
    }

    /// Whether all lines of it were there, so that another one is of none.
    fn is_over(&self, line: &[u8]) -> bool {
        // A line of it may come all the same: where versions were merged, git does not always count right.
        let goes_on = line.first().is_some_and(|sign| b"@\\+-".contains(sign));
        self.signs == 1 && self.begun && self.left.iter().all(|left| *left == 0) && !goes_on
    }
}

/// How many lines stand in a hunk, of the older versions and of the newer one: `@@ -1,2 +3,4 @@`.
fn lengths(line: &[u8]) -> Vec<usize> {
    let words = line.split(|byte| *byte == b' ').skip(1);
    let ranges = words.take_while(|word| word.starts_with(b"-") || word.starts_with(b"+"));
    let length = |range: &[u8]| {
        let text = str::from_utf8(range).unwrap_or_default();
        text.split_once(',')
            .map_or(Some(1), |(_, length)| length.trim_end().parse().ok())
    };
    ranges.map(|range| length(range).unwrap_or(usize::MAX)).collect()
}

/// What the file is called of which a line begins the changes, on either side, as far as that can be told.
fn of_a_file(line: &[u8]) -> Vec<PathBuf> {
    let begin = BEGINNINGS.iter().find_map(|begin| line.strip_prefix(*begin));
    let behind = begin.unwrap_or(line).trim_ascii_end();
    // Of two names that are the same the second begins behind the blank in the middle; others are told below.
    let middle = behind.len() / 2;
    let both = line.starts_with(BEGINNINGS[0]) && behind.get(middle) == Some(&b' ');
    let name = behind.get(if both { middle + 1 } else { 0 }..).unwrap_or_default();
    named(name).into_iter().collect()
}

/// A name without what says that it is that of the one or of the other side, unless it is none.
fn named(name: &[u8]) -> Option<PathBuf> {
    let name = unquoted(name);
    let sides: [&[u8]; 6] = [b"a/", b"b/", b"c/", b"i/", b"o/", b"w/"];
    let bare = sides.iter().find_map(|side| name.strip_prefix(*side)).unwrap_or(&name);
    (name != b"/dev/null").then(|| PathBuf::from(std::ffi::OsString::from_vec(bare.to_owned())))
}

/// A name as it is: with bytes of which none is shown as it is git quotes it as C does.
fn unquoted(name: &[u8]) -> Vec<u8> {
    let Some(inner) = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")) else {
        return name.to_owned();
    };
    let (mut bytes, mut rest) = (Vec::new(), inner);
    while let Some((first, next)) = rest.split_first() {
        let octal = next.get(..3).and_then(|digits| str::from_utf8(digits).ok());
        let octal = octal.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        (bytes, rest) = match (first, octal, next.split_first()) {
            (b'\\', Some(byte), _) => ([bytes, vec![byte]].concat(), &next[3..]),
            (b'\\', None, Some((byte, next))) => ([bytes, vec![*byte]].concat(), next),
            _ => ([bytes, vec![*first]].concat(), next),
        };
    }
    bytes
}

fn is_commit(line: &[u8]) -> bool {
    let name = line.strip_prefix(b"commit ").or_else(|| line.strip_prefix(b"From "));
    name.is_some_and(|name| {
        let digits = name.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        digits >= SHORTEST && name.get(digits).is_none_or(u8::is_ascii_whitespace)
    })
}

/// A line without the signs by which a terminal shows colours.
fn without_colours(line: &[u8]) -> Vec<u8> {
    let (mut plain, mut rest) = (Vec::with_capacity(line.len()), line);
    while let Some(at) = memchr::memmem::find(rest, b"\x1b[") {
        plain.extend_from_slice(&rest[..at]);
        let behind = &rest[at + 2..];
        let end = behind
            .iter()
            .position(u8::is_ascii_alphabetic)
            .map_or(behind.len(), |end| end + 1);
        rest = &behind[end..];
    }
    plain.extend_from_slice(rest);
    plain
}

/// What stands before what a file is called, or was.
const NAMING: [&[u8]; 6] = [
    b"+++ ",
    b"--- ",
    b"rename from ",
    b"rename to ",
    b"copy from ",
    b"copy to ",
];

/// What else git says of a file before what is in it.
const ABOUT: [&[u8]; 11] = [
    BEGINNINGS[0],
    BEGINNINGS[1],
    BEGINNINGS[2],
    b"old mode ",
    b"new mode ",
    b"mode ",
    b"deleted file mode ",
    b"new file mode ",
    b"similarity index ",
    b"dissimilarity index ",
    b"Binary files ",
];

#[cfg(test)]
mod tests;
