//! What goes along where a folder is packed or copied as a whole, and what is shown of what was packed.

use super::hidden::Invocation;
use super::word::Field;
use crate::text;

/// How a person is told of what is packed with a whole folder: what was approved sees what others don't.
const ALONG: &str = "takes all that lies there along, keys and environment files with it";
/// And of what an archive is only shown of.
const SHOWS: &str = "prints what is packed there";

/// What is told of an invocation, if anything is.
pub(super) fn told(invocation: &Invocation<'_>) -> Option<&'static str> {
    let has = |letter: char, long: &str| invocation.has_option(letter, long);
    match invocation.name.as_ref() {
        "tar" | "bsdtar" => {
            let modes = modes(invocation);
            let is = |letter: char, long: &str| modes.contains(letter) || has(letter, long);
            let packs = is('c', "create") || is('r', "append") || is('u', "update");
            if packs && names_all(invocation) {
                return Some(ALONG);
            }
            (is('x', "extract") && is('O', "to-stdout")).then_some(SHOWS)
        }
        "unzip" => (has('p', "") || has('c', "")).then_some(SHOWS),
        "zip" => (has('r', "recurse-paths") && names_all(invocation)).then_some(ALONG),
        "7z" | "7za" | "7zr" => {
            let adds = invocation.arguments().first().is_some_and(|verb| verb.text == "a");
            (adds && names_all(invocation)).then_some(ALONG)
        }
        "cp" => {
            ((has('r', "recursive") || has('R', "") || has('a', "archive")) && names_all(invocation)).then_some(ALONG)
        }
        _ => None,
    }
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
