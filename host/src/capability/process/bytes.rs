//! Paths in JSON. A path is bytes and need not be text: each byte becomes the character of its number, so that what is
//! ASCII stays readable and nothing that a command can name keeps a message from being sent.

use serde::{Deserialize, Deserializer, Serializer, de::Error};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

fn written(path: &Path) -> String {
    path.as_os_str()
        .as_bytes()
        .iter()
        .map(|byte| char::from(*byte))
        .collect()
}

fn read(text: &str) -> Option<PathBuf> {
    let bytes = text.chars().map(|char| u8::try_from(char).ok());
    Some(PathBuf::from(OsString::from_vec(bytes.collect::<Option<Vec<u8>>>()?)))
}

/// Writes one path.
pub(super) fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&written(path))
}

/// Reads one path.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
    read(&String::deserialize(from)?).ok_or_else(|| D::Error::custom("not a path"))
}

/// The same for several.
pub(super) mod each {
    use super::{Deserialize, Deserializer, Error, PathBuf, Serializer, read, written};

    /// Writes the paths.
    pub(in super::super) fn serialize<S: Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(paths.iter().map(|path| written(path)))
    }

    /// Reads them.
    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<PathBuf>, D::Error> {
        let texts = Vec::<String>::deserialize(from)?;
        let paths = texts.iter().map(|text| read(text));
        paths
            .collect::<Option<Vec<PathBuf>>>()
            .ok_or_else(|| D::Error::custom("not a path"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_no_text_comes_back_as_it_was() {
        let path = PathBuf::from(OsString::from_vec(b"/a\xff\xc3/\xe4 b".to_vec()));
        assert_eq!(read(&written(&path)), Some(path));
        assert_eq!(written(Path::new("/home/ada")), "/home/ada");
        assert_eq!(read("\u{2014}"), None);
    }
}
