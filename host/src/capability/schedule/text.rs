//! The schedule as it is written.

use super::entry::Entry;
use crate::plist;
use crate::sexp::{Brackets, Form, read_prefix};

/// Longest entry that is read, in bytes: a text of four kilobytes, however it is written, and what goes with it.
const ENTRY: usize = 64 << 10;

/// What is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    /// What waits to fire.
    pub(super) entries: Vec<Entry>,
    /// What has begun to fire and has not ended, as it was then.
    pub(super) firing: Vec<Entry>,
}

/// How many entries there are, and how many that are firing, if there are such; then each on a line.
pub(super) fn print(Kept { entries, firing }: &Kept) -> String {
    let head = plist!("SCHEDULE" => 1, "ENTRIES" => entries.len());
    let head = match firing.len() {
        0 => head,
        count => head.with("FIRING", count),
    };
    let mut text = format!("{head}\n");
    for entry in entries.iter().chain(firing) {
        text += &format!("{}\n", entry.to_form());
    }
    text
}

/// What was written so. `None` if it is not whole, or holds what is no entry.
pub(super) fn parse(bytes: &[u8]) -> Option<Kept> {
    let mut rest = std::str::from_utf8(bytes).ok()?;
    let mut next = || {
        // The bounds of reading are for one form; the file may be longer than that.
        let (form, length) = read_prefix(&rest[..rest.floor_char_boundary(ENTRY)], Brackets::Refuse).ok()?;
        rest = rest[length..].trim_start();
        Some((form, rest.is_empty()))
    };
    let (head, mut is_last) = next()?;
    if head.get("SCHEDULE")?.as_int() != Some(1) {
        return None;
    }
    let count = |form: &Form| form.as_int().and_then(|count| usize::try_from(count).ok());
    let waiting = count(head.get("ENTRIES")?)?;
    let firing = head.get("FIRING").map_or(Some(0), count)?;
    let mut entries = Vec::new();
    while !is_last {
        let form;
        (form, is_last) = next()?;
        entries.push(Entry::from_form(&form)?);
    }
    if Some(entries.len()) != waiting.checked_add(firing) {
        return None;
    }
    let firing = entries.split_off(waiting);
    Some(Kept { entries, firing })
}
