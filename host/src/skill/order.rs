//! The order in which skills are loaded: what one depends on comes before it.
//!
//! Order changes no verdict; it decides only who is there when a skill is placed.

use std::collections::{BTreeMap, BTreeSet};

/// Why a skill can't be placed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderFault {
    /// What it depends on is not there.
    #[error("it depends on `{0}`, which is not loaded")]
    Missing(String),
    /// It depends on itself, by way of others.
    #[error("it depends on itself: {}; one of them must do without", .0.join(" → "))]
    Cycle(Vec<String>),
}

/// Sorts skills so that each comes after those it depends on, ties by name, and says of the others why they can't be
/// placed.
pub(super) fn sort(skills: &BTreeMap<String, Vec<String>>) -> (Vec<String>, BTreeMap<String, OrderFault>) {
    let mut placed: Vec<String> = Vec::new();
    let mut left: BTreeSet<&String> = skills.keys().collect();
    loop {
        let next = left
            .iter()
            .find(|name| skills[**name].iter().all(|needed| placed.contains(needed)))
            .copied();
        match next {
            Some(name) => {
                left.remove(name);
                placed.push(name.clone());
            }
            None => break,
        }
    }
    let faults = left
        .iter()
        .map(|name| ((*name).clone(), fault(name, skills, &placed)))
        .collect();
    (placed, faults)
}

/// Follows what is not placed until something is missing or comes round again.
fn fault(name: &str, skills: &BTreeMap<String, Vec<String>>, placed: &[String]) -> OrderFault {
    let mut path = vec![name.to_owned()];
    loop {
        let last = path.last().cloned().unwrap_or_default();
        let Some(needed) = skills.get(&last) else {
            return OrderFault::Missing(last);
        };
        let Some(next) = needed.iter().find(|needed| !placed.contains(needed)) else {
            return OrderFault::Missing(last);
        };
        if let Some(at) = path.iter().position(|own| own == next) {
            let mut cycle = path.split_off(at);
            cycle.push(next.clone());
            return if cycle.contains(&name.to_owned()) {
                OrderFault::Cycle(cycle)
            } else {
                OrderFault::Missing(next.clone())
            };
        }
        path.push(next.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skills(pairs: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
        pairs
            .iter()
            .map(|(name, on)| ((*name).to_owned(), on.iter().map(|on| (*on).to_owned()).collect()))
            .collect()
    }

    #[test]
    fn what_is_depended_on_comes_first_and_ties_go_by_name() {
        let (order, faults) = sort(&skills(&[("a", &["z"]), ("b", &[]), ("z", &[])]));
        assert_eq!(order, ["b", "z", "a"]);
        assert!(faults.is_empty());
    }

    #[test]
    fn a_cycle_is_named_and_harms_nobody_else() {
        let (order, faults) = sort(&skills(&[
            ("a", &["b"]),
            ("b", &["c"]),
            ("c", &["a"]),
            ("d", &[]),
            ("e", &["a"]),
        ]));
        assert_eq!(order, ["d"]);
        assert_eq!(
            faults["a"],
            OrderFault::Cycle(["a", "b", "c", "a"].map(str::to_owned).to_vec())
        );
        assert_eq!(faults["e"], OrderFault::Missing("a".to_owned()));
    }

    #[test]
    fn what_is_missing_is_named_by_each_that_needs_it() {
        let (order, faults) = sort(&skills(&[("a", &["b"]), ("b", &["nowhere"])]));
        assert!(order.is_empty());
        assert_eq!(faults["a"], OrderFault::Missing("nowhere".to_owned()));
        assert_eq!(faults["b"], OrderFault::Missing("nowhere".to_owned()));
    }
}
