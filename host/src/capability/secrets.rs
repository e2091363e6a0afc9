//! `secrets`: whether a text contains something the operator keeps secret, without showing it.
//!
//! The values never enter a guest. Needs the right `contains-secret`, which the loader checks before linking.

use wasmtime::StoreContextMut;
use wasmtime::component::WasmStr;

use super::forms::walk;
use super::interface::Acting;
use super::{HasCall, charge};
use crate::sexp::Form;

/// Links the interface.
///
/// # Errors
/// When it is linked already.
pub(super) fn link<T: HasCall>(secrets: &mut Acting<'_, T>) -> wasmtime::Result<()> {
    secrets.func(
        "contains-secret",
        |mut store: StoreContextMut<'_, T>, (of, path): (u32, WasmStr)| {
            let (answer, cost) = {
                let path = path.to_str(&store)?;
                let call = store.data().call();
                let (found, walked) = walk(call.frame.form(of)?, &path);
                let size = found.map_or(0, weight);
                (
                    found.is_some_and(|form| call.secrets.contains_in(form)),
                    walked + size * (1 + call.secrets.len()),
                )
            };
            charge(&mut store, cost)?;
            Ok((answer,))
        },
    )?;
    secrets.func(
        "text-contains-secret",
        |mut store: StoreContextMut<'_, T>, (text,): (WasmStr,)| {
            let (answer, cost) = {
                let text = text.to_str(&store)?;
                let secrets = &store.data().call().secrets;
                (secrets.contains(&text), text.len() * (1 + secrets.len()))
            };
            charge(&mut store, cost)?;
            Ok((answer,))
        },
    )
}

/// How much there is to look through, in bytes.
fn weight(form: &Form) -> usize {
    match form {
        Form::String(text) | Form::Pathname(text) => text.len(),
        Form::Keyword(name) | Form::Symbol(name) => name.len(),
        Form::List(items) | Form::Vector(items) => items.iter().map(weight).sum::<usize>() + items.len(),
        Form::Dotted(items, tail) => items.iter().map(weight).sum::<usize>() + weight(tail),
        Form::Nil | Form::Number(_) | Form::Char(_) => 1,
    }
}
