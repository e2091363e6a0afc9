//! The list of gates that have been ready, as it is kept: what is written is what is read again, whatever the gates claim.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::{Damage, Known};
use crate::sexp::{Brackets, Form, ReadError, kw, read_prefix};
use crate::skill::folder::read_whole;
use crate::skill::inspect::FileFault;
use crate::skill::workshop::LoadFault;

/// Longest list that is read, in bytes: thousands of gates.
const LONGEST: u64 = 4 << 20;

/// Longest list that is written, as far as it can be made shorter: well below what is read.
const WRITTEN: usize = 1 << 20;

/// The list of `gates`, not longer than is read. Where it would be, those that are about the most names are kept as being about
/// everything: that is the safe side, and a gate that is ready says anew what it is about.
pub(super) fn text(gates: &BTreeMap<String, Known>) -> String {
    let mut lines: Vec<String> = gates.iter().map(|(name, known)| line(name, known)).collect();
    let mut length: usize = lines.iter().map(String::len).sum();
    if length > WRITTEN {
        let mut longest: Vec<(usize, (&String, &Known))> = gates.iter().enumerate().collect();
        longest.sort_by_key(|(at, _)| std::cmp::Reverse(lines[*at].len()));
        for (at, (name, known)) in longest {
            if length <= WRITTEN {
                break;
            }
            let about = None;
            let shorter = line(name, &Known { about, ..known.clone() });
            length = length + shorter.len() - lines[at].len();
            lines[at] = shorter;
        }
    }
    lines.concat()
}

fn line(name: &str, known: &Known) -> String {
    let targets = match &known.about {
        None => Form::truth(true),
        Some(targets) => Form::list(targets.iter().map(|target| kw(target)).collect()),
    };
    let mut form = Form::plist([("GATE", name.into()), ("TARGETS", targets)]);
    if let Some(place) = known.place {
        form = form.with("FOLDER", place.to_string());
    }
    if let Some(digest) = known.instead {
        form = form.with("INSTEAD", digest.to_string());
    }
    format!("{form}\n")
}

/// What the list at `path` holds, and what is wrong with it; nothing where there is none.
pub(super) fn read(path: &Path) -> Option<(BTreeMap<String, Known>, Option<Damage>)> {
    let (gates, damage) = match read_whole(path, LONGEST) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => parse(&text),
            Err(error) => (BTreeMap::new(), Some(error.to_string())),
        },
        Err(LoadFault::Unreadable(error)) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(LoadFault::File(FileFault::TooLong { asked, allowed })) => {
            let damage = format!("it has {asked} bytes, and {allowed} is the most");
            (BTreeMap::new(), Some(damage))
        }
        Err(fault) => (BTreeMap::new(), Some(fault.to_string())),
    };
    let damage = damage.map(|damage| Damage {
        list: path.to_owned(),
        reason: format!(
            "which gates were ready before is known in part only ({}: {damage}), so nothing passes; see with \
             `passepartout-host skill list` that every gate of yours is there, delete that file, and start the daemon again",
            path.display()
        ),
    });
    if let Some(damage) = &damage {
        tracing::error!("{}", damage.reason);
    }
    Some((gates, damage))
}

/// The entries that can be read, and what is wrong with the first one that can't be.
fn parse(text: &str) -> (BTreeMap<String, Known>, Option<String>) {
    let mut gates = BTreeMap::new();
    let mut rest = text;
    loop {
        let (form, length) = match read_prefix(rest, Brackets::Refuse) {
            Ok(found) => found,
            Err(ReadError::Empty) => return (gates, None),
            Err(error) => return (gates, Some(error.to_string())),
        };
        rest = &rest[length..];
        let about = match form.get("TARGETS") {
            Some(Form::List(items)) => Some(items.iter().filter_map(Form::designator).map(str::to_owned).collect()),
            Some(Form::Nil) => Some(Vec::new()),
            // Whatever else stands there: about everything is the safe side. So is an unknown folder, and nothing instead.
            _ => None,
        };
        let known = Known {
            about,
            place: form.text_at("folder").and_then(|place| place.parse().ok()),
            instead: form.text_at("instead").and_then(|digest| digest.parse().ok()),
        };
        match form.text_at("gate") {
            Some(name) => drop(gates.insert(name.to_owned(), known)),
            None => return (gates, Some(format!("{} names no gate", form.shortened(40)))),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn known(about: Option<Vec<String>>) -> Known {
        Known {
            about,
            place: None,
            instead: None,
        }
    }

    #[test]
    fn what_is_written_of_a_thousand_gates_with_all_that_they_may_claim_is_read_again() {
        let names: Vec<String> = (0..200).map(|n| format!("{n:X>64}")).collect();
        let mut gates: BTreeMap<String, Known> = (0..1000)
            .map(|n| (format!("{n:x>64}"), known(Some(names.clone()))))
            .collect();
        gates.insert("small".to_owned(), known(Some(vec!["SHELL".to_owned()])));
        let text = text(&gates);
        assert!(text.len() <= WRITTEN, "{}", text.len());
        let (read, damage) = parse(&text);
        assert_eq!(damage, None);
        assert!(read.keys().eq(gates.keys()), "none is forgotten");
        assert_eq!(read["small"], gates["small"], "what claims little keeps it");
        let kept = |known: &&Known| known.about.is_some();
        assert!(read.values().filter(kept).count() > 50 && read.values().any(|known| known.about.is_none()));
    }

    #[test]
    fn what_is_short_is_kept_as_it_is() {
        let gates = BTreeMap::from([
            ("own".to_owned(), known(Some(Vec::new()))),
            ("all".to_owned(), known(None)),
        ]);
        assert_eq!(parse(&text(&gates)), (gates, None));
    }
}
