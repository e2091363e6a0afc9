#![allow(clippy::unwrap_used, clippy::expect_used)]
mod shaped;

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::formats::{DATA, Format};
use super::*;

/// Sixty-four characters that no issuer gave out, to be cut to length. Put together at run time, so that this file
/// holds no text that scanners of repositories would take for a secret.
const FILLER: &str = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6a7B8c9D0e1F2";

/// Each format with its row's columns.
fn rows() -> Vec<(&'static Format, Vec<&'static str>)> {
    let lines = DATA
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let columns = lines.map(|line| line.split('|').map(str::trim).collect::<Vec<&str>>());
    formats::all().iter().zip(columns).collect()
}

fn found(text: &str) -> Option<&'static str> {
    find(text).map(|secret| secret.what)
}

#[test]
fn every_row_has_its_source_and_its_sample_is_found_wherever_it_stands() {
    assert_eq!(rows().len(), formats::all().len());
    for (format, columns) in rows() {
        let [name, prefix, _, _, source, licence, body] = columns.as_slice() else {
            panic!("{columns:?} has not seven columns")
        };
        assert_eq!((*name, *prefix), (format.name, format.prefix));
        let licence_of = BTreeSet::from([
            ("original", "fact"),
            ("gitleaks", "MIT"),
            ("noseyparker", "Apache-2.0"),
            ("issuer", "fact"),
            ("standard", "fact"),
            ("programs", "fact"),
        ]);
        assert!(licence_of.contains(&(source, licence)), "{source} {licence}");
        let secret = format!("{prefix}{body}");
        for text in [
            secret.clone(),
            format!("key is {secret}."),
            format!("X={secret}\n"),
            format!("\"{secret}\""),
            format!("echo é{secret}"),
        ] {
            let secret = find(&text).unwrap_or_else(|| panic!("{text}"));
            assert!(!secret.part.contains(*body), "{secret:?} shows it");
        }
    }
}

#[test]
fn a_key_is_found_behind_an_escape_and_one_that_nobody_writes_by_chance_behind_a_dash_too() {
    for (format, columns) in rows() {
        let secret = format!("{}{}", format.prefix, columns[6]);
        for before in ["\"a\\n", "a\\t", "https://a.example/?token%3D", "a%20"] {
            let text = format!("{before}{secret}");
            assert!(find(&text).is_some(), "{text}");
        }
        let by_chance = format.prefix.len() < 4 || !format.prefix.ends_with(['_', '-']);
        for before in ["_", "mysql -p", "my-"] {
            let text = format!("{before}{secret}");
            assert!(by_chance || find(&text).is_some(), "{text}");
        }
    }
}

#[test]
fn every_format_needs_its_length_its_place_and_a_body_that_is_no_example() {
    // Where one row's beginning stands in another's, that one is found as well.
    let within = |own: &Format| {
        formats::all()
            .iter()
            .any(|other| own.prefix[1..].contains(other.prefix))
    };
    for (format, columns) in rows().into_iter().filter(|(format, _)| !within(format)) {
        let name = |text: String| found(&text).filter(|name| *name == format.name);
        let (prefix, body) = (format.prefix, columns[6]);
        assert_eq!(name(format!("{prefix}{}", &body[..format.least - 1])), None, "{prefix}");
        assert_eq!(name(format!("x{prefix}{body}")), None, "{prefix}");
        assert_eq!(name(format!("{prefix}{}", "x".repeat(format.least))), None, "{prefix}");
        if format.most > 0 {
            let long = format!("{prefix}{body}{}", "Z".repeat(1 + format.most - format.least));
            assert_eq!(name(long), None, "{prefix}");
        }
    }
}

#[test]
fn the_kinds_of_secrets_that_people_have_are_all_in_the_table() {
    let names: BTreeSet<&str> = formats::all().iter().map(|format| format.name).collect();
    for issuer in [
        "AWS",
        "Google",
        "Azure",
        "GitHub",
        "GitLab",
        "Slack",
        "Stripe",
        "sk-",
        "npm",
        "PyPI",
        "Hugging Face",
        "Discord",
        "SendGrid",
        "Twilio",
        "age",
    ] {
        assert!(names.iter().any(|name| name.contains(issuer)), "{issuer}");
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
    for public in ["PUBLIC KEY", "CERTIFICATE", "PGP PUBLIC KEY BLOCK"] {
        let text = format!("-----BEGIN {public}-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n");
        assert_eq!(find(&text), None, "{text}");
    }
}

#[test]
fn a_private_key_is_found_whatever_stands_before_each_of_its_lines() {
    let end = "KEY-----";
    let body = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz";
    let headers = ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,6E2B3A", ""];
    let name = "-----BEGIN RSA PRIVATE ";
    let with_headers: Vec<String> = [format!("{name}{end}")]
        .into_iter()
        .chain(headers.map(str::to_owned))
        .chain([body.to_owned()])
        .collect();
    for lines in [vec![format!("{name}{end}"), body.to_owned()], with_headers] {
        for prefix in [
            "> ",
            ">> > ",
            "  | ",
            "# ",
            "// ",
            " * ",
            "- ",
            "+",
            "12: ",
            "    7\t",
            "keys/a.pem:3:",
            "1a2b3c4d (Ann Author 2026-11-30 12:00:00 +0000 12) ",
        ] {
            for (behind, between) in [("", "\n"), ("\",", "\n"), ("\\", "\n"), (" |", "\r\n"), ("", "\\n")] {
                let text: Vec<String> = lines.iter().map(|line| format!("{prefix}{line}{behind}")).collect();
                let text = text.join(between);
                assert_eq!(found(&text), Some("a private key"), "{text}");
            }
        }
    }
    for prose in [
        "the line that is looked for\nand then the next one",
        "its digest is\n0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "see\n/usr/share/doc/Package/examples/keys/of/version/2/README",
        "then fn parseThePrivateKeyOfThisFormatAndOfNoOther() {",
    ] {
        let text = format!("`{name}{end}` begins it;\n{prose}\n");
        assert_eq!(found(&text), None, "{text}");
    }
}

#[test]
fn tokens_of_several_parts_are_found() {
    let pieces = |lengths: &[usize]| {
        lengths
            .iter()
            .map(|length| &FILLER[..*length])
            .collect::<Vec<_>>()
            .join(".")
    };
    assert_eq!(
        found(&format!("{}:{}", "123456789", &format!("AA{FILLER}")[..35])),
        Some("a Telegram bot token")
    );
    assert_eq!(
        found(&format!("bot M{}", pieces(&[23, 6, 38]))),
        Some("a Discord bot token")
    );
    assert_eq!(
        found(&format!("eyJ{0}.eyJ{0}.{0}", &FILLER[..20])),
        Some("a JSON web token")
    );
    assert_eq!(
        found(&format!("client abc8Q~{}", &FILLER[..34])),
        Some("an Azure client secret")
    );
    assert_eq!(found(&format!("v1.2.3-M{}", pieces(&[23, 6, 38]))), None);
}

#[test]
fn values_of_secret_names_are_found() {
    for text in [
        "API_KEY=q8Zr2Lk9Wx4Tn7Vb5M",
        "export DB_PASSWORD='h4rd-t0-gu3ss-p4ss'",
        "{\"client_secret\": \"Zx81Kk20Qw93Lp47\"}",
        "{\\\"client_secret\\\": \\\"Zx81Kk20Qw93Lp47\\\"}",
        "authToken: \"f3a9b7c1d2e4f5a6b7c8\"",
        "apikey => 'A8f2kLq93ZmX71bQ'",
        "secret = 9f86d081884c7d659a2feaa0c55ad015",
        "password: Tr0ub4dor.3xk9Qp2LmZ7",
        "login --password Zx81Kk20Qw93Lp47",
        "login --password=Zx81Kk20Qw93Lp47",
        "curl -H 'Authorization: Bearer q8Zr2Lk9Wx4Tn7Vb5M' https://x.example",
        "curl -H \"X-Api-Key: q8Zr2Lk9Wx4Tn7Vb5M\"",
        "Authorization: Basic dXNlcjpwYXNzd29yZA==",
    ] {
        let secret = find(text).unwrap_or_else(|| panic!("{text}"));
        assert!(
            secret.part.chars().count() < 40 && secret.part.ends_with('…'),
            "{secret:?}"
        );
    }
}

#[test]
fn passwords_in_addresses_are_found_and_not_shown() {
    let secret = find("psql postgres://app:s3cretpw@db.internal/x").unwrap();
    assert_eq!(
        (secret.what, secret.part.as_str()),
        ("an address with a password in it", "app:…@db.internal")
    );
    for text in [
        "https://user@example.com/path",
        "https://example.com/@user:tag",
        "https://user:$PASS@example.com",
        "https://user:${PASSWORD}@example.com",
        "postgres://postgres:postgres@localhost/x",
        "amqp://guest:guest@localhost",
        "http://[::1]:8080/a@b",
    ] {
        assert_eq!(find(text), None, "{text}");
    }
}

#[test]
fn hashes_ids_lock_files_and_code_are_not_secrets() {
    for text in [
        "commit 5608d0d3f1c2b7a09e8d7c6b5a4f3e2d1c0b9a87",
        "token = \"123e4567-e89b-12d3-a456-426614174000\"",
        "checksum = \"aa11bb22cc33dd44ee55ff6677889900aa11bb22cc33dd44ee55ff6677889900\"",
        "password_hash = \"9f86d081884c7d659a2feaa0c55ad015\"",
        "let token = self.next_token_from(stream2)?;",
        "let token = self.next_token_number_22;",
        "token: Option<Token2>, // the token that was read",
        "token_name = \"session-token-v2-name\"",
        "secret: \"my-kubernetes-secret-1\"",
        "api_key = os.environ[\"API_KEY_NUMBER_2\"]",
        "API_KEY=your-api-key-here-1234",
        "API_KEY=${OPENAI_API_KEY_2024}",
        "gh auth login --with-token < token.txt",
        "curl -H \"Authorization: Bearer $TOKEN\" https://x.example",
        "curl -H \"Authorization: Bearer ${GITHUB_TOKEN}\" https://x.example",
        "password = \"correct horse battery staple\"",
        "token_count = 123456789012345678",
        "AKIAIOSFODNN7EXAMPLE",
        "sk-learn-is-a-library-for-machine-learning",
        "task-management-and-other-things-to-do-2024",
        "Traceback (most recent call last):",
        "pip install scikit-learn==1.5.2 torch==2.4.0 --index-url https://download.pytorch.org/whl/cu121",
        "registry+https://github.com/rust-lang/crates.io-index",
        "resolved \"https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#d1b26a09d5a9a3b0d1c2b3a49586d7c8b9a0f1e2\"",
    ] {
        assert_eq!(find(text), None, "{text}");
    }
    let image =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ/AKIAQWERTYUIOP234567/AAAADUlEQVR42mNkM9QDwADhgGAWjR9awAAAAA==";
    assert_eq!(find(image), None);
}

#[test]
fn what_only_looks_random_is_suspected_and_not_found() {
    let random = &FILLER[..44];
    assert!(suspicion(&format!("write {random} there")));
    assert_eq!(find(random), None);
    for text in [
        "5608d0d3f1c2b7a09e8d7c6b5a4f3e2d1c0b9a87",
        "123e4567-e89b-12d3-a456-426614174000",
        "src/capability/process/Jail1/Mount2/Workspace3/Overlay",
        "AnOrdinaryClassNameWithManyWordsInIt",
    ] {
        assert!(!suspicion(text), "{text}");
    }
    assert!(!suspicion(&format!("sha512-{FILLER}==")));
}

#[test]
fn a_long_text_is_read_once() {
    // Many starts of formats that never finish.
    for start in [
        "sk-",
        "eyJ.",
        "-----BEGIN ",
        "://",
        "SG.",
        "key=",
        "M.N.O.",
        "--token ",
        "x:",
    ] {
        assert_eq!(find(&start.repeat(100_000)), None, "{start}");
    }
}

proptest! {
    #[test]
    fn no_hash_id_or_lock_file_is_a_secret(
        bytes in prop::collection::vec(any::<u8>(), 64),
        base64 in "[A-Za-z0-9+/]{86}",
        name in "[a-z][a-z0-9-]{0,20}",
    ) {
        let hex = |from: usize, to: usize| bytes[from..to].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let uuid = format!("{}-{}-{}-{}-{}", hex(0, 4), hex(4, 6), hex(6, 8), hex(8, 10), hex(10, 16));
        for text in [
            format!("{}  {name}\n", hex(0, 32)),
            format!("tree {}\nparent {}\n", hex(0, 20), hex(20, 40)),
            format!("[[package]]\nname = \"{name}\"\nversion = \"1.2.3\"\nchecksum = \"{}\"\n", hex(0, 32)),
            format!("\"node_modules/{name}\": {{\"integrity\": \"sha512-{base64}==\"}}"),
            format!("id: {uuid}\nsession_id={uuid}\ntoken = \"{uuid}\""),
            format!("git show {} && git diff {}..{}", hex(0, 20), hex(0, 4), hex(4, 8)),
            format!("docker pull {name}@sha256:{}", hex(0, 32)),
            format!("{name}==1.0 --hash=sha256:{}", hex(0, 32)),
            format!("h1:{}=", &base64[..43]),
        ] {
            prop_assert_eq!(find(&text), None, "{}", text);
        }
    }

    #[test]
    fn a_secret_is_found_whatever_surrounds_it(
        row in 0..formats::all().len(), before in "\\PC{0,40}", after in "\\PC{0,40}", quote in "[ \"'=\n(,]",
    ) {
        let (format, columns) = rows().swap_remove(row);
        let text = format!("{before}{quote}{}{}{quote}{after}", format.prefix, columns[6]);
        prop_assert!(find(&text).is_some(), "{}", text);
    }

    #[test]
    fn no_text_makes_it_fail(text in "\\PC{0,300}", bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = find(&text);
        let _ = find(&String::from_utf8_lossy(&bytes));
        let _ = suspicion(&text);
    }
}
