//! Session ids: 128 random bits, made by the host.

use std::fmt;
use std::str::FromStr;

/// One conversation. Printed as 32 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId([u8; 16]);

impl SessionId {
    /// The conversation of what happens on the heartbeat.
    pub const HEARTBEAT: SessionId = SessionId(*b"heartbeat-------");

    /// A new random id.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn random() -> Result<SessionId, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(SessionId(bytes))
    }
}

/// `bytes` random bytes in hexadecimal.
///
/// # Errors
/// When the system gives no random numbers.
pub fn random_hex(bytes: usize) -> Result<String, getrandom::Error> {
    let mut buffer = vec![0; bytes];
    getrandom::fill(&mut buffer)?;
    Ok(hex::encode(buffer))
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionId({self})")
    }
}

/// A text that is no session id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a session has no name of your own, but an id of 32 hexadecimal digits that the daemon gave it; \
     `passepartout-host status --sessions` lists those there are"
)]
pub struct NoSessionId;

impl FromStr for SessionId {
    type Err = NoSessionId;

    fn from_str(text: &str) -> Result<SessionId, NoSessionId> {
        let mut bytes = [0; 16];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| NoSessionId)?;
        Ok(SessionId(bytes))
    }
}
