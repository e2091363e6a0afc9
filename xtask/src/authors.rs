//! What authors of skills rely on: the examples of the guide, and the path with `cargo component`. That tool takes minutes to
//! install, so its check comes last, and only where it counts or the tool is there.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::step::Cargo;

/// The one version that skill authors were promised.
const INSTALL: &str = "install cargo-component --version 0.21.1 --locked --debug --root target/tools";

/// The test that needs it, and clippy over that test, which `--all-targets` leaves out.
pub(crate) const TEST: &str = "test --workspace --test cargo_component";
pub(crate) const CLIPPY: &str = "clippy --workspace --test cargo_component -- -D warnings";

/// Clippy and the tests of each example, natively, as its author would run them. `test` runs a command of cargo and counts.
///
/// # Errors
/// The first example that is not well.
pub(crate) fn examples(root: &Path, test: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
    for name in [
        "gate",
        "actuator",
        "tool",
        "fetcher",
        "proposer",
        "reminder",
        "heartbeat",
        "hint",
    ] {
        let manifest = format!("docs/examples/{name}/Cargo.toml");
        let folder = "--target-dir target/examples";
        Cargo::new(
            root,
            &format!("clippy --manifest-path {manifest} {folder} --all-targets -- -D warnings"),
        )
        .run()?;
        test(&format!("test --manifest-path {manifest} {folder} --no-fail-fast"))?;
    }
    Ok(())
}

/// Sees to it that `cargo component` is there: on the path, or in `target/tools`. Where it is not, `strict` installs it;
/// otherwise the reason why its check is left out is given back.
///
/// # Errors
/// When it can't be installed.
pub(crate) fn cargo_component(root: &Path, strict: bool) -> Result<Option<String>> {
    let tools = root.join("target/tools/bin/cargo-component");
    if runs(&PathBuf::from("cargo-component")) || runs(&tools) {
        return Ok(None);
    }
    if !strict {
        return Ok(Some(format!(
            "cargo component is not installed. `cargo {INSTALL}` takes some minutes, once; with CI=true this does it"
        )));
    }
    eprintln!("cargo component is missing; running `cargo {INSTALL}`, which takes some minutes");
    Cargo::new(root, INSTALL)
        .run()
        .context("cargo component can't be installed")?;
    Ok(None)
}

fn runs(program: &Path) -> bool {
    Command::new(program)
        .args(["component", "--version"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
