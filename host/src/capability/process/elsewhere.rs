//! What git runs or obeys although it does not lie in the repository: githooks(5), git-config(1).
//!
//! A link, `core.hooksPath` and `include.path` lead to other places, and entries such as `diff.*.textconv` name programs.
//! Where one of those is in the workspace a command could change it.

use super::config;
use super::listing::{Root, inside};
use rustix::fs::OFlags;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// How much of one configuration is read, in bytes.
const LONGEST: u64 = 64 << 10;
/// Most configurations that are read for one repository: each may include others.
const MOST: usize = 32;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Whatever a link in the repository is for.
    Linked,
    /// Hooks.
    Hooks,
    /// A file of configuration.
    Configuration,
    /// A file in a work tree that an entry names, which may be one that git runs.
    Named,
}

/// Where the repository at `folder` leads git in the workspace.
pub(super) fn named(root: &Root, workspace: &Path, folder: &Path) -> Vec<Leads> {
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
    // What each configuration says goes from the folder that it lies in.
    let mut waiting: Vec<PathBuf> = ["config", "config.worktree"]
        .iter()
        .filter_map(|name| inside(workspace, &repository.join(name)))
        .collect();
    let (mut trees, mut read) = (Vec::new(), 0);
    while let Some(config) = waiting.pop() {
        read += 1;
        if read > MOST {
            break;
        }
        let text = text(root, &config);
        let from = config
            .parent()
            .map_or_else(|| workspace.to_owned(), |parent| workspace.join(parent));
        for (section, key, value) in entries(&text) {
            match key.as_str() {
                "hookspath" => {
                    if trees.is_empty() {
                        trees = work_trees(root, workspace, folder, &text);
                    }
                    let places = trees.iter().map(|tree| tree.join(&value));
                    found.extend(places.filter_map(|place| {
                        Some(Leads {
                            said: format!("hooks {}", place.display()),
                            what: What::Hooks,
                            path: inside(workspace, &place)?,
                        })
                    }));
                }
                "path" if section.starts_with("include") => {
                    let Some(place) = inside(workspace, &from.join(&value)) else {
                        continue;
                    };
                    let said = format!("include {}", from.join(&value).display());
                    if !found.iter().any(|other| other.said == said) {
                        waiting.push(place.clone());
                        found.push(Leads {
                            said,
                            what: What::Configuration,
                            path: place,
                        });
                    }
                }
                _ if config::only_describes(&section, &key) => {}
                _ => {
                    let words = words(&value).take(MOST);
                    for word in words {
                        if trees.is_empty() {
                            trees = work_trees(root, workspace, folder, &text);
                        }
                        let places = trees.iter().filter_map(|tree| {
                            let place = tree.join(word);
                            Some((place.display().to_string(), inside(workspace, &place)?))
                        });
                        found.extend(places.map(|(place, path)| Leads {
                            said: format!("named {place}"),
                            what: What::Named,
                            path,
                        }));
                    }
                }
            }
        }
    }
    found
}

/// The words of a value that may be the path of a file, relative to a work tree: where git runs programs.
fn words(value: &str) -> impl Iterator<Item = &str> {
    let parts = value.split(|char: char| char.is_whitespace() || "'\"\\!;&|()<>=$".contains(char));
    parts.filter(|word| {
        let names = word.contains('/') || word.trim_start_matches('.').contains('.');
        names && !word.starts_with(['/', '~', '-', '+']) && !word.contains(':')
    })
}

/// Where the repository's files may be checked out: beside it, where its configuration says, and its other work trees.
/// Relative hooks go from there.
fn work_trees(root: &Root, workspace: &Path, folder: &Path, config: &str) -> Vec<PathBuf> {
    let repository = workspace.join(folder);
    let mut trees = vec![repository.parent().unwrap_or(workspace).to_owned()];
    if repository.file_name().is_none_or(|name| name != ".git") {
        trees.push(repository.clone());
    }
    let set = entries(config).into_iter().filter(|(_, key, _)| key == "worktree");
    trees.extend(set.map(|(_, _, value)| repository.join(value)));
    let others = folder.join("worktrees");
    for entry in root.list(&others, MOST).unwrap_or_default() {
        let said = text(root, &others.join(entry.name).join("gitdir"));
        trees.extend(Path::new(said.trim_end()).parent().map(|tree| repository.join(tree)));
    }
    trees
}

/// Section, key in lower case, and value of each line that has one. A line may begin with its section.
fn entries(text: &str) -> Vec<(String, String, String)> {
    let mut section = String::new();
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        let mut rest = line;
        if let Some((head, after)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            section = head.to_ascii_lowercase();
            rest = after.trim();
        }
        if let Some((key, value)) = rest.split_once('=') {
            let value = value.trim().trim_matches('"').to_owned();
            found.push((section.clone(), key.trim().to_ascii_lowercase(), value));
        }
    }
    found
}

fn text(root: &Root, path: &Path) -> String {
    let mut text = Vec::new();
    // Where it can't be read git can't either; a longer one names its hooks at the beginning as well as anywhere.
    if let Ok(file) = root.reach(path, OFlags::RDONLY) {
        let _ = File::from(file).take(LONGEST).read_to_end(&mut text);
    }
    String::from_utf8_lossy(&text).into_owned()
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
            let found = named(&opened, &root, Path::new(folder)).into_iter();
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
