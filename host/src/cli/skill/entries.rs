//! What an install writes into the grants, and what of earlier builds' rights it leaves.

use std::collections::BTreeSet;

use crate::capability::Bound;
use crate::sexp::Digest;
use crate::skill::{Entry, Grants, Pin, Report, Right};

/// Takes out of what is to be granted what reaches farther than any build of the name was let: whoever bounded it closer is
/// asked before the next one gets more.
pub(super) fn leave_bounded(report: &mut Report, grants: &Grants) {
    let earlier: Vec<&Bound> = grants.of(&report.name).filter_map(bound).collect();
    let is_beyond = |right: &Right| match right {
        Right::Capability(wished) => {
            let mut alike = earlier.iter().filter(|own| own.class() == wished.class()).peekable();
            alike.peek().is_some() && !alike.any(|own| own.covers(wished))
        }
        _ => false,
    };
    let rights = std::mem::take(&mut report.rights);
    let (beyond, rest) = rights
        .into_iter()
        .partition(|(right, granted)| !granted && is_beyond(right));
    report.rights = rest;
    let beyond: Vec<(Right, bool)> = beyond;
    report.beyond.extend(beyond.into_iter().map(|(right, _)| right));
}

fn bound(entry: &Entry) -> Option<&Bound> {
    match entry {
        Entry::Grant {
            right: Right::Capability(bound),
            ..
        } => Some(bound),
        _ => None,
    }
}

/// What has to be written into the grants.
pub(super) fn entries(report: &Report, digest: &Digest, grants: &Grants) -> Vec<Entry> {
    let rights = report.rights.iter().filter(|(_, granted)| !granted);
    let mut entries: Vec<Entry> = rights.map(|(right, _)| granted(&report.name, digest, right)).collect();
    if report.replaces.is_some() && !grants.trusts(&report.name, digest) {
        entries.push(Entry::Trust {
            skill: report.name.clone(),
            digest: *digest,
        });
    }
    entries
}

pub(super) fn granted(skill: &str, digest: &Digest, right: &Right) -> Entry {
    Entry::Grant {
        skill: skill.to_owned(),
        pin: Pin::Digest(*digest),
        right: right.clone(),
    }
}

/// What other builds of the name were granted, and this one neither asks for nor has.
pub(super) fn left_behind(report: &Report, digest: &Digest, grants: &Grants) -> BTreeSet<Right> {
    let has = |right: &Right| {
        let asks = report.rights.iter().map(|(own, _)| own).chain(&report.beyond);
        asks.into_iter().any(|own| own == right)
    };
    let of = |entry: &Entry| match entry {
        Entry::Grant {
            skill,
            pin: Pin::Digest(own),
            right,
        } if *skill == report.name && !has(right) => Some((own == digest, right.clone())),
        _ => None,
    };
    let (own, others): (Vec<_>, Vec<_>) = grants.entries().iter().filter_map(of).partition(|(own, _)| *own);
    let mut left: BTreeSet<Right> = others.into_iter().map(|(_, right)| right).collect();
    for (_, right) in own {
        left.remove(&right);
    }
    left
}

/// Whether a right is of a kind that the file asks for without saying how far it would reach.
pub(super) fn is_open(report: &Report, right: &Right) -> bool {
    matches!(right, Right::Capability(bound) if report.open.contains(&bound.class()))
}
