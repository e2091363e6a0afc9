//! The schedule as it is written.

use super::entry::Entry;
use crate::plist;
use crate::sexp::{Brackets, read_prefix};

/// Longest entry that is read, in bytes: a text of four kilobytes, however it is written, and what goes with it.
const ENTRY: usize = 64 << 10;

/// How many entries there are, then each on a line.
pub(super) fn print(entries: &[Entry]) -> String {
    let mut text = format!("{}\n", plist!("SCHEDULE" => 1, "ENTRIES" => entries.len()));
    for entry in entries {
        text += &format!("{}\n", entry.to_form());
    }
    text
}

/// The entries that were written so. `None` if it is not whole, or holds what is no entry.
pub(super) fn parse(bytes: &[u8]) -> Option<Vec<Entry>> {
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
    let count = usize::try_from(head.get("ENTRIES")?.as_int()?).ok()?;
    let mut entries = Vec::new();
    while !is_last {
        let form;
        (form, is_last) = next()?;
        entries.push(Entry::from_form(&form)?);
    }
    (entries.len() == count).then_some(entries)
}
