//! Append-only files of s-expressions.
//!
//! One entry is a line `LENGTH CHECK TEXT`: eight hexadecimal digits that count the bytes of the text, eight of its
//! SHA-256, the canonical text, a newline. A crash can only tear the last entry; it is cut off when the file is opened
//! again, and kept beside it. Damage elsewhere costs the damaged entries and no others.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::writes::{Wanted, Writes};
use crate::sexp::{Digest, Form, Limits, read_with};

/// Why the file can't be used.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The operating system said no.
    #[error("cannot {doing} {path}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl LogError {
    /// Whether there is no such file.
    pub fn is_missing(&self) -> bool {
        let LogError::Io { source, .. } = self;
        source.kind() == io::ErrorKind::NotFound
    }

    /// The folder, where it is one that could not be made.
    pub fn uncreatable(&self) -> Option<&Path> {
        match self {
            LogError::Io { doing, path, .. } if *doing == CREATE => Some(path),
            LogError::Io { .. } => None,
        }
    }
}

/// What is being done where a folder is made.
const CREATE: &str = "create the folder";

/// How far an entry must have come when the append returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Handed to the operating system: survives a killed process.
    Written,
    /// On the disk: survives a power cut.
    Synced,
}

/// What was wrong with a file when it was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Bytes of a torn last entry, which were cut off and kept beside the file.
    pub torn: usize,
    /// Bytes in the middle that are no entry. They stay where they are.
    pub damaged: usize,
}

/// An append-only file that is open for appending.
#[derive(Debug)]
pub struct AppendLog {
    path: PathBuf,
    file: File,
    length: u64,
    /// Whether half an entry may stand at its end, which could not be cut off.
    broken: bool,
    writes: Writes,
}

const HEADER: usize = 18;

impl AppendLog {
    /// Opens the file, owner-only, creating it where it is missing, and reads what is in it. How writing it goes is noted in
    /// `writes`.
    ///
    /// # Errors
    /// When the file can't be read, created, or relieved of its torn end.
    pub fn open(path: &Path, writes: &Writes) -> Result<(AppendLog, Vec<Form>, Recovery), LogError> {
        writes.failed(path, AppendLog::opened(path, writes), || {
            Some(Wanted {
                path: path.to_owned(),
                behind: 0,
                bytes: 1,
            })
        })
    }

    fn opened(path: &Path, writes: &Writes) -> Result<(AppendLog, Vec<Form>, Recovery), LogError> {
        let io = |doing| {
            move |source| LogError::Io {
                doing,
                path: path.to_owned(),
                source,
            }
        };
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .open(path)
            .map_err(io("open"))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io("read"))?;
        let (entries, whole, damaged) = scan(&bytes);
        let recovery = Recovery {
            torn: bytes.len() - whole,
            damaged,
        };
        if recovery.torn > 0 {
            write_private(&path.with_extension("torn"), &bytes[whole..])?;
            file.set_len(whole as u64).map_err(io("cut the torn end of"))?;
            file.sync_data().map_err(io("sync"))?;
        }
        let log = AppendLog {
            path: path.to_owned(),
            file,
            length: whole as u64,
            broken: false,
            writes: writes.clone(),
        };
        Ok((log, entries, recovery))
    }

    /// A new file in the place of `path`, on the disk, with these entries alone. Whoever is killed meanwhile leaves the one
    /// or the other.
    ///
    /// # Errors
    /// When it can't be written, or opened then.
    pub fn anew(path: &Path, entries: &[Form], writes: &Writes) -> Result<AppendLog, LogError> {
        let bytes: Vec<u8> = entries.iter().flat_map(encode).collect();
        writes.private(path, &bytes)?;
        AppendLog::open(path, writes).map(|(log, ..)| log)
    }

    /// Appends one entry. When this returns `Ok`, the entry is there, as far as `durability` says.
    ///
    /// # Errors
    /// When it can't be written; then nothing of it is in the file.
    pub fn append(&mut self, entry: &Form, durability: Durability) -> Result<(), LogError> {
        let line = encode(entry);
        let written = self.write(&line, durability);
        self.writes.noted(&self.path, written, || {
            Some(Wanted {
                path: self.path.clone(),
                behind: self.length,
                bytes: line.len(),
            })
        })
    }

    fn write(&mut self, line: &[u8], durability: Durability) -> Result<(), LogError> {
        let io = |doing| {
            let path = self.path.clone();
            move |source| LogError::Io { doing, path, source }
        };
        // Half an entry must not stand before the next one.
        if self.broken {
            self.file
                .set_len(self.length)
                .map_err(io("cut half an entry off the end of"))?;
            self.broken = false;
        }
        let written = self.file.write_all(line).and_then(|()| match durability {
            Durability::Written => Ok(()),
            Durability::Synced => self.file.sync_data(),
        });
        if let Err(source) = written {
            self.broken = self.file.set_len(self.length).is_err();
            return Err(io("append to")(source));
        }
        self.length += line.len() as u64;
        Ok(())
    }

    /// Whether the file at the path is the one that is added to, which was neither moved, removed nor replaced.
    pub fn is_in_place(&self) -> bool {
        let same = |own: fs::Metadata| {
            let there = fs::metadata(&self.path);
            there.is_ok_and(|there| (there.dev(), there.ino()) == (own.dev(), own.ino()))
        };
        self.file.metadata().is_ok_and(same)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn encode(entry: &Form) -> Vec<u8> {
    let text = entry.to_string();
    let mut line = format!("{:08x} {} ", text.len(), check(text.as_bytes())).into_bytes();
    line.extend_from_slice(text.as_bytes());
    line.push(b'\n');
    line
}

fn check(text: &[u8]) -> String {
    hex::encode(&Digest::of("passepartout-entry-1", text).bytes()[..4])
}

/// The entries in `bytes`, where the last whole one ends, and how many bytes before that belong to none.
fn scan(bytes: &[u8]) -> (Vec<Form>, usize, usize) {
    let (mut entries, mut at, mut whole, mut damaged) = (Vec::new(), 0, 0, 0);
    while at < bytes.len() {
        match decode(&bytes[at..]) {
            Some((form, length)) => {
                damaged += at - whole;
                entries.push(form);
                at += length;
                whole = at;
            }
            // Entries begin after a newline: the next one may be whole again.
            None => {
                at += bytes[at..]
                    .iter()
                    .position(|byte| *byte == b'\n')
                    .map_or(bytes.len() - at, |end| end + 1)
            }
        }
    }
    (entries, whole, damaged)
}

/// The entry that `bytes` begins with, and how many bytes it takes.
fn decode(bytes: &[u8]) -> Option<(Form, usize)> {
    let header = std::str::from_utf8(bytes.get(..HEADER)?).ok()?;
    let length = usize::from_str_radix(header.get(..8)?, 16).ok()?;
    let text = bytes.get(HEADER..HEADER.checked_add(length)?)?;
    // The newline only helps to find the next entry behind damage: the check vouches for the text. Without any byte
    // there the write was cut short.
    bytes.get(HEADER + length)?;
    if header.get(9..17)? != check(text) {
        return None;
    }
    let form = read_with(std::str::from_utf8(text).ok()?, Limits::STORED).ok()?;
    Some((form, HEADER + length + 1))
}

/// The entries of a file that somebody else may be appending to. Changes nothing.
///
/// # Errors
/// When it can't be read.
pub fn read_entries(path: &Path) -> Result<Vec<Form>, LogError> {
    let bytes = fs::read(path).map_err(|source| LogError::Io {
        doing: "read",
        path: path.to_owned(),
        source,
    })?;
    Ok(scan(&bytes).0)
}

/// Writes a whole file that only its owner can read: beside it first, synced, then moved into place.
///
/// # Errors
/// When any of that fails; then the old file is as it was.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<(), LogError> {
    let io = |doing| {
        move |source| LogError::Io {
            doing,
            path: path.to_owned(),
            source,
        }
    };
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(io("replace")(error)),
        _ => {}
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&beside)
        .map_err(io("create"))?;
    file.write_all(bytes).map_err(io("write"))?;
    file.sync_data().map_err(io("sync"))?;
    fs::rename(&beside, path).map_err(io("move into place"))?;
    sync_folder_of(path).map_err(io("sync the folder of"))
}

/// Makes durable that something was moved to `path`, or was deleted there.
///
/// # Errors
/// When its folder can't be synced.
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Creates a folder, and those above it, that only its owner can enter.
///
/// # Errors
/// When it can't be created.
pub fn create_private_dir(path: &Path) -> Result<(), LogError> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|source| LogError::Io {
            doing: CREATE,
            path: path.to_owned(),
            source,
        })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use proptest::prelude::*;

    use super::*;
    use crate::plist;

    fn entry(number: usize) -> Form {
        plist!("N" => number, "TEXT" => format!("line {number}\nwith a newline and \"quotes\" é😀"))
    }

    fn filled(count: usize) -> (tempfile::TempDir, PathBuf, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.log");
        let (mut log, ..) = AppendLog::open(&path, &Writes::default()).unwrap();
        for number in 0..count {
            log.append(&entry(number), Durability::Written).unwrap();
        }
        let bytes = fs::read(&path).unwrap();
        (folder, path, bytes)
    }

    #[test]
    fn what_was_appended_is_there_after_reopening() {
        let (_folder, path, _) = filled(3);
        let (_, entries, recovery) = AppendLog::open(&path, &Writes::default()).unwrap();
        assert_eq!(entries, [entry(0), entry(1), entry(2)]);
        assert_eq!(recovery, Recovery::default());
    }

    #[test]
    fn a_file_cut_at_any_byte_keeps_every_whole_entry_and_takes_new_ones() {
        let (_folder, path, bytes) = filled(3);
        let ends: Vec<usize> = (0..=3)
            .map(|count| (0..count).map(|n| encode(&entry(n)).len()).sum())
            .collect();
        for cut in 0..bytes.len() {
            fs::write(&path, &bytes[..cut]).unwrap();
            let whole = ends.iter().rposition(|end| *end <= cut).unwrap();
            let (mut log, entries, _) = AppendLog::open(&path, &Writes::default()).unwrap();
            assert_eq!(entries.len(), whole, "cut at byte {cut}");
            log.append(&entry(9), Durability::Written).unwrap();
            let (_, entries, recovery) = AppendLog::open(&path, &Writes::default()).unwrap();
            assert_eq!(entries.len(), whole + 1, "cut at byte {cut}");
            assert_eq!((entries.last(), recovery.torn), (Some(&entry(9)), 0));
        }
    }

    #[test]
    fn the_file_can_be_read_by_its_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, path, _) = filled(1);
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    proptest! {
        #[test]
        fn a_flipped_byte_costs_at_most_the_entry_it_is_in_and_one_beside_it(at in 0_usize..200, bit in 0_u8..8) {
            let (_folder, path, mut bytes) = filled(4);
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
            fs::write(&path, &bytes).unwrap();
            let (_, entries, _) = AppendLog::open(&path, &Writes::default()).unwrap();
            prop_assert!(entries.len() >= 3, "{} entries are left", entries.len());
            for read in &entries {
                prop_assert!((0..4).any(|number| *read == entry(number)));
            }
        }
    }
}
