//! What a bound for `http` really comes to, for the operator who is about to grant it.

use super::address::{Realm, realm};
use crate::capability::Bound;

/// What is to be known of a bound before it is granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It covers nothing, for this reason; what to write instead, if anything can be meant.
    Nothing(String),
    /// It leads to this machine or to private networks, which is to be known.
    Near(String),
}

/// What is to be known of `bound`; nothing where it is what it looks like, or is none for `http`.
pub fn reach(bound: &Bound) -> Option<Reach> {
    match bound {
        Bound::Http(hosts) => {
            let whose = whose(hosts.name()?)?;
            let instead = match (whose, hosts.port()) {
                (Realm::Public | Realm::Nobody, _) => String::new(),
                (_, Some(_)) => format!("; if that is meant, grant http-private:{hosts}"),
                (_, None) => format!(
                    "; if that is meant, grant http-private:{hosts}:PORT, or without a port for 80 and, with encryption, 443"
                ),
            };
            let (name, is) = (hosts.name()?, described(whose)?);
            Some(Reach::Nothing(format!(
                "`{bound}` would reach nothing: http:HOST is https to public addresses, and {name} is {is}{instead}"
            )))
        }
        Bound::HttpPrivate(hosts) => {
            let leads = match hosts.name().map(|name| (name, whose(name))) {
                Some((name, Some(Realm::Nobody))) => {
                    return Some(Reach::Nothing(format!(
                        "`{bound}` would reach nothing: {name} is no host's address"
                    )));
                }
                Some((name, Some(whose))) => match described(whose) {
                    Some(is) => format!("{name}, {is}"),
                    None => return None,
                },
                Some((_, None)) | None => {
                    format!("{hosts} wherever the address is, also on this machine or a private network")
                }
            };
            Some(Reach::Near(format!(
                "with {bound} it sends requests to {leads}, also without encryption; what listens there often asks \
                 nobody who they are"
            )))
        }
        _ => None,
    }
}

/// Whose the address is that `host` is, or names by itself. A name may lead anywhere: of those only `localhost` is known.
pub(super) fn whose(host: &str) -> Option<Realm> {
    let host = host.trim_end_matches('.');
    match host.trim_matches(['[', ']']).parse() {
        Ok(address) => Some(realm(address)),
        Err(_) if host == "localhost" || host.ends_with(".localhost") => Some(Realm::Private),
        Err(_) => None,
    }
}

/// In words; nothing for an address that is anybody's.
fn described(whose: Realm) -> Option<&'static str> {
    match whose {
        Realm::Public => None,
        Realm::Private => Some("an address of this machine or a private network"),
        Realm::Link => Some("an address of this link, where clouds keep a machine's credentials"),
        Realm::Nobody => Some("no host's address"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn of(bound: &str) -> Option<Reach> {
        reach(&bound.parse().unwrap())
    }

    #[test]
    fn what_http_never_reaches_is_said_with_the_grant_that_is_meant() {
        for (bound, instead) in [
            ("http:127.0.0.1:8080", "grant http-private:127.0.0.1:8080"),
            ("http:127.0.0.1", "grant http-private:127.0.0.1:PORT"),
            ("http:[::1]:80", "grant http-private:[::1]:80"),
            ("http:localhost", "grant http-private:localhost:PORT"),
            ("http:192.168.1.1", "grant http-private:192.168.1.1:PORT"),
            ("http:169.254.169.254:80", "grant http-private:169.254.169.254:80"),
        ] {
            assert!(
                matches!(of(bound), Some(Reach::Nothing(why)) if why.contains(instead)),
                "{bound}: {:?}",
                of(bound)
            );
        }
        for bound in ["http:0.0.0.0", "http-private:0.0.0.0:80", "http:224.0.0.1"] {
            assert!(
                matches!(of(bound), Some(Reach::Nothing(why)) if !why.contains("grant")),
                "{bound}: {:?}",
                of(bound)
            );
        }
    }

    #[test]
    fn what_leads_near_is_said_and_what_is_public_is_not_talked_about() {
        for bound in [
            "http-private:127.0.0.1:8080",
            "http-private:*",
            "http-private:*.home.arpa",
            "http-private:nas:80",
            "http-private:169.254.169.254:80",
        ] {
            assert!(matches!(of(bound), Some(Reach::Near(_))), "{bound}: {:?}", of(bound));
        }
        for bound in [
            "http:api.example.org",
            "http:*",
            "http:1.1.1.1",
            "http-private:1.1.1.1",
            "model",
        ] {
            assert_eq!(of(bound), None, "{bound}");
        }
    }
}
