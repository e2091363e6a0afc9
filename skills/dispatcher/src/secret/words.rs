//! Words that tell a secret's place from another, as lists.

/// Lines that begin a private key: RFC 7468, OpenSSH's PROTOCOL.key, RFC 9580.
pub(super) const KEY_ENDINGS: &[&str] = &["PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"];

/// Words of a name whose value is a secret: the original's list and what providers call theirs.
pub(super) const SECRET_NAMES: &[&str] = &[
    "accesskey",
    "apikey",
    "authorization",
    "authtoken",
    "clientsecret",
    "encryptionkey",
    "passphrase",
    "passwd",
    "password",
    "presharedkey",
    "privatekey",
    "pwd",
    "secret",
    "secretkey",
    "signingkey",
    "token",
];

/// Words of a name that say its value is no secret, though another word sounds so.
pub(super) const HARMLESS_NAMES: &[&str] = &[
    "checksum",
    "count",
    "digest",
    "endpoint",
    "file",
    "hash",
    "header",
    "id",
    "integrity",
    "length",
    "limit",
    "name",
    "path",
    "public",
    "type",
    "uri",
    "url",
];

/// What stands in place of a value in examples.
pub(super) const PLACEHOLDERS: &[&str] = &[
    "changeme",
    "dummy",
    "example",
    "fake",
    "foobar",
    "insert",
    "placeholder",
    "redacted",
    "replace",
    "sample",
    "test",
    "todo",
    "xxxx",
    "your",
];

/// Hosts of repositories, to which a token alone lets in: their documentation of access by https.
pub(super) const FORGES: &[&str] = &[
    "bitbucket.org",
    "codeberg.org",
    "dev.azure.com",
    "github.com",
    "gitlab.com",
    "huggingface.co",
    "visualstudio.com",
];

/// Passwords that programs come with, and that guard nothing.
pub(super) const DEFAULTS: &[&str] = &[
    "admin",
    "changeme",
    "default",
    "guest",
    "minioadmin",
    "mongodb",
    "mypassword",
    "mysql",
    "pass",
    "passwd",
    "password",
    "postgres",
    "postgresql",
    "rabbitmq",
    "redis",
    "secret",
    "user",
    "username",
];
