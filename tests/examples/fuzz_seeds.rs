//! Writes what the fuzz target `loader` begins with into `fuzz/corpus/loader/`: the bundled skills, hostile ones, and
//! components with Rust's standard library.

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
    Ok(())
}
