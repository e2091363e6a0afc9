//! The files of the configuration, as they may be: plain, not too long, and not such that others could have written them.

use std::fs::{Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use super::{ConfigFault, fault};

/// Longest file, in bytes: far above what anybody writes by hand.
const LONGEST: u64 = 1 << 20;

/// Who besides its owner may do what with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Others {
    /// Nothing: it holds keys.
    Nothing,
    /// They may read it.
    Read,
}

/// The text of the file `path`; none where there is nothing at all.
///
/// # Errors
/// When it can't be read, is no plain file, is too long, or others than this user and root could change it, or may not
/// even read it and can.
pub(super) fn read(path: &Path, others: Others) -> Result<Option<String>, ConfigFault> {
    let unreadable = |error: &io::Error| fault(path.display(), format!("can't be read: {error}"), "make it readable");
    match read_plain(path, |about| check(path, about, others)) {
        Ok(Ok(text)) => Ok(text),
        Ok(Err(fault)) => Err(fault),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(fault(
            path.display(),
            "is a link to a file that is not there",
            "bring back what it leads to, or remove it",
        )),
        Err(error) => Err(unreadable(&error)),
    }
}

/// The text of a plain file, whoever it belongs to; none where there is nothing at all.
///
/// # Errors
/// When it is no plain file, too long, no text, or can't be read.
pub(super) fn text(path: &Path) -> io::Result<Option<String>> {
    read_plain(path, |_| Ok::<(), std::convert::Infallible>(())).map(|text| match text {
        Ok(text) => text,
        Err(never) => match never {},
    })
}

fn read_plain<E>(
    path: &Path,
    check: impl FnOnce(&Metadata) -> Result<(), E>,
) -> io::Result<Result<Option<String>, E>> {
    // What waits for a writer, or never ends, must not hold up whoever reads a configuration.
    let file = match OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path) {
        Ok(file) => file,
        // Nothing at all is no file; a link that leads nowhere is one that can't be read.
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => return Ok(Ok(None)),
        // What is no folder holds nothing; that it is none is said of itself.
        Err(error) if error.kind() == ErrorKind::NotADirectory => return Ok(Ok(None)),
        Err(error) => return Err(error),
    };
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(io::Error::other("it is no plain file"));
    }
    if let Err(refused) = check(&about) {
        return Ok(Err(refused));
    }
    let mut text = String::new();
    file.take(LONGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LONGEST {
        return Err(io::Error::other(format!("it has more than {LONGEST} bytes")));
    }
    Ok(Ok(Some(text)))
}

fn check(path: &Path, about: &Metadata, others: Others) -> Result<(), ConfigFault> {
    check_owner(path, about)?;
    let (mode, shown) = (about.mode() & 0o777, path.display());
    if others == Others::Nothing && mode & 0o077 != 0 {
        let problem = format!("can be read by others (mode {mode:o}), and holds keys");
        return Err(fault(&shown, problem, format!("run: chmod 600 {shown}")));
    }
    if mode & 0o022 != 0 {
        let problem = format!("can be changed by others (mode {mode:o}), and says what is allowed");
        return Err(fault(&shown, problem, format!("run: chmod go-w {shown}")));
    }
    Ok(())
}

/// Holds that nobody but this user and root could have laid out the folder `path` or the one above it, where they exist
/// already: both belong to one of the two, and others may write there only where nobody can move what is another's (as
/// in /tmp).
pub(super) fn check_folder(path: &Path) -> Result<(), ConfigFault> {
    for part in path.ancestors().take(2) {
        let Ok(about) = part.metadata() else { continue };
        if !about.is_dir() {
            let problem = "is no folder, and the configuration would be in it";
            return Err(fault(part.display(), problem, "move it away"));
        }
        check_owner(part, &about)?;
        let (mode, shown) = (about.mode(), part.display());
        if mode & 0o002 != 0 && mode & 0o1000 == 0 {
            let problem = format!(
                "can be changed by everybody (mode {:o}), and the configuration is in it",
                mode & 0o7777
            );
            return Err(fault(
                &shown,
                problem,
                format!("run: chmod o-w {shown}, after a look at what is in it"),
            ));
        }
    }
    Ok(())
}

fn check_owner(path: &Path, about: &Metadata) -> Result<(), ConfigFault> {
    let own = rustix::process::geteuid().as_raw();
    if [0, own].contains(&about.uid()) {
        return Ok(());
    }
    Err(fault(
        path.display(),
        format!(
            "belongs to another user ({}), who could have changed what is allowed",
            about.uid()
        ),
        "choose a home of your own with PASSEPARTOUT_HOME, or take it over after a look at what is in it",
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    use super::*;

    fn mode(path: &Path, bits: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(bits)).unwrap();
    }

    fn why(path: &Path, others: Others) -> String {
        read(path, others).expect_err("it can't be as it should").to_string()
    }

    #[test]
    fn what_is_not_there_is_no_file_and_a_link_that_leads_nowhere_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        assert_eq!(read(&path, Others::Read), Ok(None));
        symlink(folder.path().join("gone"), &path).unwrap();
        assert!(why(&path, Others::Read).contains("is not there"));
        std::fs::write(folder.path().join("gone"), "a = 1").unwrap();
        mode(&path, 0o644);
        assert_eq!(read(&path, Others::Read), Ok(Some("a = 1".to_owned())));
    }

    #[test]
    fn what_others_could_have_written_or_a_key_that_they_can_read_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "x").unwrap();
        for (bits, others, said) in [
            (0o640, Others::Nothing, "chmod 600"),
            (0o660, Others::Read, "chmod go-w"),
            (0o602, Others::Read, "chmod go-w"),
        ] {
            mode(&path, bits);
            assert!(why(&path, others).contains(said), "{bits:o}");
        }
        mode(&path, 0o644);
        assert!(read(&path, Others::Read).is_ok());
        // Only root can give a file away.
        if rustix::process::geteuid().is_root() {
            chown(&path, Some(65_534), None).unwrap();
            assert!(why(&path, Others::Read).contains("another user"));
            chown(folder.path(), Some(65_534), None).unwrap();
            assert!(
                check_folder(&folder.path().join("config"))
                    .unwrap_err()
                    .to_string()
                    .contains("another user")
            );
        }
    }

    #[test]
    fn what_waits_never_ends_or_is_too_long_is_a_fault_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
        assert!(why(&pipe, Others::Read).contains("no plain file"));
        assert!(why(Path::new("/dev/zero"), Others::Read).contains("no plain file"));
        assert!(text(&pipe).is_err());
        let long = folder.path().join("long");
        std::fs::write(&long, vec![b'#'; (LONGEST + 1) as usize]).unwrap();
        mode(&long, 0o600);
        assert!(why(&long, Others::Read).contains("more than"));
    }

    #[test]
    fn a_folder_that_everybody_can_write_to_is_a_fault_unless_nobody_can_move_what_is_anothers() {
        let folder = tempfile::tempdir().unwrap();
        let (open, inside) = (folder.path().join("open"), folder.path().join("open/config"));
        std::fs::create_dir_all(&inside).unwrap();
        assert!(check_folder(&inside).is_ok());
        mode(&open, 0o777);
        assert!(check_folder(&inside).unwrap_err().to_string().contains("chmod o-w"));
        assert!(check_folder(&open.join("not-made-yet")).is_err());
        mode(&open, 0o1777);
        assert!(check_folder(&inside).is_ok());
    }
}
