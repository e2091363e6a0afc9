//! What a file keeps when another one with another content takes its name: whose it is, and who may read and write it.
//!
//! What can't be kept is taken away rather than given to somebody else: then only its owner gets at it.

use std::fs::File;

use rustix::fs::{Gid, Mode, Stat, Uid, XattrFlags};
use rustix::io::Errno;

/// The rights of users and groups beside those of the mode: acl(5).
const ACL: &str = "system.posix_acl_access";

/// What tells of one content, or lends its rights to whoever runs it: capabilities(7), evm and ima of the kernel.
const OF_THE_CONTENT: [&str; 3] = ["security.capability", "security.evm", "security.ima"];

/// Hands on to `new`, which is empty and nobody else's yet, what `old` has beside its content: group, ACL, mode, further
/// attributes and owner. Answers what could not be kept, in words.
///
/// # Errors
/// When even its mode can't be set.
pub(super) fn hand_on(old: &File, status: &Stat, new: &File) -> Result<Vec<String>, Errno> {
    let mut lost = Vec::new();
    let own = rustix::fs::fstat(new)?;
    let same_group = own.st_gid == status.st_gid;
    let group = same_group || rustix::fs::fchown(new, None, Some(Gid::from_raw(status.st_gid))).is_ok();
    let mut mode = status.st_mode & 0o777;
    if !group {
        lost.push("its group".to_owned());
        // Who was of the old group is of the others now, and the other way round.
        let both = (mode >> 3) & mode & 0o7;
        mode = mode & 0o700 | both << 3 | both;
    }
    let closed = mode & 0o700;
    if !keeps_acl(old, new, group) {
        lost.push("its ACL".to_owned());
        mode = closed;
    }
    // Without the bits by which a file lends rights to whoever runs it.
    rustix::fs::fchmod(new, Mode::from_raw_mode(mode))?;
    let unkept = unkept_attributes(old, new);
    // Others than the user's own say who may read it.
    if unkept.iter().any(|name| !name.starts_with("user.")) {
        rustix::fs::fchmod(new, Mode::from_raw_mode(closed))?;
    }
    lost.extend(unkept.into_iter().map(|name| format!("its attribute {name}")));
    // Last, since it takes away the right to the rest. Whoever writes it could read it before.
    if own.st_uid != status.st_uid && rustix::fs::fchown(new, Some(Uid::from_raw(status.st_uid)), None).is_err() {
        lost.push("its owner".to_owned());
    }
    Ok(lost)
}

/// Whether `new` has the ACL of `old`, or none if that has none. Its group's rights are worth nothing to another group.
fn keeps_acl(old: &File, new: &File, group: bool) -> bool {
    match value(old, ACL) {
        // The folder may have given it one.
        Ok(None) => matches!(
            rustix::fs::fremovexattr(new, ACL),
            Ok(()) | Err(Errno::NODATA | Errno::NOTSUP)
        ),
        Ok(Some(acl)) => group && rustix::fs::fsetxattr(new, ACL, &acl, XattrFlags::empty()).is_ok(),
        Err(_) => false,
    }
}

/// The further attributes of `old` that `new` has not.
fn unkept_attributes(old: &File, new: &File) -> Vec<String> {
    let names = match names(old) {
        Ok(names) => names,
        Err(Errno::NOTSUP) => Vec::new(),
        Err(_) => return vec!["list".to_owned()],
    };
    let further = names.into_iter().filter(|name| {
        let known = ["system.", "security.", "user."];
        known.iter().any(|class| name.starts_with(class)) && name != ACL && !OF_THE_CONTENT.contains(&name.as_str())
    });
    let kept = |name: &String| match value(old, name) {
        Ok(None) => true,
        Ok(Some(own)) => {
            value(new, name).is_ok_and(|has| has.as_ref() == Some(&own))
                || rustix::fs::fsetxattr(new, name, &own, XattrFlags::empty()).is_ok()
        }
        Err(_) => false,
    };
    further.filter(|name| !kept(name)).collect()
}

fn names(file: &File) -> Result<Vec<String>, Errno> {
    let size = rustix::fs::flistxattr_query(file)?;
    let mut list = vec![0; size];
    let length = rustix::fs::flistxattr(file, list.as_mut_slice())?;
    let names = list[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

fn value(file: &File, name: &str) -> Result<Option<Vec<u8>>, Errno> {
    let read = || {
        let mut value = vec![0; rustix::fs::fgetxattr_query(file, name)?];
        let length = rustix::fs::fgetxattr(file, name, value.as_mut_slice())?;
        value.truncate(length);
        Ok(value)
    };
    match read() {
        Ok(value) => Ok(Some(value)),
        Err(Errno::NODATA | Errno::NOTSUP) => Ok(None),
        Err(error) => Err(error),
    }
}
