//! Capabilities: what a skill can import, one file an interface.

pub mod process;
