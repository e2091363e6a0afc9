//! Hash tables: keys in the order they came in, found through chains of those with like hashes, which the caller
//! computes. A table knows nothing of what makes two keys equal.

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
    entries: Vec<Entry>,
    /// For each remainder of a hash, the last entry with it.
    heads: Vec<Option<u32>>,
    count: usize,
}

/// A key and its value; or what is left of them when they were taken away.
#[derive(Debug)]
struct Entry {
    hash: u64,
    pair: Option<(Value, Value)>,
    /// The entry before it with the same remainder.
    next: Option<u32>,
}

impl Table {
    /// An empty table.
    pub(crate) fn new(test: TableTest) -> Table {
        Table {
            test,
            entries: Vec::new(),
            heads: Vec::new(),
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
    pub(crate) const ENTRY_BYTES: usize = 80;

    /// Keys and values, in the order they came in.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (Value, Value)> + '_ {
        self.entries.iter().filter_map(|entry| entry.pair)
    }

    /// The places whose keys have this hash, with their keys.
    pub(crate) fn candidates(&self, hash: u64) -> Vec<(usize, Value)> {
        let mut found = Vec::new();
        let mut at = self.heads.get(self.chain(hash)).copied().flatten();
        while let Some(entry) = at.and_then(|place| self.entries.get(place as usize)) {
            if let (true, Some((key, _)), Some(place)) = (entry.hash == hash, entry.pair, at) {
                found.push((place as usize, key));
            }
            at = entry.next;
        }
        found
    }

    /// The value at a place.
    pub(crate) fn at(&self, place: usize) -> Option<Value> {
        self.entries.get(place)?.pair.map(|(_, value)| value)
    }

    /// Changes the value at a place.
    pub(crate) fn replace(&mut self, place: usize, value: Value) {
        if let Some((_, old)) = self.entries.get_mut(place).and_then(|entry| entry.pair.as_mut()) {
            *old = value;
        }
    }

    /// Adds a key that is not there yet.
    pub(crate) fn insert(&mut self, hash: u64, key: Value, value: Value) {
        if self.entries.len() >= self.heads.len() {
            self.rebuild();
        }
        self.count += 1;
        self.link(Entry {
            hash,
            pair: Some((key, value)),
            next: None,
        });
    }

    /// Takes away what is at a place. The entry stays until the table is built anew.
    pub(crate) fn remove(&mut self, place: usize) {
        if self
            .entries
            .get_mut(place)
            .and_then(|entry| entry.pair.take())
            .is_some()
        {
            self.count -= 1;
        }
    }

    /// Takes everything away.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.heads.clear();
        self.count = 0;
    }

    /// Makes room for as many entries again, and drops those that were taken away.
    fn rebuild(&mut self) {
        self.heads = vec![None; (self.count * 2).max(8)];
        for entry in std::mem::take(&mut self.entries) {
            if entry.pair.is_some() {
                self.link(entry);
            }
        }
    }

    fn link(&mut self, mut entry: Entry) {
        let chain = self.chain(entry.hash);
        if let Some(head) = self.heads.get_mut(chain) {
            entry.next = head.replace(self.entries.len() as u32);
        }
        self.entries.push(entry);
    }

    fn chain(&self, hash: u64) -> usize {
        // No remainder of an empty table is looked up.
        hash.checked_rem(self.heads.len() as u64).unwrap_or(0) as usize
    }
}
