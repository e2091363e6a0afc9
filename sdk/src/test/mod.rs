//! Testing a skill natively, with plain `cargo test` and without wasm.
//!
//! A [`Harness`] plays the host for one call: it holds the action and the signal as plist texts, the settings, the
//! secrets, and what commands, files and servers would answer, calls one function of the skill, and keeps what it did.

mod did;
pub(crate) mod form;
mod harness;
pub(crate) mod lent;
mod read;
mod request;
pub(crate) mod world;

pub use harness::Harness;
pub use request::Request;
