//! What a secret is: a name, a value, and the hosts that it may be sent to.

use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use zeroize::Zeroizing;

use super::VaultError;

/// Longest name, in bytes.
const NAME_BYTES: usize = 64;

/// Longest value, in bytes: keys in PEM have a few thousand.
const VALUE_BYTES: usize = 64 << 10;

/// Longest name of a host, in bytes: what DNS allows.
const HOST_BYTES: usize = 253;

/// Most hosts of one secret.
pub(super) const MOST_HOSTS: usize = 32;

/// The name of a secret. Names that differ only in the case of letters are one name.
#[derive(Clone, Debug)]
pub struct SecretName(String);

impl SecretName {
    /// The name as it was set.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// By which names are compared.
    pub(super) fn key(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

impl PartialEq for SecretName {
    fn eq(&self, other: &SecretName) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl Eq for SecretName {}

impl fmt::Display for SecretName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for SecretName {
    type Err = VaultError;

    fn from_str(text: &str) -> Result<SecretName, VaultError> {
        let rest = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let named = text.len() <= NAME_BYTES
            && text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
            && text.bytes().all(rest);
        if named {
            Ok(SecretName(text.to_owned()))
        } else {
            // Somebody may have typed the secret itself in the name's place: only a little of it is repeated.
            let mut begun: String = text.chars().take(8).collect();
            if begun.len() < text.len() {
                begun.push('…');
            }
            Err(VaultError::BadName(begun))
        }
    }
}

/// A host that a secret may be sent to, in lower case: a name of DNS or an address, without port.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Host(String);

impl Host {
    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How hosts are compared: without regard to case, and to the dot that ends a full name.
    fn normal(text: &str) -> String {
        let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let text = bare.unwrap_or(text);
        text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase()
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Host {
    type Err = VaultError;

    fn from_str(text: &str) -> Result<Host, VaultError> {
        let host = Host::normal(text);
        let is_name = host.len() <= HOST_BYTES
            && host.split('.').all(|label| {
                let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
                !label.is_empty() && !label.starts_with('-') && !label.ends_with('-') && label.bytes().all(inner)
            });
        if is_name || host.parse::<std::net::IpAddr>().is_ok() {
            Ok(Host(host))
        } else {
            Err(VaultError::BadHost(text.chars().take(HOST_BYTES).collect()))
        }
    }
}

/// The value of a secret. Never printed, and wiped from memory when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Value(Zeroizing<String>);

impl Value {
    /// The value that `bytes` hold: UTF-8, 1 to 65,536 bytes. One line break at the end, as `echo` and editors leave
    /// it, is no part of it.
    ///
    /// # Errors
    /// When it is empty, too long, or no text.
    pub fn new(bytes: &[u8]) -> Result<Value, VaultError> {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| VaultError::BadValue("is no text in UTF-8; encode it, for example with base64"))?;
        let text = text.strip_suffix('\n').unwrap_or(text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        if text.trim().is_empty() {
            return Err(VaultError::BadValue(
                "is empty; give it on standard input, or type it when asked",
            ));
        }
        if text.len() > VALUE_BYTES {
            return Err(VaultError::BadValue("is longer than 65,536 bytes"));
        }
        Ok(Value(Zeroizing::new(text.to_owned())))
    }

    /// The value that a vault held.
    pub(super) fn stored(text: &str) -> Option<Value> {
        (text.len() <= VALUE_BYTES).then(|| Value(Zeroizing::new(text.to_owned())))
    }

    /// The text, for those who use it.
    pub(super) fn text(&self) -> &Zeroizing<String> {
        &self.0
    }

    /// Whether it is long enough to be looked for in texts.
    pub fn is_recognised(&self) -> bool {
        super::secrets::is_long_enough(&self.0)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Value(***)")
    }
}

/// One secret.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name, as it was set.
    pub name: SecretName,
    /// Where it may be sent; nowhere when empty.
    pub hosts: Vec<Host>,
    /// When it was set.
    pub set: SystemTime,
    pub(super) value: Value,
}

impl Entry {
    /// Whether it may be sent to `host`.
    pub(super) fn is_for(&self, host: &str) -> bool {
        let host = Host::normal(host);
        self.hosts.iter().any(|own| own.0 == host)
    }
}
