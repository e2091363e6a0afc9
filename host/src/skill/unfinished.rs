//! Files on their way into the skills folder: hidden, and not called `.wasm`, so that nobody takes one for a skill.

use std::fs;
use std::path::{Path, PathBuf};

/// What such a file's name ends with, after the number of the process that writes it.
const PART: &str = ".part";

/// Where this process writes what shall become `target`.
pub fn unfinished(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{}{PART}", std::process::id()))
}

/// Removes what processes left in `folder` that were ended while they wrote.
pub fn remove_unfinished(folder: &Path) {
    // A folder that can't be read is told of by whoever needs it.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(writer) = writer_of(&name.to_string_lossy()) else {
            continue;
        };
        if !Path::new("/proc").join(writer.to_string()).exists()
            && let Err(error) = fs::remove_file(entry.path())
        {
            tracing::warn!("{} could not be removed: {error}", entry.path().display());
        }
    }
}

/// The process that wrote a file of this name, if it is one on its way.
fn writer_of(name: &str) -> Option<u32> {
    let (skill, writer) = name.strip_prefix('.')?.strip_suffix(PART)?.rsplit_once('.')?;
    skill.ends_with(".wasm").then(|| writer.parse().ok())?
}
