//! Where it stands what is configured of models. Whether it can be used shows only once the well-known providers and the
//! skills are known, long after the file was read: what is wrong with it is told by its line all the same.

use std::collections::BTreeMap;

use super::{ConfigFault, ModelConfig, fault};

/// The tables that are about models.
const TABLES: &[&str] = &["model", "select", "providers", "consensus"];

/// Where keys, and tables of keys, stand, by their full names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places(BTreeMap<String, Place>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// At this line of a file.
    Line(String),
    /// Elsewhere, where there is nothing beside it: a variable, an option.
    Only(&'static str),
}

impl Places {
    /// Notes that `key` stands at `line`, if it is about models.
    pub(super) fn note(&mut self, key: &str, line: &str) {
        if key.split('.').next().is_some_and(|table| TABLES.contains(&table)) {
            self.0.insert(key.to_owned(), Place::Line(line.to_owned()));
        }
    }

    /// Notes that `key` is set by this variable or option, whatever stands in a file.
    pub(super) fn overrule(&mut self, key: &str, by: &'static str) {
        self.0.insert(key.to_owned(), Place::Only(by));
    }

    /// Where `key` stands, else the table that it would stand in.
    fn of(&self, key: &str) -> Option<&Place> {
        let mut key = key;
        loop {
            if let Some(place) = self.0.get(key) {
                return Some(place);
            }
            // One of the tables at the top says nothing of a key that is not in it.
            (key, _) = key.rsplit_once('.').filter(|(table, _)| table.contains('.'))?;
        }
    }
}

impl ModelConfig {
    /// What is wrong with `key`, or the table of that name, told by where it stands.
    pub fn fault(&self, key: &str, problem: impl Into<String>, remedy: impl Into<String>) -> ConfigFault {
        let problem = problem.into();
        match self.places.of(key) {
            Some(Place::Line(line)) => fault(line, format!("{key}: {problem}"), remedy),
            Some(Place::Only(name)) => fault(name, problem, remedy),
            None => fault(key, problem, remedy),
        }
    }

    /// Where `key` stands, as the beginning of a sentence about it; nothing where that is not known.
    pub fn at(&self, key: &str) -> String {
        match self.places.of(key) {
            Some(Place::Line(line)) => format!("{line}: "),
            Some(Place::Only(name)) => format!("{name}: "),
            None => String::new(),
        }
    }

    /// Whether `other` says the same, wherever it stands.
    pub fn says_the_same(&self, other: &ModelConfig) -> bool {
        let here = ModelConfig {
            places: other.places.clone(),
            ..self.clone()
        };
        here == *other
    }
}

impl ConfigFault {
    /// Whether this is the same fault as `other`, which lines above it may have moved.
    pub fn is_same_as(&self, other: &ConfigFault) -> bool {
        (self.file(), &self.problem, &self.remedy) == (other.file(), &other.problem, &other.remedy)
    }

    /// The file, or what else it stands in.
    fn file(&self) -> &str {
        self.place.rsplit_once(" line ").map_or(&self.place, |(file, _)| file)
    }

    /// The line, where it stands on one.
    fn line(&self) -> Option<u64> {
        self.place.rsplit_once(" line ")?.1.parse().ok()
    }
}

/// Sorts faults by line; files stay in the order in which they come first.
pub(super) fn by_line(faults: &mut [ConfigFault]) {
    let mut files: Vec<String> = Vec::new();
    for own in faults.iter() {
        if !files.iter().any(|file| file == own.file()) {
            files.push(own.file().to_owned());
        }
    }
    faults.sort_by_key(|own| (files.iter().position(|file| file == own.file()), own.line()));
}
