//! How a vault is laid out and sealed.
//!
//! The file is a line that names the format, a nonce, and one ciphertext with its tag. Everything is sealed as one:
//! names, hosts and values, so that no value can be moved under another name or to other hosts, no entry can be left
//! out, and nobody without the key sees how many there are or how long. The line is bound as associated data. Each
//! writing takes a new random nonce.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use zeroize::Zeroizing;

use super::VaultError;
use super::entry::{Entry, MOST_HOSTS, Value};

/// The line that a file begins with. Another format gets another line.
const FORMAT: &[u8] = b"passepartout-vault-1\n";

/// Bytes of a key.
pub(super) const KEY_BYTES: usize = 32;

/// A key.
pub(super) type Key = Zeroizing<[u8; KEY_BYTES]>;

/// What is not a vault under this key.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotSealed;

/// The bytes of a vault with these entries.
pub(super) fn seal(key: &Key, entries: &[&Entry]) -> Result<Vec<u8>, VaultError> {
    let mut nonce = [0; NONCE_LEN];
    getrandom::fill(&mut nonce)?;
    let mut file = FORMAT.to_vec();
    file.extend_from_slice(&nonce);
    let mut text = lay_out(entries);
    let tag = aead(key)
        .and_then(|aead| {
            let nonce = Nonce::assume_unique_for_key(nonce);
            aead.seal_in_place_separate_tag(nonce, Aad::from(FORMAT), &mut text)
                .ok()
        })
        .ok_or(VaultError::Sealing)?;
    file.extend_from_slice(&text);
    file.extend_from_slice(tag.as_ref());
    Ok(file)
}

/// The entries of a vault.
pub(super) fn open(key: &Key, file: &[u8]) -> Result<Vec<Entry>, NotSealed> {
    let rest = file.strip_prefix(FORMAT).ok_or(NotSealed)?;
    let (nonce, sealed) = rest.split_first_chunk::<NONCE_LEN>().ok_or(NotSealed)?;
    let mut text = Zeroizing::new(sealed.to_vec());
    let opened = aead(key)
        .ok_or(NotSealed)?
        .open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::from(FORMAT), &mut text)
        .map_err(|_| NotSealed)?;
    Reader(opened).entries().ok_or(NotSealed)
}

fn aead(key: &Key) -> Option<LessSafeKey> {
    UnboundKey::new(&CHACHA20_POLY1305, &key[..]).ok().map(LessSafeKey::new)
}

/// Count, then each entry: name, seconds since 1970, hosts, value. Numbers are big-endian; texts and lists come after
/// their length.
fn lay_out(entries: &[&Entry]) -> Zeroizing<Vec<u8>> {
    // Room for all of it at once, so that no half of it stays behind where the buffer grew.
    let size = |entry: &&Entry| {
        let hosts: usize = entry.hosts.iter().map(|host| 4 + host.as_str().len()).sum();
        20 + entry.name.as_str().len() + hosts + entry.value.text().len()
    };
    let mut out = Zeroizing::new(Vec::with_capacity(4 + entries.iter().map(size).sum::<usize>()));
    count(&mut out, entries.len());
    for entry in entries {
        text(&mut out, entry.name.as_str());
        let set = entry.set.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        out.extend_from_slice(&set.to_be_bytes());
        count(&mut out, entry.hosts.len());
        entry.hosts.iter().for_each(|host| text(&mut out, host.as_str()));
        text(&mut out, entry.value.text());
    }
    out
}

fn count(out: &mut Vec<u8>, count: usize) {
    // Entries, hosts and texts are bounded far below what four bytes count.
    out.extend_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_be_bytes());
}

fn text(out: &mut Vec<u8>, text: &str) {
    count(out, text.len());
    out.extend_from_slice(text.as_bytes());
}

/// What is still to be read. Every function is nothing where the bytes are no layout of ours.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn entries(mut self) -> Option<Vec<Entry>> {
        let entries = (0..self.count()?)
            .map(|_| self.entry())
            .collect::<Option<Vec<Entry>>>()?;
        self.0.is_empty().then_some(entries)
    }

    fn entry(&mut self) -> Option<Entry> {
        let name = self.text()?.parse().ok()?;
        let seconds = u64::from_be_bytes(*self.take::<8>()?);
        let set = SystemTime::checked_add(&UNIX_EPOCH, Duration::from_secs(seconds))?;
        let hosts = Some(self.count()?).filter(|hosts| *hosts <= MOST_HOSTS)?;
        let hosts = (0..hosts).map(|_| self.text()?.parse().ok()).collect::<Option<_>>()?;
        let value = Value::stored(self.text()?)?;
        Some(Entry {
            name,
            hosts,
            set,
            value,
        })
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.count()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(text).ok()
    }

    fn count(&mut self) -> Option<usize> {
        usize::try_from(u32::from_be_bytes(*self.take::<4>()?)).ok()
    }

    fn take<const N: usize>(&mut self) -> Option<&'a [u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(taken)
    }
}
