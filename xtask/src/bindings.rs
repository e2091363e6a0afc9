//! `cargo xtask bindings`: the SDK's bindings, as plain Rust from `wit/`. They are committed, so that no author of a skill
//! needs the generator; whatever builds the skills brings them up to date first, and the tests fail if they are not.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use wit_bindgen_core::wit_parser::Resolve;
use wit_bindgen_core::{Files, WorldGenerator};
use wit_bindgen_rust::Opts;

/// What the file begins with.
const HEAD: &str = "\
//! The bindings of the WIT package, generated from `wit/` by `cargo xtask bindings`: change that, not this. Nothing outside
//! this crate names them: the export macro does, and the modules that give them a Rust shape.
//!
//! This file is long because it is generated.

#![allow(missing_docs, unreachable_pub, unsafe_op_in_unsafe_fn)]
#![allow(clippy::all, clippy::undocumented_unsafe_blocks, clippy::unwrap_used, clippy::expect_used)]

";

/// Where the bindings are, beneath `root`.
fn file(root: &Path) -> PathBuf {
    root.join("sdk/src/bindings.rs")
}

/// Writes the bindings, unless the file holds them already, and says whether it did.
///
/// # Errors
/// When the WIT has a fault, which the text names, or the file can't be written.
pub(crate) fn write(root: &Path) -> Result<bool> {
    let (file, text) = (file(root), generate(root)?);
    if fs::read_to_string(&file).is_ok_and(|earlier| earlier == text) {
        return Ok(false);
    }
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(true)
}

/// Fails unless the bindings are those of the WIT.
///
/// # Errors
/// When they are not; the text has the command.
pub(crate) fn check(root: &Path) -> Result<()> {
    let file = file(root);
    let there = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    if there != generate(root)? {
        bail!(
            "{} is not what wit/ makes; run `cargo xtask bindings` and commit the file",
            file.display()
        );
    }
    Ok(())
}

/// The text of the file.
fn generate(root: &Path) -> Result<String> {
    let wit = root.join("wit");
    let mut resolve = Resolve::default();
    let (package, _) = resolve
        .push_path(&wit)
        .with_context(|| format!("{} can't be read as WIT", wit.display()))?;
    let world = resolve.select_world(&[package], Some("passepartout"))?;
    let options = Opts {
        format: true,
        pub_export_macro: true,
        export_macro_name: Some("export_component".to_owned()),
        default_bindings_module: Some("passepartout_sdk::bindings".to_owned()),
        ..Opts::default()
    };
    let mut files = Files::default();
    options
        .build()
        .generate(&mut resolve, world, &mut files)
        .context("no bindings can be made of wit/")?;
    let (_, code) = files.iter().next().context("the generator wrote no file")?;
    let code = std::str::from_utf8(code).context("the generator wrote no UTF-8")?;
    Ok(format!("{HEAD}{code}"))
}
