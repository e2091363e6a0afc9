//! The jail's file system: what the host has, read-only, without what is hidden; the workspace writable; and fresh
//! `/proc`, `/dev` and temporary folders.
//!
//! Runs in the first process of new user, mount and process namespaces. Nothing of the host is mounted writable but
//! the workspace. What can't be shown is missing; what can't be made read-only is an error.

use super::Writes;
use super::carve::{self, Step, below, unless_out_of_reach};
use super::guarded::{Cover, Guarded};
use super::listing::{Root, about};
use super::message::{During, Shown, Specification, Strength, Trouble};
use super::mount::{self, Forbid};
use super::{identity, stand_in};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags, UnmountFlags};
use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::fs::{DirBuilder, File};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

/// Where the host's root is while the new one is made.
const HOST: &str = "/.host";
/// Where the new root is first mounted: a folder that every host has.
const FOOTHOLD: &str = "/dev";
/// Folders that are private and empty: with what the host has there, its sockets would be ways out.
const PRIVATE: [(&str, Private); 3] = [
    ("/tmp", Private::Temporary),
    ("/var/tmp", Private::Temporary),
    ("/run", Private::Run),
];
/// Those of them that programs write to as a matter of course.
const SCRATCH: [&str; 2] = ["/tmp", "/var/tmp"];
/// Where in one of them lies what git keeps. It can't be listed, and what is in it has names that nobody knows before: no
/// link in the workspace can lead there.
const APART: &str = "/run/git";
/// The most that a temporary folder holds, in bytes: half a gigabyte, or a quarter of the memory that a command may have,
/// as which it counts.
const TEMPORARY: u64 = 512 << 20;
/// What a private folder is for.
#[derive(Clone, Copy)]
enum Private {
    Temporary,
    Run,
}

impl Private {
    fn options(self, memory: u64) -> Result<CString, Trouble> {
        let text = match self {
            Private::Temporary => {
                let size = TEMPORARY.min(memory / 4);
                format!("mode=1777,size={size},nr_inodes=65536")
            }
            Private::Run => "mode=755,size=16m,nr_inodes=4096".to_owned(),
        };
        CString::new(text).during("mounting temporary folders")
    }
}

/// The devices that every program may use.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];
/// Numbers of processes below this one are used once only.
const USED_ONCE: u64 = 300;

/// Makes the root, moves into it, and leaves nothing of the old one. Ends in the workspace.
/// Where no person was asked something stands in for git in the folders of programs; then it answers where git itself is.
pub(super) fn make(
    specification: &Specification,
    programs: &str,
    strength: &mut Strength,
) -> Result<Option<PathBuf>, Trouble> {
    let workspace = &specification.workspace;
    let umask = rustix::process::umask(Mode::empty());
    let private: Vec<(PathBuf, Private)> = PRIVATE.map(|(path, what)| (resolved(path), what)).into();
    let resolver = specification.network.then(|| resolved("/etc/resolv.conf"));
    let own = stand_in::own();
    move_to_new_root()?;

    let mut left_out: BTreeSet<PathBuf> = private.iter().map(|(path, _)| path.clone()).collect();
    left_out.extend(["/proc", "/dev", HOST].map(PathBuf::from));
    left_out.extend(specification.hidden.iter().cloned());
    let steps =
        carve::plan(Path::new(HOST), specification.shown, &left_out, workspace).during("listing what is shown")?;
    steps.iter().try_for_each(take)?;

    for (path, what) in private {
        private_folder(&path, &what.options(specification.bounds.memory)?)?;
    }
    processes(specification.bounds.processes, strength)?;
    devices()?;
    if let Some(file) = resolver.filter(|file| !file.exists()) {
        name_resolution(&file)?;
    }
    let git = match specification.shown {
        Shown::Commons => stand_in::put(own.as_deref(), Path::new(HOST), programs, &set_apart()?)?,
        Shown::Machine => None,
    };
    identity::put(&specification.identity)?;
    show_workspace(specification)?;

    rustix::mount::unmount(HOST, UnmountFlags::DETACH).during("leaving the host's root")?;
    std::fs::remove_dir(HOST).during("leaving the host's root")?;
    for tree in ["/", "/dev"] {
        mount::forbid_here(Path::new(tree), Forbid::WRITING).during("making the new root read-only")?;
    }
    std::env::set_current_dir(workspace).during("going to the workspace")?;
    // What a command makes is as open as what the operator makes.
    rustix::process::umask(umask);
    let but = match specification.writes {
        Writes::Allowed => " but the workspace",
        Writes::Refused => "",
    };
    strength
        .enforced
        .push(format!("files: all read-only{but}, hidden folders absent"));
    Ok(git)
}

/// The private temporary folders in which the command has left something. Called inside, once the root is made.
pub(super) fn temporary_folders_in_use(workspace: &Path) -> Vec<String> {
    let in_use = SCRATCH.iter().filter(|path| holds_more(&resolved(path), workspace));
    in_use.map(|path| (*path).to_owned()).collect()
}

/// Whether `folder` holds more than what leads to the workspace, which may lie in a temporary folder.
fn holds_more(folder: &Path, workspace: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    entries
        .flatten()
        .map(|entry| entry.path())
        .any(|path| path != workspace && (!workspace.starts_with(&path) || holds_more(&path, workspace)))
}

/// Where `path` leads on the host, or itself if it leads nowhere.
fn resolved(path: &str) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path))
}

fn move_to_new_root() -> Result<(), Trouble> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    rustix::mount::mount_change("/", private).during("making mounts private")?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    rustix::mount::mount("tmpfs", FOOTHOLD, "tmpfs", flags, c"mode=755,size=16m").during("mounting a new root")?;
    let host = below(Path::new(FOOTHOLD), Path::new(HOST));
    folder(&host)?;
    rustix::process::pivot_root(FOOTHOLD, &host).during("changing to the new root")?;
    std::env::set_current_dir("/").during("changing to the new root")
}

fn take(step: &Step) -> Result<(), Trouble> {
    match step {
        Step::Folder(path) => folder(path),
        Step::Link(path, target) => symlink(target, path).during(&format!("linking {}", path.display())),
        Step::ShowFolder(path) => show(path, &folder, &|path| std::fs::remove_dir(path)),
        Step::ShowFile(path) => show(path, &file, &|path| std::fs::remove_file(path)),
    }
}

/// Shows what the host has at `path`, on what `make` makes there. `take_back` removes that again.
fn show(
    path: &Path,
    make: &dyn Fn(&Path) -> Result<(), Trouble>,
    take_back: &dyn Fn(&Path) -> std::io::Result<()>,
) -> Result<(), Trouble> {
    let what = format!("showing {}", path.display());
    let Some(copy) = unless_out_of_reach(mount::copy(&below(Path::new(HOST), path))).during(&what)? else {
        return Ok(());
    };
    mount::forbid(&copy, Forbid::WRITING).during(&format!("making {} read-only", path.display()))?;
    make(path)?;
    match mount::attach(&copy, path) {
        // It was taken away after it was copied.
        Err(Errno::NOENT) => take_back(path).during(&what),
        other => other.during(&what),
    }
}

fn file(path: &Path) -> Result<(), Trouble> {
    File::create(path)
        .map(drop)
        .during(&format!("making {}", path.display()))
}

fn folder(path: &Path) -> Result<(), Trouble> {
    DirBuilder::new()
        .mode(0o755)
        .create(path)
        .during(&format!("making {}", path.display()))
}

/// Makes `path` and what leads there, where it is missing.
fn folders(path: &Path) -> Result<(), Trouble> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder
        .recursive(true)
        .mode(0o755)
        .create(path)
        .during(&format!("making {}", path.display()))
}

fn private_folder(path: &Path, options: &CStr) -> Result<(), Trouble> {
    folders(path)?;
    rustix::mount::mount("tmpfs", path, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, options)
        .during(&format!("mounting a private {}", path.display()))
}

/// A `/proc` that knows only the jail's own processes. Read-only: root's own number would open `/proc/sys` otherwise.
fn processes(most: u64, strength: &mut Strength) -> Result<(), Trouble> {
    folder(Path::new("/proc"))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    rustix::mount::mount("proc", "/proc", "proc", flags, None).during("mounting a fresh /proc")?;
    // Of this user namespace alone. With it, nothing inside can make a namespace in which it is powerful.
    std::fs::write("/proc/sys/user/max_user_namespaces", "0").during("forbidding further namespaces")?;
    // Before 6.14 this file is the whole machine's, and must not be touched. Then root's are counted, and ended when
    // there are too many, which lags a little.
    if kernel_version() >= (6, 14) {
        let _ = std::fs::write("/proc/sys/kernel/pid_max", (USED_ONCE + most).to_string());
    }
    strength
        .enforced
        .push("processes: bounded in number, memory and time, all together".to_owned());
    mount::forbid_here(Path::new("/proc"), Forbid::WRITING).during("making /proc read-only")
}

fn kernel_version() -> (u32, u32) {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    let mut numbers = release
        .split(|c: char| !c.is_ascii_digit())
        .map_while(|part| part.parse().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

fn devices() -> Result<(), Trouble> {
    private_folder(Path::new("/dev"), c"mode=755,size=1m,nr_inodes=64")?;
    for name in DEVICES {
        let (path, what) = (Path::new("/dev").join(name), format!("showing /dev/{name}"));
        let device = mount::copy(&below(Path::new(HOST), &path)).during(&what)?;
        mount::forbid(&device, Forbid::ALL_BUT_DEVICE).during(&what)?;
        File::create(&path).during(&what)?;
        mount::attach(&device, &path).during(&what)?;
    }
    for (name, target) in [("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")] {
        symlink(format!("/proc/self/fd{target}"), Path::new("/dev").join(name)).during("linking /dev/fd")?;
    }
    private_folder(Path::new("/dev/shm"), c"mode=1777,size=64m,nr_inodes=4096")
}

/// `/etc/resolv.conf` often leads into `/run`, which is private here.
fn name_resolution(path: &Path) -> Result<(), Trouble> {
    if let Some(parent) = path.parent() {
        folders(parent)?;
    }
    take(&Step::ShowFile(path.to_owned()))
}

/// The workspace, at its own path, with a cover over each place in it that has one.
///
/// Where a command may write that no person was asked about, or not this time, no link in it is followed: a repository may
/// bring one by which a file is made under a name that a gate would ask about, and that is not there yet to be covered.
fn show_workspace(specification: &Specification) -> Result<(), Trouble> {
    let Specification {
        workspace,
        writes,
        links,
        guarded,
        ..
    } = specification;
    let what = format!("showing the workspace {}", workspace.display());
    let copy = mount::copy(&below(Path::new(HOST), workspace)).during(&what)?;
    let forbidden = match (writes, links) {
        (Writes::Refused, _) => Forbid::WRITING,
        (Writes::Allowed, true) => Forbid::PRIVILEGE,
        (Writes::Allowed, false) => Forbid::PRIVILEGE_AND_LINKS,
    };
    mount::forbid(&copy, forbidden).during(&what)?;
    folders(workspace)?;
    mount::attach(&copy, workspace).during(&what)?;
    // So far the kernel could do all that a cover needs.
    let held = |trouble: Trouble| Trouble { held: true, ..trouble };
    let root = Root::open(workspace).during(&what)?;
    guarded.iter().try_for_each(|place| cover(&root, place).map_err(held))?;
    let apart = Path::new(APART);
    if apart.exists() {
        let closed = Mode::XUSR | Mode::XGRP | Mode::XOTH;
        rustix::fs::chmod(apart, closed).during("closing what git keeps")?;
    }
    Ok(())
}

/// Covers one place. Whatever else runs in the workspace, no link is followed on the way to it.
fn cover(root: &Root, place: &Guarded) -> Result<(), Trouble> {
    let what = format!("protecting {}", place.path.display());
    // By descriptor, since the way to it may be longer than a path can be.
    let target = match root.reach(&place.path, OFlags::PATH) {
        // Whoever moved it could bring it back.
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::ACCESS) if place.identity.is_some() => {
            return Err(Errno::STALE).during(&what);
        }
        // Another command has taken it away, or the user may not get there either.
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::ACCESS) => return Ok(()),
        other => other.during(&what)?,
    };
    if let Some(known) = place.identity
        && about(&target, "".as_ref()).during(&what)?.identity != known
    {
        return Err(Errno::STALE).during(&what);
    }
    let covered = match place.cover {
        _ if place.instead.is_some() => over(&target, place.instead.as_deref()),
        Cover::Pinned => on_itself(&target, None),
        Cover::ReadOnly => on_itself(&target, Some(Forbid::WRITING)),
        Cover::Apart => return apart(&target),
        Cover::Absent => over(&target, None),
    };
    match covered {
        // Taken away just now.
        Err(Errno::NOENT) if place.identity.is_none() => Ok(()),
        Err(Errno::NOENT) => Err(Errno::STALE).during(&what),
        other => other.during(&what),
    }
}

/// Mounts `target` on itself, so that it can't be renamed or replaced.
fn on_itself(target: &OwnedFd, forbidden: Option<Forbid>) -> rustix::io::Result<()> {
    let copy = mount::copy_of(target)?;
    if let Some(forbidden) = forbidden {
        mount::forbid(&copy, forbidden)?;
    }
    mount::attach_to(&copy, target)
}

/// A place that nobody knows before.
fn set_apart() -> Result<PathBuf, Trouble> {
    let mut name = [0; 16];
    getrandom::fill(&mut name)
        .map_err(|_| Errno::IO)
        .during("setting apart what git keeps")?;
    Ok(Path::new(APART).join(hex::encode(name)))
}

/// Puts a folder over `target` in which is nothing but what leads git to it: gitrepository-layout(5).
///
/// Where it lies then a command finds it that names it, and gates ask about that, since it is outside of the workspace. What
/// reads whole folders does not come by.
fn apart(target: &OwnedFd) -> Result<(), Trouble> {
    let what = "setting apart what git keeps";
    let place = set_apart()?;
    let way = place.with_extension("way");
    folders(&place)?;
    folders(&way.join("info"))?;
    let line = [place.as_os_str().as_bytes(), b"\n"].concat();
    std::fs::write(way.join("info/alternates"), line).during(what)?;
    let kept = mount::copy_of(target).during(what)?;
    mount::forbid(&kept, Forbid::WRITING).during(what)?;
    mount::attach(&kept, &place).during(what)?;
    let cover = mount::copy(&way).during(what)?;
    mount::forbid(&cover, Forbid::WRITING).during(what)?;
    mount::attach_to(&cover, target).during(what)
}

/// Puts an empty folder, or an empty file that nobody can open, over `target`; or a file that can be read, with this text.
fn over(target: &OwnedFd, text: Option<&str>) -> rustix::io::Result<()> {
    let path = Path::new("/.absent");
    let folder = FileType::from_raw_mode(rustix::fs::fstat(target)?.st_mode).is_dir();
    if folder {
        rustix::fs::mkdir(path, Mode::RUSR | Mode::XUSR)?;
    } else {
        let mode = if text.is_some() { Mode::RUSR } else { Mode::empty() };
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::open(path, flags, mode)?);
        let written = file.write_all(text.unwrap_or_default().as_bytes());
        written.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    }
    let copy = mount::copy(path)?;
    mount::forbid(&copy, Forbid::WRITING)?;
    let attached = mount::attach_to(&copy, target);
    // Where it is mounted it stays; under this name nobody needs to find it.
    let flags = if folder { AtFlags::REMOVEDIR } else { AtFlags::empty() };
    rustix::fs::unlinkat(CWD, path, flags)?;
    attached
}
