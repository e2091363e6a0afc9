//! Write a skill for Passepartout.
//!
//! A skill is a type that implements [`Skill`] and is handed to [`export!`]. It writes the functions it has, says in
//! [`Skill::describe`] which those are, and leaves the rest to the defaults:
//!
//! ```
//! use passepartout_sdk::{Action, Description, Function, Rejection, Signal, Skill, Verdict, export};
//!
//! struct NoShouting;
//!
//! impl Skill for NoShouting {
//!     fn describe() -> Description {
//!         Description::new("no-shouting", env!("CARGO_PKG_VERSION")).priority(100).function(Function::Gate)
//!     }
//!
//!     fn gate(action: &Action, _signal: &Signal) -> Verdict {
//!         match action.text("payload.text") {
//!             Some(text) if text.len() > 3 && text == text.to_uppercase() => {
//!                 Rejection::new("shouting", "the message is in capitals only").field("payload.text").into()
//!             }
//!             _ => Verdict::Pass,
//!         }
//!     }
//! }
//!
//! export!(NoShouting);
//!
//! // Natively, the same code runs against a harness, so plain `cargo test` tests it.
//! use passepartout_sdk::test::Harness;
//!
//! let calm = Harness::new().action(r#"(:TARGET :CLI :PAYLOAD (:ACTION :MESSAGE :TEXT "Hello"))"#);
//! assert_eq!(calm.gate::<NoShouting>(), Verdict::Pass);
//! ```
//!
//! The action and the signal are not copied into the skill. It holds a small handle on each and asks for what it needs:
//! `action.text("payload.cmd")`. What the component imports is what its code uses, and what it imports is what the
//! operator is asked to grant: a gate that reads fields imports nothing that needs a grant.

#![deny(missing_docs)]

#[doc(hidden)]
#[rustfmt::skip]
pub mod bindings;
pub mod capability;
mod description;
mod export;
pub mod files;
mod form;
pub mod http;
mod imports;
pub mod log;
pub mod memory;
pub mod model;
pub mod plist;
pub mod process;
#[cfg(not(target_arch = "wasm32"))]
mod reach;
mod restart;
pub mod schedule;
pub mod secrets;
pub mod settings;
mod skill;
#[cfg(not(target_arch = "wasm32"))]
pub mod test;
mod tool;
mod trigger;
pub mod vault;
mod verdict;

pub use description::{Description, Function, Right};
pub use export::Component;
pub use form::{Action, Failure, Form, Kind, Origin, Signal};
pub use restart::Restart;
pub use skill::Skill;
pub use tool::{Parameter, Tool};
pub use trigger::Trigger;
pub use verdict::{Ask, Rejection, Risk, Verdict};
