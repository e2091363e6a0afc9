//! `forms`: reading the action and the signal of the running call, piece by piece.
//!
//! Nothing is copied but what is asked for. What a walk costs is counted, so that a gate that asks again and again
//! runs out of fuel and not the host out of patience.

use wasmtime::StoreContextMut;
use wasmtime::component::{ComponentType, Lower, WasmStr};

use super::interface::Acting;
use super::{HasCall, charge};
use crate::sexp::{Form, Text, steps};

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ComponentType, Lower)]
#[component(enum)]
#[repr(u8)]
enum Kind {
    #[component(name = "missing")]
    Missing,
    #[component(name = "nil")]
    Nil,
    #[component(name = "keyword")]
    Keyword,
    #[component(name = "symbol")]
    Symbol,
    #[component(name = "text")]
    Text,
    #[component(name = "integer")]
    Integer,
    #[component(name = "number")]
    Number,
    #[component(name = "character")]
    Character,
    #[component(name = "sequence")]
    Sequence,
    #[component(name = "other")]
    Other,
}

/// Links the interface.
///
/// # Errors
/// When it is linked already.
pub(super) fn link<T: HasCall>(forms: &mut Acting<'_, T>) -> wasmtime::Result<()> {
    forms.func(
        "kind-of",
        |store: StoreContextMut<'_, T>, (of, path): (u32, WasmStr)| {
            read(store, of, &path, |form| (kind(form), 0)).map(|kind| (kind,))
        },
    )?;
    forms.func("text", |store: StoreContextMut<'_, T>, (of, path): (u32, WasmStr)| {
        let found = read(store, of, &path, |form| {
            let text = form.and_then(text);
            let size = text.as_ref().map_or(0, |text| text.len());
            (text, size)
        })?;
        Ok((found,))
    })?;
    forms.func(
        "integer",
        |store: StoreContextMut<'_, T>, (of, path): (u32, WasmStr)| {
            read(store, of, &path, |form| (form.and_then(Form::as_int), 0)).map(|found| (found,))
        },
    )?;
    forms.func("count", |store: StoreContextMut<'_, T>, (of, path): (u32, WasmStr)| {
        let count = read(store, of, &path, |form| {
            (form.and_then(Form::items).map_or(0, <[Form]>::len), 0)
        })?;
        Ok((u32::try_from(count).unwrap_or(u32::MAX),))
    })?;
    forms.func("keys", |store: StoreContextMut<'_, T>, (of, path): (u32, WasmStr)| {
        let keys = read(store, of, &path, |form| {
            let keys: Vec<String> = form
                .map(|form| form.pairs().map(|(key, _)| key.to_uppercase()).collect())
                .unwrap_or_default();
            let size = keys.iter().map(|key| key.len() + size_of::<String>()).sum();
            (keys, size)
        })?;
        Ok((keys,))
    })?;
    forms.func(
        "printed",
        |store: StoreContextMut<'_, T>, (of, path): (u32, WasmStr)| {
            let printed = read(store, of, &path, |form| {
                let printed = form.map(Form::to_string);
                // Printing costs several times what copying does.
                let size = printed.as_ref().map_or(0, |text| 8 * text.len());
                (printed, size)
            })?;
            Ok((printed,))
        },
    )?;
    forms.func("size", |store: StoreContextMut<'_, T>, (of, path): (u32, WasmStr)| {
        let size = read(store, of, &path, |form| {
            (form.and_then(Form::as_str).map_or(0, str::len), 0)
        })?;
        Ok((u32::try_from(size).unwrap_or(u32::MAX),))
    })
}

/// Hands `take` what stands at `path`, and charges for the walk and for what `take` says it copied.
fn read<T: HasCall, R>(
    mut store: StoreContextMut<'_, T>,
    of: u32,
    path: &WasmStr,
    take: impl FnOnce(Option<&Form>) -> (R, usize),
) -> wasmtime::Result<R> {
    let (result, cost) = {
        let path = path.to_str(&store)?;
        let (found, walked) = walk(store.data().call().frame.form(of)?, &path);
        let (result, size) = take(found);
        (result, path.len() + walked + size)
    };
    charge(&mut store, cost)?;
    Ok(result)
}

/// What [`Form::at`] finds at `path`, and what finding it cost: one a list item that may have been looked at.
pub(super) fn walk<'a>(form: &'a Form, path: &str) -> (Option<&'a Form>, usize) {
    let mut cost = 0;
    if path.is_empty() {
        return (Some(form), cost);
    }
    let mut here = Some(form);
    for step in steps(path) {
        let Some(form) = here else { break };
        cost += form.items().map_or(0, <[Form]>::len);
        here = form.step(step).filter(|_| !step.is_empty());
    }
    (here, cost)
}

fn kind(form: Option<&Form>) -> Kind {
    match form {
        None => Kind::Missing,
        Some(Form::Nil) => Kind::Nil,
        Some(Form::Keyword(_)) => Kind::Keyword,
        Some(Form::Symbol(_)) => Kind::Symbol,
        Some(Form::String(_)) => Kind::Text,
        Some(form @ Form::Number(_)) if form.as_int().is_some() => Kind::Integer,
        Some(Form::Number(_)) => Kind::Number,
        Some(Form::Char(_)) => Kind::Character,
        Some(Form::List(_)) => Kind::Sequence,
        Some(Form::Dotted(..) | Form::Vector(_) | Form::Pathname(_)) => Kind::Other,
    }
}

fn text(form: &Form) -> Option<Text> {
    match form {
        Form::String(text) => Some(text.clone()),
        Form::Keyword(name) | Form::Symbol(name) => Some(name.as_str().into()),
        Form::Number(number) => Some(number.text().into()),
        _ => None,
    }
}
