//! `list-directory`: the entries of a folder, folders first.

use passepartout_sdk::Action;
use passepartout_sdk::files::{self, Kind};

use crate::folder;
use crate::shown::{self, Lines};

/// Carries the tool out.
pub(crate) fn call(action: &Action) -> Result<String, String> {
    let path = folder(action)?;
    let mut entries = files::list_folder(&path).map_err(|failure| failure.to_string())?;
    // Stable, so that names stay in their order.
    entries.sort_by_key(|entry| entry.kind != Kind::Folder);
    let mut lines = Lines::default();
    for entry in &entries {
        let name = shown::line(&entry.name);
        lines.push(&match entry.kind {
            Kind::Folder => format!("{name}/"),
            Kind::File => format!("{name}  {}", shown::bytes(entry.size)),
            Kind::Link => format!("{name}  a link"),
            Kind::Other => format!("{name}  neither file nor folder"),
        });
    }
    if lines.is_empty() {
        return Ok(format!("{} is empty\n", shown::line(&path)));
    }
    Ok(lines.finish("entries"))
}
