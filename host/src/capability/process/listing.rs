//! Looking at the workspace from outside while commands may be running in it: by descriptor, beneath its root, and
//! without following any link.

use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags, ResolveFlags, StatxFlags};
use rustix::io::{Errno, Result};
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Longest path that is handed to the kernel at once, in bytes: `PATH_MAX` less one name. Folders can lie deeper.
const PIECE: usize = 3_800;

/// Most that the names in one folder take together, in bytes.
const LONGEST_NAMES: usize = 64 << 20;

/// The workspace, opened.
#[derive(Debug)]
pub(super) struct Root(OwnedFd);

/// One name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: OsString,
    pub(super) kind: FileType,
}

impl Entry {
    pub(super) fn is_folder(&self) -> bool {
        self.kind == FileType::Directory
    }

    pub(super) fn is_file(&self) -> bool {
        self.kind == FileType::RegularFile
    }
}

/// Which file or folder it is: device and number, which stay the same when it is renamed.
pub(super) type Identity = (u64, u64);

impl Root {
    pub(super) fn open(workspace: &Path) -> Result<Root> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::open(workspace, flags, Mode::empty()).map(Root)
    }

    /// Opens what is at `path`, whatever it is, without waiting for it.
    pub(super) fn reach(&self, path: &Path, flags: OFlags) -> Result<OwnedFd> {
        // What only names can't wait.
        let wait = if flags.contains(OFlags::PATH) {
            OFlags::empty()
        } else {
            OFlags::NONBLOCK
        };
        let flags = flags | wait | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let mut pieces = pieces(path);
        let last = pieces.pop().unwrap_or_else(|| PathBuf::from("."));
        let mut at: Option<OwnedFd> = None;
        for piece in pieces {
            let way = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            at = Some(beneath(at.as_ref().unwrap_or(&self.0), &piece, way)?);
        }
        beneath(at.as_ref().unwrap_or(&self.0), &last, flags)
    }

    /// What is in the folder at `path`, in the order of the names, so that the outcome is the same each time. At most
    /// `most` entries.
    pub(super) fn list(&self, path: &Path, most: usize) -> Result<Vec<Entry>> {
        list(self.reach(path, OFlags::RDONLY | OFlags::DIRECTORY)?, most)
    }

    /// About what is at `path`.
    pub(super) fn about(&self, path: &Path) -> Result<About> {
        // To reach it by a name, it would have to be open.
        if path.as_os_str().is_empty() {
            return about(&self.0, "".as_ref());
        }
        about(self.reach(path, OFlags::PATH)?, "".as_ref())
    }

    /// Gives this process's user every right to the folder at `path`, so that it can be listed and entered.
    pub(super) fn open_up(&self, path: &Path) -> Result<()> {
        if path.as_os_str().is_empty() {
            return set_mode(&self.0, Mode::RWXU);
        }
        let folder = self.reach(path, OFlags::PATH | OFlags::DIRECTORY)?;
        set_mode(&folder, Mode::RWXU)
    }

    /// Whether what is at `path` belongs to another user, so that no command can have made it.
    pub(super) fn is_anothers(&self, path: &Path) -> bool {
        let found = self.reach(path, OFlags::PATH).and_then(rustix::fs::fstat);
        found.is_ok_and(|found| found.st_uid != rustix::process::geteuid().as_raw())
    }

    /// Whether names in the folder at `path` can be used.
    pub(super) fn can_enter(&self, path: &Path) -> bool {
        if path.as_os_str().is_empty() {
            return enter(&self.0).is_ok();
        }
        self.reach(path, OFlags::PATH | OFlags::DIRECTORY)
            .is_ok_and(|folder| enter(&folder).is_ok())
    }
}

/// A descriptor that only names can't be changed itself; its name in `/proc` leads to nothing else.
fn set_mode(folder: &OwnedFd, mode: Mode) -> Result<()> {
    rustix::fs::chmod(format!("/proc/self/fd/{}", folder.as_raw_fd()), mode)
}

/// Tries whether names in an opened folder can be used: who may list it need not have that right.
pub(super) fn enter(folder: &OwnedFd) -> Result<()> {
    rustix::fs::openat(folder, ".", OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).map(drop)
}

/// `path`, cut into pieces that a system call takes.
fn pieces(path: &Path) -> Vec<PathBuf> {
    let mut pieces: Vec<PathBuf> = Vec::new();
    for step in path {
        match pieces.last_mut() {
            Some(last) if last.as_os_str().len() + step.len() < PIECE => last.push(step),
            _ => pieces.push(PathBuf::from(step)),
        }
    }
    pieces
}

fn beneath(from: &OwnedFd, path: &Path, flags: OFlags) -> Result<OwnedFd> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    rustix::fs::openat2(from, path, flags, Mode::empty(), resolve)
}

/// What is in an opened folder, as [`Root::list`] says.
///
/// # Errors
/// [`Errno::TOOBIG`] where their names are too long together.
pub(super) fn list(folder: OwnedFd, most: usize) -> Result<Vec<Entry>> {
    let mut listed = rustix::fs::Dir::new(folder)?;
    let mut entries = Vec::new();
    let mut left = LONGEST_NAMES;
    while let Some(entry) = listed.read() {
        let entry = entry?;
        let name = OsString::from_vec(entry.file_name().to_bytes().to_vec());
        if name == "." || name == ".." {
            continue;
        }
        let mut kind = entry.file_type();
        if kind == FileType::Unknown {
            let found = rustix::fs::statat(listed.fd()?, &name, AtFlags::SYMLINK_NOFOLLOW);
            kind = found.map_or(FileType::Unknown, |found| FileType::from_raw_mode(found.st_mode));
        }
        left = left.checked_sub(name.len()).ok_or(Errno::TOOBIG)?;
        entries.push(Entry { name, kind });
        if entries.len() >= most {
            break;
        }
    }
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(entries)
}

/// What is known of one file or folder without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct About {
    pub(super) identity: Identity,
    /// How many names it has.
    pub(super) names: u32,
    /// When it was last changed in any way, in nanoseconds since 1970. No command can set this back.
    pub(super) changed: i64,
}

/// About what `from` names, or `name` in it.
pub(super) fn about(from: impl AsFd, name: &OsStr) -> Result<About> {
    let wanted = StatxFlags::INO | StatxFlags::NLINK | StatxFlags::CTIME;
    let found = rustix::fs::statx(from, name, AtFlags::SYMLINK_NOFOLLOW | AtFlags::EMPTY_PATH, wanted)?;
    let device = rustix::fs::makedev(found.stx_dev_major, found.stx_dev_minor);
    Ok(About {
        identity: (device, found.stx_ino),
        names: found.stx_nlink,
        changed: found
            .stx_ctime
            .tv_sec
            .saturating_mul(1_000_000_000)
            .saturating_add(found.stx_ctime.tv_nsec.into()),
    })
}

/// Whether what was looked for is simply not there, or no folder.
pub(super) fn is_absent(error: Errno) -> bool {
    matches!(error, Errno::NOENT | Errno::NOTDIR | Errno::LOOP)
}

/// Where `place` leads in `workspace` (both without links), if it leads to something there.
pub(super) fn inside(workspace: &Path, place: &Path) -> Option<PathBuf> {
    let real = place.canonicalize().ok()?;
    let inside = real.strip_prefix(workspace).ok()?;
    (!inside.as_os_str().is_empty()).then(|| inside.to_owned())
}

/// How many endings are numbered in turn. Beyond, somebody made them to keep a name where it is.
const NUMBERED: u32 = 100;

/// Moves what is at `path` out of the way: to its name with an ending, and a number if there is that already. Answers
/// the new name. A folder that was closed to its owner does not keep it.
pub(super) fn put_away(root: &Root, path: &Path, ending: &str) -> Result<String> {
    let name = path.file_name().ok_or(Errno::INVAL)?;
    let parent = path.parent().unwrap_or(Path::new(""));
    let folder = root.reach(parent, OFlags::PATH | OFlags::DIRECTORY)?;
    match rename(&folder, name, ending) {
        Err(Errno::ACCESS | Errno::PERM) => {
            let mode = Mode::from_raw_mode(rustix::fs::fstat(&folder)?.st_mode);
            set_mode(&folder, mode | Mode::RWXU)?;
            let renamed = rename(&folder, name, ending);
            // What is away stays away.
            let _ = set_mode(&folder, mode);
            renamed
        }
        other => other,
    }
}

fn rename(folder: &OwnedFd, name: &OsStr, ending: &str) -> Result<String> {
    // Some 40 bytes of the 255 that a name can have are left for the ending.
    let stem: String = name.to_string_lossy().chars().take(50).collect();
    for number in 1..=NUMBERED + 10 {
        let other = match number {
            1 => format!("{stem}.{ending}"),
            2..=NUMBERED => format!("{stem}.{ending}-{number}"),
            _ => format!("{stem}.{ending}-{:08x}", getrandom::u32().map_err(|_| Errno::EXIST)?),
        };
        match rename_anew(folder, name, &other) {
            Ok(()) => return Ok(other),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error),
        }
    }
    Err(Errno::EXIST)
}

fn rename_anew(folder: &OwnedFd, name: &OsStr, other: &str) -> Result<()> {
    match rustix::fs::renameat_with(folder, name, folder, other, RenameFlags::NOREPLACE) {
        // Some file systems of the network can't tell at once.
        Err(Errno::INVAL) => match rustix::fs::statat(folder, other, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => rustix::fs::renameat(folder, name, folder, other),
            found => Err(found.err().unwrap_or(Errno::EXIST)),
        },
        other => other,
    }
}
