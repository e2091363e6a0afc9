//! Whether a file holds a private key, by what is in it: the endings of such files are those of certificates and public keys
//! as well, which programs must read.
//!
//! A gate asks before a command reads one that it names. What reads whole folders, or follows a link, names none. The tool
//! `search-text` leaves out the same keys (`skills/files/src/private.rs`).

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
/// Most files of any other name of which the text is looked at, in all, and in folders that programs fill. Those that come
/// later stay: they are as many as nobody wrote.
const MOST_OTHERS: usize = 10_000;
const MOST_MADE: usize = 1_000;
/// Folders that package managers and builds fill, with what others wrote.
const MADE: [&str; 14] = [
    ".cache",
    ".gradle",
    ".mypy_cache",
    ".next",
    ".pytest_cache",
    ".tox",
    ".venv",
    "__pycache__",
    "bower_components",
    "build",
    "dist",
    "node_modules",
    "target",
    "venv",
];

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
/// Words that make a name one of a secret where they stand in it alone, or are the name of a folder above: the dispatcher's
/// own (`skills/dispatcher/src/path/table.rs`), which asks about such a file that a command names.
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
/// Mercurial's and pip's documentation, curl(1), wget(1).
const NAMES: [&str; 16] = [
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
    /// How many files are still looked at for a key whatever they are called: others, and those in folders that are filled.
    others: usize,
    made: usize,
    /// How much is still read of those.
    left_of_others: usize,
    indexes: Indexes,
}

impl Default for Reader {
    fn default() -> Reader {
        Reader {
            left: LONGEST_IN_ALL,
            others: MOST_OTHERS,
            made: MOST_MADE,
            left_of_others: LONGEST_IN_ALL,
            indexes: Indexes::default(),
        }
    }
}

impl Reader {
    /// Whether the plain file at `path` holds a private key, or passwords, that git does not track. What can't be read by us
    /// can't be by a command.
    pub(super) fn holds_a_secret(&mut self, root: &Root, path: &Path) -> bool {
        match suspect(path) {
            Some(Suspect::Surely) => !self.is_tracked(root, path),
            Some(suspect) => self.reads_as_one(root, path, suspect) && !self.is_tracked(root, path),
            // Most of what is there git has: to know that, nothing is read.
            None => {
                is_other(path) && !self.is_tracked(root, path) && self.is_left(path) && {
                    self.reads_as_one(root, path, Suspect::ByKey)
                }
            }
        }
    }

    /// Whether git has the file as it is.
    pub(super) fn is_tracked(&mut self, root: &Root, path: &Path) -> bool {
        self.indexes.have(root, path)
    }

    /// Takes a file of no such name from those that are still looked at.
    fn is_left(&mut self, path: &Path) -> bool {
        let made = path.iter().any(|step| MADE.iter().any(|own| step == *own));
        let left = if made { &mut self.made } else { &mut self.others };
        let some = *left > 0;
        *left = left.saturating_sub(1);
        some
    }

    fn reads_as_one(&mut self, root: &Root, path: &Path, suspect: Suspect) -> bool {
        let Ok(file) = root.reach(path, OFlags::RDONLY | OFlags::NOCTTY) else {
            return false;
        };
        let mut file = File::from(file);
        let mut bytes = Vec::new();
        let longest = match suspect {
            // Few that have such a word are text at all.
            Suspect::ByWord | Suspect::ByKey if self.is_no_text(&mut file, &mut bytes, suspect) => return false,
            Suspect::ByWord | Suspect::ByKey => LONGEST_BY_WORD,
            _ => LONGEST,
        };
        let left = self.left_of(suspect);
        let most = (*left + bytes.len()).min(longest);
        let before = bytes.len();
        let read = file.take((most + 1 - before.min(most)) as u64).read_to_end(&mut bytes);
        *left = left.saturating_sub(bytes.len() - before);
        let cut = bytes.len() > most;
        match suspect {
            Suspect::Surely => true,
            Suspect::ByText { likely } => read.is_err() || cut || is_secret(&bytes, likely),
            Suspect::ByWord => read.is_err() || cut && most < longest || has_a_key(&bytes),
            Suspect::ByKey => has_a_key(&bytes),
        }
    }

    fn left_of(&mut self, suspect: Suspect) -> &mut usize {
        match suspect {
            Suspect::ByKey => &mut self.left_of_others,
            _ => &mut self.left,
        }
    }

    /// Whether it is seen at the beginning of a file, which is read, that it is neither text nor has any.
    fn is_no_text(&mut self, file: &mut File, bytes: &mut Vec<u8>, suspect: Suspect) -> bool {
        let left = self.left_of(suspect);
        // What fails here does so again.
        let _ = file.take(BEGINNING.min(*left) as u64).read_to_end(bytes);
        *left = left.saturating_sub(bytes.len());
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
    /// Nothing: it does if there is a key where its text begins.
    ByKey,
}

pub(super) fn suspect(path: &Path) -> Option<Suspect> {
    let whole = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let name = original(&whole);
    let copied = || {
        let place = path.with_file_name(name);
        name == ".npmrc" || keys::is_environment(OsStr::new(name)) || keys::is_key_place_itself(&place)
    };
    // A folder of them may be one in which programs are installed: each file is looked at by itself, as git may have it.
    let in_environment = || path.iter().rev().skip(1).any(keys::is_environment);
    if NAMES.contains(&name)
        || is_environment_of(name)
        || in_environment()
        || name != whole && copied()
        || is_spoken_of(path)
    {
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

/// Whether a file may be looked at for a key although its name says nothing: it is no source code, and no picture, archive or
/// program.
fn is_other(path: &Path) -> bool {
    const BINARY: [&str; 34] = [
        "a", "bin", "bmp", "bz2", "class", "dll", "eot", "exe", "gif", "gz", "ico", "jar", "jpeg", "jpg", "lock",
        "mo", "mp3", "mp4", "o", "otf", "pack", "pdf", "png", "pyc", "rlib", "rmeta", "so", "svg", "ttf", "wasm",
        "webp", "woff", "woff2", "xz",
    ];
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_ascii_lowercase();
    let ending = original(&name).rsplit_once('.').map(|(_, ending)| ending);
    ending.is_none_or(|ending| !SOURCES.contains(&ending) && !BINARY.contains(&ending))
}

/// Whether the dispatcher asks about a file for a word in its name, or for that of a folder above it.
fn is_spoken_of(path: &Path) -> bool {
    let is_word = |part: &str| SPOKEN.iter().any(|own| own.eq_ignore_ascii_case(part));
    let mut steps = path.iter().map(|step| step.to_string_lossy());
    let Some(name) = steps.next_back() else { return false };
    let named = name.split(|char: char| !char.is_ascii_alphanumeric()).any(is_word);
    if !named && !steps.any(|folder| is_word(folder.trim_start_matches('.'))) {
        return false;
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let is_source =
        |ending: &str| SAMPLES.contains(&ending) || SOURCES.contains(&ending) && !NO_SOURCES.contains(&ending);
    !ending.is_some_and(|ending| is_source(&ending))
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
mod tests;
