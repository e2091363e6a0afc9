//! The few mount operations that the jail is made of, by descriptor, so that no symbolic link is ever followed.

use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::io::Result;
use rustix::mount::{MoveMountFlags, OpenTreeFlags};
use std::path::Path;

/// What a mount forbids. Only ever added.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forbid(u64);

impl Forbid {
    /// Writing, set-user-id programs, and devices.
    pub(super) const WRITING: Forbid = Forbid(libc::MOUNT_ATTR_RDONLY | Forbid::PRIVILEGE.0);
    /// Set-user-id programs and devices.
    pub(super) const PRIVILEGE: Forbid = Forbid(libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV);
    /// Following symbolic links that lie in it (Linux 5.14). They can still be read, made and deleted themselves.
    const LINKS: Forbid = Forbid(libc::MOUNT_ATTR_NOSYMFOLLOW);
    /// Set-user-id programs and devices, and following its links.
    pub(super) const PRIVILEGE_AND_LINKS: Forbid = Forbid(Forbid::PRIVILEGE.0 | Forbid::LINKS.0);
    /// All but using it as a device.
    pub(super) const ALL_BUT_DEVICE: Forbid =
        Forbid(libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC);
}

/// A detached copy of what is seen at `path`, with the mounts below it.
pub(super) fn copy(path: &Path) -> Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_SYMLINK_NOFOLLOW
        | OpenTreeFlags::AT_NO_AUTOMOUNT;
    rustix::mount::open_tree(rustix::fs::CWD, path, flags)
}

/// Puts a detached copy at `path`, over what is there. The last component is not followed.
pub(super) fn attach(tree: &OwnedFd, path: &Path) -> Result<()> {
    rustix::mount::move_mount(tree, "", rustix::fs::CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
}

/// A detached copy of what the descriptor names, with the mounts below it.
pub(super) fn copy_of(place: &OwnedFd) -> Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_EMPTY_PATH;
    rustix::mount::open_tree(place, "", flags)
}

/// Puts a detached copy over what the descriptor names.
pub(super) fn attach_to(tree: &OwnedFd, place: &OwnedFd) -> Result<()> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    rustix::mount::move_mount(tree, "", place, "", flags)
}

/// Forbids something on the mount `tree` and on every mount below it.
pub(super) fn forbid(tree: &impl AsFd, what: Forbid) -> Result<()> {
    set_attributes(tree, what, libc::AT_RECURSIVE)
}

/// Forbids something on the mount at `path`, and not on those below it.
pub(super) fn forbid_here(path: &Path, what: Forbid) -> Result<()> {
    let flags = OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_SYMLINK_NOFOLLOW;
    let mount = rustix::mount::open_tree(rustix::fs::CWD, path, flags)?;
    set_attributes(&mount, what, 0)
}

fn set_attributes(mount: &impl AsFd, what: Forbid, flags: libc::c_int) -> Result<()> {
    let attributes = libc::mount_attr {
        attr_set: what.0,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    // SAFETY: the descriptor is open for the whole call, the path is a zero-terminated empty string, and the kernel
    // only reads as many bytes of `attributes` as are given as its size.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_fd().as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH | flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    match result {
        0 => Ok(()),
        _ => Err(last_error()),
    }
}

/// What the last system call that was made through libc said.
pub(super) fn last_error() -> rustix::io::Errno {
    let number = std::io::Error::last_os_error().raw_os_error();
    number.map_or(rustix::io::Errno::INVAL, rustix::io::Errno::from_raw_os_error)
}
