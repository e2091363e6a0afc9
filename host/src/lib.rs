//! The Passepartout host: an agent daemon in which a language model may only propose.
//!
//! Data moves from bytes through `protocol`, `signal`, `cycle`, `gate` and `skill` to `actuator`, and back to bytes.
//! ARCHITECTURE.md has the map.

mod audit;
pub mod config;
pub mod gate;
pub mod memory;
pub mod protocol;
pub mod sexp;
pub mod signal;
