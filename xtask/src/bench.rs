//! `cargo xtask bench`: what it all costs, measured on an optimised build, as one table with the goals beside it.
//!
//! The figures mean something beside each other, in one run on one machine that does nothing else. No test asserts any.

use std::path::Path;

use anyhow::{Result, bail};

use crate::skills;
use crate::step::{Cargo, Steps};

/// The benchmarks, by the names of their targets, and what each is about.
const BENCHES: &[(&str, &str)] = &[
    ("daemon", "start, memory, and files dropped into a running daemon"),
    ("skills", "calls of skills in process"),
    (
        "gates",
        "what the gates say of other people's commands, and how long it takes them",
    ),
];

/// Builds everything optimised, and runs the benchmarks named in `chosen`, or all.
///
/// # Errors
/// When one is not known, does not build, or fails.
pub(crate) fn bench(root: &Path, chosen: &[String]) -> Result<()> {
    if let Some(unknown) = chosen.iter().find(|name| !BENCHES.iter().any(|(own, _)| own == name)) {
        let known: Vec<&str> = BENCHES.iter().map(|(name, _)| *name).collect();
        bail!("there is no benchmark `{unknown}`; there are {}", known.join(", "));
    }
    let chosen: Vec<_> = BENCHES
        .iter()
        .filter(|(name, _)| chosen.is_empty() || chosen.iter().any(|own| own == name))
        .collect();
    let mut steps = Steps::new(2 + chosen.len());
    steps.step("skills", || skills::build_skills(root).map(drop))?;
    steps.step("host, optimised (the first time takes some minutes)", || {
        Cargo::new(root, "build --release --workspace").run()
    })?;
    println!("{}", machine());
    for (name, about) in chosen {
        steps.step(&format!("{name}: {about}"), || {
            Cargo::new(root, &format!("bench --workspace --bench {name}")).run()
        })?;
    }
    Ok(())
}

/// What the figures were measured on, as far as it matters.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?");
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!(
        "on {cores} cores, load {load} before it began, kernel {}: figures are the median [lowest .. highest]",
        kernel.trim()
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    #[test]
    fn a_benchmark_that_is_not_there_is_named_with_those_that_are() {
        let error = bench(Path::new("/nowhere"), &["speed".to_owned()])
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("`speed`") && error.contains("daemon, skills, gates"),
            "{error}"
        );
    }
}
