//! Where an operator's keys and credentials are kept: what a command has no business to read, whoever it belongs to.
//!
//! A list of places and nothing more; whether they are hidden is for the caller to say.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::config::Home;

/// Below a home folder. From the manuals of the programs named by the paths.
const BELOW_HOME: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".pki",
    ".netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/glab-cli",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".kube",
    ".docker/config.json",
    ".config/containers/auth.json",
    ".terraform.d/credentials.tfrc.json",
    ".vault-token",
    ".config/op",
    ".config/sops",
    ".age",
    ".npmrc",
    ".pypirc",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".pgpass",
    ".my.cnf",
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".bash_history",
    ".zsh_history",
];

/// Names of private keys: what ssh-keygen(1) and gpg(1) give them.
const KEYS: &[&str] = &[
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "secring.gpg",
    "private-keys-v1.d",
];

/// Files of environment variables that are samples, by the ends of their names.
const SAMPLES: &[&str] = &[".example", ".sample", ".template", ".dist"];

/// The machine's own, which root can read.
const OF_THE_MACHINE: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssl/private",
    "/etc/krb5.keytab",
    "/etc/wireguard",
    "/etc/NetworkManager/system-connections",
];

/// Whether these steps of a path lead to, or through, a place where keys and credentials are kept below some home
/// folder, whoever's it is.
pub fn is_key_place(steps: &[&OsStr]) -> bool {
    BELOW_HOME.iter().any(|place| {
        let place: Vec<&str> = place.split('/').collect();
        steps.windows(place.len()).any(|part| {
            part.iter()
                .zip(&place)
                .all(|(step, own)| step.eq_ignore_ascii_case(own))
        })
    })
}

/// Whether a file or folder of this name is a private key, or holds some.
pub fn is_key(name: &OsStr) -> bool {
    KEYS.iter().any(|own| name.eq_ignore_ascii_case(own))
}

/// Whether a file of this name holds environment variables, which may be secrets.
pub fn is_environment(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_lowercase();
    let own = name == ".env" || name == ".envrc" || name.starts_with(".env.");
    own && !SAMPLES.iter().any(|end| name.ends_with(end))
}

/// What is closed to commands and to skills alike: the host's own folders, and where keys are kept.
pub fn closed_places(home: &Home) -> Vec<PathBuf> {
    let mut places = home.private();
    places.extend(home.user.as_deref().map(keys_of).unwrap_or_default());
    places.extend(keys_of_the_machine());
    places
}

/// The places below `home` where keys and credentials are kept, of those that exist.
pub fn keys_of(home: &Path) -> Vec<PathBuf> {
    existing(BELOW_HOME.iter().map(|place| home.join(place)))
}

/// The same for the machine itself: its passwords and host keys. Only root could read them anyway.
fn keys_of_the_machine() -> Vec<PathBuf> {
    let mut places = existing(OF_THE_MACHINE.iter().map(PathBuf::from));
    if let Ok(entries) = std::fs::read_dir("/etc/ssh") {
        let private = |path: &PathBuf| path.extension().is_none() && path.to_string_lossy().contains("ssh_host_");
        places.extend(entries.flatten().map(|entry| entry.path()).filter(private));
    }
    places
}

fn existing(places: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    places.filter(|place| place.symlink_metadata().is_ok()).collect()
}
