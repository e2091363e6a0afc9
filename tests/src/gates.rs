//! The bundled gates in process, for what is measured of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use passepartout_host::capability::SecretSet;
use passepartout_host::config::{CompileLimits, GateInstances, GateStock, SkillConfig, SkillLimits};
use passepartout_host::gate::Gate;
use passepartout_host::skill::{BUNDLED, Grants, SkillSet, Workshop, load};

/// The bundled skills and `others` (their names and bytes), with instances of this kind.
pub fn gates_with(instances: GateInstances, others: &[(&str, &[u8])]) -> SkillSet {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in others {
        std::fs::write(folder.path().join(format!("{name}.wasm")), bytes).expect("write the gate");
    }
    let config = SkillConfig {
        limits: SkillLimits::DEFAULT,
        overrides: BTreeMap::new(),
        gates: GateStock { instances, ready: 4 },
        code_cache: 0,
        code: 64 << 20,
        compile: CompileLimits::DEFAULT,
    };
    let settings = Arc::new(BTreeMap::new());
    let workshop = Workshop::new(config, Vec::new(), settings, SecretSet::default()).expect("engines");
    load(&Arc::new(workshop), BUNDLED, folder.path(), &Grants::default())
}

/// The gate of this name.
pub fn gate<'s>(set: &'s SkillSet, name: &str) -> &'s Arc<dyn Gate> {
    set.gates()
        .iter()
        .find(|gate| gate.name() == name)
        .expect("the gate is loaded")
}
