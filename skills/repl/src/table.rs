//! Hash tables: keys in the order they came in, found through an index of hashes that the caller computes. A table
//! knows nothing of what makes two keys equal.

use std::collections::BTreeMap;

use crate::value::Value;

/// Which function compares the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableTest {
    Eql,
    Equal,
}

/// A hash table.
#[derive(Debug)]
pub(crate) struct Table {
    /// How keys are compared.
    pub(crate) test: TableTest,
    entries: Vec<Option<(Value, Value)>>,
    index: BTreeMap<u64, Vec<u32>>,
    count: usize,
}

impl Table {
    /// An empty table.
    pub(crate) fn new(test: TableTest) -> Table {
        Table {
            test,
            entries: Vec::new(),
            index: BTreeMap::new(),
            count: 0,
        }
    }

    /// How many keys it has.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The bytes it holds, about.
    pub(crate) fn payload(&self) -> usize {
        64 + self.entries.len() * Table::ENTRY_BYTES
    }

    /// The bytes that one more entry takes, about.
    pub(crate) const ENTRY_BYTES: usize = 96;

    /// Keys and values, in the order they came in.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (Value, Value)> + '_ {
        self.entries.iter().flatten().copied()
    }

    /// The places whose keys have this hash, with their keys.
    pub(crate) fn candidates(&self, hash: u64) -> impl Iterator<Item = (usize, Value)> + '_ {
        let places = self.index.get(&hash).map(Vec::as_slice).unwrap_or_default();
        places.iter().filter_map(|&place| {
            let (key, _) = self.entries.get(place as usize).copied().flatten()?;
            Some((place as usize, key))
        })
    }

    /// The value at a place.
    pub(crate) fn at(&self, place: usize) -> Option<Value> {
        self.entries.get(place).copied().flatten().map(|(_, value)| value)
    }

    /// Changes the value at a place.
    pub(crate) fn replace(&mut self, place: usize, value: Value) {
        if let Some(Some(entry)) = self.entries.get_mut(place) {
            entry.1 = value;
        }
    }

    /// Adds a key that is not there yet.
    pub(crate) fn insert(&mut self, hash: u64, key: Value, value: Value) {
        if self.entries.len() > 16 + self.count * 2 {
            self.close_gaps();
        }
        self.index.entry(hash).or_default().push(self.entries.len() as u32);
        self.entries.push(Some((key, value)));
        self.count += 1;
    }

    /// Takes away what is at a place.
    pub(crate) fn remove(&mut self, hash: u64, place: usize) {
        if let Some(places) = self.index.get_mut(&hash) {
            places.retain(|&at| at as usize != place);
            if places.is_empty() {
                self.index.remove(&hash);
            }
        }
        if let Some(entry) = self.entries.get_mut(place)
            && entry.take().is_some()
        {
            self.count -= 1;
        }
        if self.count == 0 {
            self.clear();
        }
    }

    /// Moves the entries together, after many were taken away.
    fn close_gaps(&mut self) {
        let mut moved = vec![0; self.entries.len()];
        let mut next = 0;
        for (place, entry) in self.entries.iter().enumerate() {
            moved[place] = next;
            next += u32::from(entry.is_some());
        }
        self.entries.retain(Option::is_some);
        for place in self.index.values_mut().flatten() {
            *place = moved[*place as usize];
        }
    }

    /// Takes everything away.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.index.clear();
        self.count = 0;
    }
}
