//! Where an operator's keys and credentials are kept: what a command has no business to read, whoever it belongs to.
//!
//! A list of places and nothing more; whether they are hidden is for the caller to say.

use std::path::{Path, PathBuf};

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

/// The places below `home` where keys and credentials are kept, of those that exist.
pub fn keys_of(home: &Path) -> Vec<PathBuf> {
    existing(BELOW_HOME.iter().map(|place| home.join(place)))
}

/// The same for the machine itself: its passwords and host keys. Only root could read them anyway.
pub fn keys_of_the_machine() -> Vec<PathBuf> {
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
