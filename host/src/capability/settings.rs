//! `settings`: what the operator configured for skills, read-only, the same for a whole decision.

use wasmtime::StoreContextMut;
use wasmtime::component::WasmStr;

use super::interface::Acting;
use super::{HasCall, charge};

/// Links the interface.
///
/// # Errors
/// When it is linked already.
pub(super) fn link<T: HasCall>(settings: &mut Acting<'_, T>) -> wasmtime::Result<()> {
    settings.func("get", |mut store: StoreContextMut<'_, T>, (key,): (WasmStr,)| {
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
