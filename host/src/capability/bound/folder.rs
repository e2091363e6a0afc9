//! A folder that files may be reached in: an absolute one, or one of the workspace.

use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

use super::{BadBound, wrong};

/// The word that stands for the workspace, wherever that is.
const WORKSPACE: &str = "workspace";

/// A folder, without `.` and `..`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Folder {
    /// Below the workspace; empty for the workspace itself.
    Workspace(PathBuf),
    /// Somewhere else.
    Absolute(PathBuf),
}

impl Folder {
    /// Where it is, given the workspace.
    pub fn locate(&self, workspace: &Path) -> PathBuf {
        match self {
            Folder::Workspace(below) if below.as_os_str().is_empty() => workspace.to_owned(),
            Folder::Workspace(below) => workspace.join(below),
            Folder::Absolute(path) => path.clone(),
        }
    }

    /// Whether `other` surely lies in it, or is it.
    pub(super) fn holds(&self, other: &Folder) -> bool {
        match (self, other) {
            (Folder::Workspace(own), Folder::Workspace(other)) | (Folder::Absolute(own), Folder::Absolute(other)) => {
                other.starts_with(own)
            }
            _ => false,
        }
    }
}

impl fmt::Display for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Folder::Workspace(below) if below.as_os_str().is_empty() => f.write_str(WORKSPACE),
            Folder::Workspace(below) => write!(f, "{WORKSPACE}/{}", below.display()),
            Folder::Absolute(path) => write!(f, "{}", path.display()),
        }
    }
}

impl FromStr for Folder {
    type Err = BadBound;

    fn from_str(text: &str) -> Result<Folder, BadBound> {
        if text == "DIR" {
            return wrong("DIR stands for the folder; write that, or `workspace`");
        }
        let mut path = PathBuf::new();
        for part in Path::new(text).components() {
            match part {
                Component::ParentDir => return wrong(format!("`{text}` has `..` in it; write the folder in full")),
                Component::CurDir | Component::Prefix(_) => {}
                Component::RootDir | Component::Normal(_) => path.push(part),
            }
        }
        if path.is_absolute() {
            return Ok(Folder::Absolute(path));
        }
        match path.strip_prefix(WORKSPACE) {
            Ok(below) => Ok(Folder::Workspace(below.to_owned())),
            Err(_) => wrong(format!(
                "`{text}` is no folder of a grant: write an absolute path, or `workspace`"
            )),
        }
    }
}
