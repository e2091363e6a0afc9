//! Which parts of the host's file system are shown in the jail: everything, or what is everyone's, but for the paths that
//! are left out.
//!
//! A folder with nothing left out below it is shown whole. One that has is made anew, empty, and its entries are
//! looked at one by one: so what is left out does not exist, instead of being there and forbidden. This room plans and
//! mounts nothing, so that it is tested on any folder.

use super::commons::{self, Part};
use super::message::Shown;
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Most mounts one jail is made of. A home folder needs some hundred; the kernel's own bound is 100,000.
const MOST_STEPS: usize = 20_000;

/// One thing to do in the new root, in this order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// Make this folder.
    Folder(PathBuf),
    /// Show this folder of the host, with all below it.
    ShowFolder(PathBuf),
    /// Show this file of the host.
    ShowFile(PathBuf),
    /// Make this symbolic link, to the target that follows.
    Link(PathBuf, PathBuf),
}

/// Plans the new root. `host` is where the host's root is seen; `left_out` holds absolute paths without symbolic links;
/// the folders on the way to them and to `workspace` are found even where listing a folder is not allowed.
///
/// # Errors
/// When a folder can't be listed for another reason than permission, or when there are too many entries.
pub(super) fn plan(
    host: &Path,
    shown: Shown,
    left_out: &BTreeSet<PathBuf>,
    workspace: &Path,
) -> io::Result<Vec<Step>> {
    let mut carver = Carver {
        host,
        shown,
        left_out,
        workspace,
        steps: Vec::new(),
    };
    carver.carve(Path::new("/"))?;
    Ok(carver.steps)
}

struct Carver<'a> {
    host: &'a Path,
    shown: Shown,
    left_out: &'a BTreeSet<PathBuf>,
    workspace: &'a Path,
    steps: Vec<Step>,
}

impl Carver<'_> {
    /// Looks at the entries of `folder` one by one.
    fn carve(&mut self, folder: &Path) -> io::Result<()> {
        for name in self.entries(folder)? {
            let path = folder.join(name);
            let part = match self.shown {
                Shown::Machine => Part::Whole,
                Shown::Commons => commons::part(&path),
            };
            if part == Part::None || self.left_out.contains(&path) {
                continue;
            }
            let Some(metadata) = unless_out_of_reach(self.on_host(&path).symlink_metadata())? else {
                continue;
            };
            match part {
                Part::Way if metadata.is_dir() => {
                    self.steps.push(Step::Folder(path.clone()));
                    self.carve(&path)?;
                }
                Part::Way | Part::None => {}
                Part::Whole => self.show(path, &metadata)?,
            }
            if self.steps.len() > MOST_STEPS {
                return Err(io::Error::other(format!(
                    "{} lies beside or above a hidden folder and has too many entries to be shown one by one (more than \
                     {MOST_STEPS})",
                    folder.display()
                )));
            }
        }
        Ok(())
    }

    fn show(&mut self, path: PathBuf, metadata: &Metadata) -> io::Result<()> {
        let kind = metadata.file_type();
        if kind.is_dir() {
            if self.left_out.iter().any(|hidden| hidden.starts_with(&path)) {
                self.steps.push(Step::Folder(path.clone()));
                return self.carve(&path);
            }
            self.steps.push(Step::ShowFolder(path));
        } else if kind.is_symlink() {
            if let Some(target) = unless_out_of_reach(std::fs::read_link(self.on_host(&path)))? {
                self.steps.push(Step::Link(path, target));
            }
        } else if kind.is_file() {
            self.steps.push(Step::ShowFile(path));
        } else {
            // A socket, a pipe or a device is a way out, and nothing that reads files misses it.
            debug_assert!(kind.is_socket() || kind.is_fifo() || kind.is_char_device() || kind.is_block_device());
        }
        Ok(())
    }

    fn entries(&self, folder: &Path) -> io::Result<BTreeSet<OsString>> {
        let listed = std::fs::read_dir(self.on_host(folder))
            .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.file_name())).collect());
        match listed {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(self.known_entries(folder)),
            other => other,
        }
    }

    /// The entries that must be there for the paths we know.
    fn known_entries(&self, folder: &Path) -> BTreeSet<OsString> {
        let known = self.left_out.iter().map(PathBuf::as_path).chain([self.workspace]);
        known
            .filter_map(|path| path.strip_prefix(folder).ok()?.components().next())
            .map(|component| component.as_os_str().to_owned())
            .collect()
    }

    fn on_host(&self, path: &Path) -> PathBuf {
        below(self.host, path)
    }
}

/// Where the absolute `path` is, seen from the folder `root`.
pub(super) fn below(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

/// What can't be looked at is not shown: `None`. Other users' FUSE mounts and dead network shares are like that.
pub(super) fn unless_out_of_reach<T, E: Into<io::Error>>(result: Result<T, E>) -> io::Result<Option<T>> {
    const OUT_OF_REACH: [Errno; 7] = [
        Errno::ACCESS,
        Errno::NOENT,
        Errno::NOTCONN,
        Errno::STALE,
        Errno::IO,
        Errno::LOOP,
        Errno::HOSTDOWN,
    ];
    match result.map_err(Into::into) {
        Ok(value) => Ok(Some(value)),
        Err(error) => match Errno::from_io_error(&error) {
            Some(errno) if OUT_OF_REACH.contains(&errno) => Ok(None),
            _ => Err(error),
        },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use std::os::unix::net::UnixListener;

    fn host() -> tempfile::TempDir {
        let host = tempfile::tempdir().unwrap();
        for folder in [
            "usr/bin",
            "home/ada/.config/ours",
            "home/ada/.config/other",
            "home/ada/work",
            "home/bob",
        ] {
            std::fs::create_dir_all(host.path().join(folder)).unwrap();
        }
        std::fs::write(host.path().join("home/ada/notes"), "").unwrap();
        std::os::unix::fs::symlink("/home/ada/notes", host.path().join("home/ada/link")).unwrap();
        host
    }

    fn planned(host: &Path, left_out: &[&str]) -> Vec<Step> {
        let left_out = left_out.iter().map(PathBuf::from).collect();
        plan(host, Shown::Machine, &left_out, Path::new("/home/ada/work")).unwrap()
    }

    #[test]
    fn a_folder_with_nothing_left_out_below_it_is_shown_whole() {
        let host = host();
        let steps = planned(host.path(), &[]);
        assert_eq!(
            steps,
            [Step::ShowFolder("/home".into()), Step::ShowFolder("/usr".into())]
        );
    }

    #[test]
    fn what_is_left_out_is_in_no_step_and_everything_beside_it_is() {
        let host = host();
        let steps = planned(host.path(), &["/home/ada/.config/ours"]);
        assert_eq!(
            steps,
            [
                Step::Folder("/home".into()),
                Step::Folder("/home/ada".into()),
                Step::Folder("/home/ada/.config".into()),
                Step::ShowFolder("/home/ada/.config/other".into()),
                Step::Link("/home/ada/link".into(), "/home/ada/notes".into()),
                Step::ShowFile("/home/ada/notes".into()),
                Step::ShowFolder("/home/ada/work".into()),
                Step::ShowFolder("/home/bob".into()),
                Step::ShowFolder("/usr".into()),
            ]
        );
    }

    #[test]
    fn of_what_is_everyones_only_that_and_the_way_to_it_are_shown() {
        let host = host();
        for folder in ["var/lib/dpkg", "var/lib/other", "var/log", "srv"] {
            std::fs::create_dir_all(host.path().join(folder)).unwrap();
        }
        std::os::unix::fs::symlink("usr/bin", host.path().join("bin")).unwrap();
        let steps = plan(
            host.path(),
            Shown::Commons,
            &BTreeSet::new(),
            Path::new("/home/ada/work"),
        )
        .unwrap();
        assert_eq!(
            steps,
            [
                Step::Link("/bin".into(), "usr/bin".into()),
                Step::ShowFolder("/usr".into()),
                Step::Folder("/var".into()),
                Step::Folder("/var/lib".into()),
                Step::ShowFolder("/var/lib/dpkg".into()),
            ]
        );
    }

    #[test]
    fn a_name_that_only_begins_like_a_hidden_one_is_shown() {
        let host = host();
        std::fs::create_dir(host.path().join("home/ada/.config/ours-not")).unwrap();
        let steps = planned(host.path(), &["/home/ada/.config/ours"]);
        assert!(steps.contains(&Step::ShowFolder("/home/ada/.config/ours-not".into())));
    }

    #[test]
    fn a_socket_beside_something_hidden_is_not_shown() {
        let host = host();
        let _listener = UnixListener::bind(host.path().join("home/ada/agent")).unwrap();
        let steps = planned(host.path(), &["/home/ada/.config/ours"]);
        assert!(!format!("{steps:?}").contains("agent"));
    }

    #[test]
    fn a_hidden_path_that_does_not_exist_yet_still_has_its_folder_made_anew() {
        let host = host();
        let steps = planned(host.path(), &["/home/bob/later"]);
        assert!(steps.contains(&Step::Folder("/home/bob".into())));
    }

    #[test]
    fn where_a_folder_cannot_be_listed_the_ways_that_are_known_are_still_found() {
        let (left_out, workspace) = (
            BTreeSet::from([PathBuf::from("/home/ada/.config")]),
            Path::new("/home/bob/work"),
        );
        let carver = Carver {
            host: Path::new("/"),
            shown: Shown::Machine,
            left_out: &left_out,
            workspace,
            steps: Vec::new(),
        };
        assert_eq!(
            carver.known_entries(Path::new("/home")),
            BTreeSet::from(["ada".into(), "bob".into()])
        );
    }
}
