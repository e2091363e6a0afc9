//! What git runs or obeys although it does not lie in the repository: githooks(5), git-config(1).
//!
//! A link, `core.hooksPath` and `include.path` lead to other places, and entries such as `diff.*.textconv` name programs.
//! Where one of those is in the workspace a command could change it.

use super::gitconfig::settings;
use super::listing::{Root, inside};
use super::lookups::Lookups;
use super::words::Named;
use super::{called, config, keys, trees, words};
use rustix::fs::{Mode, OFlags};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// How much of one configuration is read, in bytes.
const LONGEST: u64 = 64 << 10;
/// Most configurations that are read for one repository: each may include others, and so deep.
const MOST: usize = 32;
const DEEPEST: usize = 10;

/// That a repository leads git somewhere else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leads {
    /// How it says so: always the same of the same.
    pub(super) said: String,
    pub(super) what: What,
    /// The place, beneath the workspace and without links.
    pub(super) path: PathBuf,
}

/// What is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// Whatever a link in the repository is for.
    Linked,
    /// Hooks.
    Hooks,
    /// A file of configuration.
    Configuration,
    /// A file in a work tree that an entry names, which may be one that git runs, or a folder of such.
    Named,
}

/// How it is said where a file is named by a word that may mean something else: one that was not there before is none.
pub(super) const WORD: &str = "word";

/// Where the repository at `folder` leads git in the workspace. `others` are work trees of it, absolute.
pub(super) fn named(
    root: &Root,
    workspace: &Path,
    folder: &Path,
    others: &[PathBuf],
    lookups: &Lookups,
) -> Vec<Leads> {
    let repository = workspace.join(folder);
    let mut found = Vec::new();
    for name in ["hooks", "config", "config.worktree"] {
        let place = repository.join(name);
        if place.is_symlink() {
            found.extend(inside(workspace, &place).map(|path| Leads {
                said: format!("link {name}"),
                what: What::Linked,
                path,
            }));
        }
    }
    let own = ["config", "config.worktree"].map(|name| repository.join(name));
    let everyones = everyones();
    let own = own.iter().map(|path| (path, false));
    // What each configuration says goes from the folder that it lies in.
    let mut waiting: Vec<(PathBuf, bool, usize)> = own
        .chain(everyones.iter().map(|path| (path, true)))
        .filter_map(|(path, everyones)| Some((path.canonicalize().ok()?, everyones, 0)))
        .collect();
    lookups.weigh(repository.as_os_str().len());
    let trees = trees::work_trees(root, workspace, folder, others, lookups);
    let trees: BTreeSet<&Path> = trees.iter().map(PathBuf::as_path).collect();
    let longest = trees.iter().map(|tree| tree.as_os_str().len()).max();
    lookups.weigh(longest.unwrap_or(0));
    let hooks = repository.join("hooks");
    if hooks.is_dir() {
        found.extend(called::called(workspace, &hooks, true, &trees, lookups));
    }
    let mut read = BTreeSet::new();
    while let Some((config, everyones, depth)) = waiting.pop() {
        if read.contains(&config) {
            continue;
        }
        if read.len() >= MOST || !lookups.take(1) {
            lookups.fall_short();
            break;
        }
        read.insert(config.clone());
        let (entries, _) = settings(&text(&config));
        let from = config.parent().unwrap_or(workspace);
        for entry in entries {
            let value = at_home(&entry.value);
            match entry.kind().as_str() {
                "core.hookspath" => {
                    // An absolute one is the same from each of them.
                    let places: BTreeSet<PathBuf> = trees.iter().map(|tree| tree.join(&value)).collect();
                    for place in places.iter().take_while(|_| lookups.take(1)) {
                        let own = place.starts_with(&repository);
                        found.extend(called::called(workspace, place, own, &trees, lookups));
                        found.extend(inside(workspace, place).map(|path| Leads {
                            said: format!("hooks {}", place.display()),
                            what: What::Hooks,
                            path,
                        }));
                    }
                }
                "include.path" | "includeif.*.path" => {
                    let place = from.join(&value);
                    if !lookups.take(1) {
                        break;
                    }
                    let Ok(real) = place.canonicalize() else {
                        continue;
                    };
                    if depth < DEEPEST {
                        waiting.push((real, everyones, depth + 1));
                    }
                    found.extend(inside(workspace, &place).map(|path| Leads {
                        said: format!("include {}", place.display()),
                        what: What::Configuration,
                        path,
                    }));
                }
                // Of the operator's own settings these are what is looked for in every repository.
                _ if everyones || config::only_describes(&entry) => {}
                _ => {
                    // In an alias a folder is mostly where something is done.
                    let what = if entry.section == "alias" {
                        Named::Files
                    } else {
                        Named::Both
                    };
                    let words = words::named(workspace, &trees, &[entry.value], what, lookups);
                    found.extend(words.into_iter().map(|word| word.leads));
                }
            }
        }
    }
    found
}

/// The configurations that are everyone's and the operator's.
pub(super) fn everyones() -> Vec<PathBuf> {
    let mut found = vec![PathBuf::from("/etc/gitconfig")];
    if let Some(home) = home() {
        found.extend([".gitconfig", ".config/git/config"].map(|name| home.join(name)));
    }
    found
}

fn home() -> Option<PathBuf> {
    std::env::var_os("HOME")
        .map(PathBuf::from)
        .or_else(keys::home_in_the_database)
}

/// A path as git expands it.
pub(super) fn at_home(value: &str) -> PathBuf {
    match (value.strip_prefix("~/"), home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(value),
    }
}

/// The beginning of a configuration, which may lie outside of the workspace. Nobody is waited for.
fn text(path: &Path) -> Vec<u8> {
    text_up_to(path, LONGEST)
}

pub(super) fn text_up_to(path: &Path, longest: u64) -> Vec<u8> {
    let mut text = Vec::new();
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NOCTTY;
    // Where it can't be read git can't either; a longer one names its hooks at the beginning as well as anywhere.
    if let Ok(file) = rustix::fs::open(path, flags, Mode::empty()).map(File::from)
        && file.metadata().is_ok_and(|metadata| metadata.is_file())
    {
        let _ = file.take(longest).read_to_end(&mut text);
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_lies_elsewhere_in_the_workspace_is_found_by_link_and_by_configuration() {
        let workspace = tempfile::tempdir().unwrap();
        let root = workspace.path().canonicalize().unwrap();
        for folder in [".git", ".githooks", "own/hooks", "sub/.git", "other/.git"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        std::fs::write(root.join("shared"), "[include]\npath = more\n").unwrap();
        std::fs::write(
            root.join("more"),
            "[core]\nhooksPath = own/hooks\n[include]\npath = shared",
        )
        .unwrap();
        std::os::unix::fs::symlink("../../own/hooks", root.join("sub/.git/hooks")).unwrap();
        let opened = Root::open(&root).unwrap();
        let places = |folder: &str| -> Vec<PathBuf> {
            let found = named(&opened, &root, Path::new(folder), &[], &Lookups::default()).into_iter();
            found.map(|leads| leads.path).collect()
        };
        let config = |folder: &str, text: &str| {
            std::fs::write(root.join(folder).join("config"), text).unwrap();
            places(folder)
        };
        for text in ["[core]\n\thooksPath = .githooks\n", "[core] HOOKSPATH=\".githooks\"\n"] {
            assert_eq!(config(".git", text), [Path::new(".githooks")], "{text}");
        }
        let included = config(".git", "[core]\n[includeIf \"gitdir:x\"]\n\tpath = ../shared\n");
        for place in ["shared", "more", "own/hooks"] {
            assert!(included.contains(&PathBuf::from(place)), "{place}: {included:?}");
        }
        assert_eq!(places("sub/.git"), [Path::new("own/hooks")]);
        let tree = "[core]\n\tworktree = ../../own\n\thooksPath = hooks\n";
        assert_eq!(config("other/.git", tree), [Path::new("own/hooks")]);
        std::fs::create_dir(root.join("tools")).unwrap();
        for file in ["conv.sh", "tools/merge.sh", "main"] {
            std::fs::write(root.join(file), "").unwrap();
        }
        let named = config(
            ".git",
            "[diff \"x\"]\n\ttextconv = sh conv.sh\n[alias]\n\tm = \"!tools/merge.sh main; rm ./conv.sh x/y\"\n",
        );
        assert_eq!(named, ["conv.sh", "tools/merge.sh", "conv.sh"].map(Path::new));
        for none in [
            "[branch \"x\"]\n\tmerge = tools/merge.sh\n",
            "[user]\n\tname = conv.sh\n",
            "[core]\n\tbare = false\n",
            "[core]\n\thooksPath = /etc\n",
            "[core]\n\thooksPath = ..\n",
            "[include]\n\tpath = /etc/passwd\n",
        ] {
            assert_eq!(config("other/.git", none), Vec::<PathBuf>::new(), "{none}");
        }
    }
}
