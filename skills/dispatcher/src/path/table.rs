//! The names that are protected, as a table: what is matched, how strictly, and where the row comes from.
//!
//! Rows match whole path components after normalisation, never parts of a name.

/// What a row matches.
#[derive(Clone, Copy, Debug)]
pub(super) enum Match {
    /// A file of this name.
    Name(&'static str),
    /// A file whose name begins so.
    Stem(&'static str),
    /// A file whose name ends so.
    Suffix(&'static str),
    /// These components one after the other, and what is beneath them.
    Part(&'static [&'static str]),
    /// These components from the root, and what is beneath them; `*` is any one component.
    Root(&'static [&'static str]),
}

/// What a row does to an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    /// Nothing.
    Allow,
    /// A person must approve.
    Ask,
    /// It must not happen.
    Reject,
}

use Effect::{Allow, Ask, Reject};
use Match::{Name, Part, Root, Stem, Suffix};

/// What, when it is read, when it is written, what it is.
pub(super) type Row = (Match, Effect, Effect, &'static str);

/// The table, one row a line. The strictest row that matches decides.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // Private keys: OpenSSH, ssh-keygen(1).
    (Name("id_rsa"), Reject, Reject, "a private key"),
    (Name("id_dsa"), Reject, Reject, "a private key"),
    (Name("id_ecdsa"), Reject, Reject, "a private key"),
    (Name("id_ecdsa_sk"), Reject, Reject, "a private key"),
    (Name("id_ed25519"), Reject, Reject, "a private key"),
    (Name("id_ed25519_sk"), Reject, Reject, "a private key"),
    (Part(&[".ssh"]), Reject, Reject, "the folder of SSH keys"),
    (Root(&["etc", "ssh"]), Ask, Reject, "the SSH server's keys and configuration"),
    // GnuPG: gpg(1), files of GnuPG 1 and 2.
    (Part(&[".gnupg"]), Reject, Reject, "the folder of GnuPG keys"),
    (Part(&["private-keys-v1.d"]), Reject, Reject, "GnuPG's private keys"),
    // Key and certificate files: the original's list. Some are public, so a person decides.
    (Suffix(".pem"), Ask, Ask, "a key or certificate"),
    (Suffix(".key"), Ask, Ask, "a key file"),
    (Suffix(".p12"), Ask, Ask, "a key store (PKCS #12)"),
    (Suffix(".pfx"), Ask, Ask, "a key store (PKCS #12)"),
    (Suffix(".jks"), Ask, Ask, "a Java key store"),
    (Suffix(".keystore"), Ask, Ask, "a key store"),
    (Suffix(".kdbx"), Ask, Ask, "a KeePass database"),
    (Suffix(".ppk"), Ask, Ask, "a PuTTY private key"),
    (Suffix(".asc"), Ask, Ask, "an armoured key or signature"),
    (Suffix(".gpg"), Ask, Ask, "a GnuPG file"),
    (Suffix(".pgp"), Ask, Ask, "a PGP file"),
    (Suffix(".cert"), Ask, Ask, "a certificate"),
    (Suffix(".crt"), Ask, Ask, "a certificate"),
    (Suffix(".csr"), Ask, Ask, "a certificate request"),
    // Credential files: the original's list, and the manuals of the programs named.
    (Name(".netrc"), Reject, Reject, "stored credentials (curl, ftp)"),
    (Name("_netrc"), Reject, Reject, "stored credentials (curl, ftp)"),
    (Name(".git-credentials"), Reject, Reject, "stored credentials (git-credential-store)"),
    (Part(&[".config", "git", "credentials"]), Reject, Reject, "stored credentials (git-credential-store)"),
    (Name("auth.json"), Ask, Ask, "stored credentials"),
    (Part(&[".aws", "credentials"]), Reject, Reject, "AWS credentials"),
    (Part(&[".aws", "config"]), Ask, Reject, "the AWS configuration"),
    (Part(&[".aws", "sso"]), Reject, Reject, "AWS session tokens"),
    (Part(&[".azure"]), Reject, Reject, "Azure credentials"),
    (Part(&[".config", "gcloud"]), Reject, Reject, "Google Cloud credentials"),
    (Part(&[".kube", "config"]), Reject, Reject, "Kubernetes credentials"),
    (Name("kubeconfig"), Ask, Ask, "Kubernetes credentials"),
    (Part(&[".docker", "config.json"]), Reject, Reject, "Docker registry credentials"),
    (Name(".npmrc"), Ask, Ask, "npm's configuration, which holds tokens"),
    (Name(".pypirc"), Reject, Reject, "PyPI credentials"),
    (Part(&[".cargo", "credentials"]), Reject, Reject, "Cargo credentials"),
    (Part(&[".cargo", "credentials.toml"]), Reject, Reject, "Cargo credentials"),
    (Part(&[".gem", "credentials"]), Reject, Reject, "RubyGems credentials"),
    (Part(&[".config", "gh", "hosts.yml"]), Reject, Reject, "GitHub credentials (gh)"),
    (Name(".pgpass"), Reject, Reject, "PostgreSQL passwords"),
    (Name(".my.cnf"), Ask, Ask, "MySQL's configuration, which holds passwords"),
    (Name(".vault-token"), Reject, Reject, "a HashiCorp Vault token"),
    (Name(".htpasswd"), Ask, Ask, "passwords of a web server"),
    (Name("terraform.tfstate"), Ask, Ask, "Terraform's state, which holds secrets"),
    // Password stores and browser profiles: pass(1), the browsers' documentation.
    (Part(&[".password-store"]), Reject, Reject, "a password store"),
    (Part(&[".local", "share", "keyrings"]), Reject, Reject, "a key ring"),
    (Part(&[".mozilla"]), Reject, Reject, "a browser profile"),
    (Part(&[".config", "google-chrome"]), Reject, Reject, "a browser profile"),
    (Part(&[".config", "chromium"]), Reject, Reject, "a browser profile"),
    (Part(&[".config", "BraveSoftware"]), Reject, Reject, "a browser profile"),
    // Environment files: dotenv's conventions. Samples are excepted in `mod.rs`.
    (Name(".env"), Ask, Ask, "an environment file, which may hold secrets"),
    (Name(".envrc"), Ask, Reject, "an environment file that direnv runs"),
    // The system: passwd(5), shadow(5), sudoers(5), crontab(5), ld.so(8), proc(5).
    (Root(&["etc", "shadow"]), Reject, Reject, "the password hashes"),
    (Root(&["etc", "shadow-"]), Reject, Reject, "the password hashes"),
    (Root(&["etc", "gshadow"]), Reject, Reject, "the password hashes of groups"),
    (Root(&["etc", "gshadow-"]), Reject, Reject, "the password hashes of groups"),
    (Root(&["etc", "passwd"]), Ask, Reject, "the list of users"),
    (Root(&["etc", "group"]), Ask, Reject, "the list of groups"),
    (Root(&["etc", "sudoers"]), Reject, Reject, "the rules of sudo"),
    (Root(&["etc", "sudoers.d"]), Reject, Reject, "the rules of sudo"),
    (Root(&["etc", "pam.d"]), Ask, Reject, "the rules of logging in"),
    (Root(&["etc", "ld.so.preload"]), Ask, Reject, "libraries loaded into every program"),
    (Root(&["etc", "crontab"]), Ask, Reject, "scheduled commands"),
    (Root(&["etc", "cron.d"]), Ask, Reject, "scheduled commands"),
    (Root(&["etc", "cron.hourly"]), Ask, Reject, "scheduled commands"),
    (Root(&["etc", "cron.daily"]), Ask, Reject, "scheduled commands"),
    (Root(&["etc", "cron.weekly"]), Ask, Reject, "scheduled commands"),
    (Root(&["etc", "cron.monthly"]), Ask, Reject, "scheduled commands"),
    (Root(&["etc", "systemd"]), Ask, Reject, "services of the system"),
    (Root(&["etc", "init.d"]), Ask, Reject, "services of the system"),
    (Root(&["etc", "profile"]), Ask, Reject, "a shell start-up file"),
    (Root(&["etc", "profile.d"]), Ask, Reject, "shell start-up files"),
    (Root(&["etc", "bash.bashrc"]), Ask, Reject, "a shell start-up file"),
    (Root(&["etc", "environment"]), Ask, Reject, "everyone's environment"),
    (Root(&["var", "spool", "cron"]), Ask, Reject, "scheduled commands"),
    (Root(&["proc", "*", "environ"]), Reject, Reject, "a process's environment"),
    (Root(&["proc", "*", "root"]), Reject, Reject, "a way round the file system's bounds"),
    (Root(&["proc", "*", "mem"]), Reject, Reject, "a process's memory"),
    (Root(&["proc", "*", "cwd"]), Ask, Reject, "a way round the file system's bounds"),
    (Root(&["proc", "*", "fd"]), Ask, Ask, "a process's open files"),
    (Root(&["proc", "*", "task", "*", "environ"]), Reject, Reject, "a process's environment"),
    (Root(&["proc", "*", "task", "*", "root"]), Reject, Reject, "a way round the file system's bounds"),
    (Root(&["proc", "kcore"]), Reject, Reject, "the machine's memory"),
    (Root(&["proc", "sysrq-trigger"]), Reject, Reject, "a switch that stops the machine"),
    (Root(&["dev", "mem"]), Reject, Reject, "the machine's memory"),
    (Root(&["dev", "kmem"]), Reject, Reject, "the machine's memory"),
    (Root(&["var", "run", "docker.sock"]), Reject, Reject, "Docker's socket, which is root's"),
    (Root(&["run", "docker.sock"]), Reject, Reject, "Docker's socket, which is root's"),
    // Start-up files: bash(1), zsh(1), fish(1), X. Reading is harmless, writing persists.
    (Name(".bashrc"), Allow, Reject, "a shell start-up file"),
    (Name(".bash_profile"), Allow, Reject, "a shell start-up file"),
    (Name(".bash_login"), Allow, Reject, "a shell start-up file"),
    (Name(".bash_logout"), Allow, Reject, "a shell start-up file"),
    (Name(".bash_aliases"), Allow, Reject, "a shell start-up file"),
    (Name(".profile"), Allow, Reject, "a shell start-up file"),
    (Name(".zshrc"), Allow, Reject, "a shell start-up file"),
    (Name(".zshenv"), Allow, Reject, "a shell start-up file"),
    (Name(".zprofile"), Allow, Reject, "a shell start-up file"),
    (Name(".zlogin"), Allow, Reject, "a shell start-up file"),
    (Name(".kshrc"), Allow, Reject, "a shell start-up file"),
    (Name(".cshrc"), Allow, Reject, "a shell start-up file"),
    (Name(".inputrc"), Allow, Reject, "a shell start-up file"),
    (Name(".xinitrc"), Allow, Reject, "a start-up file"),
    (Name(".xprofile"), Allow, Reject, "a start-up file"),
    (Name(".pam_environment"), Allow, Reject, "a start-up file"),
    (Part(&[".config", "fish"]), Allow, Reject, "shell start-up files"),
    (Part(&[".config", "autostart"]), Allow, Reject, "programs started at login"),
    (Part(&[".config", "systemd"]), Allow, Reject, "services of the user"),
    (Part(&[".local", "share", "systemd"]), Allow, Reject, "services of the user"),
    (Part(&["Library", "LaunchAgents"]), Allow, Reject, "services of the user"),
    // Histories hold what was typed, passwords too.
    (Name(".bash_history"), Ask, Reject, "what a person typed"),
    (Name(".zsh_history"), Ask, Reject, "what a person typed"),
    (Name(".python_history"), Ask, Reject, "what a person typed"),
    (Name(".psql_history"), Ask, Reject, "what a person typed"),
    (Name(".mysql_history"), Ask, Reject, "what a person typed"),
    // What git runs, and what it goes by: githooks(5), git-config(1), gitrepository-layout(5). The address of a remote can
    // hold a password.
    (Part(&[".git", "hooks"]), Allow, Reject, "commands that git runs"),
    (Part(&[".git", "config"]), Ask, Reject, "git's configuration, which can name commands and hold passwords"),
    (Part(&[".git", "config.worktree"]), Ask, Reject, "git's configuration, which can name commands and hold passwords"),
    (Part(&[".git", "remotes"]), Ask, Ask, "addresses of remotes, which can hold passwords"),
    (Part(&[".git", "branches"]), Ask, Ask, "addresses of remotes, which can hold passwords"),
    (Name(".gitconfig"), Ask, Reject, "git's configuration, which can name commands and hold passwords"),
    (Part(&[".config", "git"]), Ask, Reject, "git's configuration, which can name commands and hold passwords"),
    // Credentials of more programs: each program's manual names the file.
    (Stem("secring."), Reject, Reject, "GnuPG's private keys"),
    (Stem("pubring."), Ask, Reject, "GnuPG's key ring"),
    (Part(&[".config", "glab-cli"]), Reject, Reject, "GitLab credentials (glab)"),
    (Part(&[".config", "hub"]), Reject, Reject, "GitHub credentials (hub)"),
    (Part(&[".config", "github-copilot"]), Reject, Reject, "GitHub credentials (Copilot)"),
    (Part(&[".config", "rclone"]), Reject, Reject, "rclone's configuration, which holds passwords"),
    (Part(&[".config", "op"]), Reject, Reject, "1Password's configuration"),
    (Part(&[".config", "Bitwarden CLI"]), Reject, Reject, "a password store"),
    (Part(&[".config", "Bitwarden"]), Reject, Reject, "a password store"),
    (Part(&[".config", "sops"]), Reject, Reject, "the keys of sops"),
    (Part(&[".config", "age"]), Reject, Reject, "the keys of age"),
    (Part(&[".config", "doctl"]), Reject, Reject, "DigitalOcean credentials"),
    (Part(&[".config", "containers", "auth.json"]), Reject, Reject, "container registry credentials"),
    (Part(&[".config", "helm"]), Ask, Ask, "Helm's configuration, which holds passwords"),
    (Part(&[".config", "pip"]), Ask, Reject, "pip's configuration, which can hold passwords and name where code comes from"),
    (Part(&[".pip"]), Ask, Reject, "pip's configuration, which can hold passwords and name where code comes from"),
    (Part(&[".fly"]), Reject, Reject, "Fly.io credentials"),
    (Part(&[".oci"]), Reject, Reject, "Oracle Cloud credentials"),
    (Part(&[".terraform.d", "credentials.tfrc.json"]), Reject, Reject, "Terraform credentials"),
    (Name(".terraformrc"), Ask, Reject, "Terraform's configuration, which holds tokens"),
    (Name(".boto"), Reject, Reject, "Google Cloud credentials"),
    (Name(".s3cfg"), Reject, Reject, "S3 credentials"),
    (Name(".databrickscfg"), Reject, Reject, "Databricks credentials"),
    (Name(".snowsql"), Reject, Reject, "Snowflake credentials"),
    (Part(&[".m2", "settings.xml"]), Ask, Reject, "Maven's configuration, which holds passwords"),
    (Part(&[".m2", "settings-security.xml"]), Reject, Reject, "Maven's master password"),
    (Part(&[".gradle", "gradle.properties"]), Ask, Reject, "Gradle's configuration, which holds passwords"),
    (Name(".yarnrc.yml"), Ask, Ask, "Yarn's configuration, which can hold tokens and name code to run"),
    (Part(&[".bundle", "config"]), Ask, Ask, "Bundler's configuration, which can hold passwords"),
    (Part(&[".claude", ".credentials.json"]), Reject, Reject, "an assistant's credentials"),
    (Part(&[".codex", "auth.json"]), Reject, Reject, "an assistant's credentials"),
    (Name("wallet.dat"), Reject, Reject, "a wallet"),
    (Part(&[".electrum"]), Reject, Reject, "a wallet"),
    // More browser profiles and key rings: the programs' documentation, Flatpak's and snap's folders.
    (Part(&[".librewolf"]), Reject, Reject, "a browser profile"),
    (Part(&[".thunderbird"]), Reject, Reject, "a mail profile"),
    (Part(&[".config", "microsoft-edge"]), Reject, Reject, "a browser profile"),
    (Part(&[".config", "vivaldi"]), Reject, Reject, "a browser profile"),
    (Part(&[".config", "opera"]), Reject, Reject, "a browser profile"),
    (Part(&[".var", "app", "org.mozilla.firefox"]), Reject, Reject, "a browser profile"),
    (Part(&[".var", "app", "com.google.Chrome"]), Reject, Reject, "a browser profile"),
    (Part(&["snap", "firefox"]), Reject, Reject, "a browser profile"),
    (Part(&["snap", "chromium"]), Reject, Reject, "a browser profile"),
    (Part(&["Application Support", "Google", "Chrome"]), Reject, Reject, "a browser profile"),
    (Part(&["Application Support", "Firefox"]), Reject, Reject, "a browser profile"),
    (Part(&["Library", "Keychains"]), Reject, Reject, "a key ring"),
    (Part(&[".local", "share", "kwalletd"]), Reject, Reject, "a key ring"),
    // What runs by itself when somebody logs in, opens a folder or starts a program.
    (Name(".zlogout"), Allow, Reject, "a shell start-up file"),
    (Name(".login"), Allow, Reject, "a shell start-up file"),
    (Name(".tcshrc"), Allow, Reject, "a shell start-up file"),
    (Name(".xsession"), Allow, Reject, "a start-up file"),
    (Name(".xsessionrc"), Allow, Reject, "a start-up file"),
    (Part(&[".config", "environment.d"]), Allow, Reject, "the environment of every program"),
    (Part(&[".config", "plasma-workspace"]), Allow, Reject, "programs started at login"),
    (Part(&[".local", "share", "applications"]), Allow, Ask, "programs of the desktop"),
    (Part(&[".local", "share", "dbus-1"]), Allow, Reject, "programs that are started on request"),
    (Part(&[".local", "bin"]), Allow, Ask, "programs on the search path"),
    (Part(&[".cargo", "config.toml"]), Allow, Ask, "Cargo's configuration, which can name commands"),
    (Part(&[".vscode", "tasks.json"]), Allow, Ask, "commands that the editor runs"),
    (Part(&[".vscode", "settings.json"]), Allow, Ask, "the editor's settings, which can name commands"),
    (Name("sitecustomize.py"), Allow, Ask, "code that every Python program runs"),
    (Name("usercustomize.py"), Allow, Ask, "code that every Python program runs"),
    (Root(&["etc", "rc.local"]), Allow, Reject, "commands run at start"),
    (Root(&["etc", "ld.so.conf"]), Allow, Reject, "where libraries are taken from"),
    (Root(&["etc", "ld.so.conf.d"]), Allow, Reject, "where libraries are taken from"),
    (Root(&["etc", "anacrontab"]), Ask, Reject, "scheduled commands"),
    (Root(&["etc", "udev"]), Allow, Reject, "commands run for devices"),
    (Root(&["etc", "polkit-1"]), Ask, Reject, "who may do what"),
    (Root(&["usr", "lib", "systemd"]), Allow, Reject, "services of the system"),
    (Root(&["lib", "systemd"]), Allow, Reject, "services of the system"),
    (Root(&["var", "spool", "at"]), Ask, Reject, "scheduled commands"),
    (Root(&["boot"]), Allow, Reject, "what the machine starts from"),
    // Git runs hooks of submodules and work trees too.
    (Part(&[".git", "modules"]), Ask, Reject, "git's own files of submodules, hooks and configuration among them"),
    (Part(&[".git", "worktrees"]), Ask, Reject, "git's own files of work trees, configuration among them"),
    (Part(&[".git"]), Allow, Ask, "git's own files"),
    (Part(&[".git", "info"]), Allow, Ask, "git's rules, which can name filters"),
    (Name(".gitmodules"), Allow, Ask, "where git takes submodules from"),
];

/// Words that make a file's name protected when they stand in it alone (`db-password.txt`, and not `tokenizer.py`):
/// the original's list.
pub(super) const WORDS: &[&str] = &[
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

/// Endings of source code and prose, in which those words are about something: `token.rs` holds no token.
pub(super) const SOURCES: &[&str] = &[
    "adoc", "asd", "c", "cc", "cl", "clj", "cpp", "cs", "css", "dart", "el", "erl", "ex", "exs", "go", "h", "hpp",
    "hs", "html", "java", "js", "jsx", "kt", "lisp", "lua", "m", "md", "mjs", "ml", "org", "php", "pl", "pm", "py",
    "pyi", "r", "rb", "rs", "rst", "scala", "scm", "svelte", "swift", "tex", "ts", "tsx", "vue", "wit", "zig",
];

/// Endings that make an environment file a sample.
pub(super) const SAMPLES: &[&str] = &["dist", "example", "sample", "template", "tmpl"];
