//! Network destinations: addresses in texts, the host that is really meant by each, and whether the operator allowed
//! it. Hosts are compared whole or by label; `openai.com.evil.example` is not `openai.com`.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::finding::{Finding, Risk};
use crate::shell::UNKNOWN;

/// Schemes that reach out.
pub(crate) const SCHEMES: &[&str] = &[
    "ftp", "ftps", "git", "git+ssh", "gopher", "http", "https", "ldap", "rsync", "scp", "sftp", "smb", "ssh", "svn",
    "telnet", "tftp", "ws", "wss",
];

/// Names and addresses at which clouds hand credentials to whoever asks: AWS, Azure, Google, Oracle, Alibaba, DigitalOcean.
const METADATA: &[&str] = &[
    "100.100.100.200",
    "169.254.169.254",
    "169.254.170.2",
    "169.254.170.23",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "instance-data",
    "instance-data.ec2.internal",
    "metadata",
    "metadata.google.internal",
    "metadata.goog",
];

/// A destination: where it was found, and what is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Destination {
    /// The host as a resolver would take it: lower case, no trailing dot, addresses in their usual form.
    pub(crate) host: String,
    /// Why the address is not what it seems to be.
    pub(crate) odd: Option<&'static str>,
}

/// The destinations of all addresses in `text`.
pub(crate) fn destinations(text: &str) -> Vec<Destination> {
    let mut found = Vec::new();
    // Nearly no text holds a colon, and one byte is found more quickly than three.
    if !text.as_bytes().contains(&b':') {
        return found;
    }
    for (at, _) in text.match_indices("://") {
        let scheme = scheme_before(text, at);
        if SCHEMES.iter().any(|own| own.eq_ignore_ascii_case(scheme)) {
            found.push(destination(&text[at + 3..]));
        }
    }
    found
}

/// The scheme that ends at `end`.
fn scheme_before(text: &str, end: usize) -> &str {
    let bytes = text.as_bytes();
    let length = bytes[..end]
        .iter()
        .rev()
        .take(16)
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'+')
        .count();
    &text[end - length..end]
}

/// The destination that the authority at the start of `text` names.
pub(crate) fn destination(text: &str) -> Destination {
    let ends = |char: char| {
        char.is_whitespace()
            || matches!(
                char,
                '/' | '?' | '#' | '"' | '\'' | '`' | '<' | '>' | '(' | ')' | '|' | ';' | ','
            )
    };
    let authority = text.split(ends).next().unwrap_or_default();
    let mut odd = None;
    if authority.contains('\\') {
        odd = Some("a backslash in its host, which programs read differently");
    }
    let host = match authority.rsplit_once('@') {
        Some((user, host)) => {
            odd = odd.or(Some(if user.contains('@') {
                "two @ in it, so that programs take different parts for the host"
            } else {
                "a user name before its host"
            }));
            host
        }
        None => authority,
    };
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None if host.matches(':').count() > 1 => host,
        None => host.split(':').next().unwrap_or_default(),
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    if host.contains(UNKNOWN) {
        odd = odd.or(Some("a part that only running tells"));
    }
    if host.contains('%') || !host.is_ascii() {
        odd = odd.or(Some("a host that is written with escapes or foreign letters"));
    }
    let plain = match (ipv4(&host), host.parse::<Ipv6Addr>()) {
        (Some(address), _) => address.to_string(),
        (None, Ok(address)) => address
            .to_ipv4_mapped()
            .or_else(|| embedded(address))
            .map_or_else(|| address.to_string(), |v4| v4.to_string()),
        (None, Err(_)) => host.clone(),
    };
    if plain != host && plain.parse::<Ipv4Addr>().is_ok() {
        odd = odd.or(Some("an address that is written in an unusual form"));
    }
    Destination { host: plain, odd }
}

/// What a resolver makes of one to four numbers in decimal, octal or hexadecimal (the WHATWG URL standard, inet_aton).
fn ipv4(host: &str) -> Option<Ipv4Addr> {
    let parts: Vec<&str> = host.split('.').collect();
    if parts.len() > 4 {
        return None;
    }
    let mut numbers = Vec::new();
    for part in parts {
        let number = if let Some(digits) = part.strip_prefix("0x") {
            if digits.is_empty() {
                0
            } else {
                u64::from_str_radix(digits, 16).ok()?
            }
        } else if part.len() > 1 && part.starts_with('0') {
            u64::from_str_radix(part, 8).ok()?
        } else {
            part.parse().ok()?
        };
        numbers.push(number);
    }
    let (last, first) = numbers.split_last()?;
    if first.iter().any(|number| *number > 255) || *last >= 1 << (8 * (4 - first.len())) {
        return None;
    }
    let high = first
        .iter()
        .zip([24, 16, 8])
        .map(|(number, shift)| number << shift)
        .sum::<u64>();
    u32::try_from(high | last).ok().map(Ipv4Addr::from)
}

/// The IPv4 address inside `::a.b.c.d`, NAT64's `64:ff9b::a.b.c.d` (RFC 6052) and 6to4's `2002:a.b:c.d::` (RFC 3056).
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let segments = address.segments();
    let prefix = &segments[..6];
    let low = (u32::from(segments[6]) << 16) | u32::from(segments[7]);
    if segments[0] == 0x2002 {
        return Some(Ipv4Addr::from((u32::from(segments[1]) << 16) | u32::from(segments[2])));
    }
    let compatible = prefix == [0; 6] && low > 0xffff;
    (compatible || prefix == [0x64, 0xff9b, 0, 0, 0, 0]).then(|| Ipv4Addr::from(low))
}

/// Whether `host` is one that the operator allowed: `example.com` that host alone, `*.example.com` any below it.
pub(crate) fn is_allowed(host: &str, allowed: &[String]) -> bool {
    allowed.iter().any(|entry| {
        let entry = entry.trim_end_matches('.').to_ascii_lowercase();
        match entry.strip_prefix("*.") {
            Some(parent) => host
                .strip_suffix(parent)
                .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
            None => host == entry,
        }
    })
}

/// What there is against reaching a destination.
pub(crate) fn judge(destination: &Destination, field: &str, allowed: &[String]) -> Option<Finding> {
    let about = |finding: Finding| finding.about(&destination.host);
    judge_host(destination, field, allowed).map(about)
}

fn judge_host(destination: &Destination, field: &str, allowed: &[String]) -> Option<Finding> {
    let Destination { host, odd } = destination;
    if METADATA.contains(&host.as_str()) {
        return Some(Finding::reject(
            "network-metadata",
            field,
            format!("{host} hands the machine's cloud credentials to whoever asks"),
            "Leave that address out. Ask the person for the one fact that you need.",
        ));
    }
    if let Some(why) = odd {
        let told = match host.chars().all(|char| char == UNKNOWN) {
            true => "reaches a host that only running tells".to_owned(),
            false => format!("reaches {host} by an address with {why}"),
        };
        return Some(Finding::ask("network-odd-address", field, told, Risk::High));
    }
    if is_allowed(host, allowed) {
        return None;
    }
    if is_local(host) {
        let summary = format!("reaches {host}, which is this machine or its own network");
        return Some(Finding::ask("network-local", field, summary, Risk::High));
    }
    let host = if host.is_empty() {
        "a host that only running tells"
    } else {
        host
    };
    Some(Finding::ask(
        "network-destination",
        field,
        format!("reaches {host} over the network"),
        Risk::Medium,
    ))
}

/// This machine, or networks that are not the public one (RFC 1918, 4193, 3927, 6598).
fn is_local(host: &str) -> bool {
    if let Ok(address) = host.parse::<Ipv4Addr>() {
        let [a, b, ..] = address.octets();
        let shared = a == 100 && (64..128).contains(&b);
        return address.is_loopback()
            || address.is_private()
            || address.is_link_local()
            || address.is_unspecified()
            || shared;
    }
    if let Ok(address) = host.parse::<Ipv6Addr>() {
        return address.is_loopback()
            || address.is_unspecified()
            || address.is_unique_local()
            || address.is_unicast_link_local();
    }
    host == "localhost"
        || [".localhost", ".local", ".internal", ".lan"]
            .iter()
            .any(|suffix| host.ends_with(suffix))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use proptest::prelude::*;

    use super::*;

    fn host(address: &str) -> String {
        destinations(address).remove(0).host
    }

    fn rule(address: &str) -> Option<&'static str> {
        let allowed = ["allowed.example".to_owned(), "*.sub.example".to_owned()];
        judge(&destinations(address).remove(0), "f", &allowed).map(|finding| finding.rule())
    }

    #[test]
    fn the_host_that_is_meant_is_found() {
        assert_eq!(host("see HTTPS://Example.COM.:443/x?y"), "example.com");
        assert_eq!(host("http://a@b@c.example/"), "c.example");
        for metadata in [
            "http://169.254.169.254/latest",
            "http://2852039166/",
            "http://0xa9fea9fe/",
            "http://0251.0376.0251.0376/",
            "http://169.254.43518/",
            "http://[::ffff:169.254.169.254]/",
            "http://[::ffff:a9fe:a9fe]:80/",
            "http://[64:ff9b::a9fe:a9fe]/",
            "http://[2002:a9fe:a9fe::1]/",
        ] {
            assert_eq!(host(metadata), "169.254.169.254", "{metadata}");
        }
        assert_eq!(host("http://1.2.3.4.5/"), "1.2.3.4.5");
        assert_eq!(host("http://256.1.1.1/"), "256.1.1.1");
    }

    #[test]
    fn hosts_are_allowed_whole_or_by_label() {
        for fine in [
            "http://allowed.example/",
            "https://ALLOWED.example.:8443/x",
            "http://a.b.sub.example/",
        ] {
            assert_eq!(rule(fine), None, "{fine}");
        }
        for not in [
            "http://allowed.example.evil.example/",
            "http://xallowed.example/",
            "http://x.allowed.example/",
            "http://sub.example/",
            "http://xsub.example/",
            "http://metadata.google.internal.example.com/",
        ] {
            assert_eq!(rule(not), Some("network-destination"), "{not}");
        }
    }

    #[test]
    fn metadata_is_rejected_and_odd_addresses_ask_even_when_allowed() {
        assert_eq!(rule("http://metadata.google.internal/x"), Some("network-metadata"));
        assert_eq!(rule("http://user@169.254.169.254/x"), Some("network-metadata"));
        assert_eq!(
            rule("http://user@evil.example@allowed.example/"),
            Some("network-odd-address")
        );
        assert_eq!(
            rule("http://evil.example\\@allowed.example/"),
            Some("network-odd-address")
        );
        assert_eq!(rule("http://0x7f.1/"), Some("network-odd-address"));
        assert_eq!(rule("http://localhost:9105/"), Some("network-local"));
        assert_eq!(rule("http://[::1]/"), Some("network-local"));
        assert_eq!(rule("http://10.0.0.1/"), Some("network-local"));
        assert_eq!(rule("http:///x"), Some("network-destination"));
    }

    proptest! {
        #[test]
        fn an_address_is_the_same_host_in_every_form_and_only_the_plain_one_is_not_odd(
            octets in any::<[u8; 4]>(), user in "[a-z]{1,6}", port in 1_u16..,
        ) {
            let address = Ipv4Addr::from(octets);
            let number = u32::from(address);
            let [a, b, c, d] = octets;
            let allowed = [address.to_string()];
            for form in [
                format!("{number}"), format!("0x{number:x}"), format!("0{number:o}"),
                format!("0x{a:x}.0x{b:X}.0x{c:x}.0x{d:x}"), format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
                format!("{a}.{b}.{}", u32::from(c) << 8 | u32::from(d)), format!("{a}.{}", number & 0xff_ffff),
                format!("[::ffff:{address}]"), format!("[64:ff9b::{address}]"),
                format!("{user}@{address}"), format!("{user}:{user}@{address}"),
            ] {
                // Small numbers are the same in every base.
                let found = destinations(&format!("http://{form}:{port}/x")).remove(0);
                prop_assert_eq!(&found.host, &address.to_string(), "{}", form);
                prop_assert!(found.odd.is_some() || form == address.to_string(), "{}", form);
                prop_assert!(judge(&found, "f", &allowed).is_some() || form == address.to_string(), "{}", form);
            }
        }

        #[test]
        fn no_other_name_passes_for_an_allowed_one(name in "[a-z0-9.@:-]{0,12}", more in "[a-z0-9.-]{1,12}") {
            let allowed = ["allowed.example".to_owned(), "*.sub.example".to_owned()];
            for host in [format!("{name}allowed.example{more}"), format!("{name}x.sub.example{more}")] {
                let found = destinations(&format!("https://{host}/")).remove(0);
                let is_own = found.host == "allowed.example"
                    || found.host.strip_suffix(".sub.example").is_some_and(|label| !label.is_empty());
                prop_assert!(is_own || judge(&found, "f", &allowed).is_some(), "{}", host);
            }
        }

        #[test]
        fn nothing_is_allowed_where_nothing_is_named(host in "\\PC{1,30}") {
            let text = format!("https://{host}");
            for found in destinations(&text) {
                prop_assert!(judge(&found, "f", &[]).is_some(), "{}", text);
            }
        }
    }

    #[test]
    fn other_schemes_reach_nothing() {
        assert!(destinations("file:///etc/x data://y xhttps://z").is_empty());
    }
}
