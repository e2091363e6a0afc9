//! Embeds the bundled skills: their components, and what both engines make of them, so that the daemon starts without
//! compiling anything. The engines' configuration is the host's own file. Embeds also what authors of skills need.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result, bail};
use wasmtime::{Config, Engine};

#[path = "build/author.rs"]
mod author;
#[path = "src/skill/tuning.rs"]
mod tuning;

/// The skills that are part of the host, and whether each carries out actions, so that the engine for that needs it too.
const BUNDLED: &[(&str, bool)] = &[
    ("dispatcher", false),
    ("files", true),
    ("memory", true),
    ("policy", false),
    ("repl", true),
    ("shell", true),
    ("web", true),
];

fn main() -> Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").context("cargo sets OUT_DIR")?);
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").context("cargo sets CARGO_MANIFEST_DIR")?);
    let folder = root.join("../skills/target/bundled");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build/author.rs");
    println!("cargo::rerun-if-changed=src/skill/tuning.rs");
    println!("cargo::rerun-if-changed=../Cargo.lock");
    println!(
        "cargo::rustc-env=WASMTIME_VERSION={}",
        wasmtime_version(&root.join("../Cargo.lock"))?
    );
    let skills: Vec<(&str, bool, PathBuf)> = BUNDLED
        .iter()
        .map(|(name, acts)| (*name, *acts, folder.join(format!("{name}.wasm"))))
        .collect();
    for (_, _, path) in &skills {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let missing: Vec<&str> = skills
        .iter()
        .filter(|(_, _, path)| !path.is_file())
        .map(|(name, _, _)| *name)
        .collect();
    if !missing.is_empty() {
        bail!(
            "the bundled skills are not built ({} missing): run `cargo xtask skills` (or `cargo xtask run`, which does it)",
            missing.join(", ")
        );
    }
    let mut table = String::from("/// The bundled skills, by name.\npub static BUNDLED: &[Bundled] = &[\n");
    for (name, acts, path) in &skills {
        let wasm = fs::read(path).with_context(|| path.display().to_string())?;
        let pure = compile(&out, name, "pure", tuning::pure(), &wasm)?;
        let acting = match acts {
            true => format!(
                "Some(include_bytes!({:?}))",
                compile(&out, name, "acting", tuning::acting(), &wasm)?
            ),
            false => "None".to_owned(),
        };
        let path = path.canonicalize().with_context(|| path.display().to_string())?;
        writeln!(
            table,
            "    Bundled {{ name: {name:?}, wasm: include_bytes!({path:?}), pure: include_bytes!({pure:?}), acting: \
             {acting} }},"
        )?;
    }
    table.push_str("];\n");
    fs::write(out.join("bundled.rs"), table)?;
    author::embed(&root.join(".."), &out)
}

/// Compiles one component for one engine, and says where the result is.
fn compile(out: &Path, name: &str, engine: &str, config: Config, wasm: &[u8]) -> Result<PathBuf> {
    // A fuzzer does not run them, and its build would spend minutes here. Empty code is compiled again where it is used.
    let code = match env::var_os("CARGO_CFG_FUZZING") {
        Some(_) => Vec::new(),
        None => Engine::new(&config)
            .and_then(|engine| engine.precompile_component(wasm))
            .map_err(|error| anyhow::anyhow!("the bundled skill `{name}` can't be compiled: {error:#}"))?,
    };
    let path = out.join(format!("{name}.{engine}.cwasm"));
    fs::write(&path, code)?;
    Ok(path)
}

/// The engine's version, for the record: the crate does not tell it.
fn wasmtime_version(lock: &Path) -> Result<String> {
    let text = fs::read_to_string(lock).with_context(|| lock.display().to_string())?;
    let after = text
        .split_once("name = \"wasmtime\"\nversion = \"")
        .context("Cargo.lock names no wasmtime")?
        .1;
    Ok(after.split('"').next().unwrap_or_default().to_owned())
}
