//! Using the operator's secrets without seeing them. Needs a grant for each, `vault:NAME`, and cannot be called from a
//! gate.
//!
//! A secret never enters the skill. It can sign, by [`hmac_sha256`]; and in the value of a header of a request,
//! `{vault:NAME}` stands for it, where the operator said which hosts it may be sent to.

pub use crate::capability::Failure;
use crate::imports;

/// The names of the secrets that this skill was granted, sorted.
///
/// # Errors
/// Why the vault can't be used.
pub fn names() -> Result<Vec<String>, Failure> {
    imports::vault::names()
}

/// HMAC-SHA256 of `data`, at most a megabyte, with the secret `name` as the key: 32 bytes.
///
/// # Errors
/// When the secret was not granted, is not there, or the vault can't be used.
pub fn hmac_sha256(name: &str, data: &[u8]) -> Result<Vec<u8>, Failure> {
    imports::vault::hmac_sha256(name, data)
}
