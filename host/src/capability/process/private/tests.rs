#![allow(clippy::unwrap_used)]
use super::*;

fn secret(name: &str, text: &[u8]) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
    let root = Root::open(folder.path()).unwrap();
    Reader::default().holds_a_secret(&root, Path::new(name))
}

/// What is no key, and is written as that one.
fn public(key: &str) -> String {
    key.replace("OPENSSH PRIVATE", "PUBLIC")
        .replace("b3BlbnNzaC1rZXktdjE", "AAAAB3NzaC1yc2EAAAA")
}

#[test]
fn a_key_is_told_from_a_certificate_by_what_is_in_it() {
    for (name, text) in [
        ("server.key", &b"-----BEGIN RSA PRIVATE KEY-----\nMII\n"[..]),
        (
            "Server.PEM",
            b"-----BEGIN CERTIFICATE-----\nMII\n-----BEGIN PRIVATE KEY-----\n",
        ),
        (
            "bundle.crt",
            b"-----BEGIN CERTIFICATE-----\n-----BEGIN EC PRIVATE KEY-----\n",
        ),
        ("wg.key", b"yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=\n"),
        ("der.key", b"\x30\x82\x04\xa2\x02\x01\x00"),
        ("me.asc", b"-----BEGIN PGP PRIVATE KEY BLOCK-----\n"),
        ("me.gpg", b"\x95\x03\x98\x04"),
        ("store.p12", b"\x30\x82"),
        ("a.kdbx", b""),
        ("terraform.tfstate", b"{}"),
        ("auth.json", b"{}"),
        ("host.p8", b"\x30\x82\x04\xa2\x02\x01\x00"),
        (
            "wg0.conf",
            b"[Interface]\nPrivateKey = yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=\n",
        ),
        (
            "age-key.txt",
            b"# created\nAGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZQD\n",
        ),
        ("ta.key", b"-----BEGIN OpenVPN Static key V1-----\n"),
        (".id_rsa.swp", b"b0VIM 9.0\0\0-----BEGIN OPENSSH PRIVATE KEY-----\0"),
        (
            "service-key.json",
            b"{\"k\": \"-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\"}",
        ),
        ("auth.json.bak", b"{}"),
        ("Prod.env", b"A=b"),
        ("prod.env.bak", b"A=b"),
        (".env~", b"A=b"),
        ("..env.swp", b"A=b"),
        (".npmrc.old", b"A=b"),
        (".netrc~", b"A=b"),
        (".wgetrc", b"A=b"),
        ("credentials", b"A=b"),
    ] {
        assert!(secret(name, text), "{name}");
    }
    for (name, text) in [
        ("cacert.pem", &b"-----BEGIN CERTIFICATE-----\nMII\n"[..]),
        ("server.pem", b"-----BEGIN PUBLIC KEY-----\n"),
        ("empty.key", b""),
        ("guide.asc", b"= A guide\n\nAbout keys.\n"),
        ("archive.gpg", b"\x99\x02\x0d\x04"),
        ("main.rs", b"const BEGIN: &str = \"-----BEGIN RSA PRIVATE KEY-----\";"),
        ("keys.rs", b"const BEGIN: &str = \"-----BEGIN RSA PRIVATE KEY-----\";"),
        (
            "keys.rs.orig",
            b"const BEGIN: &str = \"-----BEGIN RSA PRIVATE KEY-----\";",
        ),
        ("keys.o", b"\x7fELF\0\0-----BEGIN RSA PRIVATE KEY-----\0"),
        ("id_rsa.pub", b"ssh-rsa AAAA me\n"),
        ("keyboard.txt", b"About PRIVATE KEYs.\n"),
        ("wg0.conf", b"[Peer]\nPublicKey = yAnz5TF+lXXJ=\n"),
        ("server.pem.old", b"-----BEGIN CERTIFICATE-----\nMII\n"),
        ("example.env", b"A=b"),
        ("prod.env.sample", b"A=b"),
        ("main.rs.bak", b"fn main() {}"),
    ] {
        assert!(!secret(name, text), "{name}");
    }
}

#[test]
fn a_key_is_found_under_any_name_that_people_give_to_keys_and_to_copies_of_them() {
    let key = "-----BEGIN OPENSSH PRIVATE KEY-----\n\
               b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt\n";
    for name in [
        "id_rsa.bak",
        "id_rsa_work",
        "id_ed25519_github",
        "deploy_rsa",
        "server.key.bak",
        "server.pem.old",
        "server.pem~",
        "Server.PEM.1",
        "#server.pem#",
        ".server.pem.swp",
        "host.p8",
        "host.pkcs8",
        "signing_key",
        "tls-key",
        "jwt.priv",
        "client.ovpn",
        "my-secretkey.txt",
    ] {
        assert!(secret(name, key.as_bytes()), "{name}");
        assert!(!secret(name, public(key).as_bytes()), "{name}");
    }
}

#[test]
fn what_only_says_how_keys_begin_is_none() {
    for (name, text) in [
        (
            "check.sh",
            "grep -q -e \"-----BEGIN PRIVATE KEY-----\" \"$1\" && exit 1\n",
        ),
        ("gitleaks.yaml", "regex: \"-----BEGIN RSA PRIVATE KEY-----\"\n"),
        ("wg-template.conf", "[Interface]\nPrivateKey = <your key here>\n"),
        ("my-keys.txt", "age keys begin with AGE-SECRET-KEY-1 and are long\n"),
        (
            "id_rsa.txt",
            "-----BEGIN OPENSSH PRIVATE KEY-----\n...\n-----END OPENSSH PRIVATE KEY-----\n",
        ),
    ] {
        assert!(!secret(name, text.as_bytes()), "{name}");
    }
}

#[test]
fn source_code_and_prose_is_a_key_only_if_it_is_hardly_anything_else() {
    let body = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt\n".repeat(5);
    let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\n");
    let headers = key.replace("KEY-----\nb3", "KEY-----\nProc-Type: 4,ENCRYPTED\n\nb3");
    let both = format!("-----BEGIN CERTIFICATE-----\n{body}{body}-----END CERTIFICATE-----\n{key}");
    for name in ["notes2.md", "deploy.py", "d.svelte", "main.rs.bak", "a.html"] {
        for text in [&key, &headers, &both, &format!("# mine\n\n{key}\n")] {
            assert!(secret(name, text.as_bytes()), "{name}: {text}");
        }
        let quoted = format!("{}\n{key}", "fn test() { check(KEY); }\n".repeat(20));
        let public = key.replace("RSA PRIVATE", "PUBLIC");
        let named = "-----BEGIN RSA PRIVATE KEY-----\nis how they begin\n".to_owned();
        let short = "-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\n".to_owned();
        for text in [quoted, public, named, short] {
            assert!(!secret(name, text.as_bytes()), "{name}: {text}");
        }
    }
    // Programs fill that folder.
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("node_modules")).unwrap();
    std::fs::write(folder.path().join("node_modules/a.js"), &key).unwrap();
    let root = Root::open(folder.path()).unwrap();
    assert!(!Reader::default().holds_a_secret(&root, Path::new("node_modules/a.js")));
}

#[test]
fn what_is_long_is_no_key_for_a_word_in_its_name_unless_nothing_is_read_any_more() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("keys.txt"), "a".repeat(LONGEST)).unwrap();
    let root = Root::open(folder.path()).unwrap();
    let mut reader = Reader {
        left: LONGEST_BY_WORD + BEGINNING,
        ..Reader::default()
    };
    let again = [(); 2].map(|()| reader.holds_a_secret(&root, Path::new("keys.txt")));
    assert_eq!(again, [false, true]);
}

#[test]
fn what_is_too_long_or_too_much_to_be_read_counts_as_a_key() {
    let text = [&b"-----BEGIN CERTIFICATE-----\n"[..], &vec![b'A'; LONGEST]].concat();
    assert!(secret("long.pem", &text));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.crt"), "-----BEGIN CERTIFICATE-----\n").unwrap();
    let root = Root::open(folder.path()).unwrap();
    let mut reader = Reader {
        left: 40,
        ..Reader::default()
    };
    let again = [(); 2].map(|()| reader.holds_a_secret(&root, Path::new("a.crt")));
    assert_eq!(again, [false, true]);
}

#[test]
fn what_is_called_a_copy_of_what_is_hidden_is_hidden() {
    let copies = [
        "{}.bak",
        "{}~",
        "#{}#",
        ".{}.swp",
        ".{}.kate-swp",
        "{}.1",
        "{}.rpmsave",
        "{}.temp2",
        "{},v",
        "{}-copy",
        "{}_backup",
        "{} (1)",
        "{}.2024-05-01",
        "{} (another copy)",
        "{}.new",
        "{}.~1~",
        "{} - Copy",
        "{} copy 2",
        "Copy of {}",
        "{}-old.bak",
        "{}_ORIG",
        "{}-2024",
        "{}_20240501",
    ];
    for copy in copies {
        for name in [
            ".netrc",
            ".bash_history",
            "env",
            ".npmrc",
            ".git-credentials",
            "auth.json",
            "prod.env",
            "store.p12",
            ".pgpass",
        ] {
            assert!(secret(&copy.replace("{}", name), b"A=b"), "{copy} of {name}");
        }
        assert!(!secret(&copy.replace("{}", "notes"), b"A=b"), "{copy}");
        assert!(!secret(&copy.replace("{}", "example.env"), b"A=b"), "{copy}");
    }
}

#[test]
fn what_lies_in_a_copy_of_a_folder_of_keys_is_hidden() {
    for (path, hidden) in [
        (".ssh.bak/work", true),
        ("a/.ssh-old/deep/work", true),
        (".docker.bak/config.json", true),
        (".aws_2024/x", true),
        (".gnupg (1)/x", true),
        (".netrc.txt", true),
        ("netrc", true),
        ("netrc.bak", true),
        ("dot_netrc", true),
        ("pgpass.conf", true),
        ("npmrc.txt", true),
        ("htpasswd", true),
        ("vault_pass", true),
        ("bash_history", true),
        ("dotenv", true),
        ("dotenv.bak", true),
        ("env.prod", true),
        ("Env-File", true),
        ("env.ts", false),
        ("env.example", false),
        ("dot_config", false),
        ("netrc.rs", false),
        (".netrc2", true),
        (".docker.bak/x", false),
        (".github.bak/x", false),
        ("docker.bak/config.json", false),
    ] {
        assert_eq!(secret(path, b"A=b"), hidden, "{path}");
    }
}

/// A list of DER around these bytes, as long as it says.
fn list(inner: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x30, 0x82, 0x04, 0xa2];
    bytes.extend_from_slice(inner);
    bytes.resize(300, 0x5a);
    bytes
}

#[test]
fn a_key_that_is_no_text_is_told_whatever_its_file_is_called() {
    let name = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01";
    let algorithm = |rest: &[u8]| [&b"\x30\x0d"[..], name, rest].concat();
    let keys = [
        list(b"\x02\x01\x00\x02\x82\x01\x01\x00"),
        list(&[&b"\x02\x01\x00"[..], &algorithm(b"\x01\x01")].concat()),
        b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20aaaa".to_vec(),
        b"\x30\x77\x02\x01\x01\x04\x20aaaaaaaaaaaa".to_vec(),
        list(&algorithm(b"\x05\x0d")),
        list(b"\x02\x01\x03\x30\x82\x09\x10\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01"),
        b"\x95\x03\x98\x04\x5f\x00\x00\x00\x01aaaa".to_vec(),
        b"\xc5\x86\x04\x5f\x00\x00\x00\x16aaaa".to_vec(),
        b"openssh-key-v1\0aaaa".to_vec(),
        b"\xfe\xed\xfe\xed\0\0\0\x02".to_vec(),
    ];
    for key in &keys {
        for name in [
            "id_rsa-copy",
            "id_rsa (1)",
            "server.key,v",
            "other",
            "a.der",
            "notes.txt",
            "a.bin",
        ] {
            assert!(secret(name, key), "{name}: {key:x?}");
        }
    }
    let others = [
        // A certificate, a public key, a store of nothing known, a message to somebody, a public key of GnuPG.
        list(b"\x30\x82\x02\x5c\xa0\x03\x02\x01\x02"),
        list(&algorithm(b"\x01\x01")),
        list(b"\x02\x01\x04\x30\x82\x09"),
        // Parameters of a curve, a message of SNMP.
        list(b"\x02\x01\x01\x30\x2c\x06\x07\x2a\x86\x48\xce\x3d\x01\x01"),
        list(b"\x02\x01\x03\x30\x0f\x02\x02\x4a\x69"),
        b"\x85\x01\x0c\x03\x5f\x00\x00\x00\x01aaaa\0".to_vec(),
        b"\x99\x01\x0d\x04\x5f\x00\x00\x00\x01aaaa\0".to_vec(),
        b"\x7fELF\x02\x01\x01\0".to_vec(),
        b"0.".to_vec(),
        b"\x95".to_vec(),
    ];
    for other in &others {
        assert!(!secret("id_rsa-copy", other) && !secret("a.bin", other), "{other:x?}");
    }
}

#[test]
fn a_key_in_an_archive_that_is_not_packed_is_found_and_a_program_that_has_one_is_left() {
    let key = "-----BEGIN OPENSSH PRIVATE KEY-----\n\
               b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt\n\
               -----END OPENSSH PRIVATE KEY-----\n";
    let mut tar = vec![0; 512];
    tar[257..262].copy_from_slice(b"ustar");
    let far = vec![0; 390 * 512];
    let held = |begin: &[u8], text: &str| [begin, &far, text.as_bytes(), &far].concat();
    let der = list(b"\x02\x01\x00\x02\x82\x01\x01\x00");
    assert!(secret("all", &[&tar[..], &far, &der].concat()));
    assert!(!secret("all", &[&tar[..], &far, &der[1..]].concat()));
    for begin in [&tar[..], b"PK\x03\x04", b"!<arch>\n", b"070701"] {
        assert!(secret("all", &held(begin, key)), "{begin:?}");
        assert!(secret("keys.tar", &held(begin, key)), "{begin:?}");
        assert!(!secret("all", &held(begin, &public(key))), "{begin:?}");
    }
}

#[test]
fn a_key_that_stands_in_what_is_no_text_is_found_near_its_beginning() {
    let body = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt\n".repeat(3);
    let key = format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{body}-----END OPENSSH PRIVATE KEY-----\n");
    let held = |begin: &[u8], text: &str| [begin, &[0; 30_000], text.as_bytes(), &[0; 30_000]].concat();
    for begin in [
        &b"SQLite format 3\0"[..],
        b"%PDF-1.4\n",
        b"\x7fELF",
        b"\0\0\0",
        b"\xff\xfe\0",
    ] {
        for name in ["app.db", "plain", "keys.dat", "libx.a"] {
            assert!(secret(name, &held(begin, &key)), "{name}: {begin:x?}");
            assert!(!secret(name, &held(begin, &public(&key))), "{name}");
        }
    }
    // A name that says that it is no text does not hide one that is.
    for name in ["photo.png", "all.gz", "app.o"] {
        assert!(secret(name, key.as_bytes()), "{name}");
        assert!(!secret(name, &held(b"\x89PNG\0", &key)), "{name} is looked into");
    }
}

#[test]
fn a_key_in_utf_16_is_one() {
    let body = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt\n".repeat(3);
    let text = format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{body}-----END OPENSSH PRIVATE KEY-----\n");
    let wide = |text: &str, bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        for mark in ["\u{feff}", ""] {
            let key = format!("{mark}{text}");
            assert!(secret("notes.txt", &wide(&key, bytes)), "{mark:?}");
            assert!(!secret("notes.txt", &wide(&public(&key), bytes)), "{mark:?}");
        }
    }
}
