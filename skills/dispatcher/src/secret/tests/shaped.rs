//! Secrets that are told by what stands around them. Random ones, put together where a whole one would be taken for somebody's.

use super::*;

#[test]
fn secrets_in_the_files_that_hold_them_are_found() {
    let hash = |length: usize| FILLER.repeat(2)[..length].to_owned();
    for text in [
        "DB_PASSWORD=arEcFVz8GKlXSbLA".to_owned(),
        "export SMTP_PASSWORD=arEcFVz8GKlXSbLA\n".to_owned(),
        format!("//registry.npmjs.org/:_authToken={}", &FILLER[..36]),
        "//registry.example.org/:_authToken=0f7c2b9e-4d1a-4c3b-8e5f-6a7b8c9d0e1f".to_owned(),
        "_auth=Ym9iOlF3OTNMcDQ3eg==".to_owned(),
        "{\"auths\": {\"r.example.org\": {\"auth\": \"Ym9iOlF3OTNMcDQ3eg==\"}}}".to_owned(),
        "{\\\"auth\\\": \\\"Ym9iOlF3OTNMcDQ3eg==\\\"}".to_owned(),
        format!("    client-key-data: {}", FILLER.repeat(30)),
        format!("[Peer]\nPresharedKey = {}=\n", &FILLER[..43]),
        format!("git clone https://{}@github.com/a/b", &FILLER[..40]),
        format!("git clone https://{}@dev.azure.com/a/b", &FILLER[..52]),
        "machine api.example.org login bob password Qw93Lp47z".to_owned(),
        "machine api.example.org\n  login bob\n  password Qw93Lp47z\n".to_owned(),
        "<server><password>Qw93.Lp47z</password></server>".to_owned(),
        "<add key=\"ApiKey\" value=\"q8Zr2Lk9Wx4Tn7Vb5M\"/>".to_owned(),
        format!("root:$6${}${}:19000:0:", &FILLER[..16], hash(86)),
        format!("$6$rounds=5000${}${}", &FILLER[..8], hash(86)),
        format!("$5${}${}", &FILLER[..16], hash(43)),
        format!("bob:$y$j9T${}${}", &FILLER[..22], hash(43)),
        format!("bob:$2y$10${}", hash(53)),
        format!("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"x\"\n{FILLER}\n"),
        format!("PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n{FILLER}"),
        format!("MAIL={}-us12", "c20431658b4550b7ef6bce6a0302cb17"),
    ] {
        let secret = find(&text).unwrap_or_else(|| panic!("{text}"));
        assert!(
            !secret.part.contains("Qw93") && !secret.part.contains(&FILLER[..8]),
            "{secret:?} shows it"
        );
    }
}

#[test]
fn what_stands_for_a_secret_and_what_only_looks_like_one_is_none() {
    let hex = "c20431658b4550b7ef6bce6a0302cb17";
    for text in [
        "DB_PASSWORD=$DB_PASSWORD",
        "DB_PASSWORD=${DB_PASSWORD:-changeme}",
        "DB_PASSWORD=changeme",
        "DB_PASSWORD=yourPasswordGoesHere1",
        "API_KEY=getKeyFromVault1",
        "TOKEN=session-token-v2-name",
        "//registry.npmjs.org/:_authToken=${NPM_TOKEN}",
        "//registry.npmjs.org/:_authToken=your-token-goes-here-1234",
        "{\"auth\": \"required\"}",
        "{\"auth\": \"Ym9iOmNoYW5nZW1l\"}",
        "auth: none",
        "\"auth\": \"b25seXRleHQ=\"",
        "client-key-data: REDACTED",
        "PresharedKey = <your key>",
        "https://git@github.com/a/b",
        "https://some-user-with-a-long-name@github.com/a/b",
        "https://$TOKEN@github.com/a/b",
        "https://0f7c2b9e4d1a4c3b8e5f6a7b8c9d0e1f@o1.ingest.sentry.io/1",
        "machine api.example.org login bob password $PASSWORD",
        "machine learning login with a password is2 easy",
        "<password>changeme</password>",
        "<password>${db.password}</password>",
        "<password>{COQLCE6DU6GtcS5P=}</password>",
        "<password type=\"text\">Qw93Lp47z</password>",
        "<passwordField>password123</passwordField>",
        "<add key=\"ApiKey\" value=\"#{ApiKey}#\"/>",
        "<add key=\"Timeout\" value=\"q8Zr2Lk9Wx4Tn7Vb5M\"/>",
        "if (a < b && c > d)",
        "$6$ is how sha512crypt begins, $y$ is yescrypt",
        "echo $2 $y $6",
        "Files that begin with `PuTTY-User-Key-File-3` are keys.",
        "`---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----`",
        "us-east-1 and eu-us2",
        &format!("{hex}-use"),
        &format!("{hex}{hex}-us1"),
        &format!("sha256:{hex}{hex}"),
    ] {
        assert_eq!(find(text), None, "{text}");
    }
}

#[test]
fn what_never_finishes_is_read_once() {
    for start in [
        "<a",
        "<add key=",
        "$6$",
        "$2y$10$",
        "machine a login b ",
        "PuTTY-User-Key-File-3: ",
        "-us",
        "_authToken=",
        "\"auth\":\"",
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----",
    ] {
        assert_eq!(find(&start.repeat(30_000)), None, "{start}");
    }
}
