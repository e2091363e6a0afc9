//! Whether a file holds a private key, by what is in it: the endings of such files are those of certificates and public keys
//! as well, which programs must read.
//!
//! A gate asks before a command reads one that it names. What reads whole folders, or follows a link, names none. The tool
//! `search-text` leaves out the same (`skills/files/src/private.rs`).

use super::keys;
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
/// Most that is read where only a word in the name speaks for a key: none is longer, and what is does not count as one. How
/// much of that shows whether it is text.
const LONGEST_BY_WORD: usize = 64 << 10;
const BEGINNING: usize = 4 << 10;

/// Endings of stores that hold private keys or passwords, whatever else: PKCS #12, keytool(1), KeePass, PuTTY.
const STORES: [&str; 7] = ["p12", "pfx", "jks", "keystore", "kdbx", "kdb", "ppk"];
/// Endings of what is a key, unless it says that it is none: openssl(1), wg(8).
const KEYS: [&str; 5] = ["pem", "key", "p8", "pkcs8", "priv"];
/// Endings of what may be a key as well: openssl(1), gpg(1).
const OTHERS: [&str; 7] = ["crt", "cert", "cer", "csr", "asc", "gpg", "pgp"];
/// Parts of the names that people give to keys.
const WORDS: [&str; 6] = ["key", "rsa", "dsa", "ed25519", "priv", "secret"];
/// Endings of source code and prose, which is about keys where it has such a word.
const SOURCES: [&str; 50] = [
    "adoc", "asd", "c", "cc", "cl", "clj", "cpp", "cs", "css", "dart", "el", "erl", "ex", "exs", "go", "h", "hpp",
    "hs", "html", "java", "js", "jsx", "kt", "lisp", "lua", "m", "map", "md", "mjs", "ml", "org", "php", "pl", "pm",
    "py", "pyi", "r", "rb", "rs", "rst", "scala", "scm", "svelte", "swift", "tex", "ts", "tsx", "vue", "wit", "zig",
];
/// Names of files of passwords and of what stands for them: htpasswd(1), Composer's, Terraform's, Kubernetes', Yarn's,
/// Mercurial's and pip's documentation, curl(1), wget(1).
const NAMES: [&str; 12] = [
    ".htpasswd",
    ".my.cnf",
    "auth.json",
    "credentials",
    "kubeconfig",
    "terraform.tfstate",
    ".yarnrc.yml",
    ".wgetrc",
    ".curlrc",
    ".hgrc",
    "pip.conf",
    "wallet.dat",
];
/// What files of environment variables that are samples have in their names.
const SAMPLES: [&str; 5] = ["example", "sample", "template", "tmpl", "dist"];
/// Endings of copies, of programs' and of people's.
const COPIES: [&str; 8] = ["bak", "old", "orig", "save", "tmp", "temp", "backup", "copy"];

/// How the armour of a key begins and ends (RFC 7468, RFC 9580), and what it names if that is private; openvpn(8) has one
/// of its own.
const ARMOUR: &[u8] = b"-----BEGIN ";
const DASHES: &[u8] = b"-----";
const PRIVATE: &[u8] = b"PRIVATE KEY";
const SHARED: &[u8] = b"OpenVPN Static key";
/// How a secret key begins without one: the first byte of its packet, in both formats (RFC 9580, section 4.2).
const SECRET_PACKETS: [u8; 5] = [0x94, 0x95, 0x96, 0x97, 0xC5];
/// How a key of age(1) begins, and what wg(8) calls its own.
const AGE: &[u8] = b"AGE-SECRET-KEY-1";
const WIREGUARD: &[u8] = b"PrivateKey";
/// How a swap file of vim begins, which is no text and has some.
const SWAP: &[u8] = b"b0VIM";

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
            Some(suspect) => self.reads_as_one(root, path, suspect),
        };
        holds && !self.indexes.have(root, path, &|path| suspect(path).is_some())
    }

    fn reads_as_one(&mut self, root: &Root, path: &Path, suspect: Suspect) -> bool {
        let Ok(file) = root.reach(path, OFlags::RDONLY | OFlags::NOCTTY) else {
            return false;
        };
        let mut file = File::from(file);
        let mut bytes = Vec::new();
        let longest = match suspect {
            // Few that have such a word are text at all.
            Suspect::ByWord if self.is_no_text(&mut file, &mut bytes) => return false,
            Suspect::ByWord => LONGEST_BY_WORD,
            _ => LONGEST,
        };
        let most = (self.left + bytes.len()).min(longest);
        let before = bytes.len();
        let read = file.take((most + 1 - before.min(most)) as u64).read_to_end(&mut bytes);
        self.left = self.left.saturating_sub(bytes.len() - before);
        let cut = bytes.len() > most;
        match suspect {
            Suspect::Surely => true,
            Suspect::ByText { likely } => read.is_err() || cut || is_secret(&bytes, likely),
            Suspect::ByWord => read.is_err() || cut && most < longest || has_a_key(&bytes),
        }
    }

    /// Whether it is seen at the beginning of a file, which is read, that it is neither text nor has any.
    fn is_no_text(&mut self, file: &mut File, bytes: &mut Vec<u8>) -> bool {
        // What fails here does so again.
        let _ = file.take(BEGINNING.min(self.left) as u64).read_to_end(bytes);
        self.left = self.left.saturating_sub(bytes.len());
        bytes.contains(&0) && !bytes.starts_with(SWAP)
    }
}

/// What the name of a file says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Suspect {
    /// It holds secrets.
    Surely,
    /// It may, as its text says: likely, unless that says what else it is.
    ByText { likely: bool },
    /// It may, and does if there is a key in its text.
    ByWord,
}

pub(super) fn suspect(path: &Path) -> Option<Suspect> {
    let whole = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let name = original(&whole);
    let copied = || {
        let place = path.with_file_name(name);
        name == ".npmrc" || keys::is_environment(OsStr::new(name)) || keys::is_key_place_itself(&place)
    };
    if NAMES.contains(&name) || is_environment_of(name) || name != whole && copied() {
        return Some(Suspect::Surely);
    }
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
    let ending = ending.map(|(_, ending)| ending);
    let is = |known: &[&str]| ending.is_some_and(|ending| known.contains(&ending));
    if is(&STORES) {
        Some(Suspect::Surely)
    } else if is(&KEYS) || is(&OTHERS) {
        Some(Suspect::ByText { likely: is(&KEYS) })
    } else {
        has_a_word(name, ending).then_some(Suspect::ByWord)
    }
}

/// What a file that `name`, in lower case, calls a copy is one of.
fn original(name: &str) -> &str {
    let mut name = name.trim_matches('#');
    loop {
        let rest = match (name.strip_suffix('~'), name.rsplit_once('.')) {
            (Some(rest), _) => rest,
            (None, Some((rest, "swp" | "swo"))) => rest.strip_prefix('.').unwrap_or(rest),
            (None, Some((rest, ending)))
                if COPIES.contains(&ending) || ending.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                rest
            }
            _ => return name,
        };
        if rest.is_empty() {
            return name;
        }
        name = rest;
    }
}

/// Whether it is a file of environment variables that is called after what they are for, and no sample.
fn is_environment_of(name: &str) -> bool {
    let words = name.strip_suffix(".env").filter(|stem| !stem.is_empty());
    words.is_some_and(|stem| !stem.split(['.', '-', '_']).any(|word| SAMPLES.contains(&word)))
}

/// Whether a name without the ending of a copy has a word of keys in it, or is one of a tunnel's settings.
fn has_a_word(name: &str, ending: Option<&str>) -> bool {
    if ending.is_some_and(|ending| SOURCES.contains(&ending)) {
        return false;
    }
    let tunnel = ending == Some("ovpn") || name.starts_with("wg") && ending == Some("conf");
    tunnel || WORDS.iter().any(|word| name.contains(word))
}

/// Whether `bytes` are a private key. `likely` is whether they are one unless they say what else they are.
fn is_secret(bytes: &[u8], likely: bool) -> bool {
    let has = |text: &[u8]| bytes.windows(text.len()).any(|part| part == text);
    if has(PRIVATE) || has(SHARED) {
        return true;
    }
    if likely {
        return !bytes.is_empty() && !has(ARMOUR);
    }
    bytes.first().is_some_and(|first| SECRET_PACKETS.contains(first))
}

/// Whether text holds a key, and is not only about some.
fn has_a_key(bytes: &[u8]) -> bool {
    let is_text = !bytes.contains(&0) || bytes.starts_with(SWAP);
    let has = |text: &[u8], part: &[u8]| text.windows(part.len()).any(|own| own == part);
    let mut begun = bytes
        .windows(ARMOUR.len())
        .enumerate()
        .filter(|(_, own)| *own == ARMOUR);
    let armoured = begun.any(|(at, _)| {
        let label = bytes.get(at + ARMOUR.len()..).unwrap_or_default();
        let end = label.windows(DASHES.len()).take(64).position(|own| own == DASHES);
        let label = end.and_then(|end| label.get(..end));
        label.is_some_and(|label| has(label, PRIVATE) || has(label, SHARED))
    });
    let set = |line: &[u8]| {
        let value = line.trim_ascii_start().strip_prefix(WIREGUARD);
        value.is_some_and(|value| value.trim_ascii_start().starts_with(b"="))
    };
    is_text && (armoured || has(bytes, AGE) || bytes.split(|byte| *byte == b'\n').any(set))
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
            ("host.p8", b"\x30\x82\x04\xa2\x02\x01\x00"),
            ("wg0.conf", b"[Interface]\nPrivateKey = yAnz5TF+lXXJ=\n"),
            ("age-key.txt", b"# created\nAGE-SECRET-KEY-1QQ\n"),
            ("ta.key", b"-----BEGIN OpenVPN Static key V1-----\n"),
            (".id_rsa.swp", b"b0VIM 9.0\0\0-----BEGIN OPENSSH PRIVATE KEY-----\0"),
            ("service-key.json", b"{\"k\": \"-----BEGIN PRIVATE KEY-----\\nMII\"}"),
            ("auth.json.bak", b"{}"),
            ("Prod.env", b"A=b"),
            ("prod.env.bak", b"A=b"),
            (".env~", b"A=b"),
            ("..env.swp", b"A=b"),
            (".npmrc.old", b"A=b"),
            (".netrc~", b"A=b"),
            (".wgetrc", b"A=b"),
            ("credentials", b"A=b"),
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
            ("keys.rs", b"const BEGIN: &str = \"-----BEGIN RSA PRIVATE KEY-----\";"),
            (
                "keys.rs.orig",
                b"const BEGIN: &str = \"-----BEGIN RSA PRIVATE KEY-----\";",
            ),
            ("keys.o", b"\x7fELF\0\0-----BEGIN RSA PRIVATE KEY-----\0"),
            ("id_rsa.pub", b"ssh-rsa AAAA me\n"),
            ("keyboard.txt", b"About PRIVATE KEYs.\n"),
            ("wg0.conf", b"[Peer]\nPublicKey = yAnz5TF+lXXJ=\n"),
            ("server.pem.old", b"-----BEGIN CERTIFICATE-----\nMII\n"),
            ("example.env", b"A=b"),
            ("prod.env.sample", b"A=b"),
            ("main.rs.bak", b"fn main() {}"),
        ] {
            assert!(!secret(name, text), "{name}");
        }
    }

    #[test]
    fn a_key_is_found_under_any_name_that_people_give_to_keys_and_to_copies_of_them() {
        for name in [
            "id_rsa.bak",
            "id_rsa_work",
            "id_ed25519_github",
            "deploy_rsa",
            "server.key.bak",
            "server.pem.old",
            "server.pem~",
            "Server.PEM.1",
            "#server.pem#",
            ".server.pem.swp",
            "host.p8",
            "host.pkcs8",
            "signing_key",
            "tls-key",
            "jwt.priv",
            "client.ovpn",
            "secret.txt",
        ] {
            assert!(secret(name, b"-----BEGIN OPENSSH PRIVATE KEY-----\nMII\n"), "{name}");
            assert!(!secret(name, b"-----BEGIN PUBLIC KEY-----\nMII\n"), "{name}");
        }
    }

    #[test]
    fn what_is_long_is_no_key_for_a_word_in_its_name_unless_nothing_is_read_any_more() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("keys.txt"), "a".repeat(LONGEST)).unwrap();
        let root = Root::open(folder.path()).unwrap();
        let mut reader = Reader {
            left: LONGEST_BY_WORD + BEGINNING,
            ..Reader::default()
        };
        let again = [(); 2].map(|()| reader.holds_a_secret(&root, Path::new("keys.txt")));
        assert_eq!(again, [false, true]);
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
