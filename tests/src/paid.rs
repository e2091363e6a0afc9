//! Something that must be done once, in a session that went on before.

use std::fs;

use passepartout_host::sexp::Form;

use crate::full::{append, kept, session_of};
use crate::{Daemon, Home, Peer};

/// Does something that can be counted, and prints much more than there will be room for.
pub const PAY: &str = "echo paid >> ledger; cat big";

/// A home with a session in which something was said, whose conversation is the longest file.
pub fn home_with_session(config: &str) -> (Home, String) {
    let home = Home::new().config(config);
    home.file("workspace/big", "a line of text\n".repeat(1_000).as_bytes());
    let session = session_of(&home);
    let entry = Form::plist([("NOTHING", "x".repeat(200_000).as_str().into())]);
    append(&kept(&home, &session, "turns"), &entry);
    (home, session)
}

/// A client of the session.
pub fn joined(daemon: &Daemon<'_>, session: &str) -> Peer {
    let mut peer = daemon.connect();
    peer.join(session);
    peer
}

/// What the conversation holds.
pub fn turns(home: &Home, session: &str) -> String {
    fs::read_to_string(kept(home, session, "turns")).unwrap()
}

/// How often something was done that is done by [`PAY`].
pub fn payments(home: &Home) -> usize {
    let ledger = fs::read_to_string(home.workspace().join("ledger"));
    ledger.unwrap_or_default().lines().count()
}
