//! What the end-to-end tests share: a real daemon in a home of its own, and clients that speak to it as any peer does.
//!
//! Nothing here knows the host's inside: the binary is started, its socket is written to, its frames are read. Waiting
//! has an end, so that a test that fails says so instead of hanging; no test asserts how long something took.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that can't go on has failed"
)]

pub mod author;
pub mod bash;
pub mod compilers;
pub mod daemon;
pub mod full;
pub mod gates;
pub mod guest;
pub mod guests;
pub mod hostile;
pub mod model;
pub mod over;
pub mod pages;
pub mod paid;
pub mod peer;
pub mod reaching;
pub mod script;
pub mod server;
pub mod skills;
pub mod wire;

pub use daemon::{Daemon, Home, Ran, host_binary, message, proposal};
pub use peer::Peer;
