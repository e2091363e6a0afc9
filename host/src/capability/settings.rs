//! `settings`: what the operator configured for skills, read-only, the same for a whole decision.

use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, WasmStr};

use super::{HasCall, charge};

/// Links the interface.
///
/// # Errors
/// When it is linked already.
pub fn link<T: HasCall>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    let mut settings = linker.instance("passepartout:skill/settings@0.1.0")?;
    settings.func_wrap("get", |mut store: StoreContextMut<'_, T>, (key,): (WasmStr,)| {
        let (value, cost) = {
            let key = key.to_str(&store)?;
            let value = store.data().call().settings.get(key.as_ref()).cloned();
            let cost = key.len() + value.as_ref().map_or(0, String::len);
            (value, cost)
        };
        charge(&mut store, cost)?;
        Ok((value,))
    })
}
