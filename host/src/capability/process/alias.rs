//! The other names of a path: where the same part of the same file system is mounted a second time.
//!
//! A hidden folder that is also seen through a bind mount, or through its file system's root mounted elsewhere, would
//! not be hidden at all.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The names of `path` (absolute, without symbolic links) other than itself, as `/proc/self/mountinfo` tells.
pub(super) fn other_names(path: &Path, mounts: &str) -> Vec<PathBuf> {
    let mounts: Vec<Mount> = mounts.lines().filter_map(Mount::read).collect();
    // The one mounted last, of those with the longest path, is the one that is seen.
    let holding = mounts.iter().filter(|mount| path.starts_with(&mount.point));
    let Some(own) = holding.max_by_key(|mount| mount.point.components().count()) else {
        return Vec::new();
    };
    let Some(inner) = replace_start(path, &own.point, &own.root) else {
        return Vec::new();
    };
    let same = mounts.iter().filter(|mount| mount.device == own.device);
    same.filter_map(|mount| replace_start(&inner, &mount.root, &mount.point))
        .filter(|name| name != path)
        .collect()
}

/// One line: a part of a file system, and where it is mounted.
struct Mount<'a> {
    device: &'a str,
    root: PathBuf,
    point: PathBuf,
}

impl Mount<'_> {
    fn read(line: &str) -> Option<Mount<'_>> {
        // Number, parent's number, device, root within the file system, mount point, and more.
        let mut fields = line.split(' ').skip(2);
        Some(Mount {
            device: fields.next()?,
            root: unescape(fields.next()?),
            point: unescape(fields.next()?),
        })
    }
}

/// The kernel writes space, tab, newline and backslash as `\` and three octal digits.
fn unescape(text: &str) -> PathBuf {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((&first, after)) = rest.split_first() {
        let octal = after
            .get(..3)
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        match (first, octal) {
            (b'\\', Some(byte)) => {
                bytes.push(byte);
                rest = &after[3..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}

fn replace_start(path: &Path, start: &Path, by: &Path) -> Option<PathBuf> {
    let rest = path.strip_prefix(start).ok()?;
    // Joining nothing would leave a slash at the end.
    Some(if rest.as_os_str().is_empty() {
        by.to_owned()
    } else {
        by.join(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
                          23 22 8:2 / /home rw - ext4 /dev/sda2 rw\n\
                          24 22 8:2 /ada /mnt/a\\040copy rw - ext4 /dev/sda2 rw\n\
                          25 22 8:2 /bob /mnt/bob rw - ext4 /dev/sda2 rw\n\
                          26 22 8:1 / /mnt/all rw - ext4 /dev/sda1 rw\n";

    #[test]
    fn a_folder_has_a_name_in_every_mount_that_shows_it() {
        let names = other_names(Path::new("/home/ada/.config/ours"), MOUNTS);
        assert_eq!(names, [Path::new("/mnt/a copy/.config/ours")]);
        assert_eq!(other_names(Path::new("/home/ada"), MOUNTS), [Path::new("/mnt/a copy")]);
        assert_eq!(
            other_names(Path::new("/var/ours"), MOUNTS),
            [Path::new("/mnt/all/var/ours")]
        );
    }

    #[test]
    fn a_folder_that_is_mounted_once_has_one_name() {
        assert_eq!(other_names(Path::new("/home/eve/ours"), MOUNTS), Vec::<PathBuf>::new());
    }
}
