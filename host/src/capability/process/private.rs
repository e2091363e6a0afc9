//! Whether a file holds a private key, by what is in it: the endings of such files are those of certificates and public keys
//! as well, which programs must read.
//!
//! A gate asks before a command reads one that it names. What reads whole folders, or follows a link, names none. The tool
//! `search-text` leaves out the same (`skills/files/src/private.rs`).

use super::listing::Root;
use super::tracked::Indexes;
use rustix::fs::OFlags;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Most that is read of one file, in bytes, and of all together. What is longer, or comes later, counts as one that does.
const LONGEST: usize = 1 << 20;
const LONGEST_IN_ALL: usize = 64 << 20;

/// Endings of stores that hold private keys or passwords, whatever else: PKCS #12, keytool(1), KeePass, PuTTY.
const STORES: [&str; 7] = ["p12", "pfx", "jks", "keystore", "kdbx", "kdb", "ppk"];
/// Endings of what is a key, unless it says that it is none: openssl(1), wg(8).
const KEYS: [&str; 2] = ["pem", "key"];
/// Endings of what may be a key as well: openssl(1), gpg(1).
const OTHERS: [&str; 7] = ["crt", "cert", "cer", "csr", "asc", "gpg", "pgp"];
/// Names of files of passwords and of what stands for them: htpasswd(1), Composer's, Terraform's and Kubernetes'
/// documentation.
const NAMES: [&str; 6] = [
    ".htpasswd",
    ".my.cnf",
    "auth.json",
    "kubeconfig",
    "terraform.tfstate",
    "terraform.tfstate.backup",
];

/// How the armour of a key begins (RFC 7468, RFC 9580), and what it names if that is private.
const ARMOUR: &[u8] = b"-----BEGIN ";
const PRIVATE: &[u8] = b"PRIVATE KEY";
/// How a secret key begins without one: the first byte of its packet, in both formats (RFC 9580, section 4.2).
const SECRET_PACKETS: [u8; 5] = [0x94, 0x95, 0x96, 0x97, 0xC5];

/// Looks into files, as far as it goes.
#[derive(Debug)]
pub(super) struct Reader {
    left: usize,
    indexes: Indexes,
}

impl Default for Reader {
    fn default() -> Reader {
        Reader {
            left: LONGEST_IN_ALL,
            indexes: Indexes::default(),
        }
    }
}

impl Reader {
    /// Whether the plain file at `path` holds a private key, or passwords, that git does not track. What can't be read by us
    /// can't be by a command.
    pub(super) fn holds_a_secret(&mut self, root: &Root, path: &Path) -> bool {
        let holds = match suspect(path) {
            None => false,
            Some(Suspect::Surely) => true,
            Some(Suspect::ByText { likely }) => self.reads_as_one(root, path, likely),
        };
        holds && !self.indexes.have(root, path, &|path| suspect(path).is_some())
    }

    fn reads_as_one(&mut self, root: &Root, path: &Path, likely: bool) -> bool {
        let Ok(file) = root.reach(path, OFlags::RDONLY | OFlags::NOCTTY) else {
            return false;
        };
        let mut bytes = Vec::new();
        let most = self.left.min(LONGEST);
        let read = File::from(file).take(most as u64 + 1).read_to_end(&mut bytes);
        self.left = self.left.saturating_sub(bytes.len());
        read.is_err() || bytes.len() > most || is_secret(&bytes, likely)
    }
}

/// What the name of a file says about it.
enum Suspect {
    /// It holds secrets.
    Surely,
    /// It may, as its text says: likely, unless that says what else it is.
    ByText { likely: bool },
}

fn suspect(path: &Path) -> Option<Suspect> {
    let name = path.file_name()?;
    if NAMES.iter().any(|own| name.eq_ignore_ascii_case(own)) {
        return Some(Suspect::Surely);
    }
    let ending = Path::new(name).extension()?;
    let is = |known: &[&str]| known.iter().any(|own| ending.eq_ignore_ascii_case(OsStr::new(own)));
    if is(&STORES) {
        Some(Suspect::Surely)
    } else if is(&KEYS) || is(&OTHERS) {
        Some(Suspect::ByText { likely: is(&KEYS) })
    } else {
        None
    }
}

/// Whether `bytes` are a private key. `likely` is whether they are one unless they say what else they are.
fn is_secret(bytes: &[u8], likely: bool) -> bool {
    let has = |text: &[u8]| bytes.windows(text.len()).any(|part| part == text);
    if has(PRIVATE) {
        return true;
    }
    if likely {
        return !bytes.is_empty() && !has(ARMOUR);
    }
    bytes.first().is_some_and(|first| SECRET_PACKETS.contains(first))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn secret(name: &str, text: &[u8]) -> bool {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), text).unwrap();
        let root = Root::open(folder.path()).unwrap();
        Reader::default().holds_a_secret(&root, Path::new(name))
    }

    #[test]
    fn a_key_is_told_from_a_certificate_by_what_is_in_it() {
        for (name, text) in [
            ("server.key", &b"-----BEGIN RSA PRIVATE KEY-----\nMII\n"[..]),
            (
                "Server.PEM",
                b"-----BEGIN CERTIFICATE-----\nMII\n-----BEGIN PRIVATE KEY-----\n",
            ),
            (
                "bundle.crt",
                b"-----BEGIN CERTIFICATE-----\n-----BEGIN EC PRIVATE KEY-----\n",
            ),
            ("wg.key", b"yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=\n"),
            ("der.key", b"\x30\x82\x04\xa2\x02\x01\x00"),
            ("me.asc", b"-----BEGIN PGP PRIVATE KEY BLOCK-----\n"),
            ("me.gpg", b"\x95\x03\x98\x04"),
            ("store.p12", b"\x30\x82"),
            ("a.kdbx", b""),
            ("terraform.tfstate", b"{}"),
            ("auth.json", b"{}"),
        ] {
            assert!(secret(name, text), "{name}");
        }
        for (name, text) in [
            ("cacert.pem", &b"-----BEGIN CERTIFICATE-----\nMII\n"[..]),
            ("server.pem", b"-----BEGIN PUBLIC KEY-----\n"),
            ("empty.key", b""),
            ("guide.asc", b"= A guide\n\nAbout keys.\n"),
            ("archive.gpg", b"\x99\x02\x0d\x04"),
            ("main.rs", b"const BEGIN: &str = \"-----BEGIN RSA PRIVATE KEY-----\";"),
        ] {
            assert!(!secret(name, text), "{name}");
        }
    }

    #[test]
    fn what_is_too_long_or_too_much_to_be_read_counts_as_a_key() {
        let text = [&b"-----BEGIN CERTIFICATE-----\n"[..], &vec![b'A'; LONGEST]].concat();
        assert!(secret("long.pem", &text));
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.crt"), "-----BEGIN CERTIFICATE-----\n").unwrap();
        let root = Root::open(folder.path()).unwrap();
        let mut reader = Reader {
            left: 40,
            ..Reader::default()
        };
        let again = [(); 2].map(|()| reader.holds_a_secret(&root, Path::new("a.crt")));
        assert_eq!(again, [false, true]);
    }
}
