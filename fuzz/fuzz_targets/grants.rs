//! Any bytes as the grants file: refused with the line, or read, and then an entry can be added and is there.
#![no_main]

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use passepartout_host::sexp::Digest;
use passepartout_host::skill::{Entry, Grants, Pin, Right, grants};

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a temporary folder"));

fuzz_target!(|bytes: &[u8]| {
    let path = write(bytes);
    match Grants::load(&path) {
        Ok(_) => {
            let entry = Entry::Grant {
                skill: "fuzzed".to_owned(),
                pin: Pin::Follow,
                right: Right::Revise,
            };
            grants::add(&path, &entry).expect("what was read can be added to");
            let read = Grants::load(&path).expect("what was added can be read");
            let rights = read.rights_of("fuzzed", &Digest::of_file(b"any"));
            assert!(rights.contains(&Right::Revise));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});

fn write(bytes: &[u8]) -> PathBuf {
    let path = FOLDER.path().join("grants");
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options
        .open(&path)
        .and_then(|mut file| file.write_all(bytes))
        .expect("the grants file");
    path
}
