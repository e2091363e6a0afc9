//! The formats of secrets, as a table: how each begins, what it is made of, and how long it is.
//!
//! Prefixes and lengths are facts that the issuers document; where a row names no other source it was checked against
//! the rules of gitleaks (MIT). No text of theirs is copied.

/// What the part after the prefix is made of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Alphabet {
    /// A–Z and 2–7.
    Base32,
    /// Lower-case hexadecimal.
    Hex,
    /// Letters and digits.
    Alphanumeric,
    /// Letters, digits and `_`.
    Word,
    /// Letters, digits, `_` and `-`.
    Url,
    /// Letters, digits, `_`, `-` and `.`.
    Dotted,
    /// Upper-case letters and digits.
    Upper,
    /// Letters, digits and `/`.
    Path,
}

impl Alphabet {
    pub(super) fn holds(self, byte: u8) -> bool {
        match self {
            Alphabet::Base32 => byte.is_ascii_uppercase() || (b'2'..=b'7').contains(&byte),
            Alphabet::Hex => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
            Alphabet::Alphanumeric => byte.is_ascii_alphanumeric(),
            Alphabet::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Alphabet::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Alphabet::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Alphabet::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Alphabet::Path => byte.is_ascii_alphanumeric() || byte == b'/',
        }
    }
}

/// One format.
pub(super) struct Format {
    /// What it is, for the reason of a rejection.
    pub(super) name: &'static str,
    /// How it begins.
    pub(super) prefix: &'static str,
    /// What follows.
    pub(super) alphabet: Alphabet,
    /// The fewest characters after the prefix.
    pub(super) least: usize,
    /// The most, if it has a fixed length.
    pub(super) most: Option<usize>,
}

const fn at_least(name: &'static str, prefix: &'static str, alphabet: Alphabet, least: usize) -> Format {
    Format {
        name,
        prefix,
        alphabet,
        least,
        most: None,
    }
}

const fn exactly(name: &'static str, prefix: &'static str, alphabet: Alphabet, length: usize) -> Format {
    Format {
        name,
        prefix,
        alphabet,
        least: length,
        most: Some(length),
    }
}

use Alphabet::{Alphanumeric, Base32, Dotted, Hex, Path, Upper, Url, Word};

/// The table.
pub(super) const FORMATS: &[Format] = &[
    // The original's list.
    at_least("an API key (sk-…)", "sk-", Url, 20),
    exactly("a Google API key", "AIza", Url, 35),
    at_least("a GitHub token", "ghp_", Alphanumeric, 36),
    at_least("a GitHub token", "gho_", Alphanumeric, 36),
    at_least("a GitHub token", "ghu_", Alphanumeric, 36),
    at_least("a GitHub token", "ghs_", Alphanumeric, 36),
    at_least("a GitHub token", "ghr_", Alphanumeric, 36),
    at_least("a Slack token", "xoxa-", Url, 20),
    at_least("a Slack token", "xoxb-", Url, 20),
    at_least("a Slack token", "xoxp-", Url, 20),
    at_least("a Slack token", "xoxr-", Url, 20),
    at_least("a Slack token", "xoxs-", Url, 20),
    // GitHub: about authentication to GitHub, token formats.
    at_least("a GitHub token", "github_pat_", Word, 60),
    // GitLab: token overview.
    at_least("a GitLab token", "glpat-", Url, 20),
    at_least("a GitLab token", "glptt-", Url, 20),
    at_least("a GitLab runner token", "glrt-", Url, 20),
    // Slack: app-level tokens, incoming webhooks.
    at_least("a Slack token", "xapp-", Url, 30),
    at_least("a Slack webhook", "hooks.slack.com/services/T", Path, 30),
    // AWS: unique identifiers of IAM.
    exactly("an AWS access key", "AKIA", Base32, 16),
    exactly("an AWS access key", "ASIA", Base32, 16),
    exactly("an AWS access key", "ABIA", Base32, 16),
    exactly("an AWS access key", "ACCA", Base32, 16),
    // Google: OAuth clients and tokens.
    exactly("a Google client secret", "GOCSPX-", Url, 28),
    at_least("a Google access token", "ya29.", Url, 20),
    // Stripe: API keys.
    at_least("a Stripe key", "sk_live_", Alphanumeric, 16),
    at_least("a Stripe key", "rk_live_", Alphanumeric, 16),
    at_least("a Stripe key", "sk_test_", Alphanumeric, 16),
    // Package registries: npm, PyPI, RubyGems, crates.io.
    exactly("an npm token", "npm_", Alphanumeric, 36),
    at_least("a PyPI token", "pypi-AgEIcHlwaS5vcmc", Url, 50),
    exactly("a RubyGems token", "rubygems_", Hex, 48),
    exactly("a crates.io token", "cio", Alphanumeric, 32),
    // Hosting and services.
    exactly("a Hugging Face token", "hf_", Alphanumeric, 34),
    at_least("a SendGrid key", "SG.", Dotted, 60),
    exactly("a DigitalOcean token", "dop_v1_", Hex, 64),
    exactly("a Shopify token", "shpat_", Hex, 32),
    exactly("a Shopify secret", "shpss_", Hex, 32),
    at_least("a Grafana token", "glsa_", Word, 40),
    at_least("a Grafana Cloud token", "glc_", Alphanumeric, 40),
    at_least("a HashiCorp Vault token", "hvs.", Url, 24),
    at_least("a Databricks token", "dapi", Hex, 32),
    at_least("a Groq key", "gsk_", Alphanumeric, 40),
    at_least("a Linear key", "lin_api_", Alphanumeric, 40),
    at_least("a Notion token", "ntn_", Alphanumeric, 40),
    at_least("a Perplexity key", "pplx-", Alphanumeric, 40),
    at_least("a Mailgun key", "key-", Hex, 32),
    // age(1): identity files.
    exactly("an age identity", "AGE-SECRET-KEY-1", Upper, 58),
];

/// Lines that begin a private key: RFC 7468, OpenSSH's PROTOCOL.key, RFC 9580.
pub(super) const KEY_ENDINGS: &[&str] = &["PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"];

/// Words of a name whose value is a secret: the original's list and what providers call theirs.
pub(super) const SECRET_NAMES: &[&str] = &[
    "accesskey",
    "apikey",
    "authtoken",
    "clientsecret",
    "encryptionkey",
    "passphrase",
    "passwd",
    "password",
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
