//! The Passepartout host: an agent daemon in which a language model may only propose.
//!
//! Data moves from bytes through `protocol`, `signal`, `cycle`, `gate` and `skill` to `actuator`, and back to bytes.
//! ARCHITECTURE.md has the map.

mod actuator;
mod audit;
pub mod capability;
pub mod cli;
pub mod config;
mod context;
mod cycle;
mod daemon;
pub mod gate;
pub mod memory;
pub mod model;
pub mod protocol;
pub mod sexp;
pub mod signal;
pub mod skill;
pub mod vault;
