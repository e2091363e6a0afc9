//! Whether a file holds a private key or passwords, so that a gate asks before it is read by its name: by its name, and, as
//! certificates and public keys end like keys, by what is in it. The host has the same rule for commands
//! (`host/src/capability/process/private.rs`).

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

/// What a name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// It is one, whatever is in it.
    Secret,
    /// It is one, unless it says that it is none.
    Likely,
    /// It may be one.
    Perhaps,
    /// It is none.
    Not,
}

/// What the name of a file, without its folder, says.
pub(crate) fn named(name: &str) -> Named {
    let ending = name
        .rsplit_once('.')
        .filter(|(stem, _)| !stem.is_empty())
        .map(|(_, ending)| ending);
    let is = |known: &[&str]| ending.is_some_and(|ending| known.iter().any(|own| ending.eq_ignore_ascii_case(own)));
    if is(&STORES) || NAMES.iter().any(|own| name.eq_ignore_ascii_case(own)) {
        Named::Secret
    } else if is(&KEYS) {
        Named::Likely
    } else if is(&OTHERS) {
        Named::Perhaps
    } else {
        Named::Not
    }
}

/// Whether a file whose name says this holds one, by all that is in it.
pub(crate) fn is_private(named: Named, bytes: &[u8]) -> bool {
    let has = |text: &[u8]| bytes.windows(text.len()).any(|part| part == text);
    match named {
        Named::Secret => true,
        Named::Not => false,
        _ if has(PRIVATE) => true,
        Named::Likely => !bytes.is_empty() && !has(ARMOUR),
        Named::Perhaps => bytes.first().is_some_and(|first| SECRET_PACKETS.contains(first)),
    }
}
