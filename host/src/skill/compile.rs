//! From a component's bytes to code: by compiling, or by taking what was compiled when the host was built.

use std::panic::{AssertUnwindSafe, catch_unwind};

use wasmtime::Engine;
use wasmtime::component::Component;

use super::fault::one_line;
use super::workshop::LoadFault;

/// Compiles. A compiler that fails on one file must not take the host with it.
pub(super) fn compiled(engine: &Engine, bytes: &[u8]) -> Result<Component, LoadFault> {
    match catch_unwind(AssertUnwindSafe(|| Component::from_binary(engine, bytes))) {
        Ok(component) => component.map_err(|error| LoadFault::Compile(one_line(&error))),
        Err(_) => Err(LoadFault::Compile("the compiler failed on it".to_owned())),
    }
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
