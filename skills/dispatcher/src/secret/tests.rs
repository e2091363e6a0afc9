#![allow(clippy::unwrap_used, clippy::expect_used)]
use super::*;

/// Sixty-four characters that no issuer gave out, to be cut to length. Put together at run time, so that this file
/// holds no text that scanners of repositories would take for a secret.
const FILLER: &str = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6a7B8c9D0e1F2";

fn sample(format: &table::Format) -> String {
    let length = format.most.unwrap_or(format.least);
    let body: String = FILLER
        .bytes()
        .cycle()
        .filter(|byte| format.alphabet.holds(*byte))
        .take(length)
        .map(char::from)
        .collect();
    let digits = "2345672345";
    match format.alphabet {
        Alphabet::Base32 => format!("{}QWERTYUIOP{}", format.prefix, &digits[..length - 10]),
        _ => format!("{}{body}", format.prefix),
    }
}

#[test]
fn every_format_of_the_table_is_found_where_it_stands() {
    for format in FORMATS {
        let secret = sample(format);
        for text in [
            secret.clone(),
            format!("key is {secret}."),
            format!("X={secret}\n"),
            format!("\"{secret}\""),
        ] {
            assert!(find(&text).is_some(), "{text}");
        }
    }
}

#[test]
fn every_format_needs_its_length_and_its_place() {
    for format in FORMATS {
        let secret = sample(format);
        let short = &secret[..format.prefix.len() + format.least - 1];
        assert_eq!(find(short), None, "{short}");
        assert_eq!(
            find(&format!("x{secret}")).filter(|name| *name == format.name),
            None,
            "x{secret}"
        );
    }
}

#[test]
fn private_keys_are_found_and_their_mention_is_not() {
    let begin = "-----BEGIN OPENSSH PRIVATE ";
    assert!(find(&format!("{begin}KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU=\n")).is_some());
    assert!(find(&format!("{begin}KEY-----\\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU=\\n")).is_some());
    assert!(find("-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBGPx3UMBCADQ7J4r0vZ3\n").is_some());
    assert_eq!(
        find(&format!("Files that begin with `{begin}KEY-----` are keys.")),
        None
    );
    assert_eq!(
        find("-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n"),
        None
    );
    assert_eq!(
        find("-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n"),
        None
    );
}

#[test]
fn values_of_secret_names_are_found() {
    for text in [
        "API_KEY=q8Zr2Lk9Wx4Tn7Vb5M",
        "export DB_PASSWORD='h4rd-t0-gu3ss-p4ss'",
        "{\"client_secret\": \"Zx81Kk20Qw93Lp47\"}",
        "authToken: \"f3a9b7c1d2e4f5a6b7c8\"",
        "apikey => 'A8f2kLq93ZmX71bQ'",
        "secret = 9f86d081884c7d659a2feaa0c55ad015",
    ] {
        assert!(find(text).is_some(), "{text}");
    }
    assert!(find("postgres://app:s3cretpw@db.internal/x").is_some());
    assert!(find(&format!("{}:{}", "123456789", &format!("AA{FILLER}")[..35])).is_some());
    assert!(find(&format!("eyJ{0}.eyJ{0}.{0}", &FILLER[..20])).is_some());
}

#[test]
fn hashes_ids_lock_files_and_code_are_not_secrets() {
    for text in [
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "commit 5608d0d3f1c2b7a09e8d7c6b5a4f3e2d1c0b9a87",
        "id = \"123e4567-e89b-12d3-a456-426614174000\"",
        "token = \"123e4567-e89b-12d3-a456-426614174000\"",
        "\"integrity\": \"sha512-AbCdEf0123456789abcdef0123456789abcdef0123456789abcdef0123456789==\"",
        "checksum = \"aa11bb22cc33dd44ee55ff6677889900aa11bb22cc33dd44ee55ff6677889900\"",
        "password_hash = \"9f86d081884c7d659a2feaa0c55ad015\"",
        "let token = self.next_token_from(stream2)?;",
        "token: Option<Token2>, // the token that was read",
        "api_key = os.environ[\"API_KEY_NUMBER_2\"]",
        "API_KEY=your-api-key-here-1234",
        "API_KEY=${OPENAI_API_KEY_2024}",
        "password = \"correct horse battery staple\"",
        "token_count = 123456789012345678",
        "AKIAIOSFODNN7EXAMPLE",
        "sk-learn-is-a-library-for-machine-learning",
        "task-management-and-other-things-to-do-2024",
        "Traceback (most recent call last):",
        "https://user@example.com/path",
        "https://example.com/@user:tag",
    ] {
        assert_eq!(find(text), None, "{text}");
    }
    let image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ/AKIAQWERTYUIOP234567/AAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    assert_eq!(find(image), None);
}

#[test]
fn a_long_text_is_read_once() {
    // Many starts of formats that never finish.
    assert_eq!(find(&"sk-".repeat(100_000)), None);
    assert_eq!(find(&"eyJ.".repeat(100_000)), None);
    assert_eq!(find(&"-----BEGIN ".repeat(50_000)), None);
    assert_eq!(find(&"://".repeat(50_000)), None);
}
