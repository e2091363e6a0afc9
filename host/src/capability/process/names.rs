//! Where folders really are: without symbolic links, and by every name under which they are mounted.

use super::outside::failed;
use super::{ProcessError, alias};
use std::path::{Component, Path, PathBuf};

/// The workspace without symbolic links, if it is a folder that can be one.
pub(super) fn existing_folder(workspace: &Path) -> Result<PathBuf, ProcessError> {
    let remedy = "create it, or set another one with --workspace";
    let path = std::fs::canonicalize(workspace).map_err(|error| {
        failed(
            format!("the workspace {} can't be used: {error}", workspace.display()),
            remedy,
        )
    })?;
    if !path.is_dir() {
        return Err(failed(
            format!("the workspace {} is not a folder", workspace.display()),
            remedy,
        ));
    }
    if path.parent().is_none() {
        return Err(failed(
            "the workspace is the root of the file system",
            "choose a folder",
        ));
    }
    Ok(path)
}

/// Every name that the `places` have, without symbolic links: their own, and those by which they are mounted elsewhere.
///
/// # Errors
/// When that can't be found out.
pub fn every_name(places: &[PathBuf]) -> Result<Vec<PathBuf>, ProcessError> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo")
        .map_err(|error| failed(format!("/proc/self/mountinfo can't be read: {error}"), "mount /proc"))?;
    let mut names = places
        .iter()
        .map(|path| resolved(path))
        .collect::<Result<Vec<PathBuf>, ProcessError>>()?;
    let others: Vec<PathBuf> = names
        .iter()
        .flat_map(|path| alias::other_names(path, &mounts))
        .collect();
    names.extend(others);
    Ok(names)
}

/// Where else the workspace is mounted, outside of itself.
pub(super) fn other_names_of(workspace: &Path) -> Result<Vec<PathBuf>, ProcessError> {
    let names = every_name(&[workspace.to_owned()])?.into_iter();
    Ok(names
        .filter(|name| !name.starts_with(workspace) && !workspace.starts_with(name))
        .collect())
}

/// Where `path` leads, with the symbolic links of the part of it that exists resolved.
fn resolved(path: &Path) -> Result<PathBuf, ProcessError> {
    let real = path.ancestors().find_map(|part| {
        let rest = path.strip_prefix(part).ok()?;
        let real = std::fs::canonicalize(part).ok()?;
        // Joining nothing would leave a slash at the end.
        Some(if rest.as_os_str().is_empty() {
            real
        } else {
            real.join(rest)
        })
    });
    // What is written otherwise would be hidden under a name that nothing has.
    let plain = |path: &Path| path.is_absolute() && !path.components().any(|part| part == Component::ParentDir);
    match real {
        Some(real) if path.is_absolute() && plain(&real) && real.parent().is_some() => Ok(real),
        _ => Err(failed(
            format!("{} can't be hidden from commands", path.display()),
            "name it by an absolute path without \"..\", below the root",
        )),
    }
}
