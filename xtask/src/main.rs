//! The project's automation.

mod skills;

use std::path::Path;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

/// The project's automation.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Builds the bundled skills into skills/target/bundled
    Skills,
}

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .context("the crate xtask stands in no workspace")?;
    match Arguments::parse().task {
        Task::Skills => {
            for component in skills::build_skills(root)? {
                let bytes = std::fs::metadata(&component)?.len();
                println!("{} ({bytes} bytes)", component.display());
            }
        }
    }
    Ok(())
}
