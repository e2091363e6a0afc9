//! The project's files, by their paths from its root.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn document() -> String {
    read("ARCHITECTURE.md")
}

/// The root of the project: the nearest folder upwards that has the document.
pub(crate) fn root() -> PathBuf {
    let from = option_env!("CARGO_MANIFEST_DIR").map_or_else(|| std::env::current_dir().unwrap(), PathBuf::from);
    let found = from.ancestors().find(|folder| folder.join("ARCHITECTURE.md").is_file());
    found
        .unwrap_or_else(|| panic!("no folder above {} has an ARCHITECTURE.md", from.display()))
        .to_owned()
}

pub(crate) fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The names in a folder, hidden ones only at the root.
pub(crate) fn entries(folder: &str) -> BTreeSet<String> {
    let names = fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    names
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| folder.is_empty() || !name.starts_with('.'))
        .collect()
}

/// The Rust files beneath a folder, from the root on, without what is built.
pub(crate) fn rust_files(folder: &str) -> Vec<String> {
    let (mut open, mut files) = (vec![PathBuf::from(folder)], Vec::new());
    while let Some(folder) = open.pop() {
        for name in entries(&folder.to_string_lossy()) {
            let path = folder.join(&name);
            if root().join(&path).is_dir() {
                if name != "target" {
                    open.push(path);
                }
            } else if Path::new(&name).extension().is_some_and(|extension| extension == "rs") {
                files.push(path.to_string_lossy().into_owned());
            }
        }
    }
    files.sort();
    assert!(!files.is_empty(), "{folder} has no Rust files; has it moved?");
    files
}
