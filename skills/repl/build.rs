//! Packs the part of the language that is written in itself: without comments and needless blanks, and with what
//! repeats replaced by references. It is a tenth of the component otherwise. `prelude` unpacks it.

use std::path::Path;
use std::{env, fs, io};

/// In the order in which they are evaluated.
const FILES: [&str; 6] = ["core", "places", "control", "sequences", "types", "loop"];

/// A reference has 12 bits for how far back, and 4 for how many bytes beyond the least.
const FARTHEST: usize = 4095;
const LEAST: usize = 3;
const MOST: usize = LEAST + 15;

fn main() -> io::Result<()> {
    let mut text = String::new();
    for file in FILES {
        let path = format!("src/prelude/{file}.lisp");
        println!("cargo:rerun-if-changed={path}");
        text.push_str(&shortened(&fs::read_to_string(path)?));
    }
    let folder = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(Path::new(&folder).join("prelude.packed"), packed(text.as_bytes()))
}

/// The text without comments, and with one blank where there were several. Strings stay as they are.
fn shortened(text: &str) -> String {
    let mut out = String::new();
    let mut characters = text.chars().peekable();
    let mut inside_string = false;
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                out.push(character);
                out.extend(characters.next());
            }
            '"' => {
                inside_string = !inside_string;
                out.push(character);
            }
            _ if inside_string => out.push(character),
            ';' => while characters.next_if(|character| *character != '\n').is_some() {},
            _ if character.is_whitespace() => {
                if !out.ends_with([' ', '(']) {
                    out.push(' ');
                }
            }
            ')' => {
                if out.ends_with(' ') {
                    out.pop();
                }
                out.push(')');
            }
            _ => out.push(character),
        }
    }
    out
}

/// Groups of eight items behind a byte that says, bit by bit, which are references.
fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut at, mut flags_at, mut count) = (0, 0, 8);
    while at < bytes.len() {
        if count == 8 {
            (flags_at, count) = (out.len(), 0);
            out.push(0);
        }
        match longest(bytes, at) {
            Some((back, length)) => {
                out[flags_at] |= 1 << count;
                let reference = (back << 4 | (length - LEAST)) as u16;
                out.extend(reference.to_le_bytes());
                at += length;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
        count += 1;
    }
    out
}

/// The longest piece before `at` that is repeated there: how far back, and how long.
fn longest(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let most = MOST.min(bytes.len() - at);
    (at.saturating_sub(FARTHEST)..at)
        .map(|begin| {
            (
                at - begin,
                (0..most)
                    .take_while(|place| bytes[begin + place] == bytes[at + place])
                    .count(),
            )
        })
        .filter(|(_, length)| *length >= LEAST)
        .max_by_key(|(_, length)| *length)
}
