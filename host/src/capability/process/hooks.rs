//! Hooks that git runs although they do not lie in the repository: githooks(5).

use std::io::Read;
use std::path::{Path, PathBuf};

/// How much of a repository's configuration is read, in bytes.
const LONGEST: u64 = 64 << 10;

/// Where in the workspace a repository's hooks are when they are not in it: a link, or `core.hooksPath`, may say so.
pub(super) fn elsewhere(workspace: &Path, folder: &Path) -> Vec<PathBuf> {
    let repository = workspace.join(folder);
    let mut places = Vec::new();
    if repository.join("hooks").is_symlink() {
        places.push(repository.join("hooks"));
    }
    let config = std::fs::File::open(repository.join("config"));
    let mut text = String::new();
    // Where it can't be read git can't either; a longer one names its hooks at the beginning as well as anywhere.
    let _ = config.and_then(|file| file.take(LONGEST).read_to_string(&mut text));
    let set = text.lines().filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        let key = key.rsplit([']', ' ', '\t']).find(|part| !part.is_empty())?;
        key.eq_ignore_ascii_case("hooksPath")
            .then(|| value.trim().trim_matches('"'))
    });
    // It goes from the work tree, in which `.git` lies.
    let tree = repository.parent().unwrap_or(workspace);
    places.extend(set.map(|path| tree.join(path)));
    let real = places.iter().filter_map(|place| place.canonicalize().ok());
    real.filter_map(|place| Some(place.strip_prefix(workspace).ok()?.to_owned()))
        .filter(|place| !place.as_os_str().is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn hooks_that_lie_elsewhere_in_the_workspace_are_found_by_link_and_by_configuration() {
        let workspace = tempfile::tempdir().unwrap();
        let root = workspace.path().canonicalize().unwrap();
        for folder in [".git", ".githooks", "own/hooks", "sub/.git", "other/.git"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        std::os::unix::fs::symlink("../../own/hooks", root.join("sub/.git/hooks")).unwrap();
        let config = |folder: &str, text: &str| {
            std::fs::write(root.join(folder).join("config"), text).unwrap();
            elsewhere(&root, Path::new(folder))
        };
        assert_eq!(
            config(".git", "[core]\n\thooksPath = .githooks\n"),
            [Path::new(".githooks")]
        );
        assert_eq!(
            config(".git", "[core] HOOKSPATH=\".githooks\"\n"),
            [Path::new(".githooks")]
        );
        assert_eq!(elsewhere(&root, Path::new("sub/.git")), [Path::new("own/hooks")]);
        for none in [
            "[core]\n\tbare = false\n",
            "[core]\n\thooksPath = /etc\n",
            "[core]\n\thooksPath = ..\n",
        ] {
            assert_eq!(config("other/.git", none), Vec::<PathBuf>::new(), "{none}");
        }
    }
}
