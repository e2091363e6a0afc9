//! What is a key, whatever a file is called, and what is only about keys.

use super::{Harness, call, key};

/// Whether the tools say that a file of that text holds one, which they agree about.
fn holds_a_key(text: &str) -> bool {
    let harness = Harness::new().file("plain.txt", text);
    let told = call(harness.clone(), "read-file", ":PATH \"plain.txt\"").err();
    let found = call(harness, "search-text", ":PATTERN \"nothing of it\"").unwrap();
    let read = told.is_some_and(|told| told.contains("holds a private key"));
    assert_eq!(read, found.contains("1 file"), "{text}: {found}");
    read
}

/// `bytes` in base64, as base64(1) writes it.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let of = |three: &[u8]| {
        let bits = (0..3).fold(0_u32, |bits, at| bits << 8 | u32::from(*three.get(at).unwrap_or(&0)));
        let letter = |at: usize| match at <= three.len() {
            true => char::from(LETTERS[(bits >> (18 - 6 * at) & 63) as usize]),
            false => '=',
        };
        (0..4).map(letter).collect::<String>()
    };
    bytes.chunks(3).map(of).collect()
}

/// The same text in lines of so many letters.
fn lines(text: &str, length: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    let lines = letters.chunks(length).map(|line| line.iter().collect::<String>());
    lines.map(|line| line + "\n").collect()
}

#[test]
fn a_key_that_is_written_out_once_more_is_one() {
    let digits = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    let public = key()
        .replace("PRIVATE", "PUBLIC")
        .replace("b3BlbnNzaC1rZXktdjE", "AAAAB3NzaC1yc2EAAAA");
    let der = b"\x30\x82\x04\xbd\x02\x01\x00\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01aaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    assert!(holds_a_key(&lines(&base64(der), 64)) && !holds_a_key(&lines(&base64(&der[3..]), 64)));
    let pairs = |text: &str, before: &str, behind: &str| {
        let pairs = text.bytes().map(|byte| format!("{before}{byte:02x}{behind}"));
        pairs.collect::<String>()
    };
    let ways: [&dyn Fn(&str) -> String; 15] = [
        &|text| pairs(text, "", " "),
        &|text| pairs(text, "", ":").to_uppercase(),
        &|text| format!("let key = [{}];\n", pairs(text, "0x", ",\n    ")),
        &|text| format!("key = \"{}\"\n", pairs(text, "\\x", "")),
        &|text| pairs(text, "%", ""),
        &|text| text.replace(' ', "%20").replace('\n', "%0A").replace('+', "%2B"),
        &|text| base64(text.as_bytes()) + "\n",
        &|text| lines(&base64(text.as_bytes()), 76),
        &|text| lines(&base64(format!("a{text}").as_bytes()), 76),
        &|text| lines(&base64(format!("a\n{text}").as_bytes()), 64),
        &|text| format!("kind: Secret\ndata:\n  tls: {}\n", base64(text.as_bytes())),
        &|text| {
            format!(
                "tls: |\n  {}",
                lines(&base64(text.as_bytes()), 60).replace('\n', "\n  ")
            )
        },
        &|text| {
            format!(
                "{{\"tls\": \"{}\"}}\n",
                lines(&base64(text.as_bytes()), 76).replace('\n', "\\n")
            )
        },
        &|text| lines(&digits(text), 60),
        &|text| digits(text).to_uppercase(),
    ];
    let bare = lines(&base64(&[&der[..], &[0; 200]].concat()), 64);
    for before in [
        "private_key: |-\n",
        "my deploy key\n",
        "---\n",
        "Content-Transfer-Encoding: base64\n\n",
    ] {
        assert!(holds_a_key(&format!("{before}{bare}")), "{before}");
    }
    assert!(holds_a_key(&format!(
        "key = 0x{}\n",
        der.iter().map(|byte| format!("{byte:02X}")).collect::<String>()
    )));
    assert!(holds_a_key(&format!("COPY keys;\n\\\\x{}\n", digits(&key()))));
    let hashes = "943003d4040102030405060708090a0b0c0d0e0f943003d404010203040506ab  dist/a.tar.gz\n";
    assert!(!holds_a_key(hashes));
    for (at, way) in ways.iter().enumerate() {
        assert!(holds_a_key(&way(&key())), "{at}: {}", way(&key()));
        assert!(!holds_a_key(&way(&public)), "{at}: {}", way(&public));
    }
}

#[test]
fn what_mentions_a_key_holds_none() {
    for text in [
        "grep -q -e \"-----BEGIN PRIVATE KEY-----\" \"$1\" && exit 1\nif x\nthen\ndone\nfi\n",
        "rules:\n- id: rsa\n  regex: \"-----BEGIN RSA PRIVATE KEY-----\"\n  path: /usr/local/share/certificates/all\n",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n",
        "sed -n '/-----BEGIN PRIVATE KEY-----/,/-----END PRIVATE KEY-----/p' \"$1\"\n",
        "age keys begin with AGE-SECRET-KEY-1 and are long\n",
        "AGE-SECRET-KEY-1...\n",
        "[Interface]\nPrivateKey = <your key here>\n",
        "PrivateKey = PASTE\n",
        "PrivateKey =\n",
        "the privateKey: see <RSAKeyValue> and Private-key-format\n",
        "keys of PuTTY begin with PuTTY-User-Key-File-3: and have Private-Lines: 1\nin them\n",
        "grep -l '^PuTTY-User-Key-File-' *.txt | xargs grep 'Private-Lines:'\n",
        "untrusted comment: minisign public key\nRWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3\n",
        "untrusted comment: minisign encrypted secret key\nRWRTY0Iy...\n",
        "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4\"}\n",
        "{\"kty\": \"EC\", \"d\": \"<private part>\"}\n",
        "{\"kty\": \"oct\", \"k\": \"...\"}\n",
        "[{\"kty\": \"EC\"}, {\"d\": \"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE\"}]\n",
        "{\"d\": \"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE\"}\n",
    ] {
        assert!(!holds_a_key(text), "{text}");
    }
    let words = "fi\ndone\nelse\n".repeat(20);
    assert!(!holds_a_key(&format!(
        "grep -e '-----BEGIN PRIVATE KEY-----' a\n{words}"
    )));
    let far = format!("# {}\n", "about it ".repeat(60)) + &"0123456789abcdef".repeat(4);
    assert!(!holds_a_key(&format!("# -----BEGIN PRIVATE KEY-----\n{far}\n")));
}

#[test]
fn a_key_is_one_however_it_is_written_down() {
    let line = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt";
    let age = format!("# public\nAGE-SECRET-KEY-1{}QD\n", "GFPYYSJZ".repeat(7));
    let cut = format!("-----BEGIN RSA PRIVATE KEY-----\n{line}\n");
    let putty = format!(
        "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: me\nPublic-Lines: 1\nAAAAC3Nz\nPrivate-Lines: 1\n{}\nPrivate-MAC: 00ff\n",
        "AAAAIHk0".repeat(6)
    );
    let signing = |begin: &str, length: usize| format!("{begin:A<length$}");
    let part = "870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE";
    let tunnel = "0123456789abcdef0123456789abcdef\n".repeat(16);
    for text in [
        key(),
        cut.clone(),
        key().replace('\n', "\\n"),
        key().replace('\n', " "),
        key().replace('\n', "\r\n"),
        key().replace('\n', "\n    "),
        key().replace('\n', "\n> "),
        key().replace('\n', "\\n\" +\n  \""),
        cut.replace(
            "KEY-----\n",
            "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00ff\n\n",
        ),
        format!("-----BEGIN OpenVPN Static key V1-----\n{tunnel}-----END OpenVPN Static key V1-----\n"),
        age,
        "[Interface]\nPrivateKey = yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=\n".to_owned(),
        putty.clone(),
        putty.replace('\n', "\r\n"),
        putty.replace('\n', "\n> "),
        putty.replace('\n', "\\n"),
        format!(
            "untrusted comment: minisign encrypted secret key\n{}\n",
            signing("RWRTY0Iy", 212)
        ),
        format!("key = \"{}\"\n", signing("RWQAAEIy", 212)),
        format!(
            "untrusted comment: signify secret key\n{}\n",
            signing("RWRCSwAAACr", 140)
        ),
        format!("{{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":\"{part}\"}}\n"),
        format!(
            "{{\n  \"keys\": [\n    {{ \"d\" : \"{part}\",\n      \"use\": \"sig\", \"kty\": \"OKP\" }}\n  ]\n}}\n"
        ),
        format!("JWK={{\\\"kty\\\":\\\"EC\\\",\\\"d\\\":\\\"{part}\\\"}}\n"),
        "{\"kty\":\"oct\",\"k\":\"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75\"}\n".to_owned(),
        "[wireguard]\nprivate-key=yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=\n".to_owned(),
        "{\"peer\": {\"privateKey\": \"yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=\"}}\n".to_owned(),
        "Private-key-format: v1.3\nAlgorithm: 8 (RSASHA256)\nModulus: vWg=\n".to_owned(),
        "Private-Key: (2048 bit)\nmodulus:\n    00:bd\npublicExponent: 65537\nprivateExponent:\n    08:4d\n"
            .to_owned(),
        "-----BEGIN USER NKEY SEED-----\nSUAOTQ\n------END USER NKEY SEED------\n".to_owned(),
        "<RSAKeyValue><Modulus>vWg=</Modulus><D>CE0=</D></RSAKeyValue>\n".to_owned(),
        "Key: (private-key (ecc (curve Ed25519)(q #40AB#)(d #01#)))\n".to_owned(),
        "  privatekey=\"yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=\" # mine\r\n".to_owned(),
    ] {
        assert!(holds_a_key(&text), "{text}");
    }
}
