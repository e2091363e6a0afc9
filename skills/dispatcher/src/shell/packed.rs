//! What goes along where a folder is packed or copied as a whole, and what is shown of what was packed.

use super::hidden::Invocation;
use super::programs;
use super::word::Field;
use crate::finding::Risk;
use crate::text;

/// How a person is told of what is packed with a whole folder: what was approved sees what others don't.
pub(super) const ALONG: &str = "takes all that lies there along, keys and environment files with it";
/// What is said of one that deletes what it has packed.
const REMOVES: &str = "deletes what it has packed";
/// And of one that unpacks or decodes.
pub(super) const UNPACKS: &str = "unpacks or decodes what nobody has looked into";
/// And of what an archive is only shown of.
const SHOWS: &str = "prints what is packed there";

/// What is told of an invocation, with how bad it could be.
pub(super) fn told(invocation: &Invocation<'_>) -> Vec<(&'static str, Risk)> {
    let has = |letter: char, long: &str| invocation.has_option(letter, long);
    let name = invocation.name.as_ref();
    let modes = if matches!(name, "tar" | "bsdtar") {
        modes(invocation)
    } else {
        ""
    };
    let is = |letter: char, long: &str| modes.contains(letter) || has(letter, long);
    let adds = || invocation.arguments().first().is_some_and(|verb| verb.text == "a");
    let (packs, shows, removes) = match name {
        "tar" | "bsdtar" => (
            is('c', "create") || is('r', "append") || is('u', "update"),
            is('x', "extract") && is('O', "to-stdout"),
            invocation
                .arguments()
                .iter()
                .any(|field| field.text == "--remove-files"),
        ),
        "zip" => (has('r', "recurse-paths"), false, has('m', "move")),
        "unzip" => (false, has('p', "") || has('c', ""), false),
        "7z" | "7za" | "7zr" => {
            let removes = invocation.arguments().iter().any(|field| field.text == "-sdel");
            (adds(), false, removes)
        }
        "cp" => (
            has('r', "recursive") || has('R', "") || has('a', "archive"),
            false,
            false,
        ),
        _ => (false, false, false),
    };
    let mut told = Vec::new();
    if removes {
        told.push((REMOVES, Risk::High));
    }
    if packs && names_all(invocation) {
        told.push((ALONG, Risk::Medium));
    }
    if shows {
        told.push((SHOWS, Risk::Medium));
    }
    if unpacks(invocation) {
        told.push((UNPACKS, Risk::Low));
    }
    told
}

/// Whether it is one that unpacks or decodes what it reads.
fn unpacks(invocation: &Invocation<'_>) -> bool {
    let grammar = programs::row(&invocation.name).and_then(|row| row.grammar.as_ref());
    let is_on = |option: &&str| match option.as_bytes() {
        [b'*'] => true,
        [letter] => invocation.has_option(char::from(*letter), ""),
        _ => invocation.has_option('\0', option),
    };
    grammar.is_some_and(|grammar| grammar.unpacks.iter().any(is_on))
}

/// The letters that tar(1) takes in front of all others, without a dash.
fn modes<'i>(invocation: &'i Invocation<'_>) -> &'i str {
    let first = invocation.arguments().first().map_or("", |first| first.text.as_str());
    let is_cluster = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_alphabetic());
    if is_cluster { first } else { "" }
}

/// Whether an operand is a folder and all in it, whatever that is: this one, one above, or one named as such.
fn names_all(invocation: &Invocation<'_>) -> bool {
    let is_all = |file: &Field| match text::behind_last(&file.text, b'/') {
        "" => !file.text.is_empty(),
        last => matches!(last, "." | "..") || file.glob && last.bytes().all(|byte| b"*.?[]!".contains(&byte)),
    };
    invocation.operands().any(is_all)
}
