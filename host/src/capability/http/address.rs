//! Which addresses are the public internet's, and which are this machine's, a private network's, or nobody's.
//!
//! From the registries of special-purpose addresses for IPv4 and IPv6 (RFC 6890 and its updates). What is not known to
//! be public is not public.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whose an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Realm {
    /// Anybody's on the internet.
    Public,
    /// This machine's, or of a private network.
    Private,
    /// Of this link only: for one, where clouds keep the machine's credentials (169.254.169.254).
    Link,
    /// No host's: multicast, reserved, or for documentation.
    Nobody,
}

/// Whose `address` is; one of IPv4 that is written within IPv6 is that of IPv4.
pub(super) fn realm(address: IpAddr) -> Realm {
    match address {
        IpAddr::V4(address) => realm_v4(address),
        IpAddr::V6(address) => realm_v6(address),
    }
}

fn realm_v4(address: Ipv4Addr) -> Realm {
    match address.octets() {
        [10, ..] | [127, ..] | [192, 168, ..] => Realm::Private,
        [172, second, ..] if second & 0xf0 == 16 => Realm::Private,
        // Shared by the customers of a provider.
        [100, second, ..] if second & 0xc0 == 64 => Realm::Private,
        [169, 254, ..] => Realm::Link,
        [0 | 224..=255, ..] => Realm::Nobody,
        // Protocol assignments, documentation, old relays, benchmarks.
        [192, 0, 0 | 2, _] | [198, 51, 100, _] | [203, 0, 113, _] | [192, 88, 99, _] | [198, 18 | 19, ..] => {
            Realm::Nobody
        }
        _ => Realm::Public,
    }
}

fn realm_v6(address: Ipv6Addr) -> Realm {
    if let Some(within) = address.to_ipv4_mapped() {
        return realm_v4(within);
    }
    if address == Ipv6Addr::LOCALHOST {
        return Realm::Private;
    }
    match address.segments() {
        // Translated to IPv4 by the network, so it is whosever that address is.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            let [a, b] = high.to_be_bytes();
            let [c, d] = low.to_be_bytes();
            realm_v4(Ipv4Addr::new(a, b, c, d))
        }
        [first, ..] if first & 0xfe00 == 0xfc00 => Realm::Private,
        [first, ..] if first & 0xffc0 == 0xfe80 => Realm::Link,
        // Site-local, which is no longer given out.
        [first, ..] if first & 0xffc0 == 0xfec0 => Realm::Private,
        // Tunnels and other assignments (Teredo, 6to4) hide an address of IPv4; documentation.
        [0x2001, second, ..] if second < 0x200 || second == 0xdb8 => Realm::Nobody,
        [0x2002, ..] => Realm::Nobody,
        [0x3fff, second, ..] if second < 0x1000 => Realm::Nobody,
        [first, ..] if first & 0xe000 == 0x2000 => Realm::Public,
        _ => Realm::Nobody,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn every_special_address_is_known_by_each_of_its_spellings() {
        for (realm_of, addresses) in [
            (
                Realm::Public,
                "1.1.1.1 93.184.216.34 100.63.255.255 100.128.0.0 172.15.0.1 172.32.0.1 192.0.1.1 198.20.0.1 \
                 223.255.255.255 2606:4700::1111 ::ffff:1.1.1.1 64:ff9b::1.1.1.1",
            ),
            (
                Realm::Private,
                "127.0.0.1 127.255.255.254 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 100.127.255.255 \
                 ::1 fc00::1 fdff::1 fec0::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::7f00:1",
            ),
            (
                Realm::Link,
                "169.254.169.254 169.254.0.1 fe80::1 febf::1 ::ffff:169.254.169.254 64:ff9b::169.254.169.254",
            ),
            (
                Realm::Nobody,
                "0.0.0.0 0.1.2.3 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 192.0.0.8 192.0.2.1 198.51.100.1 \
                 203.0.113.1 198.18.0.1 198.19.255.255 192.88.99.1 :: ::127.0.0.1 ff02::1 2001:db8::1 2001::1 \
                 2002:7f00:1::1 3fff::1 100::1 64:ff9b:1::1 ::ffff:0.0.0.0 4000::1",
            ),
        ] {
            for text in addresses.split_whitespace() {
                assert_eq!(realm(text.parse().unwrap()), realm_of, "{text}");
            }
        }
    }
}
