//! `cargo xtask test`: everything that must hold before a change goes in. A step that fails does not keep the others
//! from being run, except those that need it; the last lines are the sum of the tests and what failed.

use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::step::{Cargo, Elapsed, Steps};
use crate::tally::Tally;
use crate::{authors, bindings, lisps, skills};

/// The folders of the workspaces, each of which must be formatted. Not with `--all`, which would follow paths into the other
/// workspaces, and into what others wrote.
const FORMATS: &[&str] = &[
    "",
    "skills",
    "fuzz",
    "docs/examples/gate",
    "docs/examples/actuator",
    "docs/examples/tool",
    "docs/examples/fetcher",
    "docs/examples/proposer",
    "docs/examples/reminder",
    "docs/examples/heartbeat",
    "docs/examples/hint",
];

/// A workspace that no other step builds, so that nothing else would notice what its lock file lacks, or what of the host its
/// targets use and is there no more. In the folder of the host, where what both need is checked once.
const FUZZ: &str = "fuzz";
const CHECK_FUZZ: &str =
    "check --manifest-path fuzz/Cargo.toml --target-dir target --locked --features host,shell --bins";

/// Clippy over one workspace; the skills natively, in the folder that their components are built in.
const CLIPPY: &str = "clippy --workspace --all-targets -- -D warnings";
const CLIPPY_SKILLS: &str = "clippy --manifest-path skills/Cargo.toml --target-dir skills/target --workspace \
                             --all-targets -- -D warnings";
const TEST: &str = "test --workspace --no-fail-fast";
const TEST_SKILLS: &str =
    "test --manifest-path skills/Cargo.toml --target-dir skills/target --workspace --no-fail-fast";

/// Runs every check.
///
/// # Errors
/// None of a step: those are told at the end, and the exit code is that of a failure.
pub(crate) fn check(root: &Path) -> Result<ExitCode> {
    let begun = Instant::now();
    let mut steps = Steps::new(14);
    let mut failures: Vec<(&str, anyhow::Error)> = Vec::new();
    let mut tally = Tally::default();
    let mut step = |name: &'static str, work: &mut dyn FnMut() -> Result<()>| {
        let done = steps.step(name, work);
        let is_ok = done.is_ok();
        failures.extend(done.err().map(|error| (name, error)));
        is_ok
    };

    step("rustfmt and clippy are there", &mut || components(root));
    step("the targets that authors build for are there", &mut || {
        skills::provide_targets(root)
    });
    step("the fuzzers' lock file", &mut || lock_file(&root.join(FUZZ)));
    // Tests of the skills compare with the one, tests of the host with both.
    step("SBCL and Emacs are there", &mut lisps::provide);
    step("bindings", &mut || bindings::check(root));
    // The host embeds them, so nothing of it compiles without.
    let skills = step("skills", &mut || skills::build_skills(root).map(drop));
    step("formatting", &mut || formatting(root));
    step("clippy, skills", &mut || Cargo::new(root, CLIPPY_SKILLS).run());
    step("tests, skills", &mut || tests(root, TEST_SKILLS, &mut tally));
    step("clippy and tests, examples", &mut || {
        authors::examples(root, &mut |command| tests(root, command, &mut tally))
    });
    // Where it counts, a test that nobody ran is not one that passed.
    let strict = std::env::var("CI").is_ok_and(|value| value == "true");
    let mut left_out = None;
    if skills {
        step("clippy", &mut || {
            Cargo::new(root, CLIPPY).run()?;
            Cargo::new(root, authors::CLIPPY).run()
        });
        step("the fuzz targets compile", &mut || Cargo::new(root, CHECK_FUZZ).run());
        step("tests and doc tests", &mut || tests(root, TEST, &mut tally));
        step("the author's path with cargo component", &mut || {
            left_out = authors::cargo_component(root, strict)?;
            match left_out {
                None => tests(root, authors::TEST, &mut tally),
                Some(_) => Ok(()),
            }
        });
    }

    println!();
    if let Some(why) = &left_out {
        println!("NOT RUN, the author's path with cargo component: {why}");
    }
    if tally.ignored > 0 {
        println!("NOT RUN, {} tests: {}", tally.ignored, tally.names.join(", "));
        if strict {
            failures.push((
                "no test is ignored",
                anyhow::anyhow!("with CI=true every test must run; see NOT RUN above"),
            ));
        }
    }
    for (name, error) in &failures {
        println!("FAILED {name}: {error:#}");
    }
    println!("{tally}");
    let elapsed = Elapsed(begun.elapsed());
    Ok(if failures.is_empty() {
        println!("all green: formatting, clippy, skills, tests and doc tests, in {elapsed}");
        ExitCode::SUCCESS
    } else {
        let names: Vec<&str> = failures.iter().map(|(name, _)| *name).collect();
        let left_out = if skills {
            ""
        } else {
            " (and the rest was not tried: it needs the skills)"
        };
        println!("not green: {}{left_out}, in {elapsed}", names.join("; "));
        ExitCode::FAILURE
    })
}

/// Runs tests, shows what they print, and counts them.
fn tests(root: &Path, command: &str, tally: &mut Tally) -> Result<()> {
    Cargo::new(root, command).watch(|line| {
        // Nobody may be there to read it; the tests go on.
        let _ = writeln!(std::io::stdout(), "{line}");
        tally.see(line);
    })
}

/// Sees to it that rustfmt and clippy are there; the smallest toolchain has neither.
fn components(root: &Path) -> Result<()> {
    let there = |tool: &str| {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args([tool, "--version"]).current_dir(root);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let missing: Vec<&str> = [("fmt", "rustfmt"), ("clippy", "clippy")]
        .into_iter()
        .filter(|(tool, _)| !there(tool))
        .map(|(_, component)| component)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(" ");
    eprintln!("{names} missing; running `rustup component add {names}`");
    let added = Command::new("rustup")
        .args(["component", "add"])
        .args(&missing)
        .current_dir(root)
        .stdin(Stdio::null())
        .status();
    match added {
        Ok(status) if status.success() => Ok(()),
        _ => bail!("{names} missing, and rustup did not add it; run `rustup component add {names}`"),
    }
}

/// The lock file of the workspace in `folder` is what its manifests ask for. Not offline: what is in it may never have been
/// fetched.
fn lock_file(folder: &Path) -> Result<()> {
    let read = Cargo::new(folder, "metadata --locked --format-version 1").watch(|_| {});
    read.with_context(|| {
        format!(
            "{0}/Cargo.lock is not what the manifests ask for; run `cargo update --workspace --manifest-path {0}/Cargo.toml`",
            folder.display()
        )
    })
}

/// Every workspace is formatted. All are looked at, so that one run shows everything.
fn formatting(root: &Path) -> Result<()> {
    let mut bad = Vec::new();
    for folder in FORMATS {
        let folder = root.join(folder);
        if Cargo::new(&folder, "fmt --check").run().is_err() {
            bad.push(format!("`cargo fmt` in {}", folder.display()));
        }
    }
    if !bad.is_empty() {
        bail!(
            "the code is not formatted as rustfmt.toml says; run {}",
            bad.join(" and ")
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_fuzzers_lock_file_is_current() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        lock_file(&root.join(FUZZ)).unwrap();
    }

    #[test]
    fn a_lock_file_that_is_not_current_is_told_with_the_command_that_mends_it() {
        let folder = std::env::temp_dir().join(format!("passepartout-xtask-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("src")).unwrap();
        std::fs::write(folder.join("src/lib.rs"), "").unwrap();
        std::fs::write(
            folder.join("Cargo.toml"),
            "[package]\nname = \"a\"\nversion = \"0.1.0\"\n[workspace]\n",
        )
        .unwrap();
        std::fs::write(
            folder.join("Cargo.lock"),
            "version = 4\n[[package]]\nname = \"a\"\nversion = \"0.0.9\"\n",
        )
        .unwrap();
        let told = format!("{:#}", lock_file(&folder).unwrap_err());
        let command = format!(
            "`cargo update --workspace --manifest-path {}/Cargo.toml`",
            folder.display()
        );
        assert!(told.contains(&command), "{told}");
        // What it says is what helps.
        let manifest = folder.join("Cargo.toml").display().to_string();
        Cargo::new(
            &folder,
            &format!("update --offline --workspace --manifest-path {manifest}"),
        )
        .run()
        .unwrap();
        lock_file(&folder).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
