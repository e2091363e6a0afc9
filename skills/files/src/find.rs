//! `find-files`: files by their names.

use passepartout_sdk::Action;

use crate::glob::Glob;
use crate::shown::{self, Lines};
use crate::walk::walk;
use crate::{folder, required};

/// Carries the tool out.
pub(crate) fn call(action: &Action) -> Result<String, String> {
    let glob = Glob::new(&required(action, "pattern")?)?;
    let folder = folder(action)?;
    let mut lines = Lines::default();
    let walked = walk(&folder, |path, below, _| {
        if glob.matches(below) {
            lines.push(&shown::line(path));
        }
        true
    })?;
    let found = match lines.count() {
        0 => "no file has such a name\n".to_owned(),
        _ => lines.finish("files"),
    };
    Ok(found + &walked.notes())
}
