//! From a path that a skill names to what is really there: beneath a granted folder, or not at all.
//!
//! The folder is opened, and the rest of the path is walked by the kernel beneath it (openat2), so that nothing that is
//! renamed or linked meanwhile leads out. What is protected is looked at once more on the path that was reached.

use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;

use super::Way;
use crate::capability::Failure;
use crate::capability::bound::Bound;
use crate::capability::own::OnBehalf;
use crate::sexp::visible;

/// Longest path, in bytes: the kernel's own bound.
const LONGEST: usize = 4096;

/// A path that a grant covers.
#[derive(Debug)]
pub(super) struct Place {
    /// The granted folder, open.
    root: OwnedFd,
    /// The way from there; empty for the folder itself.
    below: PathBuf,
    /// The whole path as it was asked for, absolute.
    pub(super) path: PathBuf,
    way: Way,
}

/// Something of the system that was said about a path.
pub(super) fn failed(path: &Path, doing: &str, error: Errno) -> Failure {
    let shown = visible(&path.display().to_string());
    Failure::Failed(match error {
        Errno::NOENT => format!("{shown} does not exist"),
        Errno::XDEV => format!("{shown} leads out of the granted folder by a link or a mount"),
        Errno::LOOP => format!("{shown} is, or leads through, a link that is not followed"),
        Errno::NOTDIR => format!("{shown} goes through something that is no folder"),
        Errno::ACCESS | Errno::PERM => format!("the system does not let this daemon {doing} {shown}"),
        error => format!("can't {doing} {shown}: {error}"),
    })
}

/// What to do where there is no folder to go on in.
fn no_folder(path: &Path) -> Failure {
    let shown = visible(&path.display().to_string());
    Failure::Failed(format!(
        "the folder {shown} does not exist: make it first, as `mkdir -p` does"
    ))
}

impl Place {
    /// The place that `text` names, if a grant of `on` covers it in this `way` and it is not protected.
    ///
    /// # Errors
    /// [`Failure::Rejected`] with the command that would grant it; [`Failure::Failed`] when the folder can't be opened.
    pub(super) fn find(text: &str, way: Way, on: &OnBehalf<'_>) -> Result<Place, Failure> {
        let path = absolute(text, &on.turn.services().home.workspace)?;
        let workspace = &on.turn.services().home.workspace;
        let folders = on.rights.iter().filter_map(|bound| match (way, bound) {
            (Way::Read, Bound::FilesRead(folder)) | (Way::Write, Bound::FilesWrite(folder)) => {
                Some(folder.locate(workspace))
            }
            _ => None,
        });
        let root = folders
            .filter(|folder| path.starts_with(folder))
            .max_by_key(|folder| folder.components().count());
        let Some(root) = root else {
            return Err(Failure::Rejected(format!(
                "no grant lets the skill `{}` {way} {}; to grant it: passepartout-host skill grant {} files:{way}:DIR, \
                 with a folder that holds it",
                on.skill,
                visible(&path.display().to_string()),
                on.skill,
            )));
        };
        let below = path.strip_prefix(&root).unwrap_or(&path).to_owned();
        check_protected(&path, way, on)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = rustix::fs::open(&root, flags, Mode::empty()).map_err(|error| match error {
            Errno::NOENT => no_folder(&root),
            error => failed(&root, "open", error),
        })?;
        Ok(Place {
            root: opened,
            below,
            path,
            way,
        })
    }

    /// Whether it is a granted folder itself, and nothing in it.
    pub(super) fn is_granted_folder(&self) -> bool {
        self.below.as_os_str().is_empty()
    }

    /// What is there, opened without reading or starting anything.
    ///
    /// # Errors
    /// When nothing is there, a link leads elsewhere, or what is reached is protected.
    pub(super) fn reach(&self, on: &OnBehalf<'_>) -> Result<OwnedFd, Failure> {
        let found = self
            .open_below(&self.below, OFlags::PATH)
            .map_err(|error| unreachable(&self.path, error))?;
        let real = real_path(&found, &self.path)?;
        check_protected(&real, self.way, on)?;
        self.check_named(&real, on)?;
        self.note_outside(on);
        Ok(found)
    }

    /// The folder that holds it, opened, and the last step of the path, which may be a link.
    ///
    /// # Errors
    /// As [`Place::reach`], of the folder.
    pub(super) fn parent(&self, on: &OnBehalf<'_>) -> Result<(OwnedFd, PathBuf), Failure> {
        let (Some(parent), Some(name)) = (self.below.parent(), self.below.file_name()) else {
            return Err(Failure::Failed(format!(
                "{} is a granted folder itself; name something in it",
                visible(&self.path.display().to_string())
            )));
        };
        let above = self.path.parent().unwrap_or(&self.path);
        let folder = self
            .open_below(parent, OFlags::PATH | OFlags::DIRECTORY)
            .map_err(|error| match error {
                Errno::NOENT if self.way == Way::Write => no_folder(above),
                error => unreachable(&self.path, error),
            })?;
        let real = real_path(&folder, &self.path)?.join(name);
        check_protected(&real, self.way, on)?;
        self.check_named(&real, on)?;
        self.note_outside(on);
        Ok((folder, PathBuf::from(name)))
    }

    /// What was reached is what the path says. By a link it would be another place, and gates judged the name alone: a
    /// repository may bring a link with a harmless one. The links that lead to the workspace, or to a granted folder
    /// outside of it, are the operator's.
    fn check_named(&self, real: &Path, on: &OnBehalf<'_>) -> Result<(), Failure> {
        let home = &on.turn.services().home;
        let workspace = std::fs::canonicalize(&home.workspace).map_err(|error| {
            let shown = visible(&home.workspace.display().to_string());
            Failure::Unavailable(format!("the workspace {shown} can't be found: {error}"))
        })?;
        let named = match self.path.strip_prefix(&home.workspace) {
            Ok(below) => workspace.join(below),
            Err(_) => real_path(&self.root, &self.path)?.join(&self.below),
        };
        if real == named {
            return Ok(());
        }
        let place = match real.strip_prefix(&workspace).unwrap_or(real) {
            place if place.as_os_str().is_empty() => "the workspace itself, `.`".to_owned(),
            place => visible(&place.display().to_string()),
        };
        Err(Failure::Failed(format!(
            "{} leads by a link to {place}, and no link is followed: name that place itself",
            visible(&self.path.display().to_string()),
        )))
    }

    /// What is read from outside the workspace taints the turn.
    fn note_outside(&self, on: &OnBehalf<'_>) {
        if self.way == Way::Read && !self.path.starts_with(&on.turn.services().home.workspace) {
            on.turn.read_outside();
        }
    }

    fn open_below(&self, below: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let below = if below.as_os_str().is_empty() {
            Path::new(".")
        } else {
            below
        };
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        // The kernel asks to be asked again where something was renamed meanwhile.
        for _ in 0..16 {
            match rustix::fs::openat2(&self.root, below, flags | OFlags::CLOEXEC, Mode::empty(), resolve) {
                Err(Errno::AGAIN | Errno::INTR) => {}
                opened => return opened,
            }
        }
        Err(Errno::AGAIN)
    }
}

/// Why `path` could not be opened below its granted folder.
fn unreachable(path: &Path, error: Errno) -> Failure {
    match error {
        Errno::NOSYS => Failure::Unavailable(
            "this kernel has no openat2, so that files can't be reached safely; Linux 5.6 has".to_owned(),
        ),
        error => failed(path, "open", error),
    }
}

/// The text as an absolute path without `.`; one that is not absolute begins in the workspace.
fn absolute(text: &str, workspace: &Path) -> Result<PathBuf, Failure> {
    let refuse = |why: &str| Err(Failure::Failed(format!("`{}` is no path: {why}", visible(text))));
    if text.is_empty() || text.len() > LONGEST || text.contains('\0') {
        return refuse("write 1 to 4096 bytes, none of them zero");
    }
    let mut path = workspace.to_owned();
    for part in Path::new(text).components() {
        match part {
            Component::ParentDir => return refuse("write it without `..`"),
            Component::CurDir | Component::Prefix(_) => {}
            Component::RootDir => path = PathBuf::from("/"),
            Component::Normal(name) => path.push(name),
        }
    }
    Ok(path)
}

fn check_protected(path: &Path, way: Way, on: &OnBehalf<'_>) -> Result<(), Failure> {
    match on.turn.protected()?.why_closed(path, way) {
        None => Ok(()),
        Some(why) => Err(Failure::Rejected(format!(
            "{} {why}; no grant opens it to a skill",
            visible(&path.display().to_string())
        ))),
    }
}

/// Where what was opened is, with every link seen through.
fn real_path(found: &OwnedFd, asked: &Path) -> Result<PathBuf, Failure> {
    let link = own_link(found);
    let real = std::fs::read_link(&link).map_err(|error| {
        Failure::Unavailable(format!(
            "{} can't be read, so that no file can be checked: {error}",
            link.display()
        ))
    })?;
    let status = rustix::fs::fstat(found).map_err(|error| failed(asked, "look at", error))?;
    if status.st_nlink == 0 {
        return Err(failed(asked, "look at", Errno::NOENT));
    }
    Ok(real)
}

/// The name by which the kernel lets us open again what is open.
pub(super) fn own_link(file: &impl AsRawFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Opens a plain file for reading that was reached before.
///
/// # Errors
/// When it is anything else: opening a pipe could wait, opening a device could do things.
pub(super) fn open_plain(found: &OwnedFd, path: &Path) -> Result<(File, Stat), Failure> {
    let status = rustix::fs::fstat(found).map_err(|error| failed(path, "look at", error))?;
    check_plain(&status, path)?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::openat(CWD, own_link(found), flags, Mode::empty())
        .map_err(|error| failed(path, "read", error))?;
    Ok((File::from(file), status))
}

/// # Errors
/// When it is no plain file.
pub(super) fn check_plain(status: &Stat, path: &Path) -> Result<(), Failure> {
    let what = match FileType::from_raw_mode(status.st_mode) {
        FileType::RegularFile => return Ok(()),
        FileType::Directory => "a folder",
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a named pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Unknown => "of no known kind",
    };
    Err(Failure::Failed(format!(
        "{} is {what}, and no plain file",
        visible(&path.display().to_string())
    )))
}

/// What is at `name` in `folder`, if anything is; a link is looked at itself.
///
/// # Errors
/// When the system can't say.
pub(super) fn look(folder: &OwnedFd, name: &Path, path: &Path) -> Result<Option<Stat>, Failure> {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(status) => Ok(Some(status)),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(failed(path, "look at", error)),
    }
}
