//! Whether a command names a link of the workspace that leads out of it: what it then prints is somebody else's, although the name
//! is one of the workspace.

use std::path::{Component, Path, PathBuf};

/// Most words of a line that are looked at, and most folders among them in which the others are looked for too.
const MOST_WORDS: usize = 512;
const MOST_FOLDERS: usize = 8;
/// Most names that are looked at for one pattern.
const MOST_NAMES: usize = 10_000;

/// Whether a word of `line` is the path of something that lies outside `workspace`, by way of a link, or a pattern that matches
/// beside such a link. Words are told apart roughly: what is no path names nothing that is there.
pub fn leads_out(line: &str, workspace: &Path) -> bool {
    let Ok(root) = workspace.canonicalize() else {
        return false;
    };
    let between = |char: char| char.is_whitespace() || "'\"=;|&<>(){},:$`\\".contains(char);
    let words = line.split(between).filter(|word| !word.is_empty()).take(MOST_WORDS);
    let words: Vec<&Path> = words
        .map(Path::new)
        .map(|word| word.strip_prefix(workspace).unwrap_or(word))
        // What is named as outside is the gates' to see.
        .filter(|word| {
            word.components()
                .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        })
        .collect();
    let folders = words
        .iter()
        .map(|word| root.join(word))
        .filter(|folder| folder.is_dir());
    let folders: Vec<PathBuf> = std::iter::once(root.clone())
        .chain(folders.take(MOST_FOLDERS))
        .collect();
    let is_out = |place: &Path| place.canonicalize().is_ok_and(|real| !real.starts_with(&root));
    folders.iter().any(|folder| {
        words.iter().any(|word| match before_a_pattern(word) {
            Some(above) => links_of(&folder.join(above)).any(|link| is_out(&link)),
            None => is_out(&folder.join(word)),
        })
    })
}

/// The part of a path above its first step with a sign that stands for others, if it has one.
fn before_a_pattern(word: &Path) -> Option<PathBuf> {
    let plain = |part: &Component<'_>| !part.as_os_str().to_string_lossy().contains(['*', '?', '[']);
    let above: PathBuf = word.components().take_while(plain).collect();
    (above.components().count() < word.components().count()).then_some(above)
}

fn links_of(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .take(MOST_NAMES);
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()))
        .map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_what_a_link_takes_out_of_the_workspace_leads_out() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("work");
        std::fs::create_dir_all(workspace.join("sub/deep")).unwrap();
        std::fs::write(folder.path().join("x"), "x").unwrap();
        std::fs::write(workspace.join("own"), "x").unwrap();
        symlink("own", workspace.join("in")).unwrap();
        for command in ["cat in", "cat *", "make all", "cat sub/../own", "ls sub/*"] {
            assert!(!leads_out(command, &workspace), "{command}");
        }
        symlink("../x", workspace.join("out")).unwrap();
        symlink("..", workspace.join("sub/up")).unwrap();
        symlink("../..", workspace.join("sub/over")).unwrap();
        for command in [
            "cat out",
            "cat 'out'>y",
            "cat *",
            "dd if=out",
            "cat sub/over/x",
            "cd sub && cat over/x",
            "cat sub/*/x",
        ] {
            assert!(leads_out(command, &workspace), "{command}");
        }
        let whole = format!("cat {}", workspace.join("out").display());
        assert!(leads_out(&whole, &workspace));
        for command in ["cat in", "cat sub/up/own", "make all", "cat nothing/out"] {
            assert!(!leads_out(command, &workspace), "{command}");
        }
    }
}
