//! What the configuration was read from, so that a daemon can tell that it goes on with an older one than the files hold.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Config, ModelConfig, file};
use crate::sexp::Digest;

/// The files of the configuration, each as it was when it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    files: BTreeMap<PathBuf, Option<Digest>>,
    /// What they and the variables said of all but models, when they were read.
    rest: Option<Digest>,
}

impl Sources {
    /// Notes what the file `path` held; none where there was no file.
    pub(super) fn note(&mut self, path: &Path, text: Option<&str>) {
        self.files.insert(path.to_owned(), text.map(digest));
    }

    /// Notes what all of them said, of which models are left out: what they say of those is taken up while a daemon runs,
    /// but for who is asked to agree.
    pub(super) fn note_rest(&mut self, config: &Config) {
        let mut rest = config.clone();
        rest.sources = Sources::default();
        let consulted = std::mem::take(&mut rest.model.consulted);
        rest.model = ModelConfig {
            consulted,
            ..ModelConfig::defaults(config.home.config.join("config.toml"))
        };
        self.rest = Some(digest(&format!("{rest:?}")));
    }

    /// Whether `other` said something else of all but models.
    pub fn differs_beside_models(&self, other: &Sources) -> bool {
        self.rest != other.rest
    }

    /// The files that hold something else now. One that can't be read is not known to.
    pub fn changed(&self) -> Vec<&Path> {
        let changed = self.files.iter().filter(|(path, then)| match file::text(path) {
            Ok(text) => **then != text.as_deref().map(digest),
            Err(_) => false,
        });
        changed.map(|(path, _)| path.as_path()).collect()
    }
}

fn digest(text: &str) -> Digest {
    Digest::of("passepartout-configuration-1", text.as_bytes())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_file_that_was_written_made_or_removed_has_changed_and_one_that_was_saved_again_has_not() {
        let folder = tempfile::tempdir().unwrap();
        let [same, written, made, removed] =
            ["same", "written", "made", "removed"].map(|name| folder.path().join(name));
        let mut sources = Sources::default();
        for path in [&same, &written, &removed] {
            std::fs::write(path, "a = 1\n").unwrap();
            sources.note(path, Some("a = 1\n"));
        }
        sources.note(&made, None);
        assert!(sources.changed().is_empty());
        std::fs::write(&same, "a = 1\n").unwrap();
        std::fs::write(&written, "a = 2\n").unwrap();
        std::fs::write(&made, "").unwrap();
        std::fs::remove_file(&removed).unwrap();
        assert_eq!(sources.changed(), [&made, &removed, &written]);
    }
}
