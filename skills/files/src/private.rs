//! Whether a file holds a private key or passwords, so that a gate asks before it is read by its name: by its name, and, as
//! certificates and public keys end like keys, by what is in it. The host goes by the same rule, which it takes from here, for
//! what a command may read (`host/src/capability/process/private.rs`).

use memchr::memmem::{find, find_iter};

#[path = "armour.rs"]
pub(crate) mod armour;
#[path = "binary.rs"]
mod binary;
#[path = "../../dispatcher/src/path/copies.rs"]
pub(crate) mod copies;
#[path = "encoded.rs"]
mod encoded;
#[path = "forms.rs"]
mod forms;

use armour::{ARMOUR, PRIVATE, SHARED, bodies, is_digit};
pub(crate) use binary::{holds_files, is_key as is_binary_key};
pub(crate) use encoded::narrow;

/// Endings of stores that hold private keys or passwords, whatever else: PKCS #12, keytool(1), KeePass, PuTTY, Kerberos,
/// Terraform.
const STORES: [&str; 10] = [
    "p12", "pfx", "jks", "keystore", "kdbx", "kdb", "ppk", "keytab", "tfvars", "tfstate",
];
/// Endings of what is a key, unless it says that it is none: openssl(1), wg(8).
const KEYS: [&str; 5] = ["pem", "key", "p8", "pkcs8", "priv"];
/// Names that say the same: those in the manual of wg(8), and openssl(1)'s.
const PRIVATE_NAMES: [&str; 4] = ["privatekey", "private_key", "private-key", "privkey"];
/// Endings of what may be a key as well: openssl(1), gpg(1).
const OTHERS: [&str; 7] = ["crt", "cert", "cer", "csr", "asc", "gpg", "pgp"];
/// Parts of the names that people give to keys.
const WORDS: [&str; 6] = ["key", "rsa", "dsa", "ed25519", "priv", "secret"];
/// Endings of pictures, archives, programs and what is made for them, which are no text.
const BINARY: [&str; 32] = [
    "bmp", "bz2", "class", "dll", "eot", "exe", "gif", "gz", "ico", "jar", "jpeg", "jpg", "lock", "mo", "mp3", "mp4",
    "o", "otf", "pack", "pdf", "png", "pyc", "rlib", "rmeta", "so", "svg", "ttf", "wasm", "webp", "woff", "woff2",
    "xz",
];
/// Endings of source code and prose, which is about keys where it has such a word.
pub(crate) const SOURCES: [&str; 53] = [
    "adoc", "asd", "c", "cc", "cl", "clj", "cpp", "cs", "css", "dart", "el", "erl", "ex", "exs", "go", "h", "hpp",
    "hs", "html", "java", "js", "jsx", "kt", "less", "lisp", "lua", "m", "map", "md", "mjs", "ml", "org", "php",
    "pl", "pm", "py", "pyi", "r", "rb", "rs", "rst", "sass", "scala", "scm", "scss", "svelte", "swift", "tex", "ts",
    "tsx", "vue", "wit", "zig",
];
/// Words that make a name one of a secret where they stand in it alone, or are the name of a folder above: the dispatcher's
/// own (`skills/dispatcher/src/path/words.rs`), which asks about such a file that a command names.
const SPOKEN: [&str; 11] = [
    "apikey",
    "apikeys",
    "credential",
    "credentials",
    "passwd",
    "password",
    "passwords",
    "secret",
    "secrets",
    "token",
    "tokens",
];
/// What is no source code to the dispatcher, and is to those who look for keys.
const NO_SOURCES: [&str; 1] = ["map"];
/// Names of files of passwords and of what stands for them: htpasswd(1), Composer's, Terraform's, Kubernetes', Yarn's,
/// Mercurial's, pip's, Docker's, Azure Functions', Ansible's, rclone's, Google's and browsers' documentation, curl(1), wget(1).
const NAMES: [&str; 29] = [
    ".dev.vars",
    ".flaskenv",
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
    ".vault_pass",
    ".vault_password",
    ".vault_pass.txt",
    "vault_pass.txt",
    "service-account.json",
    "service_account.json",
    "cookies.sqlite",
    "rclone.conf",
    ".claude.json",
    "key4.db",
    "logins.json",
    "login data",
    ".dockercfg",
    "local.settings.json",
    "env.local",
];
/// Names that the host closes: a copy has another.
const KEPT: [&str; 34] = [
    ".authinfo",
    ".authinfo.gpg",
    ".bash_history",
    ".boto",
    ".databrickscfg",
    ".docker/config.json",
    ".env",
    ".envrc",
    ".erlang.cookie",
    ".fetchmailrc",
    ".git-credentials",
    ".irb_history",
    ".msmtprc",
    ".mylogin.cnf",
    ".mysql_history",
    ".netrc",
    ".node_repl_history",
    ".npmrc",
    ".pgpass",
    ".psql_history",
    ".pypirc",
    ".python_history",
    ".rclone.conf",
    ".rediscli_history",
    ".s3cfg",
    ".sentryclirc",
    ".smbcredentials",
    ".sqlite_history",
    ".terraformrc",
    ".vault-token",
    ".xauthority",
    ".zsh_history",
    "_netrc",
    "env",
];
/// Folders that it closes, likewise.
const PLACES: [&str; 12] = [
    ".age",
    ".aws",
    ".azure",
    ".electrum",
    ".fly",
    ".gnupg",
    ".kube",
    ".oci",
    ".password-store",
    ".pki",
    ".snowsql",
    ".ssh",
];
/// What files of environment variables that are samples have in their names.
const SAMPLES: [&str; 5] = ["example", "sample", "template", "tmpl", "dist"];

/// How a secret key begins without one: the first byte of its packet, in both formats (RFC 9580, section 4.2).
const SECRET_PACKETS: [u8; 5] = [0x94, 0x95, 0x96, 0x97, 0xC5];
/// How a key of age(1) begins, and what wg(8), NetworkManager and programs that write JSON call one of wg(8).
const AGE: &[u8] = b"AGE-SECRET-KEY-1";
const WIREGUARD: [&[u8]; 3] = [b"privatekey", b"private-key", b"private_key"];
/// How a swap file of vim begins, which is no text and has some.
pub(crate) const SWAP: &[u8] = b"b0VIM";

/// What a name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// It is one, whatever is in it.
    Secret,
    /// It is one, unless it says that it is none.
    Likely,
    /// It may be one.
    Perhaps,
    /// It is one if there is a key in its text.
    ByWord,
    /// Nothing: it is one if there is a key in its text.
    ByKey,
    /// It is source code or prose: it is one if it is a key and hardly anything else.
    Source,
    /// It is none.
    Not,
}

/// What the name of a file says, and those of the folders above it, as far as `path` has them.
pub(crate) fn named(path: &str) -> Named {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let whole = name.to_ascii_lowercase();
    let first = match copies::dotted(original(&whole)) {
        Some(own) if own.starts_with(".env") => Named::Secret,
        Some(own) => named_so(folders, name, &whole, &own),
        None => named_so(folders, name, &whole, original(&whole)),
    };
    match copies::undotted(&whole) {
        Some(other) if first != Named::Secret => named_so(folders, name, &whole, original(other)),
        _ => first,
    }
}

/// The same, where it is a copy of what `original` names.
fn named_so(folders: &str, name: &str, whole: &str, original: &str) -> Named {
    let ending = original.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
    let ending = ending.map(|(_, ending)| ending);
    let is = |known: &[&str]| ending.is_some_and(|ending| known.contains(&ending));
    let is_kept = |own: &&str| match own.rsplit_once('/') {
        None => **own == *original,
        Some((folder, own)) => own == original && self::original(text_behind(folders)) == folder,
    };
    let moved = folders.split('/').any(|part| copies::folder(part).is_some());
    let copied = (original != whole || moved) && KEPT.iter().any(is_kept);
    let in_copy = |part: &str| copies::folder(part).is_some_and(|_| PLACES.contains(&self::original(part)));
    if is(&STORES)
        || NAMES.contains(&original)
        || is_environment_of(original)
        || copied
        || moved && folders.split('/').any(in_copy)
        || is_spoken_of(folders, name)
    {
        Named::Secret
    } else if is(&KEYS) || PRIVATE_NAMES.contains(&original) {
        Named::Likely
    } else if is(&OTHERS) {
        Named::Perhaps
    } else if has_a_word(original, ending) {
        Named::ByWord
    } else if is(&SOURCES) {
        Named::Source
    } else if is(&BINARY) {
        Named::Not
    } else {
        Named::ByKey
    }
}

fn text_behind(folders: &str) -> &str {
    folders.rsplit('/').next().unwrap_or_default()
}

/// Whether the dispatcher asks about a file for a word in its name, or for that of a folder above it.
fn is_spoken_of(folders: &str, name: &str) -> bool {
    let is_word = |part: &str| SPOKEN.iter().any(|own| own.eq_ignore_ascii_case(part));
    let named = name.split(|char: char| !char.is_ascii_alphanumeric()).any(is_word);
    if !named && !folders.split('/').any(|folder| is_word(folder.trim_start_matches('.'))) {
        return false;
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let is_source =
        |ending: &str| SAMPLES.contains(&ending) || SOURCES.contains(&ending) && !NO_SOURCES.contains(&ending);
    !ending.is_some_and(|ending| is_source(&ending))
}

/// What a file that `name`, in lower case, calls a copy is one of, or one of a copy.
pub(crate) fn original(mut name: &str) -> &str {
    while let Some(rest) = copies::original(name) {
        name = rest;
    }
    name
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

/// Whether a file whose name says this holds one, by all that is in it.
pub(crate) fn is_private(named: Named, bytes: &[u8]) -> bool {
    let has = |text: &[u8]| find(bytes, text).is_some();
    match named {
        Named::Secret => true,
        Named::Not => false,
        Named::ByWord | Named::ByKey => has_a_key(bytes),
        Named::Source => is_a_key(bytes),
        _ if has(PRIVATE) || has(SHARED) => true,
        Named::Likely => !bytes.is_empty() && !has(ARMOUR),
        Named::Perhaps => bytes.first().is_some_and(|first| SECRET_PACKETS.contains(first)),
    }
}

/// Whether a file holds a key, and is not only about some: what only says how keys begin holds none.
fn has_a_key(bytes: &[u8]) -> bool {
    if is_binary_key(bytes) || binary::holds_key(bytes) {
        return true;
    }
    if !bytes.contains(&0) || bytes.starts_with(SWAP) || holds_files(bytes) {
        return has_a_key_as_text(bytes);
    }
    // What is no text may have some: a database, a picture, a program.
    narrow(bytes).is_some_and(|text| has_a_key_as_text(&text)) || bodies(bytes).any(|body| body.is_key)
}

fn has_a_key_as_text(bytes: &[u8]) -> bool {
    let is_swap = bytes.starts_with(SWAP);
    // A swap file has the lines of a text in another order.
    bodies(bytes).any(|body| body.is_key || is_swap && body.is_private)
        || find_iter(bytes, AGE).any(|at| is_of_age(bytes.get(at + AGE.len()..).unwrap_or_default()))
        || is_about_private(bytes) && bytes.split(|byte| *byte == b'\n').any(is_of_wireguard)
        || forms::holds_one(bytes)
        || encoded::holds_one(bytes)
}

/// Whether what stands behind the beginning of a key of age(1) is the rest of one: 32 bytes and a checksum in Bech32.
fn is_of_age(rest: &[u8]) -> bool {
    let is_digit = |byte: &&u8| byte.is_ascii_alphanumeric() && !b"1BIO".contains(byte);
    rest.iter().take_while(is_digit).count() >= 58
}

/// Whether a text has the word: most have not, and are not looked at line by line.
fn is_about_private(bytes: &[u8]) -> bool {
    let ways: [&[u8]; 2] = [b"rivate", b"RIVATE"];
    ways.iter().any(|way| find(bytes, way).is_some())
}

/// Whether a line sets a private key of wg(8): 32 bytes in base64.
fn is_of_wireguard(line: &[u8]) -> bool {
    let is = |own: &[u8]| WIREGUARD.iter().any(|name| own.eq_ignore_ascii_case(name));
    let ends = (0..line.len()).flat_map(|at| WIREGUARD.iter().map(move |name| (at, at + name.len())));
    let mut named = ends.filter(|(at, end)| line.get(*at..*end).is_some_and(is));
    named.any(|(_, end)| {
        let quoted = |text: &'_ [u8]| match text.strip_prefix(b"\"").or(text.strip_prefix(b"'")) {
            Some(rest) => rest.len(),
            None => text.len(),
        };
        let behind = line.get(end..).unwrap_or_default();
        let behind = behind
            .get(behind.len() - quoted(behind)..)
            .unwrap_or_default()
            .trim_ascii_start();
        let Some(value) = behind.strip_prefix(b"=").or(behind.strip_prefix(b":")) else {
            return false;
        };
        let value = value.trim_ascii_start();
        let value = value.get(value.len() - quoted(value)..).unwrap_or_default();
        let digits = value.iter().take_while(|byte| is_digit(byte) && **byte != b'=').count();
        digits == 43 && value.get(digits) == Some(&b'=')
    })
}

/// How much of a text is looked at for a key of which the name says nothing, in bytes: none is longer.
pub(crate) const LOOKED_AT: usize = 64 << 10;
/// Names that gates ask about (`skills/dispatcher/src/path/table.rs`), by their endings.
const ASKED: [&str; 6] = ["pem", "key", "asc", "gpg", "pgp", "crt"];

/// Whether a file that was named, and of which this is the beginning, holds a key although no gate was asked about such a name. It
/// needs more than the first line of one, which texts about keys have as well.
pub(crate) fn is_innocently_named(path: &str, bytes: &[u8]) -> bool {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let asked = ending.is_some_and(|ending| ASKED.contains(&ending.as_str()) || ["cert", "csr"].contains(&&*ending));
    let bytes = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    match named(path) {
        Named::Secret => false,
        Named::Source => is_a_key(bytes),
        _ if asked => false,
        _ => has_a_key(bytes),
    }
}

/// Whether text is a key, or several, perhaps with certificates, and hardly anything else.
fn is_a_key(bytes: &[u8]) -> bool {
    let bytes = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    let (mut length, mut key) = (0, false);
    for body in bodies(bytes) {
        length += body.length;
        key |= body.is_key;
    }
    key && 2 * length > bytes.len()
}
