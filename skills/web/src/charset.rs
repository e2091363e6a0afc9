//! From the bytes of a page to its text, by the encoding that it says it is in. Those that are known are UTF-8, UTF-16 and
//! what the web means by Latin-1 (encoding.spec.whatwg.org); any other is said, and what can't be read counted, so that nobody
//! takes what is left for what the page says.

use crate::said;

/// Longest name of an encoding that is repeated, in bytes.
const LONGEST_NAME: usize = 40;

/// Other names of UTF-8.
const UTF8: &[&str] = &[
    "utf-8",
    "utf8",
    "unicode-1-1-utf-8",
    "unicode11utf8",
    "unicode20utf8",
    "x-unicode20utf8",
];

/// Other names of windows-1252, which is read where Latin-1 or ASCII is said.
const LATIN1: &[&str] = &[
    "ansi_x3.4-1968",
    "ascii",
    "cp1252",
    "cp819",
    "csisolatin1",
    "ibm819",
    "iso-8859-1",
    "iso-ir-100",
    "iso8859-1",
    "iso88591",
    "iso_8859-1",
    "iso_8859-1:1987",
    "l1",
    "latin1",
    "us-ascii",
    "windows-1252",
    "x-cp1252",
];

/// The characters of windows-1252 from 0x80 to 0x9F. Every other byte is the character of its number.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
    '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The text of a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    /// What must be said of it, if anything.
    pub(crate) note: Option<String>,
}

/// What a text may be of, as far as it says itself what it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Markup {
    Html,
    Xhtml,
    None,
}

/// The text of `bytes`, which the server says to be of the type `kind`. Of a page it counts what the page says itself, where
/// the server says nothing. `is_cut` says that more would have followed. Nothing where it is no text.
pub(crate) fn decode(bytes: &[u8], kind: &str, markup: Markup, is_cut: bool) -> Option<Decoded> {
    let said = said_in(kind).map(str::to_ascii_lowercase).or_else(|| match markup {
        Markup::Html => said::by(bytes, false),
        Markup::Xhtml => said::by(bytes, true),
        Markup::None => None,
    });
    // The mark at the beginning counts before all that is said.
    let (marked, bytes) = match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => (Some("utf-8"), rest),
        [0xff, 0xfe, rest @ ..] => (Some("utf-16le"), rest),
        [0xfe, 0xff, rest @ ..] => (Some("utf-16be"), rest),
        _ => (None, bytes),
    };
    let name = marked.or(said.as_deref());
    let (text, lost) = match name {
        Some("utf-16" | "utf-16le") => utf16(bytes, u16::from_le_bytes, is_cut),
        Some("utf-16be") => utf16(bytes, u16::from_be_bytes, is_cut),
        _ if bytes.contains(&0) => return None,
        Some(name) if LATIN1.contains(&name) => (bytes.iter().copied().map(windows_1252).collect(), 0),
        _ => utf8(bytes, is_cut),
    };
    if text.contains('\0') {
        return None;
    }
    let unknown = name.filter(|name| !is_known(name));
    let place = match unknown {
        Some(name) => format!(
            "{}, which is not known here",
            &name[..name.floor_char_boundary(LONGEST_NAME)]
        ),
        None => name.unwrap_or("UTF-8").to_ascii_uppercase(),
    };
    let note = match lost {
        // Some encodings are written in ASCII only, and mean other characters by it.
        0 => unknown.map(|_| format!("the page is to be in {place}, and was read as UTF-8")),
        1 => Some(format!("1 character can't be read: the page is to be in {place}")),
        lost => Some(format!("{lost} characters can't be read: the page is to be in {place}")),
    };
    Some(Decoded { text, note })
}

fn is_known(name: &str) -> bool {
    UTF8.contains(&name) || LATIN1.contains(&name) || ["utf-16", "utf-16le", "utf-16be"].contains(&name)
}

/// The encoding that a type names, such as `text/html; charset="utf-8"`.
fn said_in(kind: &str) -> Option<&str> {
    kind.split(';').skip(1).find_map(|parameter| {
        let (key, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (key.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then_some(value)
    })
}

/// The text, and how many characters of it were none.
fn utf8(bytes: &[u8], is_cut: bool) -> (String, usize) {
    let mut text = String::with_capacity(bytes.len());
    let (mut lost, mut read) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        read += chunk.valid().len() + chunk.invalid().len();
        // What is cut within its last character lost none.
        let is_half = is_cut && read == bytes.len();
        if !(chunk.invalid().is_empty() || is_half) {
            text.push(char::REPLACEMENT_CHARACTER);
            lost += 1;
        }
    }
    (text, lost)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, is_cut: bool) -> (String, usize) {
    let (pairs, half) = bytes.as_chunks::<2>();
    let mut lost = usize::from(!half.is_empty() && !is_cut);
    let text = char::decode_utf16(pairs.iter().copied().map(unit)).map(|read| {
        lost += usize::from(read.is_err());
        read.unwrap_or(char::REPLACEMENT_CHARACTER)
    });
    (text.collect(), lost)
}

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        other => char::from(other),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn text(bytes: &[u8], kind: &str) -> (String, Option<String>) {
        let markup = match kind.split(';').next() {
            Some("text/html") => Markup::Html,
            Some("application/xhtml+xml") => Markup::Xhtml,
            _ => Markup::None,
        };
        let decoded = decode(bytes, kind, markup, false).unwrap();
        (decoded.text, decoded.note)
    }

    #[test]
    fn latin_1_is_read_as_the_web_means_it_whoever_says_that_it_is() {
        let body = b"caf\xe9 \x93x\x94 5\x80";
        for kind in [
            "text/plain; charset=iso-8859-1",
            "text/plain;charset=\"ISO-8859-1\"",
            "text/plain; a=b; Charset = windows-1252",
            "text/html; charset=latin1",
        ] {
            assert_eq!(text(body, kind), ("café “x” 5€".to_owned(), None), "{kind}");
        }
        for meta in [
            "<meta charset=iso-8859-1>",
            "<META CharSet = 'iso-8859-1' />",
            "<meta name=x><meta http-equiv=\"Content-Type\" content=\"text/html; charset=iso-8859-1\">",
        ] {
            let page = [b"<title>\xe9</title>", meta.as_bytes(), b"\xe9"].concat();
            let (text, note) = text(&page, "text/html");
            assert!(text.ends_with('é') && note.is_none(), "{meta}: {text}");
        }
        // The server counts before the page, and a page says nothing where it is none.
        let page = "<meta charset=iso-8859-1>é";
        assert_eq!(text(page.as_bytes(), "text/html; charset=utf-8").0, page);
        assert_eq!(text(page.as_bytes(), "text/plain").0, page);
        assert_eq!(text("<meta charset=utf-16>é".as_bytes(), "text/html").1, None);
        let far = format!("{}<meta charset=iso-8859-1>é", " ".repeat(1024));
        assert!(text(far.as_bytes(), "text/html").0.ends_with('é'));
    }

    #[test]
    fn what_can_not_be_read_is_counted_with_what_it_is_to_be_in() {
        let sjis = b"\x83\x65\x83\x58\x83\x67";
        let (text_of, note) = text(sjis, "text/plain; charset=Shift_JIS");
        assert!(text_of.contains('\u{fffd}'));
        assert_eq!(
            note.unwrap(),
            "3 characters can't be read: the page is to be in shift_jis, which is not known here"
        );
        for kind in ["text/plain", "text/plain; charset=utf8", "text/plain; charset="] {
            let note = text(b"caf\xe9", kind).1.unwrap();
            assert!(
                note.starts_with("1 character can't be read: the page is to be in UTF"),
                "{note}"
            );
        }
    }

    #[test]
    fn an_encoding_that_is_not_known_is_said_even_if_every_byte_could_be_read() {
        for name in ["iso-2022-jp", "hz-gb-2312", "utf-7", "shift_jis", "utf-16x"] {
            let note = format!("the page is to be in {name}, which is not known here, and was read as UTF-8");
            let plain = text(b"a\x1b$B", &format!("text/plain; charset={name}"));
            assert_eq!(plain, ("a\u{1b}$B".to_owned(), Some(note)));
        }
        let page = text(b"<meta charset=utf-7>+AOk-", "text/html");
        assert!(page.1.unwrap().contains("utf-7, which is not known"));
        for known in ["utf8", "latin1", "us-ascii", "utf-8"] {
            assert_eq!(text(b"a", &format!("text/plain; charset={known}")).1, None, "{known}");
        }
        assert_eq!(text(b"a\0", "text/plain; charset=utf-16le").1, None);
    }

    #[test]
    fn what_xhtml_says_at_its_beginning_is_heeded() {
        let page = b"<?xml version='1.0' encoding='iso-8859-1'?><meta charset='utf-8'/>\xe9";
        let (text_of, note) = text(page, "application/xhtml+xml");
        assert!(text_of.ends_with('é') && note.is_none(), "{text_of}");
        assert!(text(page, "text/html").1.is_some());
        assert!(text(page, "application/xhtml+xml; charset=utf-8").1.is_some());
    }

    #[test]
    fn the_mark_at_the_beginning_counts_before_all_that_is_said() {
        let kind = "text/plain; charset=iso-8859-1";
        assert_eq!(text("\u{feff}é".as_bytes(), kind), ("é".to_owned(), None));
        let wide = |bytes: fn(u16) -> [u8; 2]| "\u{feff}é€".encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
        assert_eq!(text(&wide(u16::to_le_bytes), kind), ("é€".to_owned(), None));
        assert_eq!(text(&wide(u16::to_be_bytes), "text/plain"), ("é€".to_owned(), None));
        assert_eq!(
            text(&wide(u16::to_be_bytes)[2..], "text/plain; charset=utf-16be").0,
            "é€"
        );
        assert_eq!(
            text(b"\xff\xfea\0\x00\xd8b\0c", kind).1.unwrap(),
            "2 characters can't be read: the page is to be in UTF-16LE"
        );
    }

    #[test]
    fn what_is_cut_within_a_character_lost_none_and_zeros_are_no_text() {
        let cut = decode(b"caf\xc3", "text/plain", Markup::None, true).unwrap();
        assert_eq!((cut.text.as_str(), cut.note), ("caf", None));
        assert_eq!(decode(b"a\0b", "text/plain", Markup::None, false), None);
        assert_eq!(decode(b"\xff\xfe\0\0", "text/plain", Markup::None, false), None);
    }
}
