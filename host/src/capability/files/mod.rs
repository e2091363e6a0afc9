//! `files`: reading and writing beneath the folders that the operator granted.
//!
//! Reading is bounded by the grant alone. Writing is an effect: its path and text are taken from the cleared action, or
//! the skill proposes an action of its own, `:FILES`. Either way the same code writes, checks what is protected on the
//! path that was really reached, and refuses a file that has changed since the action was closed.

mod diff;
mod edit;
mod keep;
mod leftover;
mod place;
mod protected;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::fmt;

use wasmtime::StoreContextMut;

use super::effects::{ByReference, Effects, check_length, deed, on_behalf, spend, text_of};
use super::interface::Acting;
use super::own::OnBehalf;
use super::{Bound, Failure, HasCall, Rights, charge};
use crate::gate::Cleared;
use crate::plist;
use crate::sexp::{Form, kw};
use crate::signal::Action;

pub use diff::{changes, futile, futile_by_content, path_of};
use edit::Edit;
pub use leftover::look_after_writing;
pub use protected::Protected;
pub use read::{Entry, Kind};
use write::Order;

/// The host's own target for files.
pub const TARGET: &str = "FILES";

/// Longest text or explanation of a skill's own, in bytes: what a form can hold.
const LONGEST: usize = 4 << 20;

/// Reading or writing: each is granted for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Read,
    Write,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Way::Read => "read",
            Way::Write => "write",
        })
    }
}

/// Where gates judge what is written, and where.
const WRITE: ByReference = ByReference {
    name: "files.write",
    places: &[
        (TARGET, &["payload.path", "payload.text"]),
        ("TOOL", &["payload.args.path", "payload.args.text"]),
    ],
    otherwise: "files.propose-write",
};

/// Where gates judge what is edited, and where.
const EDIT: ByReference = ByReference {
    name: "files.edit",
    places: &[("TOOL", &["payload.args.path", "payload.args.old", "payload.args.new"])],
    otherwise: "files.propose-write",
};

/// Links the interface.
///
/// # Errors
/// When it is linked already.
pub(super) fn link<T: HasCall>(files: &mut Acting<'_, T>) -> wasmtime::Result<()> {
    files.func(
        "read",
        |mut store: StoreContextMut<'_, T>, (path, offset, length): (String, u64, u32)| {
            charge(&mut store, path.len())?;
            let bytes = on_behalf(&mut store, |_, on| read::read(&path, offset, length, on))?;
            Ok((bytes.and_then(|bytes| spend(&mut store, bytes.len()).map(|()| bytes)),))
        },
    )?;
    files.func("about", |mut store: StoreContextMut<'_, T>, (path,): (String,)| {
        charge(&mut store, path.len())?;
        Ok((on_behalf(&mut store, |_, on| read::about(&path, on))?,))
    })?;
    files.func("sha256", |mut store: StoreContextMut<'_, T>, (path,): (String,)| {
        charge(&mut store, path.len())?;
        Ok((on_behalf(&mut store, |_, on| read::sha256(&path, on))?,))
    })?;
    files.func(
        "list-folder",
        |mut store: StoreContextMut<'_, T>, (path,): (String,)| {
            charge(&mut store, path.len())?;
            Ok((on_behalf(&mut store, |_, on| read::list(&path, on))?,))
        },
    )?;
    files.func(
        "write",
        |mut store: StoreContextMut<'_, T>, (of, path, text): (u32, String, String)| {
            charge(&mut store, path.len() + text.len())?;
            let order =
                deed(store.data_mut().call_mut()).and_then(|deed| deed.take(&WRITE, of, &[&path, &text], Order::of));
            let written = match order {
                Ok(order) => on_behalf(&mut store, |_, on| write::write(&order, on))?,
                Err(failure) => Err(failure),
            };
            Ok((written,))
        },
    )?;
    files.func(
        "edit",
        |mut store: StoreContextMut<'_, T>, (of, path, old, new): (u32, String, String, String)| {
            charge(&mut store, path.len() + old.len() + new.len())?;
            let edit = deed(store.data_mut().call_mut())
                .and_then(|deed| deed.take(&EDIT, of, &[&path, &old, &new], Edit::of));
            let written = match edit {
                Ok(edit) => on_behalf(&mut store, |_, on| edit::edit(&edit, on))?,
                Err(failure) => Err(failure),
            };
            Ok((written,))
        },
    )?;
    files.func(
        "propose-write",
        |mut store: StoreContextMut<'_, T>, (path, text, replace, why): (String, String, bool, String)| {
            charge(&mut store, path.len() + text.len() + why.len())?;
            check_length(&[&path, &text, &why], LONGEST)?;
            Ok((on_behalf(&mut store, |effects, on| {
                let order = Order {
                    base: write::base(&path, on)?,
                    path,
                    text,
                    replace,
                };
                propose(effects, on, &order, &why)
            })?,))
        },
    )
}

fn propose(effects: &dyn Effects, on: &OnBehalf<'_>, order: &Order, why: &str) -> Result<u64, Failure> {
    let payload = plist!("ACTION" => kw("WRITE"), "PATH" => &order.path, "TEXT" => &order.text);
    let payload = if order.replace {
        payload.with("REPLACE", true)
    } else {
        payload
    };
    let payload = match &order.base {
        Some(base) => payload.with(BASE, base.as_str()),
        None => payload,
    };
    let cleared = effects.clear(on.skill, TARGET, payload.with("EXPLANATION", why))?;
    // What is written is what was cleared: a gate may have revised it.
    write::write(&Order::of(cleared.get())?, on)
}

/// Carries out a cleared `:FILES` action.
///
/// # Errors
/// Whatever kept it from being done.
pub(super) fn carry_out(action: &Cleared<Action>, on: &OnBehalf<'_>) -> Result<String, Failure> {
    let order = Order::of(action.get())?;
    let size = write::write(&order, on)?;
    let bytes = if size == 1 { "byte" } else { "bytes" };
    Ok(format!("wrote {size} {bytes} to {}", order.path))
}

/// The key under which the host says what a file was when the action was closed.
const BASE: &str = "BASE-SHA256";

impl Order {
    /// What `action` says is to be written: beside the path whether to replace, and in the payload what the host put
    /// there.
    fn of(action: &Action) -> Result<Order, Failure> {
        let beside = if action.target() == TARGET {
            "payload"
        } else {
            "payload.args"
        };
        let at = |key: &str| format!("{beside}.{key}");
        Ok(Order {
            path: text_of(action, &at("path"))?.to_owned(),
            text: text_of(action, &at("text"))?.to_owned(),
            replace: action.form().at(&at("replace")).is_some_and(Form::is_true),
            base: action.payload().get(BASE).and_then(Form::as_str).map(str::to_owned),
        })
    }
}

/// What the host adds to a call of a tool when it closes it, where the arguments name a file that would be written and
/// that exists: `(:BASE-SHA256 "…")`, or nothing.
pub fn base_of(args: &Form, on: &OnBehalf<'_>) -> Form {
    let text = |key: &str| args.get(key).and_then(Form::as_str);
    let changes = text("TEXT").is_some() || (text("OLD").is_some() && text("NEW").is_some());
    match text("PATH").filter(|_| changes) {
        // What can't be written there is refused when it is tried, and then says why.
        Some(path) => write::base(path, on)
            .ok()
            .flatten()
            .map_or(Form::Nil, |base| Form::plist([(BASE, base.into())])),
        None => Form::Nil,
    }
}

/// Whether these rights let a skill write any file.
pub fn may_write(rights: &Rights) -> bool {
    rights.iter().any(|bound| matches!(bound, Bound::FilesWrite(_)))
}
