//! Writes what fuzz targets begin with into `fuzz/corpus/`: for `loader` the bundled skills, hostile ones, and components
//! with Rust's standard library; for `shell` short commands that people wrote.

use std::path::Path;

use anyhow::Context;
use passepartout_tests::guests::{Target, dreamer};
use passepartout_tests::hostile;

fn main() -> anyhow::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus/loader");
    std::fs::create_dir_all(&folder)?;
    let name = "hostile";
    let mut seeds = vec![
        ("passing", hostile::passing_gate(name)),
        ("rejecting", hostile::rejecting_gate(name, "rule")),
        ("looping", hostile::looping_gate(name)),
        ("trapping", hostile::trapping_gate(name)),
        ("eating", hostile::eating_gate(name)),
        ("babbling", hostile::babbling_gate(name)),
        ("mumbling", hostile::mumbling_gate(name)),
        ("asking", hostile::asking_gate(name, 3)),
        ("logging", hostile::logging_gate(name, 3)),
        ("tabling", hostile::tabling_gate(name, 3)),
        ("diving", hostile::diving_gate(name, 3)),
        ("manifold", hostile::manifold_skill(name, 3)),
        ("starting", hostile::endless_start(name)),
        ("running", hostile::running_actuator(name, "OWN", "payload.cmd")),
        ("proposing", hostile::proposing_actuator(name, "OWN", "ls")),
        ("reaching", hostile::reaching_skill(name)),
        ("core", hostile::core_module()),
        ("preview1", dreamer(Target::Preview1).to_vec()),
        ("preview2", dreamer(Target::Preview2).to_vec()),
    ];
    seeds.extend(
        passepartout_host::skill::BUNDLED
            .iter()
            .map(|own| (own.name, own.wasm.to_vec())),
    );
    for (name, bytes) in &seeds {
        let path = folder.join(name);
        std::fs::write(&path, bytes).with_context(|| path.display().to_string())?;
    }
    println!("{} seeds in {}", seeds.len(), folder.display());
    commands()
}

/// Every fifth of the short commands of the corpus: more would only slow the fuzzer's start.
fn commands() -> anyhow::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = here.join("../fuzz/corpus/shell");
    std::fs::create_dir_all(&folder)?;
    let corpus = std::fs::read_to_string(here.join("corpora/commands.jsonl"))?;
    let mut count = 0;
    for line in corpus.lines().step_by(5) {
        let row: serde_json::Value = serde_json::from_str(line)?;
        if let Some(command) = row["command"].as_str().filter(|command| command.len() <= 300) {
            std::fs::write(folder.join(format!("command-{count}")), command)?;
            count += 1;
        }
    }
    println!("{count} seeds in {}", folder.display());
    Ok(())
}
