//! What of the daemon's own can't be written: noted by whoever writes, file by file, and gone with the first write to the
//! same file that succeeds, or once as much would fit again where nobody writes. It knows nothing of what is written, and
//! keeps nothing from being tried.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::log::{LogError, write_private};

/// The files whose last write failed, by store. Clones are the same one: the daemon has one, and each store a part in it.
#[derive(Clone, Debug, Default)]
pub struct WriteFaults(Arc<Mutex<Faults>>);

/// A store may have many files, and what is written to one says nothing of another.
type Faults = BTreeMap<(&'static str, PathBuf), WriteFault>;

/// A store with files whose last write failed. All but `store`, `means` and `others` is about the one that failed first.
#[derive(Clone, Debug)]
pub struct WriteFault {
    /// The store.
    pub store: &'static str,
    /// What that means while it lasts.
    pub means: &'static str,
    /// When the first write failed that none has succeeded after.
    pub since: SystemTime,
    /// Which file, and what the system said last.
    pub error: String,
    /// What may help.
    pub remedy: &'static str,
    /// How many other files of the store are the same.
    pub others: usize,
    /// What could not be added, where that is known and nobody tries it again.
    wanted: Option<Wanted>,
}

/// What was to be added to a file: so many bytes behind so many others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) path: PathBuf,
    pub(super) behind: u64,
    pub(super) bytes: usize,
}

/// Where a store notes how its writes go. By default nobody hears of it, which is for whoever only reads.
#[derive(Clone, Debug, Default)]
pub struct Writes {
    store: &'static str,
    means: &'static str,
    faults: WriteFaults,
}

impl WriteFaults {
    /// The part of `store`. `means` says what it means for a person that it can't be written.
    pub fn of(&self, store: &'static str, means: &'static str) -> Writes {
        Writes {
            store,
            means,
            faults: self.clone(),
        }
    }

    /// All of them at this moment, each store once.
    pub fn now(&self) -> Vec<WriteFault> {
        let mut stores: Vec<WriteFault> = Vec::new();
        for fault in self.faults().values() {
            // Those of one store follow one another.
            match stores.last_mut().filter(|last| last.store == fault.store) {
                Some(last) => {
                    let others = last.others + 1;
                    if fault.since < last.since {
                        *last = fault.clone();
                    }
                    last.others = others;
                }
                None => stores.push(fault.clone()),
            }
        }
        stores
    }

    /// Looks whether what could not be added to a file would fit there now, and takes note where it would. Blocks.
    pub fn look_again(&self) {
        let all = self.faults().clone();
        for (key, fault) in all {
            let Some(wanted) = fault.wanted.filter(|wanted| wanted.fits().is_ok()) else {
                continue;
            };
            let mut faults = self.faults();
            if faults.get(&key).is_some_and(|now| now.wanted.as_ref() == Some(&wanted)) {
                faults.remove(&key);
            }
        }
    }

    fn faults(&self) -> MutexGuard<'_, Faults> {
        // Changed in single steps, so that it is whole even if a holder panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wanted {
    /// Whether so much fits into a file of that length in the same folder. The file itself is not touched: whoever has it may
    /// be adding to it.
    fn fits(&self) -> io::Result<()> {
        match OpenOptions::new().read(true).append(true).open(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut beside = self.path.as_os_str().to_owned();
        beside.push(".room");
        let _ = fs::remove_file(&beside);
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&beside)?;
        // It has no name from here on, so that nothing is left of it after a kill.
        fs::remove_file(&beside)?;
        // What is before that is a hole, and takes no room.
        file.seek(SeekFrom::Start(self.behind))?;
        file.write_all(&vec![b' '; self.bytes])?;
        file.sync_data()
    }
}

impl Writes {
    /// Notes how a write to the file at `path` went, and returns that. Where nobody tries it again, `wanted` says what was to
    /// be added.
    pub(super) fn noted<T>(
        &self,
        path: &Path,
        written: Result<T, LogError>,
        wanted: impl FnOnce() -> Option<Wanted>,
    ) -> Result<T, LogError> {
        if written.is_ok() {
            self.faults.faults().remove(&self.key(path));
        }
        self.failed(path, written, wanted)
    }

    /// The same for what may have written nothing, so that its success shows nothing.
    pub(super) fn failed<T>(
        &self,
        path: &Path,
        written: Result<T, LogError>,
        wanted: impl FnOnce() -> Option<Wanted>,
    ) -> Result<T, LogError> {
        if let Err(error) = &written {
            let mut faults = self.faults.faults();
            let fault = faults.entry(self.key(path)).or_insert_with(|| WriteFault {
                store: self.store,
                means: self.means,
                since: SystemTime::now(),
                error: String::new(),
                remedy: "",
                others: 0,
                wanted: None,
            });
            (fault.error, fault.remedy, fault.wanted) = (error.to_string(), remedy(error), wanted());
        }
        written
    }

    fn key(&self, path: &Path) -> (&'static str, PathBuf) {
        (self.store, path.to_owned())
    }

    /// As [`write_private`], and notes how it went. Whoever keeps the file tries it again.
    ///
    /// # Errors
    /// As [`write_private`].
    pub fn private(&self, path: &Path, bytes: &[u8]) -> Result<(), LogError> {
        self.noted(path, write_private(path, bytes), || None)
    }
}

/// What may help against what the system said.
fn remedy(error: &LogError) -> &'static str {
    let LogError::Io { source, .. } = error;
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "make room on that file system, or raise the bound on files or the quota"
        }
        io::ErrorKind::PermissionDenied => "give the daemon's user the right to write there",
        io::ErrorKind::ReadOnlyFilesystem => {
            "the file system is read-only, as after an error of the disk: look at the disk, and mount it for writing again"
        }
        _ => "see what is wrong there, with that path or with the disk",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::{AppendLog, Durability};
    use super::*;
    use crate::plist;

    #[test]
    fn a_file_is_at_fault_from_its_first_failed_write_until_one_succeeds_and_no_other_store_changes_that() {
        let folder = tempfile::tempdir().unwrap();
        let (faults, path) = (WriteFaults::default(), folder.path().join("list"));
        let (list, other) = (faults.of("the list", "nothing is listed"), faults.of("another", ""));
        list.private(&path, b"one").unwrap();
        assert!(faults.now().is_empty());
        // What is written beside the file has no room there.
        std::fs::create_dir(folder.path().join("list.new")).unwrap();
        list.private(&path, b"two").unwrap_err();
        let first = faults.now()[0].clone();
        assert!(first.error.contains("list"), "{first:?}");
        list.private(&path, b"two").unwrap_err();
        other.private(&folder.path().join("other"), b"").unwrap();
        let now = faults.now();
        assert_eq!((now.len(), now[0].store, now[0].since), (1, "the list", first.since));
        std::fs::remove_dir(folder.path().join("list.new")).unwrap();
        list.private(&path, b"two").unwrap();
        assert!(faults.now().is_empty());
    }

    #[test]
    fn that_a_file_could_be_opened_does_not_show_that_it_can_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let faults = WriteFaults::default();
        let writes = faults.of("the turns", "");
        let (a, away) = (folder.path().join("a"), folder.path().join("away"));
        std::fs::create_dir(&a).unwrap();
        AppendLog::open(&a, &writes).unwrap_err();
        std::fs::rename(&a, &away).unwrap();
        let (mut log, ..) = AppendLog::open(&a, &writes).unwrap();
        assert_eq!(faults.now().len(), 1);
        log.append(&plist!("A" => 1), Durability::Written).unwrap();
        assert!(faults.now().is_empty());
    }

    #[test]
    fn what_is_written_to_one_file_of_a_store_says_nothing_of_its_others_and_the_store_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let faults = WriteFaults::default();
        let (writes, other) = (faults.of("the turns", ""), faults.of("another", ""));
        let path = |name: &str| folder.path().join(name);
        for name in ["b", "a", "c"] {
            std::fs::create_dir(path(&format!("{name}.new"))).unwrap();
            writes.private(&path(name), b"").unwrap_err();
        }
        other.private(&path("b"), b"").unwrap_err();
        let told = |store: &str| {
            let now = faults.now();
            let own: Vec<&WriteFault> = now.iter().filter(|own| own.store == store).collect();
            assert!(own.len() < 2, "{now:?}");
            own.first().map(|own| (own.error.clone(), own.others))
        };
        let first = told("the turns").unwrap();
        assert!(
            first.0.contains(path("b").to_str().unwrap()) && first.1 == 2,
            "{first:?}"
        );
        std::fs::remove_dir(path("b.new")).unwrap();
        writes.private(&path("b"), b"").unwrap();
        writes.private(&path("d"), b"").unwrap();
        faults.look_again();
        let next = told("the turns").unwrap();
        assert!(next.0.contains(path("a").to_str().unwrap()) && next.1 == 1, "{next:?}");
        assert!(told("another").is_some());
    }
}
