//! What a command sees that no person was asked about: the workspace, and of the machine only what is everyone's.
//!
//! A gate reads the text of a command and can't see where a link in the workspace leads. So what passes without asking
//! finds nothing behind such a link: home folders, and whatever else at the top is no system-wide software, do not exist
//! for it, nor what in the settings of the system not everybody may read.

use super::keys;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{DirEntry, FileType, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// What is shown of the host: file-hierarchy(7), and the stores of Nix and Guix. The list of Debian's packages is a part
/// of the software that it is about.
const SHOWN: [&str; 13] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/sys",
    "/var/lib/dpkg",
];

/// What the jail has of its own.
const OWN: [&str; 5] = ["/proc", "/dev", "/tmp", "/var/tmp", "/run"];

/// Where settings of the system are, which may hold passwords, and what people install beside its packages.
const SETTINGS: [&str; 3] = ["/etc", "/usr/local", "/opt"];

/// Most entries of one of those that are looked at, nearest first. What lies beyond is not shown.
const MOST_ENTRIES: usize = 40_000;
/// Most entries that are shown one by one since something beside or below them is not. A folder that has more is not shown.
const MOST_BESIDE: usize = 2_000;

/// Home folders, beside the operator's own.
const HOMES: [&str; 2] = ["/root", "/home"];

/// Most links that are followed on one way, as in the kernel.
const MOST_LINKS: usize = 40;

/// How much of a path on the host is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// It and what is below.
    Whole,
    /// What leads to something below it.
    Way,
    /// Nothing.
    None,
}

/// How much of `path` is shown.
pub(super) fn part(path: &Path) -> Part {
    if SHOWN.iter().any(|shown| path.starts_with(shown)) {
        Part::Whole
    } else if SHOWN.iter().any(|shown| Path::new(shown).starts_with(path)) {
        Part::Way
    } else {
        Part::None
    }
}

/// Home folders that exist: `own`, the operator's, by the environment or the user database, and the usual ones. One that holds what is everyone's is none.
pub(super) fn homes(own: Option<&Path>) -> Vec<PathBuf> {
    let database = keys::home_in_the_database();
    let places = HOMES.iter().map(Path::new).chain(own).chain(database.as_deref());
    let real = places.filter_map(|home| home.canonicalize().ok());
    real.filter(|home| !SHOWN.iter().any(|shown| Path::new(shown).starts_with(home)))
        // Users of the system have theirs where programs are.
        .filter(|home| !home.file_name().is_some_and(|name| name.as_bytes().ends_with(b"bin")))
        .collect()
}

/// What is there among the settings of the system and not everybody may read.
pub(super) fn not_everyones(workspace: &Path) -> Vec<PathBuf> {
    let below = |root: &&str| not_everyones_below(Path::new(root), workspace, MOST_ENTRIES);
    SETTINGS.iter().flat_map(below).collect()
}

fn not_everyones_below(root: &Path, workspace: &Path, most: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = VecDeque::from([root.to_owned()]);
    let mut counts = BTreeMap::new();
    let mut seen = 0;
    while let Some(folder) = folders.pop_front() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            // Who can't list it sees nothing of it in the jail either, or it is not there.
            continue;
        };
        let entries: Vec<DirEntry> = entries.flatten().take(most + 1).collect();
        seen += entries.len();
        if seen > most {
            found.push(folder);
            found.extend(folders);
            break;
        }
        counts.insert(folder, entries.len());
        for entry in entries {
            // It is shown by itself.
            if entry.path() == workspace {
                continue;
            }
            let Ok(metadata) = entry.metadata() else { continue };
            if !is_everyones(metadata.file_type(), &metadata) || is_secret(&entry.path(), metadata.file_type()) {
                found.push(entry.path());
            } else if metadata.is_dir() {
                folders.push_back(entry.path());
            }
        }
    }
    // The highest folder that has too many, if what is in it can't be shown whole.
    let crowded = |path: &PathBuf| {
        let above = path
            .ancestors()
            .skip(1)
            .take_while(|folder| folder.starts_with(root) && *folder != root);
        let crowded = above.filter(|folder| counts.get(*folder).is_some_and(|count| *count > MOST_BESIDE));
        crowded.last().map(Path::to_owned)
    };
    let all = found.into_iter().map(|path| crowded(&path).unwrap_or(path));
    all.collect::<BTreeSet<PathBuf>>().into_iter().collect()
}

/// Whether a name says that it is a key, or a file of environment variables.
fn is_secret(path: &Path, kind: FileType) -> bool {
    let name = path.file_name().unwrap_or_default();
    let named = keys::is_key(name) || kind.is_file() && keys::is_environment(name);
    !kind.is_symlink() && (named || keys::is_key_place_itself(path))
}

fn is_everyones(kind: FileType, metadata: &Metadata) -> bool {
    let needed = if kind.is_dir() { 0o005 } else { 0o004 };
    kind.is_symlink() || metadata.mode() & needed == needed
}

/// The first of the paths in `text` that leads to what is not shown, as it is written there. Whether there is anything
/// is not asked: the answer must not tell.
pub(super) fn leading_out(workspace: &Path, text: &str) -> Option<String> {
    let missing = ["No such file or directory", "os error 2)"];
    let lines = text
        .lines()
        .filter(|line| missing.iter().any(|sign| line.contains(sign)));
    let mut names = lines.flat_map(|line| {
        let quoted = line.split(['\'', '"', '`', '\u{2018}', '\u{2019}']).skip(1).step_by(2);
        line.split(": ").chain(quoted).chain(line.split_whitespace())
    });
    names
        .find(|name| !name.is_empty() && leads_out(workspace, Path::new(name)))
        .map(str::to_owned)
}

/// Whether `path`, which begins in the workspace unless it is absolute, leads to what is not shown. Only links in the
/// workspace are followed.
fn leads_out(workspace: &Path, path: &Path) -> bool {
    let mut at = workspace.to_owned();
    let mut ahead: Vec<PathBuf> = vec![path.to_owned()];
    let mut links = 0;
    while let Some(path) = ahead.pop() {
        let mut steps = path.components();
        let Some(step) = steps.next() else { continue };
        match step {
            Component::RootDir | Component::Prefix(_) => at = PathBuf::from("/"),
            Component::CurDir => {}
            Component::ParentDir => drop(at.pop()),
            Component::Normal(name) => at.push(name),
        }
        ahead.push(steps.as_path().to_owned());
        if at.starts_with(workspace) {
            let Ok(target) = std::fs::read_link(&at) else { continue };
            links += 1;
            if links > MOST_LINKS {
                return false;
            }
            at.pop();
            ahead.push(target);
        } else if !workspace.starts_with(&at) {
            let own = OWN
                .iter()
                .any(|own| at.starts_with(own) || Path::new(own).starts_with(&at));
            match part(&at) {
                Part::Whole => return false,
                Part::Way => {}
                Part::None if own => return false,
                Part::None => return true,
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_path_leads_out_by_itself_and_through_links_in_the_workspace_and_nowhere_else() {
        let workspace = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let root = workspace.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("sub")).unwrap();
        for (target, link) in [
            ("/root", "home"),
            ("../home/.config", "sub/deep"),
            ("/usr/lib", "libraries"),
            ("../../..", "up"),
            ("sub", "inside"),
            ("again", "again"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        for out in [
            "home",
            "home/",
            "home/.x",
            "sub/deep",
            "./inside/deep/x",
            "/root/x",
            "/srv",
            "up/other/x",
            "/var/log",
        ] {
            assert!(leads_out(&root, Path::new(out)), "{out}");
        }
        for not in [
            "libraries/x",
            "sub/x",
            "/etc/x",
            "x",
            "again",
            "inside",
            "/tmp/x",
            "/var/lib/dpkg/x",
            "/proc/1/x",
            "",
        ] {
            assert!(!leads_out(&root, Path::new(not)), "{not}");
        }
        let said = "ls: cannot access 'home/a b': No such file or directory\ncat: x: Permission denied";
        assert_eq!(leading_out(&root, said), Some("home/a b".to_owned()));
        assert_eq!(leading_out(&root, "cat: /root/x: Permission denied"), None);
    }

    #[test]
    fn what_not_everybody_may_read_is_found_however_deep_and_keys_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let deep = "open/2/3/4/5/6/7/8/9/10";
        std::fs::create_dir_all(folder.path().join("open/closed/x")).unwrap();
        std::fs::create_dir_all(folder.path().join(deep)).unwrap();
        let mode = |name: &str, mode| {
            std::fs::set_permissions(folder.path().join(name), std::fs::Permissions::from_mode(mode)).unwrap();
        };
        let files = [
            ("everyones".to_owned(), 0o644),
            ("open/groups".to_owned(), 0o640),
            ("open/.env".to_owned(), 0o644),
            ("open/.env.example".to_owned(), 0o644),
            ("open/id_rsa".to_owned(), 0o644),
            (format!("{deep}/own"), 0o600),
        ];
        for (name, bits) in &files {
            std::fs::write(folder.path().join(name), "").unwrap();
            mode(name, *bits);
        }
        mode("open", 0o755);
        mode("open/closed", 0o711);
        let found = not_everyones_below(folder.path(), Path::new("/w"), 100);
        let own = format!("{deep}/own");
        let wanted = ["open/.env", &own, "open/closed", "open/groups", "open/id_rsa"];
        let mut wanted = wanted.map(|name| folder.path().join(name));
        wanted.sort();
        assert_eq!(found, wanted);
        // What lies beyond the bound was not looked at.
        let found = not_everyones_below(folder.path(), Path::new("/w"), 8);
        assert!(found.contains(&folder.path().join("open/2")), "{found:?}");
    }

    #[test]
    fn a_folder_of_too_many_is_left_out_whole_where_one_of_them_must_be() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["many/x", "some"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        for number in 0..=MOST_BESIDE {
            std::fs::write(folder.path().join(format!("many/{number}")), "").unwrap();
        }
        assert_eq!(
            not_everyones_below(folder.path(), Path::new("/w"), MOST_ENTRIES),
            [] as [PathBuf; 0]
        );
        for name in ["many/x/id_rsa", "some/id_rsa"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let found = not_everyones_below(folder.path(), Path::new("/w"), MOST_ENTRIES);
        assert_eq!(found, [folder.path().join("many"), folder.path().join("some/id_rsa")]);
    }

    #[test]
    fn a_home_that_holds_programs_of_everyone_is_not_left_out() {
        for none in ["/", "/usr", "/usr/sbin"] {
            assert!(!homes(Some(Path::new(none))).contains(&PathBuf::from(none)), "{none}");
        }
        assert!(
            homes(Some(Path::new("/opt/..")))
                .iter()
                .all(|home| home != Path::new("/"))
        );
    }
}
