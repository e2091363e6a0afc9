//! Which hosts requests may go to.

use std::fmt;
use std::str::FromStr;

use reqwest::Url;

use super::{BadBound, wrong};

/// One host, or all whose names end in the labels of a domain; with a port, or with the scheme's own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostPattern {
    name: Name,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    /// Exactly this, as a URL has it: lower case, an IP address in its one form, IPv6 in brackets.
    Exactly(String),
    /// One label or more before this domain.
    Below(String),
    /// Any host.
    Any,
}

impl HostPattern {
    /// The one host that it covers, as a URL has it; nothing where it covers more.
    pub fn name(&self) -> Option<&str> {
        match &self.name {
            Name::Exactly(own) => Some(own),
            Name::Below(_) | Name::Any => None,
        }
    }

    /// The port that it names.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// Whether a request to `url` is covered. Without a port of its own a pattern covers the scheme's port only.
    pub fn covers(&self, url: &Url) -> bool {
        let Some(host) = url.host_str().map(|host| host.trim_end_matches('.')) else {
            return false;
        };
        let named = match &self.name {
            Name::Exactly(own) => own == host,
            Name::Below(domain) => {
                // An address has no labels.
                url.domain().is_some()
                    && host
                        .strip_suffix(domain.as_str())
                        .is_some_and(|start| start.len() > 1 && start.ends_with('.'))
            }
            Name::Any => true,
        };
        let own_port = match url.scheme() {
            "https" => Some(443),
            "http" => Some(80),
            _ => None,
        };
        named && url.port_or_known_default() == self.port.or(own_port)
    }

    /// Whether it covers whatever `other` covers.
    pub(super) fn holds(&self, other: &HostPattern) -> bool {
        let below = |host: &str, domain: &str| {
            let labels = host.strip_suffix(domain);
            labels.is_some_and(|labels| labels.ends_with('.'))
        };
        let named = match (&self.name, &other.name) {
            (Name::Any, _) => true,
            (Name::Below(own), Name::Exactly(host)) => below(host, own),
            (Name::Below(own), Name::Below(domain)) => own == domain || below(domain, own),
            (own, other) => own == other,
        };
        named && self.port == other.port
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Name::Exactly(host) => f.write_str(host)?,
            Name::Below(domain) => write!(f, "*.{domain}")?,
            Name::Any => f.write_str("*")?,
        }
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

impl FromStr for HostPattern {
    type Err = BadBound;

    fn from_str(text: &str) -> Result<HostPattern, BadBound> {
        if text == "HOST" {
            return wrong("HOST stands for the host; write its name, such as api.example.org");
        }
        let unusable = || {
            wrong(format!(
                "`{text}` names no host: write a name or an address, and a port if it is not the usual one, such as \
                 api.example.org, *.example.org or 127.0.0.1:8080"
            ))
        };
        // The port is split off by hand, since a URL would not keep the scheme's own.
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => match port.parse::<u16>() {
                Ok(port) if port > 0 => (host, Some(port)),
                _ => return unusable(),
            },
            _ => (text, None),
        };
        if host == "*" {
            return Ok(HostPattern { name: Name::Any, port });
        }
        let (below, host) = match host.strip_prefix("*.") {
            Some(domain) => (true, domain),
            None => (false, host),
        };
        if host.is_empty()
            || host.contains(['/', '@', '?', '#', '*', '\\', '%'])
            || host.contains(char::is_whitespace)
        {
            return unusable();
        }
        let Ok(url) = Url::parse(&format!("https://{host}/")) else {
            return unusable();
        };
        let (Some(name), None) = (url.host_str(), url.port()) else {
            return unusable();
        };
        let name = name.trim_end_matches('.').to_owned();
        if name.is_empty() || below && url.domain().is_none() {
            return unusable();
        }
        Ok(HostPattern {
            name: if below { Name::Below(name) } else { Name::Exactly(name) },
            port,
        })
    }
}
