#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use proptest::prelude::*;

use super::*;

struct Place {
    _folder: tempfile::TempDir,
    store: Store,
    file: PathBuf,
    key: PathBuf,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let (config, data) = (folder.path().join("config"), folder.path().join("data"));
    Place {
        store: Store::new(&config, &data),
        file: data.join("vault"),
        key: config.join("vault.key"),
        _folder: folder,
    }
}

impl Place {
    fn set(&self, name: &str, value: &str, hosts: &[&str]) {
        let hosts = hosts.iter().map(|host| host.parse().unwrap()).collect();
        let value = Value::new(value.as_bytes()).unwrap();
        self.store.set(name.parse().unwrap(), value, hosts).unwrap();
    }

    fn live(&self) -> Vault {
        Vault::new(self.store.clone(), ["from-the-environment".to_owned()])
    }

    /// Names, hosts and values, in words.
    fn shown(&self) -> Result<Vec<String>, VaultError> {
        let contents = self.store.load()?;
        Ok(contents
            .entries()
            .map(|entry| format!("{}={} {:?}", entry.name, entry.value.text().as_str(), entry.hosts))
            .collect())
    }
}

#[test]
fn what_was_set_is_there_and_neither_file_shows_it() {
    let place = place();
    assert!(place.shown().unwrap().is_empty());
    place.set("GITHUB", "ghp_0123456789", &["api.github.com", "API.github.com."]);
    place.set("other.key-2", "line one\nline two\n", &[]);
    let shown = place.shown().unwrap();
    assert_eq!(
        shown,
        [
            "GITHUB=ghp_0123456789 [Host(\"api.github.com\")]",
            "other.key-2=line one\nline two []"
        ]
    );
    for path in [&place.file, &place.key] {
        let bytes = fs::read(path).unwrap();
        for word in ["ghp_0123456789", "GITHUB", "github.com", "line one"] {
            assert!(!bytes.windows(word.len()).any(|part| part == word.as_bytes()), "{word}");
        }
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn setting_again_replaces_the_value_and_keeps_the_hosts_unless_others_are_named() {
    let place = place();
    place.set("A", "first value", &["a.example"]);
    place.set("a", "second value", &[]);
    assert_eq!(place.shown().unwrap(), ["a=second value [Host(\"a.example\")]"]);
    place.set("a", "third value", &["b.example"]);
    assert_eq!(place.shown().unwrap(), ["a=third value [Host(\"b.example\")]"]);
    place.store.remove("A").unwrap();
    assert!(place.shown().unwrap().is_empty());
    assert!(matches!(place.store.remove("A"), Err(VaultError::Unknown { .. })));
}

#[test]
fn a_file_cut_anywhere_is_an_error_and_is_not_written_over() {
    let place = place();
    place.set("A", "a value of mine", &["a.example"]);
    place.set("B", "another value", &[]);
    let whole = fs::read(&place.file).unwrap();
    for cut in 0..whole.len() {
        fs::write(&place.file, &whole[..cut]).unwrap();
        assert!(
            matches!(place.shown(), Err(VaultError::Damaged { .. })),
            "cut at byte {cut}"
        );
    }
    let value = Value::new(b"a third value").unwrap();
    let refused = place.store.set("C".parse().unwrap(), value, Vec::new());
    assert!(matches!(refused, Err(VaultError::Damaged { .. })));
    assert_eq!(fs::read(&place.file).unwrap(), &whole[..whole.len() - 1]);
    fs::write(&place.file, &whole).unwrap();
    assert_eq!(place.shown().unwrap().len(), 2);
}

#[test]
fn every_single_flipped_bit_is_an_error() {
    let place = place();
    place.set("A", "a value", &["a.example"]);
    let whole = fs::read(&place.file).unwrap();
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            fs::write(&place.file, &bytes).unwrap();
            assert!(matches!(place.shown(), Err(VaultError::Damaged { .. })), "{at}.{bit}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn no_change_of_the_bytes_makes_another_vault(
        at in any::<prop::sample::Index>(), length in 0_usize..40, with in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let place = place();
        place.set("A", "a value of mine", &["a.example"]);
        place.set("B", "another value", &[]);
        let whole = fs::read(&place.file).unwrap();
        let before = place.shown().unwrap();
        let mut bytes = whole.clone();
        let at = at.index(bytes.len());
        let end = bytes.len().min(at + length);
        bytes.splice(at..end, with);
        fs::write(&place.file, &bytes).unwrap();
        match place.shown() {
            Ok(after) => prop_assert!(bytes == whole && after == before),
            Err(error) => prop_assert!(matches!(error, VaultError::Damaged { .. }), "{}", error),
        }
    }
}

#[test]
fn the_key_of_another_home_opens_nothing_and_a_lost_one_makes_no_new_vault() {
    let (one, other) = (place(), place());
    one.set("A", "a value of mine", &[]);
    other.set("A", "a value of theirs", &[]);
    let key = fs::read(&one.key).unwrap();
    fs::copy(&other.key, &one.key).unwrap();
    assert!(matches!(one.shown(), Err(VaultError::Damaged { .. })));
    fs::write(&one.key, &key[..31]).unwrap();
    assert!(matches!(one.shown(), Err(VaultError::BadKey { bytes: 31, .. })));
    fs::remove_file(&one.key).unwrap();
    assert!(matches!(one.shown(), Err(VaultError::NoKey { .. })));
    let value = Value::new(b"a new value").unwrap();
    let refused = one.store.set("B".parse().unwrap(), value, Vec::new());
    assert!(matches!(refused, Err(VaultError::NoKey { .. })));
    assert!(!one.key.exists());
}

#[test]
fn files_that_others_have_access_to_count_for_nothing() {
    let place = place();
    place.set("A", "a value of mine", &[]);
    for path in [&place.file, &place.key] {
        for mode in [0o640, 0o604, 0o620] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
            let error = place.shown().unwrap_err();
            assert!(matches!(error, VaultError::Private(_)), "{error}");
            let remedy = format!("; run: chmod 600 {}", path.display());
            assert!(error.to_string().ends_with(&remedy), "{error}");
        }
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }
    let elsewhere = place.file.with_extension("elsewhere");
    fs::rename(&place.file, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &place.file).unwrap();
    assert!(matches!(place.shown(), Err(VaultError::Private(_))));
}

#[test]
fn many_at_once_lose_nothing_of_each_other() {
    let place = place();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let place = &place;
            scope.spawn(move || {
                for number in 0..8 {
                    place.set(&format!("n{writer}-{number}"), "a value of mine", &[]);
                }
            });
        }
    });
    assert_eq!(place.shown().unwrap().len(), 32);
}

#[test]
fn no_nonce_is_used_twice() {
    let place = place();
    let mut nonces = std::collections::HashSet::new();
    for _ in 0..20 {
        place.set("A", "the same value", &[]);
        assert!(nonces.insert(fs::read(&place.file).unwrap()[21..33].to_vec()));
    }
}

#[test]
fn a_vault_in_use_takes_up_what_is_set_and_removed() {
    let place = place();
    let live = place.live();
    let before = live.secrets();
    assert!(before.contains("x from-the-environment x") && !before.contains("a value of mine"));
    place.set("A", "a value of mine", &[]);
    let after = live.secrets();
    assert!(after.contains("x from-the-environment x") && after.contains("it is a value of mine!"));
    assert!(
        !before.contains("a value of mine"),
        "what was taken before stays as it was"
    );
    assert_eq!(live.names().unwrap(), ["A"]);
    place.store.remove("A").unwrap();
    assert!(!live.secrets().contains("a value of mine"));
    assert!(live.names().unwrap().is_empty());
}

#[test]
fn what_is_secret_beside_it_can_become_more_and_never_less() {
    let place = place();
    let vault = place.live();
    let before = vault.secrets();
    vault.also(["of-another-provider".to_owned(), "from-the-environment".to_owned()]);
    let known = |text: &str| vault.secrets().contains(text);
    assert!(known("of-another-provider") && known("from-the-environment"));
    assert_eq!((before.len(), vault.secrets().len()), (1, 2));
    // The vault itself may change afterwards.
    place.set("GITHUB", "ghp_0123456789", &[]);
    assert!(known("ghp_0123456789") && known("of-another-provider"));
    vault.also([]);
    assert_eq!(vault.secrets().len(), 3);
}

#[test]
fn a_vault_that_breaks_in_use_is_still_recognised_and_serves_nothing_until_it_is_mended() {
    let place = place();
    place.set("A", "a value of mine", &["a.example"]);
    let live = place.live();
    let whole = fs::read(&place.file).unwrap();
    fs::write(&place.file, b"nothing like a vault").unwrap();
    assert!(live.secrets().contains("a value of mine"));
    assert!(matches!(
        live.reveal_for("A", "a.example"),
        Err(VaultError::Damaged { .. })
    ));
    assert!(matches!(live.hmac_sha256("A", b"x"), Err(VaultError::Damaged { .. })));
    let moment = live.moment();
    assert!(moment.secrets.contains("a value of mine") && moment.fault.is_some());
    fs::write(&place.file, &whole).unwrap();
    let moment = live.moment();
    assert!(moment.secrets.contains("a value of mine") && moment.fault.is_none());
    assert_eq!(live.reveal_for("A", "a.example").unwrap().as_str(), "a value of mine");
}

#[test]
fn a_secret_goes_to_the_hosts_it_is_for_and_to_no_other() {
    let place = place();
    place.set("A", "a value of mine", &["api.example.com", "2001:db8::1"]);
    place.set("B", "sent nowhere", &[]);
    let live = place.live();
    for host in [
        "api.example.com",
        "API.Example.Com",
        "api.example.com.",
        "[2001:DB8::1]",
    ] {
        assert_eq!(
            live.reveal_for("a", host).unwrap().as_str(),
            "a value of mine",
            "{host}"
        );
    }
    for host in [
        "example.com",
        "x.api.example.com",
        "api.example.com.evil.org",
        "api.example.com:443",
        "",
        ".",
    ] {
        let refused = live.reveal_for("A", host).unwrap_err();
        assert!(matches!(refused, VaultError::NotForHost { .. }), "{host}: {refused}");
        assert!(!refused.to_string().contains("a value of mine"));
    }
    assert!(live.reveal_for("B", "api.example.com").is_err());
    assert!(matches!(live.reveal_for("C", "x"), Err(VaultError::Unknown { .. })));
}

#[test]
fn signing_is_hmac_sha256() {
    let place = place();
    // The second test case of RFC 4231.
    place.set("JEFE", "Jefe", &[]);
    let mac = place
        .live()
        .hmac_sha256("JEFE", b"what do ya want for nothing?")
        .unwrap();
    assert_eq!(
        hex::encode(mac),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    );
}

#[test]
fn names_hosts_and_values_that_can_not_be_are_refused() {
    for name in ["", "1password", "a b", "a/b", "ünlaut", &"n".repeat(65), "sk-live=x"] {
        assert!(name.parse::<SecretName>().is_err(), "{name}");
    }
    let typed_by_mistake = "1-the-whole-secret-itself".parse::<SecretName>().unwrap_err();
    assert!(!typed_by_mistake.to_string().contains("secret-itself"));
    for host in [
        "",
        "https://example.com",
        "example.com/x",
        "example.com:443",
        "*.example.com",
        "a..b",
        "-a.b",
        "a b",
    ] {
        assert!(host.parse::<Host>().is_err(), "{host}");
    }
    for value in [&b""[..], b"\n", b" \r\n", b"\xff\xfe"] {
        assert!(Value::new(value).is_err());
    }
    assert!(Value::new(&vec![b'x'; 65_537]).is_err());
    assert_eq!(Value::new(b"x\n\n").unwrap().text().as_str(), "x\n");
    assert!(!Value::new(b"short").unwrap().is_recognised() && Value::new(b"12345678").unwrap().is_recognised());
    assert_eq!(format!("{:?}", Value::new(b"hunter2hunter2").unwrap()), "Value(***)");
}
