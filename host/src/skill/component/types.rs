//! The types of the exported interface, checked once before a skill is used: a linker looks at names only.

use wasmtime::component::{ComponentExportIndex, ComponentNamedList, ComponentType, Lift, Lower};

use super::{Exports, Running};
use crate::skill::fault::one_line;

/// What a gate's function returns.
#[derive(Clone, Debug, PartialEq, Eq, ComponentType, Lift)]
#[component(variant)]
pub(in crate::skill) enum GuestVerdict {
    #[component(name = "pass")]
    Pass,
    #[component(name = "revise")]
    Revise(String),
    #[component(name = "reject")]
    Reject(String),
    #[component(name = "ask")]
    Ask(String),
}

impl Running {
    /// Checks that every function has the type of our interface, without calling any: a linker doesn't look.
    pub(in crate::skill) fn check_types(&mut self, exports: &Exports) -> Result<(), String> {
        type Said = (Result<String, String>,);
        self.check::<(), (String,)>(&exports.describe, "describe")?;
        self.check::<(u32,), (bool,)>(&exports.trigger, "trigger")?;
        self.check::<(u32,), (Option<String>,)>(&exports.prompt, "prompt")?;
        self.check::<(u32,), (Option<String>,)>(&exports.mandate, "mandate")?;
        self.check::<(u32, u32), (GuestVerdict,)>(&exports.gate, "gate")?;
        self.check::<(u32, u32), Said>(&exports.act, "act")?;
        self.check::<(String, u32, u32), Said>(&exports.call_tool, "call-tool")?;
        self.check::<(u32, u32), (Option<String>,)>(&exports.recover, "recover")
    }

    fn check<P, R>(&mut self, export: &ComponentExportIndex, name: &str) -> Result<(), String>
    where
        P: ComponentNamedList + Lower,
        R: ComponentNamedList + Lift,
    {
        match self.instance.get_typed_func::<P, R>(&mut self.store, export) {
            Ok(_) => Ok(()),
            Err(error) => Err(format!(
                "its function `{name}` has another type than ours: {}",
                one_line(&error)
            )),
        }
    }
}
