//! Embeds what authors of skills get from `skill new`: the SDK, its runtime, the WIT, and the examples of the guide, which
//! are the beginnings of new skills.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Folders that are taken whole, from the root on.
const FOLDERS: &[&str] = &["sdk/src", "wit", "third-party"];

/// Single files.
const FILES: &[&str] = &["sdk/Cargo.toml"];

/// The examples, and what of each is taken: not what was built of it.
const EXAMPLES: &[&str] = &[
    "gate",
    "actuator",
    "tool",
    "fetcher",
    "proposer",
    "reminder",
    "heartbeat",
    "hint",
];
const OF_EXAMPLE: &[&str] = &[
    "Cargo.toml",
    "README.md",
    ".gitignore",
    ".cargo/config.toml",
    "src/lib.rs",
];

/// Writes the table of files to `out`. Each is known by its path beneath `root`.
pub(crate) fn embed(root: &Path, out: &Path) -> Result<()> {
    let mut names: Vec<String> = FILES.iter().map(|name| (*name).to_owned()).collect();
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={}", root.join(folder).display());
        collect(root, folder, &mut names)?;
    }
    for example in EXAMPLES {
        names.extend(OF_EXAMPLE.iter().map(|name| format!("docs/examples/{example}/{name}")));
    }
    names.sort();
    let mut table = String::from("/// Every file by its path in the project.\nstatic FILES: &[(&str, &[u8])] = &[\n");
    for name in &names {
        let path = root.join(name);
        println!("cargo::rerun-if-changed={}", path.display());
        let path = path.canonicalize().with_context(|| path.display().to_string())?;
        writeln!(table, "    ({name:?}, include_bytes!({path:?})),")?;
    }
    table.push_str("];\n");
    fs::write(out.join("author.rs"), table)?;
    Ok(())
}

fn collect(root: &Path, folder: &str, names: &mut Vec<String>) -> Result<()> {
    let path = root.join(folder);
    for entry in fs::read_dir(&path).with_context(|| path.display().to_string())? {
        let entry = entry?;
        let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(root, &name, names)?;
        } else {
            names.push(name);
        }
    }
    Ok(())
}
