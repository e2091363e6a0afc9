//! The name that a file has beside another one while it takes that one's name: noted before it has it, so that a daemon
//! which is killed meanwhile leaves nothing behind for good.
//!
//! Only what is plainly ours is removed: a plain file of the noted name that holds what was written, or what that replaced.

use std::fs::{self, File};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags};
use sha2::{Digest as _, Sha256};

use super::place::{self, own_link};
use super::read::digest_of;
use super::write::open;
use crate::audit::{create_private_dir, write_private};
use crate::capability::Failure;
use crate::plist;
use crate::sexp::{Form, Limits, read_with, visible};

/// Longest note that is read, in bytes.
const LONGEST: u64 = 64 << 10;

/// Where the notes of a home are kept whose data is there.
fn notes(data: &Path) -> PathBuf {
    data.join("writing")
}

/// A note that is there as long as this is.
#[derive(Debug)]
pub(super) struct Noted(PathBuf);

impl Drop for Noted {
    fn drop(&mut self) {
        // One that stays is looked at by the next start, and found to be about nothing.
        let _ = fs::remove_file(&self.0);
    }
}

/// What is about to take a file's name.
pub(super) struct Intent<'a> {
    /// Where the home keeps its data.
    pub(super) data: &'a Path,
    /// The SHA-256 of what the file holds, if there is one.
    pub(super) before: Option<&'a str>,
    /// That of what it shall hold.
    pub(super) after: String,
}

impl Intent<'_> {
    /// To write `content`.
    pub(super) fn to_write<'a>(data: &'a Path, before: Option<&'a str>, content: &[u8]) -> Intent<'a> {
        let after = hex::encode(Sha256::digest(content));
        Intent { data, before, after }
    }

    /// Notes that `name` of `folder` is about to be. On the disk when this returns.
    ///
    /// # Errors
    /// When that can't be kept.
    pub(super) fn note(&self, folder: &OwnedFd, name: &Path) -> Result<Noted, Failure> {
        let unkept = |why: String| Failure::Unavailable(format!("what is to be written can't be noted: {why}"));
        let real = fs::read_link(own_link(folder)).map_err(|error| unkept(error.to_string()))?;
        let status = rustix::fs::fstat(folder).map_err(|error| unkept(error.to_string()))?;
        let text = |path: &Path| hex::encode(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()));
        let note = plist!(
            "FOLDER" => text(&real), "INODE" => status.st_ino.to_string(), "NAME" => text(name),
            "BEFORE" => self.before, "AFTER" => self.after.as_str(),
        );
        let notes = notes(self.data);
        create_private_dir(&notes).map_err(|error| unkept(error.to_string()))?;
        let path = notes.join(name);
        write_private(&path, note.to_string().as_bytes()).map_err(|error| unkept(error.to_string()))?;
        Ok(Noted(path))
    }
}

/// Removes what a daemon that was killed has left beside files that it was writing, and says what could not be.
pub fn look_after_writing(data: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(notes(data)) else {
        return Vec::new();
    };
    let mut said = Vec::new();
    for entry in entries.flatten() {
        let noted = Noted(entry.path());
        let is_short = entry
            .metadata()
            .is_ok_and(|file| file.is_file() && file.len() <= LONGEST);
        let note = is_short.then(|| fs::read_to_string(&noted.0).ok()).flatten();
        let note = note.and_then(|text| read_with(&text, Limits::STORED).ok());
        said.extend(note.and_then(|note| look_after(&note)));
    }
    said
}

/// Removes what one note is about; says why it did not, where something of that name is left.
fn look_after(note: &Form) -> Option<String> {
    let path = |key: &str| {
        let bytes = hex::decode(note.text_at(key)?).ok()?;
        Some(PathBuf::from(
            <std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes),
        ))
    };
    let (real, name) = (path("folder")?, path("name")?);
    let is_ours = name.to_str()?.strip_prefix(".passepartout-")?.ends_with(".new") && name.components().count() == 1;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::open(&real, flags, Mode::empty()).ok().filter(|_| is_ours)?;
    let whole = real.join(&name);
    // Where there is none, all was well.
    place::look(&folder, &name, &whole).ok()??;
    let is_same =
        rustix::fs::fstat(&folder).is_ok_and(|own| Some(own.st_ino.to_string().as_str()) == note.text_at("inode"));
    let held = open(&folder, &name, &whole).and_then(|(file, _)| digest_of(&file, &whole));
    let is_known =
        held.is_ok_and(|held| [note.text_at("before"), note.text_at("after")].contains(&Some(held.as_str())));
    let shown = visible(&whole.display().to_string());
    if !(is_same && is_known) {
        return Some(format!(
            "the daemon ended while it wrote a file, and {shown} is left of that: it holds neither the old nor the new \
             content whole; look at it, and remove it"
        ));
    }
    let removed = rustix::fs::unlinkat(&folder, &name, AtFlags::empty());
    let synced = File::open(own_link(&folder)).and_then(|folder| folder.sync_all());
    if let Err(error) = removed.map_err(std::io::Error::from).and(synced) {
        return Some(format!(
            "{shown}, which is left of a write that was killed, can't be removed: {error}"
        ));
    }
    tracing::info!(
        folder = folder.as_raw_fd(),
        "{shown} was left of a write that was killed, and is removed"
    );
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A folder in which a write was killed that left `held`, and what the next start says of it.
    fn killed_leaving(held: Option<&str>) -> (Vec<String>, usize) {
        let (root, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = OwnedFd::from(File::open(root.path()).unwrap());
        let name = Path::new(".passepartout-00ff.new");
        let old = hex::encode(Sha256::digest("old"));
        let noted = Intent::to_write(data.path(), Some(&old), b"new")
            .note(&folder, name)
            .unwrap();
        // As a kill would.
        std::mem::forget(noted);
        if let Some(held) = held {
            fs::write(root.path().join(name), held).unwrap();
        }
        let said = look_after_writing(data.path());
        assert_eq!(fs::read_dir(notes(data.path())).unwrap().count(), 0, "it is said once");
        (said, fs::read_dir(root.path()).unwrap().count())
    }

    #[test]
    fn what_a_killed_write_leaves_is_removed_where_it_is_plainly_that() {
        assert_eq!(killed_leaving(Some("old")), (vec![], 0));
        assert_eq!(killed_leaving(Some("new")), (vec![], 0));
        assert_eq!(killed_leaving(None), (vec![], 0));
        let (said, left) = killed_leaving(Some("somebody's"));
        assert!(
            left == 1 && said.len() == 1 && said[0].contains(".passepartout-00ff.new"),
            "{said:?}"
        );
    }

    #[test]
    fn notes_that_say_nothing_touch_nothing_and_are_gone() {
        let data = tempfile::tempdir().unwrap();
        fs::create_dir(notes(data.path())).unwrap();
        fs::write(notes(data.path()).join("noise"), [0xff, 0, b'(']).unwrap();
        fs::write(notes(data.path()).join("else"), "(:FOLDER \"2f\" :NAME \"6574\")").unwrap();
        assert_eq!(look_after_writing(data.path()), [""; 0]);
        assert_eq!(fs::read_dir(notes(data.path())).unwrap().count(), 0);
    }
}
