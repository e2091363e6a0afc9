//! Walking through the files beneath a folder, within a bound.

use passepartout_sdk::files::{self, Entry, Kind};

/// Most entries that one walk looks at. Beyond, the answer says that it is not the whole.
const ENTRIES: usize = 50_000;

/// Folders below the one that was named which nobody means when looking for something.
const LEFT_OUT: &[&str] = &[".git", "node_modules", "__pycache__"];

/// The file that marks a folder as a cache (bford.info/cachedir).
const CACHE_MARK: &str = "CACHEDIR.TAG";

/// How a walk ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Walked {
    /// Folders that could not be listed.
    pub(crate) closed: usize,
    /// Whether the bound was reached before the end.
    pub(crate) stopped: bool,
}

impl Walked {
    /// What the answer must say so that nobody takes it for the whole.
    pub(crate) fn notes(self) -> String {
        let mut notes = String::new();
        match self.closed {
            0 => {}
            1 => notes.push_str("1 folder can't be looked into\n"),
            closed => notes.push_str(&format!("{closed} folders can't be looked into\n")),
        }
        if self.stopped {
            notes.push_str(&format!(
                "stopped after {ENTRIES} entries: name a smaller folder to see the rest\n"
            ));
        }
        notes
    }
}

/// Hands `take` each plain file beneath `folder`, in the order of paths: its path, the path beneath the folder, and the
/// entry. `take` says whether to go on.
///
/// # Errors
/// When the folder itself can't be listed.
pub(crate) fn walk(folder: &str, mut take: impl FnMut(&str, &str, &Entry) -> bool) -> Result<Walked, String> {
    let mut walked = Walked::default();
    let mut looked_at = 0;
    // What is to come, the next one last. A path beneath the folder, and what stands there.
    let mut waiting: Vec<(String, Entry)> = Vec::new();
    let first = files::list_folder(folder).map_err(|failure| failure.to_string())?;
    put(&mut waiting, "", first);
    while let Some((below, entry)) = waiting.pop() {
        looked_at += 1;
        if looked_at > ENTRIES {
            walked.stopped = true;
            break;
        }
        let path = join(folder, &below);
        match entry.kind {
            Kind::File => {
                if !take(&path, &below, &entry) {
                    break;
                }
            }
            Kind::Folder if LEFT_OUT.contains(&entry.name.as_str()) => {}
            Kind::Folder => match files::list_folder(&path) {
                Ok(entries) if entries.iter().any(|entry| entry.name == CACHE_MARK) => {}
                Ok(entries) => put(&mut waiting, &below, entries),
                Err(_) => walked.closed += 1,
            },
            // A link would lead to what is walked through anyway, or out.
            Kind::Link | Kind::Other => {}
        }
    }
    Ok(walked)
}

fn put(waiting: &mut Vec<(String, Entry)>, below: &str, entries: Vec<Entry>) {
    let path = |entry: Entry| (join(below, &entry.name), entry);
    waiting.extend(entries.into_iter().rev().map(path));
}

fn join(folder: &str, name: &str) -> String {
    match folder.trim_end_matches('/') {
        "" if folder.starts_with('/') => format!("/{name}"),
        "" | "." => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}
