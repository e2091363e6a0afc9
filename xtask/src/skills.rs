//! Builds the bundled skills into components. It promises finished files in `skills/target/bundled`, and that a file whose
//! bytes did not change is not written again, so that the host which embeds them is not rebuilt for nothing. It knows
//! nothing of what a skill does.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::bindings;

/// No WASI in it: Rust's standard library imports nothing there, so that a skill's imports are what its own code uses.
const TARGET: &str = "wasm32-unknown-unknown";

/// Skills that are built otherwise, with their target and the size of their shadow stack in bytes: the dispatcher's parser
/// of bash needs a standard library that has WASI (of which a gate gets an empty one), and goes deep.
const OTHERWISE: &[(&str, &str, u32)] = &[("dispatcher", "wasm32-wasip1", 1024 * 1024)];

/// rustc's default shadow stack of 1 MiB makes each fresh instance touch more pages than a skill needs.
const STACK_BYTES: u32 = 64 * 1024;

/// What a component begins with; a core module has other bytes after the first four.
const COMPONENT_HEADER: &[u8] = b"\0asm\x0d\0\x01\0";

/// The interface that a skill exports, as its name stands in the component; the version follows.
const EXPORT: &[u8] = b"passepartout:skill/skill@";

/// Builds each crate of the workspace `skills/` beneath `root`, and gives back the components, sorted by name.
///
/// # Errors
/// When a tool is missing (the text says how to get it), when a skill does not build, or when its file cannot be written.
pub(crate) fn build_skills(root: &Path) -> Result<Vec<PathBuf>> {
    let skills = root.join("skills");
    let names = names(&skills)?;
    if bindings::write(root)? {
        eprintln!("skills: wit/ has changed, so sdk/src/bindings.rs was written anew; commit it");
    }
    let toolchain = Toolchain::find(root)?;
    let target_dir = skills.join("target");
    let bundled = target_dir.join("bundled");
    fs::create_dir_all(&bundled).with_context(|| format!("cannot create the folder {}", bundled.display()))?;
    let mut components = Vec::new();
    for (at, name) in names.iter().enumerate() {
        eprintln!("skills: building {name} ({} of {})", at + 1, names.len());
        let (target, stack) = shape(name);
        toolchain.add_target(target)?;
        let flags = toolchain.rustflags(root, stack)?;
        let built = build(&skills, &target_dir, name, target, &flags)?;
        components.push(publish(&built, &bundled.join(format!("{name}.wasm")))?);
    }
    remove_others(&bundled, &components)?;
    Ok(components)
}

/// The target of a skill, and the size of its shadow stack.
fn shape(name: &str) -> (&'static str, u32) {
    let other = OTHERWISE.iter().find(|(own, ..)| *own == name);
    other.map_or((TARGET, STACK_BYTES), |(_, target, stack)| (*target, *stack))
}

/// Sees to it that skills can be built for each target that authors build for.
///
/// # Errors
/// When one is missing and can't be added; the text has the command.
pub(crate) fn provide_targets(root: &Path) -> Result<()> {
    let toolchain = Toolchain::find(root)?;
    [TARGET, "wasm32-wasip1", "wasm32-wasip2"]
        .iter()
        .try_for_each(|target| toolchain.add_target(target))
}

/// The crates of the workspace. A skill's crate is called like its folder, because its file must be called like the skill.
fn names(skills: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let entries = fs::read_dir(skills).with_context(|| format!("cannot read the folder {}", skills.display()))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot read the folder {}", skills.display()))?;
        if entry.path().join("Cargo.toml").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    if names.is_empty() {
        bail!(
            "there is no skill in {}: each is a folder with a Cargo.toml",
            skills.display()
        );
    }
    names.sort();
    Ok(names)
}

/// The Rust toolchain that builds the skills.
struct Toolchain {
    sysroot: PathBuf,
    host: String,
}

impl Toolchain {
    fn find(root: &Path) -> Result<Toolchain> {
        let sysroot = PathBuf::from(ask_rustc(root, &["--print", "sysroot"])?.trim());
        let version = ask_rustc(root, &["-vV"])?;
        let host = host_triple(&version).context("`rustc -vV` names no host; is `rustc` really rustc?")?;
        Ok(Toolchain {
            sysroot,
            host: host.to_owned(),
        })
    }

    /// Adds a wasm target through rustup when it is missing.
    fn add_target(&self, target: &str) -> Result<()> {
        let installed = || self.sysroot.join("lib/rustlib").join(target).join("lib").is_dir();
        if installed() {
            return Ok(());
        }
        eprintln!("skills: the target {target} is missing; running `rustup target add {target}`");
        let toolchain = std::env::var_os("RUSTUP_TOOLCHAIN");
        let added = Command::new("rustup")
            .args(["target", "add", target])
            .args(
                toolchain
                    .map(|name| [OsString::from("--toolchain"), name])
                    .into_iter()
                    .flatten(),
            )
            .status();
        match added {
            Ok(status) if status.success() && installed() => Ok(()),
            _ => bail!(
                "Rust's standard library for {target} is not in {}, and rustup did not add it. Run `rustup target add \
                 {target}`; where Rust comes from the system's packages, install its package with that target instead",
                self.sysroot.display()
            ),
        }
    }

    /// The flags for the skills, in the form of `CARGO_ENCODED_RUSTFLAGS`. Paths are taken out, so that the same source
    /// gives the same bytes, and the same digest, wherever it is built.
    fn rustflags(&self, root: &Path, stack: u32) -> Result<OsString> {
        let linker = self
            .sysroot
            .join("lib/rustlib")
            .join(&self.host)
            .join("bin/wasm-component-ld");
        if !linker.is_file() {
            bail!(
                "rustc's component linker is not at {}. It comes with the toolchains of rustup (https://rustup.rs): run \
                 `rustup toolchain install`, and see with `rustc --print sysroot` that this toolchain is the one in use",
                linker.display()
            );
        }
        let mut flags = vec![
            setting("-Clinker=", &linker),
            format!("-Clink-arg=-zstack-size={stack}").into(),
        ];
        for (place, name) in [(Some(root.to_owned()), "=/passepartout"), (cargo_home(), "=/cargo")] {
            if let Some(place) = place {
                let mut flag = setting("--remap-path-prefix=", &place);
                flag.push(name);
                flags.push(flag);
            }
        }
        Ok(flags.join(&OsString::from("\x1f")))
    }
}

fn setting(name: &str, value: &Path) -> OsString {
    let mut flag = OsString::from(name);
    flag.push(value);
    flag
}

fn cargo_home() -> Option<PathBuf> {
    std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".cargo")))
}

fn ask_rustc(root: &Path, args: &[&str]) -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(&rustc).args(args).current_dir(root).output();
    let output =
        output.with_context(|| format!("cannot start `{}`; Rust comes from https://rustup.rs", rustc.display()))?;
    if !output.status.success() {
        bail!(
            "`rustc {}` failed: {}",
            args.join(" "),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    String::from_utf8(output.stdout).with_context(|| format!("`rustc {}` did not answer in UTF-8", args.join(" ")))
}

/// The host in what `rustc -vV` prints.
fn host_triple(version: &str) -> Option<&str> {
    version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::trim)
}

/// Builds one skill and gives back the file that cargo wrote.
fn build(skills: &Path, target_dir: &Path, name: &str, target: &str, flags: &OsString) -> Result<PathBuf> {
    // As a cdylib alone: together with a library for Rust, cargo would not optimise across crates.
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args([
            "rustc",
            "--quiet",
            "--release",
            "--lib",
            "--crate-type",
            "cdylib",
            "--target",
            target,
            "--package",
            name,
        ])
        .arg("--manifest-path")
        .arg(skills.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target_dir)
        .env_remove("RUSTFLAGS")
        .env("CARGO_ENCODED_RUSTFLAGS", flags)
        .status()
        .context("cannot start `cargo`; Rust comes from https://rustup.rs")?;
    if !status.success() {
        bail!("the skill `{name}` does not build; cargo's own message stands above");
    }
    Ok(target_dir
        .join(target)
        .join("release")
        .join(format!("{}.wasm", name.replace('-', "_"))))
}

/// Copies the component `built` to `published`, unless the same bytes are there already.
fn publish(built: &Path, published: &Path) -> Result<PathBuf> {
    let bytes = fs::read(built).with_context(|| {
        format!(
            "cannot read {}: a skill is a crate with crate-type \"cdylib\" named like its folder",
            built.display()
        )
    })?;
    // Without an export the linker drops everything, and what is left is a component all the same.
    if !bytes.starts_with(COMPONENT_HEADER) || !bytes.windows(EXPORT.len()).any(|part| part == EXPORT) {
        bail!(
            "{} is no skill: does the crate end with passepartout_sdk's `export!`?",
            built.display()
        );
    }
    if fs::read(published).is_ok_and(|earlier| earlier == bytes) {
        return Ok(published.to_owned());
    }
    // Renamed into place, so that nobody reads half a file.
    let half = published.with_extension("wasm.part");
    fs::write(&half, &bytes).with_context(|| format!("cannot write {}", half.display()))?;
    fs::rename(&half, published).with_context(|| format!("cannot write {}", published.display()))?;
    Ok(published.to_owned())
}

/// Removes what an earlier build left of skills that are no more, since the host embeds what is there.
fn remove_others(bundled: &Path, components: &[PathBuf]) -> Result<()> {
    for entry in fs::read_dir(bundled).with_context(|| format!("cannot read the folder {}", bundled.display()))? {
        let path = entry
            .with_context(|| format!("cannot read the folder {}", bundled.display()))?
            .path();
        if !components.contains(&path) {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    #[test]
    fn the_host_is_found_in_what_rustc_prints() {
        assert_eq!(
            host_triple("rustc 1.95.0\nbinary: rustc\nhost: aarch64-apple-darwin\n"),
            Some("aarch64-apple-darwin")
        );
        assert_eq!(host_triple("something else"), None);
    }

    #[test]
    fn a_component_with_the_same_bytes_is_not_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let (built, published) = (folder.path().join("built"), folder.path().join("skill.wasm"));
        fs::write(&built, [COMPONENT_HEADER, EXPORT, b"one"].concat()).unwrap();
        publish(&built, &published).unwrap();
        let read_only = |on: bool| {
            let mut permissions = fs::metadata(&published).unwrap().permissions();
            permissions.set_readonly(on);
            fs::set_permissions(&published, permissions).unwrap();
        };
        // A file that is written again is a new one, which is not read-only.
        read_only(true);
        publish(&built, &published).unwrap();
        assert!(fs::metadata(&published).unwrap().permissions().readonly());
        fs::write(&built, [COMPONENT_HEADER, EXPORT, b"two"].concat()).unwrap();
        publish(&built, &published).unwrap();
        assert!(!fs::metadata(&published).unwrap().permissions().readonly());
        assert!(fs::read(&published).unwrap().ends_with(b"two"));
    }

    #[test]
    fn a_core_module_and_a_component_without_the_export_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let built = folder.path().join("built");
        for bytes in [[b"\0asm\x01\0\0\0", EXPORT].concat(), COMPONENT_HEADER.to_vec()] {
            fs::write(&built, bytes).unwrap();
            let error = publish(&built, &folder.path().join("skill.wasm")).unwrap_err();
            assert!(error.to_string().contains("is no skill"), "{error}");
            assert!(!folder.path().join("skill.wasm").exists());
        }
    }

    #[test]
    fn components_of_skills_that_are_no_more_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let (kept, gone) = (folder.path().join("kept.wasm"), folder.path().join("gone.wasm"));
        fs::write(&kept, b"").unwrap();
        fs::write(&gone, b"").unwrap();
        remove_others(folder.path(), std::slice::from_ref(&kept)).unwrap();
        assert!(kept.exists() && !gone.exists());
    }

    #[test]
    fn only_folders_with_a_manifest_are_skills() {
        let folder = tempfile::tempdir().unwrap();
        assert!(names(folder.path()).unwrap_err().to_string().contains("no skill"));
        for name in ["target", "shell", "policy"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("Cargo.toml"), b"").unwrap();
        fs::write(folder.path().join("shell/Cargo.toml"), b"").unwrap();
        fs::write(folder.path().join("policy/Cargo.toml"), b"").unwrap();
        assert_eq!(names(folder.path()).unwrap(), ["policy", "shell"]);
    }
}
