//! The decision record: what was decided, when, by which code. Each entry carries the hash of the one before.

use std::path::Path;

use super::log::{AppendLog, Durability, LogError, Recovery};
use super::writes::Writes;
use crate::plist;
use crate::sexp::{Digest, Form};

/// The open record.
#[derive(Debug)]
pub struct Record {
    log: AppendLog,
    sequence: u64,
    last: Digest,
}

/// One entry as it was read back.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its number, counted from 1.
    pub sequence: u64,
    /// Whether it carries the hash of the entry before it.
    pub linked: bool,
    /// What it says.
    pub form: Form,
}

const DOMAIN: &str = "passepartout-record-1";

impl Record {
    /// Opens the record and checks its chain. A broken chain is reported and does not keep the record from growing.
    ///
    /// # Errors
    /// When the file can't be opened; then nothing may act.
    pub fn open(path: &Path, writes: &Writes) -> Result<(Record, Vec<Entry>, Recovery), LogError> {
        let (log, forms, recovery) = AppendLog::open(path, writes)?;
        let mut last = Digest::of(DOMAIN, b"");
        let mut entries = Vec::with_capacity(forms.len());
        for form in forms {
            let linked = form.text_at("previous") == Some(last.to_string().as_str());
            last = Digest::of(DOMAIN, form.to_string().as_bytes());
            let sequence = form
                .at("sequence")
                .and_then(Form::as_int)
                .and_then(|number| u64::try_from(number).ok());
            entries.push(Entry {
                sequence: sequence.unwrap_or(0),
                linked,
                form,
            });
        }
        let sequence = entries.iter().map(|entry| entry.sequence).max().unwrap_or(0);
        Ok((Record { log, sequence, last }, entries, recovery))
    }

    /// Appends `entry`, a plist, with its number, the time and the hash of the entry before it. Returns the number.
    ///
    /// # Errors
    /// When it can't be written; then the decision must not take effect.
    pub fn append(&mut self, entry: Form, at: &str, durability: Durability) -> Result<u64, LogError> {
        let sequence = self.sequence + 1;
        let form = plist!("SEQUENCE" => sequence, "AT" => at, "PREVIOUS" => self.last.to_string()).joined(entry);
        let hash = Digest::of(DOMAIN, form.to_string().as_bytes());
        self.log.append(&form, durability)?;
        self.sequence = sequence;
        self.last = hash;
        Ok(sequence)
    }

    /// Whether the file at the path is the one that is added to.
    pub fn is_in_place(&self) -> bool {
        self.log.is_in_place()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.log.path()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    #[test]
    fn an_entry_that_was_changed_breaks_the_chain_at_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.log");
        let (mut record, ..) = Record::open(&path, &Writes::default()).unwrap();
        for what in ["one", "two", "three"] {
            record
                .append(plist!("WHAT" => what), "2026-01-01T00:00:00Z", Durability::Synced)
                .unwrap();
        }
        let (_, entries, _) = Record::open(&path, &Writes::default()).unwrap();
        assert!(entries.iter().all(|entry| entry.linked));
        assert_eq!(
            entries.iter().map(|entry| entry.sequence).collect::<Vec<_>>(),
            [1, 2, 3]
        );

        // A forger who keeps the file well-formed: writes entry two anew, with its checksum.
        let (_, kept, _) = AppendLog::open(&path, &Writes::default()).unwrap();
        std::fs::remove_file(&path).unwrap();
        let (mut log, ..) = AppendLog::open(&path, &Writes::default()).unwrap();
        for (at, form) in kept.into_iter().enumerate() {
            let form = if at == 1 { form.with("WHAT", "forged") } else { form };
            log.append(&form, Durability::Written).unwrap();
        }
        let (_, entries, _) = Record::open(&path, &Writes::default()).unwrap();
        assert_eq!(
            entries.iter().map(|entry| entry.linked).collect::<Vec<_>>(),
            [true, true, false]
        );
    }
}
