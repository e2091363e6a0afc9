//! Who the operator is to git, so that what a person has a command commit is theirs: of git's configuration for all repositories a
//! command finds the name and the address, and nothing else. Source: git-config(1), `user.name`.

use super::elsewhere::{at_home, everyones, text_up_to};
use super::gitconfig::{Setting, settings};
use super::message::{During, Trouble};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Where a command finds it.
pub(super) const PLACE: &str = "/run/identity/gitconfig";
/// How much is read of a configuration, in bytes, and how often one includes another.
const LONGEST: u64 = 64 << 10;
const DEEPEST: usize = 4;
/// What is told.
const KEYS: [&str; 2] = ["email", "name"];

/// A configuration that says no more than that, or nothing. What is included on a condition is not.
pub(super) fn of_operator() -> String {
    told(&everyones())
}

fn told(files: &[PathBuf]) -> String {
    let mut found = BTreeMap::new();
    for file in files {
        read(file, &mut found, 0);
    }
    let lines: String = found
        .iter()
        .map(|(key, value)| format!("\t{key} = {}\n", quoted(value)))
        .collect();
    if lines.is_empty() {
        return lines;
    }
    format!("[user]\n{lines}")
}

/// What comes later counts.
fn read(file: &Path, found: &mut BTreeMap<String, String>, depth: usize) {
    let Ok(file) = file.canonicalize() else { return };
    for Setting {
        section,
        part,
        key,
        value,
        ..
    } in settings(&text_up_to(&file, LONGEST)).0
    {
        match (section.as_str(), part, key.as_str()) {
            ("user", None, key) if KEYS.contains(&key) && !value.contains(char::is_control) => {
                found.insert(key.to_owned(), value);
            }
            ("include", None, "path") if depth < DEEPEST => {
                let place = file.parent().unwrap_or(Path::new("/")).join(at_home(&value));
                read(&place, found, depth + 1);
            }
            _ => {}
        }
    }
}

fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Puts it there, where no command can change it: whatever was told to git for all repositories would be lost.
pub(super) fn put(text: &str) -> Result<(), Trouble> {
    let what = "telling git who the operator is";
    let (file, folder) = (Path::new(PLACE), Path::new(PLACE).parent().unwrap_or(Path::new("/")));
    std::fs::create_dir_all(folder).during(what)?;
    std::fs::write(file, text).during(what)?;
    for (path, mode) in [(file, 0o444), (folder, 0o555)] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).during(what)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_name_and_the_address_are_told_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(
            at("one"),
            "[user]\nname = A\nemail = a@b\n[include]\npath = two\n[alias]\nst = status\n[credential]\nhelper = x\n",
        )
        .unwrap();
        std::fs::write(
            at("two"),
            "[user]\nname = \"Nora \\\"N\\\" \\\\ #1\"\nsigningkey = k\n[include]\npath=two\n",
        )
        .unwrap();
        std::os::unix::fs::symlink("one", at("link")).unwrap();
        let found = told(&[at("none"), at("link")]);
        assert_eq!(
            found,
            "[user]\n\temail = \"a@b\"\n\tname = \"Nora \\\"N\\\" \\\\ #1\"\n"
        );
        let read = settings(found.as_bytes()).0;
        assert_eq!(read[1].value, "Nora \"N\" \\ #1");
        assert_eq!(told(&[at("none")]), "");
    }
}
