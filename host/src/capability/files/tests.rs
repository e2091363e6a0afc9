//! Files and folders of a real house, as a skill with some grants sees them.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::*;
use crate::capability::services::Services;
use crate::capability::{Deed, Turn};
use crate::config::{Home, SkillLimits};
use crate::signal::{Origin, SessionId};

mod deed;
mod editing;
mod keeping;
mod links;
mod patterns;

const LIMITS: SkillLimits = SkillLimits {
    read_bytes: 8,
    ..SkillLimits::DEFAULT
};

/// A house with a workspace, and a skill's view on it.
struct House {
    root: tempfile::TempDir,
    rights: Rights,
    turn: Turn,
}

impl House {
    /// `HERE` in a right stands for the house.
    fn granting(rights: &[&str]) -> House {
        House::protecting(&[], rights)
    }

    /// With the operator's patterns.
    fn protecting(patterns: &[&str], rights: &[&str]) -> House {
        let root = tempfile::tempdir().unwrap();
        let here = root.path().canonicalize().unwrap();
        let variable = |name: &str| match name {
            "PASSEPARTOUT_HOME" => Some(here.join("p").display().to_string()),
            "HOME" => Some(here.join("user").display().to_string()),
            _ => None,
        };
        let home = Home::find(&variable, None).unwrap();
        for folder in [&home.workspace, &home.config, &home.data, &home.state, &home.skills] {
            fs::create_dir_all(folder).unwrap();
        }
        let at = |text: &str| text.replace("HERE", &here.display().to_string());
        let services = Services {
            protected: patterns.iter().map(|pattern| at(pattern)).collect(),
            ..Services::bare(home)
        };
        let rights = rights.iter().map(|right| at(right).parse().unwrap());
        House {
            rights: Rights::new(rights),
            turn: Turn::new(
                SessionId::random().unwrap(),
                CancellationToken::new(),
                Arc::new(services),
            ),
            root,
        }
    }

    fn here(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap()
    }

    fn workspace(&self) -> &Path {
        &self.turn.services().home.workspace
    }

    fn put(&self, path: &str, text: &str) -> PathBuf {
        let path = self.here().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn on(&self) -> OnBehalf<'_> {
        OnBehalf {
            skill: "clerk",
            rights: &self.rights,
            limits: &LIMITS,
            turn: &self.turn,
        }
    }

    fn read(&self, path: impl AsRef<Path>) -> Result<String, Failure> {
        let path = path.as_ref().to_str().unwrap();
        read::read(path, 0, 100, &self.on()).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    /// Writes as an action closed now would.
    fn write(&self, path: impl AsRef<Path>, text: &str, replace: bool) -> Result<u64, Failure> {
        let path = path.as_ref().to_str().unwrap().to_owned();
        let order = Order {
            base: write::base(&path, &self.on())?,
            path,
            text: text.to_owned(),
            replace,
        };
        write::write(&order, &self.on())
    }
}

fn why<T: std::fmt::Debug>(refused: Result<T, Failure>) -> String {
    refused.unwrap_err().to_string()
}

#[test]
fn a_granted_folder_is_read_in_parts_within_the_bound_and_listed_by_name() {
    let house = House::granting(&["files:read:workspace"]);
    house.put("p/workspace/b.txt", "0123456789");
    house.put("p/workspace/a/x", "");
    symlink("b.txt", house.workspace().join("c")).unwrap();
    let on = house.on();
    assert_eq!(read::read("b.txt", 0, 100, &on).unwrap(), b"01234567");
    assert_eq!(read::read("./b.txt", 8, 100, &on).unwrap(), b"89");
    assert_eq!(read::read("b.txt", 4, 2, &on).unwrap(), b"45");
    assert_eq!(read::read("b.txt", 99, 2, &on).unwrap(), b"");
    assert_eq!(house.read(house.workspace().join("b.txt")).unwrap(), "01234567");
    let entries = read::list(".", &on).unwrap();
    let seen: Vec<(&str, Kind, u64)> = entries
        .iter()
        .map(|entry| (entry.name.as_str(), entry.kind, entry.size))
        .collect();
    assert_eq!(
        seen,
        [("a", Kind::Folder, 0), ("b.txt", Kind::File, 10), ("c", Kind::Link, 0)]
    );
    assert_eq!(read::about("c", &on).unwrap().kind, Kind::Link);
    assert_eq!(read::about(".", &on).unwrap().kind, Kind::Folder);
    assert_eq!(
        read::sha256("b.txt", &on).unwrap(),
        crate::sexp::Digest::of_file(b"0123456789").to_string()
    );
    assert!(why(read::about("nothing", &on)).contains("does not exist"));
}

#[test]
fn outside_the_granted_folder_nothing_is_read_and_the_command_that_would_grant_it_is_told() {
    let house = House::granting(&["files:read:workspace/in", "files:write:workspace"]);
    house.put("p/workspace/in/a", "inside");
    let sibling = house.put("p/workspace/inside", "beside");
    for path in [sibling.as_path(), Path::new("/etc/hostname"), Path::new("inside")] {
        let error = why(house.read(path));
        assert!(
            error.starts_with("rejected") && error.contains("skill grant clerk files:read:DIR"),
            "{error}"
        );
    }
    assert!(why(house.read("in/../inside")).contains(".."));
    assert!(why(house.read("")).contains("no path"));
    assert_eq!(house.read("in/a").unwrap(), "inside");
}

#[test]
fn no_link_leads_out_of_the_granted_folder() {
    let house = House::granting(&["files:read:workspace", "files:write:workspace"]);
    let outside = house.put("outside/secret", "told");
    let workspace = house.workspace();
    symlink(&outside, workspace.join("absolute")).unwrap();
    symlink("../../outside/secret", workspace.join("relative")).unwrap();
    symlink("../../outside", workspace.join("folder")).unwrap();
    symlink("/proc/self/root", workspace.join("magic")).unwrap();
    for path in [
        "absolute".to_owned(),
        "relative".to_owned(),
        "folder/secret".to_owned(),
        format!("magic{}", outside.display()),
    ] {
        let error = why(house.read(&path));
        assert!(error.contains("leads out"), "{path}: {error}");
    }
    assert!(why(house.write("folder/new", "x", false)).contains("leads out"));
    assert!(!house.here().join("outside/new").exists());
    // A second name of a file is a file of this folder; what is written takes the name, and leaves the other alone.
    fs::hard_link(&outside, workspace.join("hard")).unwrap();
    house.write("hard", "x", true).unwrap();
    assert_eq!(fs::read_to_string(&outside).unwrap(), "told");
}

#[test]
fn what_is_the_hosts_own_or_holds_keys_is_closed_whatever_was_granted() {
    let house = House::granting(&["files:read:HERE", "files:write:HERE"]);
    house.put("user/.netrc", "machine");
    for path in [
        "p/config/grants",
        "p/data/plans.log",
        "p/state/token",
        "p/skills/x.wasm",
        "user/.netrc",
        "elsewhere/.ssh/config",
        "elsewhere/.SSH/config",
        "elsewhere/.config/gh/hosts.yml",
        "p/workspace/.env",
        "p/workspace/.env.local",
        "p/workspace/id_ed25519",
        "p/workspace/.git/config",
    ] {
        let path = house.put(path, "kept");
        let error = why(house.read(&path));
        assert!(error.contains("no grant opens it"), "{path:?}: {error}");
        assert!(why(house.write(&path, "mine", true)).contains("no grant opens it"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
    }
    let head = house.put("p/workspace/.git/HEAD", "ref");
    assert_eq!(house.read(&head).unwrap(), "ref");
    assert!(why(house.write(&head, "x", true)).contains("git runs"));
    assert!(why(house.write(house.here().join("p/workspace/.git/hooks/pre-commit"), "x", false)).contains("git"));
    assert_eq!(house.read(house.put("p/workspace/.env.example", "A=")).unwrap(), "A=");
}

#[test]
fn what_is_protected_is_closed_by_every_link_that_leads_there() {
    let house = House::granting(&["files:read:HERE", "files:write:HERE"]);
    house.put("p/state/token", "secret");
    symlink("../state", house.workspace().join("plain")).unwrap();
    symlink("../state/token", house.workspace().join("word")).unwrap();
    for path in ["p/workspace/plain/token", "p/workspace/word"] {
        let error = why(house.read(house.here().join(path)));
        assert!(error.contains("no grant opens it"), "{path}: {error}");
    }
    let error = why(house.write(house.here().join("p/workspace/plain/new"), "x", false));
    assert!(error.contains("no grant opens it"), "{error}");
}

#[test]
fn pipes_devices_and_folders_are_refused_without_waiting() {
    let house = House::granting(&["files:read:workspace", "files:write:workspace", "files:read:/dev"]);
    let pipe = house.workspace().join("pipe");
    let path = std::ffi::CString::new(pipe.to_str().unwrap()).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        path.as_c_str(),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    fs::create_dir(house.workspace().join("folder")).unwrap();
    for (path, what) in [("pipe", "named pipe"), ("folder", "folder"), ("/dev/zero", "device")] {
        assert!(why(house.read(path)).contains(what), "{path}");
    }
    assert!(why(house.write("pipe", "x", true)).contains("named pipe"));
    assert!(why(house.write("folder", "x", true)).contains("folder"));
}

#[test]
fn a_new_file_is_made_and_one_that_exists_is_replaced_only_when_told() {
    let house = House::granting(&["files:read:workspace", "files:write:workspace"]);
    assert_eq!(house.write("note", "first", false), Ok(5));
    let note = house.workspace().join("note");
    fs::set_permissions(&note, fs::Permissions::from_mode(0o4751)).unwrap();
    let error = why(house.write("note", "second", false));
    assert!(
        error.contains("exists already") && error.contains(":REPLACE T"),
        "{error}"
    );
    assert_eq!(fs::read_to_string(&note).unwrap(), "first");
    assert_eq!(house.write("note", "second", true), Ok(6));
    assert_eq!(fs::read_to_string(&note).unwrap(), "second");
    assert_eq!(fs::metadata(&note).unwrap().mode() & 0o7777, 0o751);
    let left: Vec<_> = fs::read_dir(house.workspace()).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    let error = why(house.write("no/such/folder/note", "x", false));
    assert!(
        error.contains("the folder ")
            && error.contains("no/such/folder does not exist")
            && error.contains("mkdir -p"),
        "{error}"
    );
}

#[test]
fn a_granted_folder_that_is_not_there_is_to_be_made_first() {
    let house = House::granting(&["files:read:workspace/notes", "files:write:workspace/notes"]);
    for error in [
        why(house.write("notes/total", "1", true)),
        why(read::about("notes/total", &house.on())),
    ] {
        assert!(
            error.contains("the folder ")
                && error.contains("/notes does not exist: make it first, as `mkdir -p` does"),
            "{error}"
        );
    }
}

#[test]
fn a_file_that_changed_appeared_or_went_since_the_action_was_closed_is_left_alone() {
    let house = House::granting(&["files:write:workspace"]);
    let write = |path: &str, base: Option<&str>| {
        let order = Order {
            path: path.to_owned(),
            text: "mine".to_owned(),
            replace: true,
            base: base.map(|text| crate::sexp::Digest::of_file(text.as_bytes()).to_string()),
        };
        write::write(&order, &house.on())
    };
    let changed = house.put("p/workspace/changed", "newer");
    assert!(why(write("changed", Some("older"))).contains("has changed"));
    assert!(why(write("changed", None)).contains("has changed"));
    assert!(why(write("gone", Some("older"))).contains("was deleted"));
    assert_eq!(fs::read_to_string(changed).unwrap(), "newer");
    assert!(!house.workspace().join("gone").exists());
    assert_eq!(write("changed", Some("newer")), Ok(4));
}

#[test]
fn a_link_at_the_end_is_never_written_through() {
    let house = House::granting(&["files:write:workspace"]);
    let real = house.put("p/workspace/real", "kept");
    symlink("real", house.workspace().join("link")).unwrap();
    symlink("nowhere", house.workspace().join("dangling")).unwrap();
    for path in ["link", "dangling"] {
        assert!(why(house.write(path, "x", true)).contains("symbolic link"), "{path}");
    }
    assert_eq!(fs::read_to_string(real).unwrap(), "kept");
    assert!(!house.workspace().join("nowhere").exists());
}

#[test]
fn only_what_is_read_outside_the_workspace_taints_the_turn() {
    let house = House::granting(&["files:read:HERE"]);
    let (inside, outside) = (house.put("p/workspace/a", "x"), house.put("elsewhere/a", "x"));
    house.read(inside).unwrap();
    assert!(!house.turn.has_read_outside());
    house.read(outside).unwrap();
    assert!(house.turn.has_read_outside());
}

#[test]
fn nobody_writes_in_a_folder_that_is_a_repository_or_makes_one_of_it() {
    let house = House::granting(&["files:write:HERE/p/workspace"]);
    for path in ["bare/objects/x", "bare/refs/x", "half/config", "other/commondir"] {
        house.put(&format!("p/workspace/{path}"), "x");
    }
    let refused = |path: &str| why(house.write(path, "x", false)).contains("git runs and trusts");
    assert!(refused("bare/HEAD") && refused("other/HEAD"));
    house.write("half/HEAD", "x", false).unwrap();
    assert!(refused("half/commondir"));
    house.write("bare/config", "x", false).unwrap();
    house.put("p/workspace/bare/HEAD", "x");
    assert!(why(house.write("bare/config", "y", true)).contains("git runs and trusts"));
    assert!(refused("bare/hooks") && refused("bare/info/attributes"));
    house.write("HEAD", "x", false).unwrap();
}

#[test]
fn what_is_written_is_what_stands_in_the_action_and_only_where_gates_look() {
    let order = |target: &str, payload: &str| {
        let payload = crate::sexp::read(payload).unwrap();
        Order::of(&Action::close(target, Origin::Model, payload))
    };
    let wanted = Order {
        path: "a".to_owned(),
        text: "b".to_owned(),
        replace: true,
        base: Some("c".to_owned()),
    };
    let own = r#"(:ACTION :WRITE :PATH "a" :TEXT "b" :REPLACE T :BASE-SHA256 "c")"#;
    let tool = r#"(:TOOL "note" :ARGS (:PATH "a" :TEXT "b" :REPLACE T) :BASE-SHA256 "c")"#;
    assert_eq!(order("FILES", own), Ok(wanted.clone()));
    assert_eq!(order("TOOL", tool), Ok(wanted));
    assert!(order("FILES", r#"(:PATH "a")"#).is_err());
}

#[test]
fn a_call_of_a_tool_is_closed_with_the_digest_of_the_file_that_it_would_replace() {
    let house = House::granting(&["files:write:workspace"]);
    house.put("p/workspace/a", "text");
    let base = |args: &str| base_of(&crate::sexp::read(args).unwrap(), &house.on()).to_string();
    let digest = crate::sexp::Digest::of_file(b"text");
    assert_eq!(base(r#"(:PATH "a" :TEXT "b")"#), format!("(:BASE-SHA256 \"{digest}\")"));
    assert_eq!(base(r#"(:PATH "new" :TEXT "b")"#), "NIL");
    assert_eq!(base(r#"(:PATH "/etc/hostname" :TEXT "b")"#), "NIL");
    assert_eq!(base(r#"(:PATH "a")"#), "NIL");
}

#[test]
fn a_turn_that_was_stopped_reads_and_writes_nothing_more() {
    let house = House::granting(&["files:read:workspace", "files:write:workspace"]);
    house.put("p/workspace/a", "x");
    house.turn.cancel().cancel();
    assert!(why(house.read("a")).contains("cancelled"));
    assert!(why(house.write("b", "x", false)).contains("cancelled"));
    assert!(!house.workspace().join("b").exists());
}
