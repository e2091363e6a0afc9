//! Where an operator's keys and credentials are kept: what a command has no business to read, whoever it belongs to.
//!
//! A list of places and nothing more; whether they are hidden is for the caller to say.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::config::Home;

/// Below a home folder. From the manuals of the programs named by the paths.
const BELOW_HOME: &[&str] = &[
    // Keys and passwords.
    ".ssh",
    ".gnupg",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".pki",
    ".age",
    ".config/age",
    ".config/sops",
    ".config/op",
    ".config/Bitwarden",
    ".config/Bitwarden CLI",
    "Library/Keychains",
    ".electrum",
    ".bitcoin/wallet.dat",
    // Credentials of programs.
    ".netrc",
    "_netrc",
    ".authinfo",
    ".authinfo.gpg",
    ".msmtprc",
    ".fetchmailrc",
    ".smbcredentials",
    ".Xauthority",
    ".erlang.cookie",
    ".sentryclirc",
    ".subversion/auth",
    ".kaggle",
    ".config/stripe",
    ".rclone.conf",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/github-copilot",
    ".config/rclone",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".boto",
    ".s3cfg",
    ".config/doctl",
    ".fly",
    ".oci",
    ".databrickscfg",
    ".snowsql",
    ".kube",
    ".docker/config.json",
    ".config/containers/auth.json",
    ".config/helm",
    ".terraform.d/credentials.tfrc.json",
    ".terraformrc",
    ".vault-token",
    ".npmrc",
    ".pypirc",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".claude.json",
    // Profiles of browsers and mail programs.
    ".mozilla",
    ".thunderbird",
    ".librewolf",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/opera",
    ".var/app/org.mozilla.firefox",
    ".var/app/com.google.Chrome",
    "snap/firefox",
    "snap/chromium",
    "Application Support/Google/Chrome",
    "Application Support/Firefox",
    // What a person typed.
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".psql_history",
    ".mysql_history",
    ".node_repl_history",
    ".sqlite_history",
    ".rediscli_history",
    ".irb_history",
];

/// Our own folders below a home, which are there although others are in use, when `PASSEPARTOUT_HOME` is set.
const OURS: &[&str] = &[
    ".config/passepartout",
    ".local/state/passepartout",
    ".local/share/passepartout/data",
    ".local/share/passepartout/skills",
];

/// Names of private keys: what ssh-keygen(1) and gpg(1) give them; and of wallets.
const KEYS: &[&str] = &[
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "private-keys-v1.d",
    "wallet.dat",
];

/// How names of private keys begin: those of GnuPG 1.
const KEYS_BEGIN: &str = "secring.";

/// Files of environment variables that are samples, by the ends of their names.
const SAMPLES: &[&str] = &[
    ".example",
    ".sample",
    ".template",
    ".tmpl",
    ".dist",
    "-example",
    "-sample",
    "-template",
    "_example",
    "_sample",
    "_template",
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

/// Whether `path` is such a place itself. Asked of every file of a workspace, so that it must be quick.
pub(super) fn is_key_place_itself(path: &Path) -> bool {
    BELOW_HOME.iter().any(|place| ends_so(path, place))
}

/// Whether the last steps of `path` are those of `place`.
pub(super) fn ends_so(path: &Path, place: &str) -> bool {
    let mut steps = path.iter().rev();
    let mut parts = place.rsplit('/');
    parts.all(|part| steps.next().is_some_and(|step| step.eq_ignore_ascii_case(part)))
}

/// Whether a file or folder of this name is a private key, or holds some.
pub fn is_key(name: &OsStr) -> bool {
    let begins = begins_so(name, KEYS_BEGIN);
    begins || KEYS.iter().any(|own| name.eq_ignore_ascii_case(own))
}

/// Whether a file of this name, or what is in a folder of this name, holds environment variables, which may be secrets.
pub fn is_environment(name: &OsStr) -> bool {
    if !begins_so(name, ".env") {
        return false;
    }
    let name = name.to_string_lossy().to_ascii_lowercase();
    !SAMPLES.iter().any(|end| name.ends_with(end))
}

fn begins_so(name: &OsStr, start: &str) -> bool {
    let own = name.as_bytes().get(..start.len());
    own.is_some_and(|own| own.eq_ignore_ascii_case(start.as_bytes()))
}

/// What is closed to commands and to skills alike: the host's own folders, and where keys are kept.
pub fn closed_places(home: &Home) -> Vec<PathBuf> {
    let mut places = home.private();
    let elsewhere: Vec<PathBuf> = places.iter().flat_map(|folder| led_to_from(folder)).collect();
    places.extend(elsewhere);
    // The environment may name another's home, or none.
    for user in home.user.iter().chain(&home_in_the_database()) {
        places.extend(keys_of(user));
        let ours = existing(OURS.iter().map(|place| user.join(place)));
        places.extend(ours.into_iter().filter(|place| !home.workspace.starts_with(place)));
    }
    places.extend(keys_of_the_machine());
    places
}

/// The home folder of whoever runs this, as passwd(5) has it.
pub(super) fn home_in_the_database() -> Option<PathBuf> {
    let own = rustix::process::geteuid().as_raw().to_string();
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let home = users.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        (fields.get(2) == Some(&own.as_str())).then(|| fields.get(5).copied())?
    })?;
    let home = PathBuf::from(home);
    (home.is_absolute() && home.parent().is_some()).then_some(home)
}

/// Where the links in one of the host's own folders lead: what they lead to is the host's own as well.
fn led_to_from(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
    let places = links.filter_map(|link| link.path().canonicalize().ok());
    // What holds software would take that away as well.
    places.filter(|place| place.is_file()).collect()
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

/// The dispatcher's own table, as it is compiled into that skill.
#[cfg(test)]
#[path = "../../../../skills/dispatcher/src/path/table.rs"]
#[allow(dead_code, reason = "only a part of it is about what is read")]
mod table;

/// The words in its table of names.
#[cfg(test)]
#[path = "../../../../skills/dispatcher/src/path/words.rs"]
mod words;

#[cfg(test)]
mod tests;
