//! What memory promises, through its own door.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod faults;
mod ingesting;
mod keeping;
mod model;
mod showing;

use super::{Memory, Object};
use crate::sexp::read;

/// Perceives a payload and commits it.
fn perceive(memory: &mut Memory, payload: &str) {
    let mut overlay = memory.overlay();
    overlay.perceive(&read(payload).unwrap()).unwrap();
    memory.commit(overlay);
}

/// A buffer of the nodes `nodes`, in Lisp.
fn buffer(memory: &mut Memory, path: &str, nodes: &str) {
    perceive(
        memory,
        &format!("(:SENSOR :BUFFER-UPDATE :PATH \"{path}\" :NODES ({nodes}))"),
    );
}

/// What the text of a payload is refused with.
fn refused(memory: &Memory, payload: &str) -> String {
    memory
        .overlay()
        .perceive(&read(payload).unwrap())
        .unwrap_err()
        .to_string()
}

fn object<'m>(memory: &'m Memory, id: &str) -> &'m Object {
    memory.get(id).unwrap()
}

/// The ids of the children of `id`.
fn children(memory: &Memory, id: &str) -> Vec<String> {
    object(memory, id).children.iter().map(ToString::to_string).collect()
}
