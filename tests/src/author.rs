//! An author of skills: a crate that `skill new` wrote, built away from the project and without a network.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::skills::{Folder, Watcher};
use crate::{Daemon, Home};

/// A crate in a folder of its own.
pub struct Crate {
    /// What keeps its folder and cargo's.
    _place: tempfile::TempDir,
    folder: PathBuf,
    cargo_home: PathBuf,
    name: String,
}

impl Crate {
    /// `skill new NAME --kind KIND`, somewhere else.
    pub fn new(home: &Home, name: &str, kind: &str) -> Crate {
        let place = tempfile::Builder::new()
            .prefix("author")
            .tempdir()
            .expect("a temporary folder");
        let at = place.path().to_str().expect("a path in UTF-8");
        let ran = home.run(&["skill", "new", name, "--kind", kind, "--path", at]);
        assert_eq!(ran.code, 0, "{ran:?}");
        Crate {
            folder: place.path().join(name),
            // Empty, so that nothing can come from what was fetched for something else.
            cargo_home: place.path().join("cargo-home"),
            name: name.to_owned(),
            _place: place,
        }
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs cargo in it, offline, and gives back what it printed.
    pub fn cargo(&self, args: &[&str]) -> String {
        cargo(&self.folder, &self.cargo_home, args)
    }

    /// The component that a release build for `target` made.
    pub fn built(&self, target: &str) -> PathBuf {
        let file = format!("{}.wasm", self.name.replace('-', "_"));
        let path = self.folder.join("target").join(target).join("release").join(file);
        assert!(path.is_file(), "{} was not built", path.display());
        path
    }
}

/// Runs cargo in `folder` without a network, and gives back what it printed.
pub fn cargo(folder: &Path, cargo_home: &Path, args: &[&str]) -> String {
    let mut command = Command::new("cargo");
    // Where `cargo xtask test` has put `cargo component`, if it is nowhere else.
    let tools = crate::host_binary().with_file_name("../tools/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::env::split_paths(&path).chain([tools])).expect("a PATH");
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command
        .env("PATH", path)
        .env("CARGO_HOME", cargo_home)
        .env("CARGO_NET_OFFLINE", "true");
    for variable in [
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_TARGET_DIR",
        "CARGO_BUILD_TARGET",
    ] {
        command.env_remove(variable);
    }
    let output = command.output().expect("run cargo");
    let said = [output.stdout, output.stderr]
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .concat();
    assert!(output.status.success(), "cargo {}:\n{said}", args.join(" "));
    said
}

/// Copies `file` into the skills folder as the skill `name`, as a person would who has a daemon running, and waits until it
/// is live in that daemon.
pub fn drop_in(home: &Home, daemon: &Daemon<'_>, name: &str, file: &Path) {
    let bytes = std::fs::read(file).expect("read the component");
    Folder::of(home).copy(name, &bytes);
    Watcher::of(daemon).wait_file(name, &bytes);
}
