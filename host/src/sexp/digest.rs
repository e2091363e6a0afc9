//! The one digest: SHA-256 with a domain in front, so that a digest of one kind is never taken for another.

use std::fmt;
use std::str::FromStr;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest. Printed as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// SHA-256 of `domain`, a newline, and `bytes`.
    pub fn of(domain: &str, bytes: &[u8]) -> Digest {
        let mut hash = Sha256::new();
        hash.update(domain.as_bytes());
        hash.update(b"\n");
        hash.update(bytes);
        Digest(hash.finalize().into())
    }

    /// Plain SHA-256 of a file's bytes, as other tools print it.
    pub fn of_file(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }

    /// The digest of an action's canonical text (domain `passepartout-action-1`).
    pub fn of_action(canonical: &str) -> Digest {
        Digest::of("passepartout-action-1", canonical.as_bytes())
    }

    /// The first 12 digits, for people.
    pub fn short(&self) -> String {
        hex::encode(&self.0[..6])
    }

    /// The 32 bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({})", self.short())
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Digest, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(Error::custom)
    }
}

impl FromStr for Digest {
    type Err = hex::FromHexError;

    fn from_str(text: &str) -> Result<Digest, Self::Err> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes)?;
        Ok(Digest(bytes))
    }
}
