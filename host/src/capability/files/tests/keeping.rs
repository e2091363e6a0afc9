//! Who may read and write a file after another content took its place, and what somebody saves meanwhile.

use std::os::unix::fs::chown;

use super::*;
use crate::capability::files::write::{Before, open, place_whole};
use rustix::fs::XattrFlags;

const ACL: &str = "system.posix_acl_access";

/// An ACL as acl(5) has it: user 1001 may read and write, the group may not, and the mask lets both through.
fn acl_for_one_user() -> Vec<u8> {
    const ANY: u32 = u32::MAX;
    let entries = [
        (0x01_u16, 6_u16, ANY),
        (0x02, 6, 1001),
        (0x04, 0, ANY),
        (0x10, 6, ANY),
        (0x20, 0, ANY),
    ];
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, who) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(rights.to_le_bytes());
        bytes.extend(who.to_le_bytes());
    }
    bytes
}

fn attribute(path: &Path, name: &str) -> Option<Vec<u8>> {
    let mut value = [0; 1000];
    let length = rustix::fs::getxattr(path, name, value.as_mut_slice()).ok()?;
    Some(value[..length].to_vec())
}

fn set(path: &Path, name: &str, value: &[u8]) {
    rustix::fs::setxattr(path, name, value, XattrFlags::empty())
        .expect("the temporary folder must lie on a file system with ACLs and attributes of users");
}

/// Whether what needs root is to be tested; told where it is not.
fn is_root() -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        eprintln!("NOT RUN: files of other owners and groups need root");
    }
    root
}

#[test]
fn what_says_who_may_read_a_file_is_what_it_was() {
    let house = House::granting(&["files:write:workspace"]);
    let path = house.put("p/workspace/a", "old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    set(&path, ACL, &acl_for_one_user());
    set(&path, "user.x", b"y");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o660);
    house.write("a", "new", true).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(attribute(&path, ACL), Some(acl_for_one_user()));
    assert_eq!(attribute(&path, "user.x").as_deref(), Some(&b"y"[..]));
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o660);
}

#[test]
fn a_folder_that_gives_new_files_rights_gives_none_to_one_that_is_replaced() {
    let house = House::granting(&["files:write:workspace"]);
    let path = house.put("p/workspace/a", "old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    set(house.workspace(), "system.posix_acl_default", &acl_for_one_user());
    house.write("a", "new", true).unwrap();
    house.write("b", "new", false).unwrap();
    assert_eq!(attribute(&path, ACL), None);
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o640);
    assert!(attribute(&house.workspace().join("b"), ACL).is_some());
}

#[test]
fn owner_and_group_stay_where_the_daemon_may_give_them() {
    if !is_root() {
        return;
    }
    let house = House::granting(&["files:write:workspace"]);
    let path = house.put("p/workspace/a", "old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4640)).unwrap();
    chown(&path, Some(1000), Some(1234)).unwrap();
    house.write("a", "new", true).unwrap();
    let now = fs::metadata(&path).unwrap();
    assert_eq!((now.uid(), now.gid(), now.mode() & 0o7777), (1000, 1234, 0o640));
}

const NOBODY: u32 = 65_534;

/// Runs `what` as an ordinary user would who is in the group 1234.
fn as_nobody(what: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let groups: [libc::gid_t; 1] = [1234];
            // SAFETY: the system calls themselves change this thread alone, which ends here, and read one group.
            unsafe {
                assert_eq!(libc::syscall(libc::SYS_setgroups, groups.len(), groups.as_ptr()), 0);
                libc::syscall(libc::SYS_setfsgid, NOBODY);
                libc::syscall(libc::SYS_setfsuid, NOBODY);
            }
            what();
        });
    });
}

#[test]
fn a_group_that_can_not_be_kept_leaves_its_rights_to_nobody() {
    if !is_root() {
        return;
    }
    let house = House::granting(&["files:write:workspace"]);
    // Each is the group and the mode before, and the same after.
    let files = [
        ("ours", (1234, 0o640), (1234, 0o640)),
        ("theirs", (4321, 0o660), (NOBODY, 0o600)),
        ("all", (4321, 0o664), (NOBODY, 0o644)),
        ("closed to the group", (4321, 0o604), (NOBODY, 0o600)),
        ("with an ACL", (4321, 0o660), (NOBODY, 0o600)),
    ];
    for (name, ..) in files {
        house.put(&format!("p/workspace/{name}"), "old");
    }
    let whole = std::process::Command::new("chown")
        .args(["-R", "65534:65534"])
        .arg(house.root.path())
        .status();
    assert!(whole.unwrap().success());
    for (name, (group, mode), _) in files {
        let path = house.workspace().join(name);
        chown(&path, None, Some(group)).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        if name == "with an ACL" {
            set(&path, ACL, &acl_for_one_user());
        }
    }
    as_nobody(|| {
        for (name, ..) in files {
            assert_eq!(house.write(name, "new", true), Ok(3), "{name}");
        }
    });
    for (name, _, (group, mode)) in files {
        let path = house.workspace().join(name);
        let now = fs::metadata(&path).unwrap();
        assert_eq!((now.gid(), now.mode() & 0o777), (group, mode), "{name}");
        assert_eq!(attribute(&path, ACL), None, "{name}");
    }
}

fn left_over(house: &House) -> Vec<std::ffi::OsString> {
    let entries = fs::read_dir(house.workspace()).unwrap().flatten();
    entries
        .map(|entry| entry.file_name())
        .filter(|name| name != "a")
        .collect()
}

/// The file `a`, as somebody finds it who is about to replace it.
fn found(house: &House, folder: &std::os::fd::OwnedFd) -> Before {
    let path = house.workspace().join("a");
    let (file, status) = open(folder, Path::new("a"), &path).unwrap();
    let digest = read::digest_of(&file, &path).unwrap();
    Before { file, status, digest }
}

#[test]
fn what_somebody_saves_while_a_file_is_written_is_still_there() {
    let house = House::granting(&["files:write:workspace"]);
    let path = house.put("p/workspace/a", "old");
    let folder = std::os::fd::OwnedFd::from(fs::File::open(house.workspace()).unwrap());
    let place = |before: &Before| {
        place_whole(
            &folder,
            Path::new("a"),
            &path,
            b"mine",
            Some(before),
            house.workspace().parent().unwrap(),
        )
    };
    let saves: [(&str, &dyn Fn()); 4] = [
        ("written over", &|| fs::write(&path, "theirs").unwrap()),
        ("replaced", &|| {
            fs::write(path.with_extension("new"), "theirs").unwrap();
            fs::rename(path.with_extension("new"), &path).unwrap();
        }),
        ("closed", &|| {
            fs::write(&path, "theirs").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        }),
        ("made a link", &|| {
            fs::remove_file(&path).unwrap();
            fs::write(path.with_file_name("b"), "theirs").unwrap();
            symlink("b", &path).unwrap();
        }),
    ];
    for (how, save) in saves {
        fs::write(&path, "old").unwrap();
        let before = found(&house, &folder);
        save();
        assert!(why(place(&before)).contains("has changed after"), "{how}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs", "{how}");
        // In the last moment before the exchange: all that can be seen beforehand is as it was.
        let seen = Before {
            digest: before.digest,
            status: rustix::fs::lstat(&path).unwrap(),
            file: before.file,
        };
        assert!(why(place(&seen)).contains("has changed after"), "{how}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs", "{how}");
        if how == "made a link" {
            assert!(path.is_symlink());
            fs::remove_file(path.with_file_name("b")).unwrap();
        }
        assert!(left_over(&house).is_empty(), "{how}: {:?}", left_over(&house));
    }
    fs::remove_file(&path).unwrap();
    fs::write(&path, "old").unwrap();
    let before = found(&house, &folder);
    fs::remove_file(&path).unwrap();
    assert!(why(place(&before)).contains("was deleted after"));
    assert!(!path.exists() && left_over(&house).is_empty());
    fs::write(&path, "old").unwrap();
    assert_eq!(place(&found(&house, &folder)), Ok(4));
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    assert!(left_over(&house).is_empty(), "{:?}", left_over(&house));
}
