//! What came to be in the workspace while a command ran that no person was asked about, and would have been hidden from it: an
//! editor saves a file by putting a new one in its place, which no cover lies over.

use super::guarded::{Guarded, Look};
use super::message::Specification;
use super::time::Time;
use super::walk::survey;
use super::{Writes, said};
use std::collections::BTreeSet;

/// Most of the names that are told.
const MOST: usize = 5;

/// Why what a command printed must be withheld, if it must.
pub(super) fn withheld(specification: &Specification, protected: &[String], time: Time<'_>) -> Option<String> {
    let look = Look::Unasked(specification.writes);
    let found = survey(&specification.workspace, protected, look, time);
    let place = |place: &Guarded| (place.path.clone(), place.identity);
    let hidden = |place: &&Guarded| place.hides() && place.identity.is_some();
    let before: BTreeSet<_> = specification.guarded.iter().filter(hidden).map(place).collect();
    let new = found.guarded.iter().filter(hidden).map(place);
    let names: Vec<String> = new
        .filter(|place| !before.contains(place))
        .map(|(path, _)| said::on_one_line(&path.to_string_lossy()))
        .collect();
    if names.is_empty() && !found.cut {
        return None;
    }
    let why = match names.len() {
        0 => "the workspace could not be looked through after it for what it must not read".to_owned(),
        count => {
            let more = if count > MOST { " and others" } else { "" };
            let names = names.get(..count.min(MOST)).unwrap_or_default().join(", ");
            format!("{names}{more} may hold secrets, and came to be there, or was replaced, while it ran")
        }
    };
    let then = match specification.writes {
        Writes::Refused => "run it again",
        Writes::Allowed => "what it did stays as it is",
    };
    Some(format!("what the command printed is withheld: {why}; {then}"))
}
