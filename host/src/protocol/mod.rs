//! The wire: length-prefixed s-expressions over a Unix socket and over TCP on loopback.
//!
//! In the order in which the bytes travel: [`server`] accepts, a connection turns bytes into [`frame`]s and frames into
//! [`envelope`]s, the [`Service`] gets what a client may say, and the [`Hub`] takes what the loop answers. Nothing a
//! peer sends ends the daemon, or harms another peer. The loop and the gates are known only as the [`Service`].

pub mod admin;
pub mod client;
mod client_meta;
mod connection;
mod conversation;
pub mod daemon_file;
pub mod envelope;
pub mod frame;
pub mod handshake;
mod hub;
mod outbox;
pub mod parts;
pub mod server;
mod service;
#[cfg(test)]
mod tests;

pub use admin::{AdminAction, AdminRequest};
pub use client::{Client, ClientError};
pub use client_meta::ClientMeta;
pub use daemon_file::DaemonFile;
pub use envelope::EventKind;
pub use hub::Hub;
pub use server::{BindError, Server};
pub use service::{BoxFuture, ClientEvent, Door, Health, Join, Peer, Refusal, Service};
