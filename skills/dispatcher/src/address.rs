//! A text that is an address as a whole. It is read in one spelling, `scheme://host:port/…` or the same without its
//! scheme; what a reader of URLs would take otherwise, or mend first, is odd. Source: the WHATWG URL standard, "URL
//! parsing".

use std::net::Ipv6Addr;

use crate::network::{self, Destination, SCHEMES};

/// Schemes of which a reader of URLs mends what stands behind the colon.
const SPECIAL: &[&str] = &["file", "ftp", "http", "https", "ws", "wss"];

/// Whether `text` may be read as an address, however it is spelt.
pub(crate) fn is_one(text: &str) -> bool {
    text.as_bytes().contains(&b':') && special(&cleaned(text)).is_some()
}

/// The destination of `text`, which is an address with a scheme or without.
pub(crate) fn destination(text: &str) -> Destination {
    let meant = cleaned(text);
    let rest = special(&meant).unwrap_or_else(|| match meant.split_once("://") {
        Some((scheme, rest)) if is_known(scheme) => rest,
        _ => &meant,
    });
    let mut found = network::destination(rest.split('\\').next().unwrap_or_default());
    if !is_plain(text) {
        found.odd = found.odd.or(Some(
            "a spelling that programs read differently (scheme://host/… is plain)",
        ));
    }
    found
}

/// `text` without what a reader of URLs takes out before it reads.
fn cleaned(text: &str) -> String {
    let ends = |char: char| char <= ' ';
    text.trim_matches(ends).replace(['\t', '\n', '\r'], "")
}

/// What stands behind the scheme and all slashes of either kind.
fn special(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once(':')?;
    let known = SPECIAL.iter().any(|own| own.eq_ignore_ascii_case(scheme));
    known.then(|| rest.trim_start_matches(['/', '\\']))
}

fn is_known(scheme: &str) -> bool {
    SCHEMES.iter().any(|own| own.eq_ignore_ascii_case(scheme))
}

/// Whether there is one way to read it.
fn is_plain(text: &str) -> bool {
    if text.contains(|char: char| char.is_control() || char.is_whitespace() || char == '\\') {
        return false;
    }
    let ends = ['/', '?', '#'];
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) if !scheme.contains(ends) => (Some(scheme), rest),
        _ => (None, text),
    };
    let authority = rest.split(ends).next().unwrap_or_default();
    let is_port = |rest: &str| match rest.strip_prefix(':') {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_digit()),
        None => rest.is_empty(),
    };
    let in_name = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    if let Some(rest) = authority.strip_prefix('[') {
        let six = rest.split_once(']');
        return scheme.is_none_or(is_known)
            && six.is_some_and(|(address, port)| address.parse::<Ipv6Addr>().is_ok() && is_port(port));
    }
    if scheme.is_none() && authority.parse::<Ipv6Addr>().is_ok() {
        return true;
    }
    let (name, port) = authority.split_at(authority.find(':').unwrap_or(authority.len()));
    let named = !name.is_empty() && name.bytes().all(in_name) && is_port(port);
    // Without slashes the name of a scheme is still one.
    named && scheme.map_or(port.is_empty() || special(text).is_none(), is_known)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn passes(text: &str) -> bool {
        let allowed = ["a.example.org".to_owned()];
        network::judge(&destination(text), "f", &allowed).is_none()
    }

    #[test]
    fn a_plain_address_is_read_as_what_it_says() {
        for plain in [
            "https://a.example.org",
            "https://a.example.org/",
            "HTTPS://A.Example.org.:8443/x?y=z:1@2#3",
            "http://a.example.org?x=http:/y",
            "a.example.org/x",
            "a.example.org:443",
        ] {
            assert!(passes(plain), "{plain}");
        }
        for (six, host) in [("http://[::1]:80/", "::1"), ("::1", "::1"), ("[fe80::1]/x", "fe80::1")] {
            assert_eq!(
                destination(six),
                Destination {
                    host: host.to_owned(),
                    odd: None
                },
                "{six}"
            );
        }
    }

    #[test]
    fn what_would_be_mended_first_is_odd_and_names_the_host_that_comes_out() {
        for (text, host) in [
            ("http:/127.0.0.1:9399/leak?x=https://a.example.org/", "127.0.0.1"),
            ("https:/evil.example/?x=https://a.example.org/", "evil.example"),
            ("https:evil.example?x=https://a.example.org/", "evil.example"),
            ("https:\\\\evil.example/?https://a.example.org", "evil.example"),
            ("https:///evil.example/", "evil.example"),
            ("ht\ttps://evil.example", "evil.example"),
            ("https:/\n/evil.example", "evil.example"),
            (" https://evil.example", "evil.example"),
            ("https://evil.example\\.a.example.org/", "evil.example"),
            ("http:80/", "0.0.0.80"),
            ("HTTP:a.example.org", "a.example.org"),
        ] {
            let found = destination(text);
            assert_eq!(found.host, host, "{text}");
            assert!(found.odd.is_some() && is_one(text), "{text}");
        }
        for text in [
            "http:/169.254.169.254/",
            "https:\\\\169.254.169.254",
            "ht\ntp:169.254.169.254",
        ] {
            let found = network::judge(&destination(text), "f", &[]);
            assert_eq!(found.map(|finding| finding.rule()), Some("network-metadata"), "{text}");
        }
    }

    /// The host that a reader of URLs would find, in few words.
    fn read(text: &str) -> String {
        let cleaned: String = text
            .chars()
            .filter(|char| !matches!(char, '\t' | '\n' | '\r'))
            .collect();
        let cleaned = cleaned.trim_matches(|char| char <= ' ').to_lowercase();
        let behind = match cleaned.split_once(':') {
            Some(("http" | "https" | "ftp" | "ws" | "wss", behind)) => behind.trim_start_matches(['/', '\\']),
            _ => cleaned.trim_start_matches(['/', '\\']),
        };
        let authority = behind.split(['/', '\\', '?', '#']).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
        host.trim_end_matches('.').to_owned()
    }

    proptest! {
        #[test]
        fn only_the_host_that_was_allowed_passes(
            pieces in proptest::collection::vec(
                prop::sample::select(vec![
                    "http", "https", "HTTPS", "ws", ":", "/", "//", "://", "\\", "@", "?", "#", ".", ",", ";", "'", "\"",
                    "(", ")", "`", "|", "<", " ", "\t", "\n", "\r", "\0", "%2e", "\u{3002}", "a.example.org",
                    "a.example.org", "evil", "https://", ":80", "[", "]", "x=", "\u{ad}",
                ]),
                1..9,
            ),
        ) {
            let text: String = pieces.concat();
            prop_assert!(!passes(&text) || read(&text) == "a.example.org", "{:?} is {}", text, read(&text));
        }
    }
}
