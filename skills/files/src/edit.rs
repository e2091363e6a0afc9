//! `write-file` and `edit-file`: the host does both, from the action that was cleared.

use passepartout_sdk::{Action, files};

use crate::{required, shown};

/// Writes a whole file.
pub(crate) fn write(action: &Action) -> Result<String, String> {
    let path = required(action, "path")?;
    files::write(action, "payload.args.path", "payload.args.text")
        .map(|size| format!("{} has {} now\n", shown::line(&path), shown::bytes(size)))
        .map_err(|failure| failure.to_string())
}

/// Replaces one piece of a file.
pub(crate) fn edit(action: &Action) -> Result<String, String> {
    let path = required(action, "path")?;
    files::edit(action, "payload.args.path", "payload.args.old", "payload.args.new")
        .map(|size| {
            format!(
                "{} was changed in one place, and has {} now\n",
                shown::line(&path),
                shown::bytes(size)
            )
        })
        .map_err(|failure| failure.to_string())
}
