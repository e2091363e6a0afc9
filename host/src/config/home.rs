//! Where things are kept.

use std::path::{Path, PathBuf};

/// The folders. Each is created with mode 0700 when the daemon starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// `config.toml`, `env`, `grants`.
    pub config: PathBuf,
    /// What must not be lost: plans, turns, the decision record.
    pub data: PathBuf,
    /// What the running daemon needs: socket, token, `daemon.json`, lock.
    pub state: PathBuf,
    /// The skills folder.
    pub skills: PathBuf,
    /// Where the agent works. Never one of the others, nor a parent of one.
    pub workspace: PathBuf,
    /// The home folder of the user, which holds keys that the agent must not see.
    pub user: Option<PathBuf>,
}

/// Why the folders can't be laid out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HomeError {
    /// Neither `PASSEPARTOUT_HOME` nor `HOME` says where.
    #[error("neither PASSEPARTOUT_HOME nor HOME is set; set one of them to a folder of yours")]
    Nowhere,
    /// A path that is not absolute.
    #[error("{name} is `{path}`, which is not an absolute path; write it out in full")]
    Relative {
        /// The variable or option.
        name: String,
        /// What it holds.
        path: String,
    },
    /// A path at which, or above which, there is something else than a folder.
    #[error("{name} is `{path}`, and {what} is no folder; set {name} to a folder, which need not be there yet")]
    NoFolder {
        /// The variable or option.
        name: String,
        /// What it holds.
        path: PathBuf,
        /// What is no folder.
        what: String,
    },
    /// A workspace that must not be one.
    #[error("{path} can't be the workspace: {reason}; choose a folder of its own with --workspace")]
    Workspace {
        /// The folder.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl Home {
    /// The folders: all under `PASSEPARTOUT_HOME`, or in the XDG folders. `variable` looks up the environment,
    /// `workspace` is the `--workspace` option.
    ///
    /// # Errors
    /// When it isn't known where, or the workspace must not be one.
    pub fn find(variable: &dyn Fn(&str) -> Option<String>, workspace: Option<&Path>) -> Result<Home, HomeError> {
        let absolute = |name: &str, path: String| {
            let path = PathBuf::from(path);
            if !path.is_absolute() {
                return Err(HomeError::Relative {
                    name: name.to_owned(),
                    path: path.display().to_string(),
                });
            }
            let path = normalised(&path);
            match no_folder(&path) {
                None => Ok(path),
                Some(file) => Err(HomeError::NoFolder {
                    name: name.to_owned(),
                    what: if file == path {
                        "that".to_owned()
                    } else {
                        format!("{} above it", file.display())
                    },
                    path,
                }),
            }
        };
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let mut home = if let Some(path) = set("PASSEPARTOUT_HOME") {
            let root = absolute("PASSEPARTOUT_HOME", path)?;
            Home {
                config: root.join("config"),
                data: root.join("data"),
                state: root.join("state"),
                skills: root.join("skills"),
                workspace: root.join("workspace"),
                user: None,
            }
        } else {
            let user = set("HOME");
            let xdg = |name: &str, default: &str| match (set(name), &user) {
                (Some(path), _) => Ok(absolute(name, path)?.join("passepartout")),
                (None, Some(user)) => Ok(absolute("HOME", user.clone())?.join(default).join("passepartout")),
                (None, None) => Err(HomeError::Nowhere),
            };
            let data = xdg("XDG_DATA_HOME", ".local/share")?;
            Home {
                config: xdg("XDG_CONFIG_HOME", ".config")?,
                state: xdg("XDG_STATE_HOME", ".local/state")?,
                skills: data.join("skills"),
                workspace: data.join("workspace"),
                user: None,
                data: data.join("data"),
            }
        };
        if let Some(path) = workspace {
            home.workspace = absolute("--workspace", path.display().to_string())?;
        }
        home.user = set("HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        home.check_workspace()?;
        Ok(home)
    }

    /// Our own folders: everything but the workspace. What the agent runs must not see them.
    pub fn private(&self) -> Vec<PathBuf> {
        vec![
            self.config.clone(),
            self.data.clone(),
            self.state.clone(),
            self.skills.clone(),
        ]
    }

    fn check_workspace(&self) -> Result<(), HomeError> {
        let resolved = resolved(&self.workspace);
        let refuse = |reason: String| {
            Err(HomeError::Workspace {
                path: self.workspace.clone(),
                reason,
            })
        };
        if resolved == Path::new("/") {
            return refuse("it is the whole system".to_owned());
        }
        if self
            .user
            .as_deref()
            .is_some_and(|user| self::resolved(user) == resolved)
        {
            return refuse("it is your home folder, which holds keys and settings".to_owned());
        }
        for own in self.private() {
            let own = self::resolved(&own);
            if own == resolved {
                return refuse("it is one of the host's own folders".to_owned());
            }
            if own.starts_with(&resolved) {
                return refuse(format!("it contains {}, which is the host's own", own.display()));
            }
            if resolved.starts_with(&own) {
                return refuse(format!("it lies inside {}, which is the host's own", own.display()));
            }
        }
        Ok(())
    }
}

/// What is there of `path`, or the nearest above it that is, where that is no folder.
fn no_folder(path: &Path) -> Option<&Path> {
    let there = path.ancestors().find_map(|part| Some((part, part.metadata().ok()?)));
    there.filter(|(_, about)| !about.is_dir()).map(|(part, _)| part)
}

/// The path without `.` and `..`, without asking the file system.
fn normalised(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// The path with symbolic links seen through, as far as it exists.
pub(super) fn resolved(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(real), ..) => real,
        (Err(_), Some(parent), Some(name)) => resolved(parent).join(name),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    fn find(variables: &[(&str, &str)], workspace: Option<&str>) -> Result<Home, HomeError> {
        let look = |name: &str| {
            variables
                .iter()
                .find(|(own, _)| *own == name)
                .map(|(_, value)| (*value).to_owned())
        };
        Home::find(&look, workspace.map(Path::new))
    }

    #[test]
    fn one_variable_puts_everything_under_one_folder() {
        let home = find(&[("PASSEPARTOUT_HOME", "/nowhere/p"), ("HOME", "/nowhere")], None).unwrap();
        assert_eq!(home.config, Path::new("/nowhere/p/config"));
        assert_eq!(home.workspace, Path::new("/nowhere/p/workspace"));
    }

    #[test]
    fn without_it_the_xdg_folders_are_used() {
        let home = find(&[("HOME", "/nowhere"), ("XDG_STATE_HOME", "/other/state")], None).unwrap();
        assert_eq!(home.config, Path::new("/nowhere/.config/passepartout"));
        assert_eq!(home.state, Path::new("/other/state/passepartout"));
        assert_eq!(
            home.workspace,
            Path::new("/nowhere/.local/share/passepartout/workspace")
        );
    }

    #[test]
    fn a_workspace_that_would_show_our_own_folders_or_the_whole_home_is_refused() {
        let variables = [("PASSEPARTOUT_HOME", "/nowhere/p"), ("HOME", "/nowhere/home")];
        for (bad, why) in [
            ("/", "whole system"),
            ("/nowhere/home", "home folder"),
            ("/nowhere/p", "contains"),
            ("/nowhere/x/../p/.", "contains"),
            (
                "/nowhere/p/data",
                "can't be the workspace: it is one of the host's own folders",
            ),
            ("/nowhere/p/./skills/", "it is one of the host's own folders"),
            ("/nowhere/p/data/x", "inside"),
            ("work", "not an absolute path"),
        ] {
            let error = find(&variables, Some(bad)).unwrap_err().to_string();
            assert!(error.contains(why), "{bad}: {error}");
        }
        assert!(find(&variables, Some("/nowhere/project")).is_ok());
        assert_eq!(find(&[], None), Err(HomeError::Nowhere));
    }

    #[test]
    fn a_file_where_a_folder_should_be_is_named_with_who_named_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let (file, below) = (file.display().to_string(), file.join("p").display().to_string());
        let said = |variables: &[(&str, &str)], workspace| find(variables, workspace).unwrap_err().to_string();
        for name in ["PASSEPARTOUT_HOME", "HOME"] {
            assert!(
                said(&[(name, &file)], None)
                    .starts_with(&format!("{name} is `{file}`, and that is no folder; set {name}"))
            );
            assert!(said(&[(name, &below)], None).contains(&format!("{file} above it is no folder")));
        }
        let home = [("PASSEPARTOUT_HOME", "/nowhere/p")];
        assert!(said(&home, Some(&file)).starts_with("--workspace is"));
    }

    #[test]
    fn a_link_to_a_folder_of_ours_is_seen_through() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("p");
        std::fs::create_dir_all(root.join("data")).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&root, &link).unwrap();
        let root = root.display().to_string();
        let error = find(&[("PASSEPARTOUT_HOME", &root)], link.to_str()).unwrap_err();
        assert!(error.to_string().contains("contains"), "{error}");
    }
}
