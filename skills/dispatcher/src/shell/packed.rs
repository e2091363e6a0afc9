//! What goes along where a folder is packed or copied as a whole, and what is shown of what was packed.

use super::hidden::Invocation;
use super::ruin;
use super::word::Field;
use crate::finding::Risk;
use crate::text;

/// How a person is told of what is packed with a whole folder: what was approved sees what others don't.
const ALONG: &str = "takes all that lies there along, keys and environment files with it";
/// The same where something is left out, which may be those.
const MOSTLY: &str =
    "takes all that lies there along but what it leaves out, perhaps keys and environment files with it";
/// The same where what is hidden stays, as environment files are.
const SHOWN: &str = "takes all files that lie there along, keys with them";
/// All of these.
pub(super) const ALL: &[&str] = &[ALONG, MOSTLY, SHOWN];
/// Options by which something is left out, and those of zip and 7z.
const EXCLUDING: &[&str] = &["--exclude", "--filter", "-x", "-xr"];
/// What is said of one that deletes what it has packed.
const REMOVES: &str = "deletes what it has packed";
/// And of one that unpacks or decodes.
const UNPACKS: &str = "unpacks or decodes what nobody has looked into";
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
            is('x', "extract") && only_shows(invocation),
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
        "cp" | "rsync" | "scp" => (copies_folders(invocation), false, false),
        "docker" | "podman" | "nerdctl" | "kubectl" | "oc" => {
            let verb = || invocation.operands().next().is_some_and(|verb| verb.text == "cp");
            (verb(), false, false)
        }
        _ => (false, false, false),
    };
    let mut told = Vec::new();
    if removes {
        told.push((REMOVES, Risk::High));
    }
    let excludes = |field: &Field| EXCLUDING.iter().any(|option| field.text.starts_with(option));
    match packs {
        true if !names_all(invocation) => {}
        true if invocation.arguments().iter().any(excludes) => told.push((MOSTLY, Risk::Medium)),
        true => told.push((ALONG, Risk::Medium)),
        false if matches!(name, "cp" | "scp") && sources(invocation).into_iter().any(is_pattern_of_all) => {
            told.push((SHOWN, Risk::Medium));
        }
        false => {}
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
    let grammar = invocation.row.and_then(|row| row.grammar.as_ref());
    let is_on = |option: &&str| match option.as_bytes() {
        [b'*'] => true,
        [letter] => invocation.has_option(char::from(*letter), ""),
        _ => invocation.has_option('\0', option),
    };
    grammar.is_some_and(|grammar| grammar.unpacks.iter().any(is_on))
}

/// Whether tar(1) changes nothing, and lists or prints what is packed.
pub(super) fn only_shows(invocation: &Invocation<'_>) -> bool {
    let modes = modes(invocation);
    let is = |letter: char, long: &str| modes.contains(letter) || invocation.has_option(letter, long);
    let changes = ['A', 'c', 'r', 'u']
        .into_iter()
        .zip(["concatenate", "create", "append", "update"]);
    let shows = is('t', "list") || is('x', "extract") && is('O', "to-stdout");
    shows && !changes.into_iter().any(|(letter, long)| is(letter, long))
}

/// Whether it copies folders with what is in them.
fn copies_folders(invocation: &Invocation<'_>) -> bool {
    ruin::is_recursive(invocation) || invocation.has_option('a', "archive")
}

/// The letters that tar(1) takes in front of all others, without a dash.
fn modes<'i>(invocation: &'i Invocation<'_>) -> &'i str {
    let first = invocation.arguments().first().map_or("", |first| first.text.as_str());
    let is_cluster = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_alphabetic());
    if is_cluster { first } else { "" }
}

/// Whether an operand is a folder and all in it, whatever that is: this one, one above, or one named as such.
fn names_all(invocation: &Invocation<'_>) -> bool {
    let is_all = |file: &&Field| match text::behind_last(&file.text, b'/') {
        // A folder beneath this one has what it is called after.
        "" => matches!(file.text.trim_end_matches('/'), "" | "." | ".."),
        last => matches!(last, "." | "..") || is_pattern_of_all(file),
    };
    sources(invocation).iter().any(is_all)
}

/// What is packed or copied: where a copy goes comes last, or before the others.
fn sources<'i>(invocation: &Invocation<'i>) -> Vec<&'i Field> {
    let mut operands: Vec<&Field> = invocation.operands().collect();
    let packs = matches!(
        invocation.name.as_ref(),
        "7z" | "7za" | "7zr" | "bsdtar" | "tar" | "zip"
    );
    if !packs && operands.len() > 1 && !invocation.has_option('t', "target-directory") {
        operands.pop();
    }
    operands
}

/// Whether it matches whatever is not hidden, or more.
fn is_pattern_of_all(file: &Field) -> bool {
    let last = text::behind_last(&file.text, b'/');
    file.glob && !last.is_empty() && last.bytes().all(|byte| b"*.?[]!".contains(&byte))
}
