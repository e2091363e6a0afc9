//! From a component's bytes to code: by compiling, or by taking what was compiled when the host was built.

use std::panic::{AssertUnwindSafe, catch_unwind};

use wasmtime::Engine;
use wasmtime::component::Component;

use super::fault::one_line;
use super::workshop::LoadFault;

/// Compiles to code that can be kept, of `allowed` bytes at the most. A compiler that fails on one file must not take the host with it.
///
/// # Errors
/// When it can't be compiled, or comes to too much.
pub(super) fn compile(engine: &Engine, bytes: &[u8], allowed: u64) -> Result<Vec<u8>, LoadFault> {
    let code = match catch_unwind(AssertUnwindSafe(|| engine.precompile_component(bytes))) {
        Ok(code) => code.map_err(|error| LoadFault::Compile(one_line(&error)))?,
        Err(_) => return Err(LoadFault::Compile("the compiler failed on it".to_owned())),
    };
    let asked = code.len() as u64;
    if asked > allowed {
        return Err(LoadFault::Code { asked, allowed });
    }
    Ok(code)
}

/// Takes code that was compiled just now, by this process or by one that it started.
pub(super) fn fresh(engine: &Engine, code: &[u8]) -> Result<Component, LoadFault> {
    // SAFETY: The bytes come from `compile`, in this process or in one of our own binary that we started and whose pipe
    // nobody else has; they are in memory of our own.
    unsafe { Component::deserialize(engine, code) }.map_err(|error| LoadFault::Compile(one_line(&error)))
}

/// Takes code that was compiled when the host was built.
pub(super) fn precompiled(engine: &Engine, compiled: &'static [u8]) -> Result<Component, String> {
    if Engine::detect_precompiled(compiled).is_none() {
        return Err("it is no compiled component".to_owned());
    }
    // SAFETY: The bytes are part of our own binary, made by our build script with the same wasmtime and the same
    // configuration; nobody who could change them would need to. Whether they fit this engine and this processor is
    // checked by `deserialize`, which refuses them otherwise.
    unsafe { Component::deserialize(engine, compiled) }.map_err(|error| one_line(&error))
}
