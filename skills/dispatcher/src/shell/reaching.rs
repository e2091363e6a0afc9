//! What a command reaches on other machines, and what it sends there.

use std::collections::BTreeSet;

use super::hidden::Invocation;
use super::outputs::Outputs;
use super::programs::Does;
use super::web::{self, Means, Part};
use super::word::Field;
use super::{Walk, online, remote};
use crate::address;
use crate::finding::{Finding, Risk, line};
use crate::network::{self, Destination, SCHEMES};
use crate::path::{Access, Effect, Place};

/// Programs whose arguments are hosts where they look like one.
const BARE: &[&str] = &["ftp", "nc", "ncat", "netcat", "ping", "telnet", "tftp"];

/// What names a proxy: curl(1), wget(1), rsync(1) and git-config(1).
const PROXIES: &[&str] = &[
    "all_proxy",
    "ftp_proxy",
    "http.proxy",
    "http_proxy",
    "https_proxy",
    "rsync_proxy",
];

/// Of more destinations that stand there in another spelling what decided is not looked for.
const MOST_PARTS: usize = 16;

impl Walk<'_> {
    /// Judges the addresses in the arguments of an invocation, and the other machines that they name.
    pub(super) fn reaches(&mut self, invocation: &Invocation<'_>, outputs: &Outputs, here: Option<&Place>) {
        self.effects.online |= online::is_needed(invocation);
        if let Some(parts) = web::read(invocation) {
            return self.web(&parts, here);
        }
        let mut told: BTreeSet<usize> = outputs.written.iter().copied().collect();
        if let Some(remote) = remote::read(invocation) {
            for (at, host) in &remote.hosts {
                let written = invocation.whole.get(at + 1).map_or("", |field| field.text.as_str());
                self.reach(host, written);
                // Of git not every command that names one goes there.
                self.effects.online |= invocation.name != "git";
                told.insert(*at);
            }
            // Of folders all that is in them goes.
            let whole = ["recursive", "archive"]
                .iter()
                .zip(['r', 'a'])
                .any(|(long, short)| invocation.has_option(short, long));
            let what = if whole { "" } else { "the file " };
            for file in &remote.sent {
                self.sends(file, what);
            }
        }
        // A pattern or a text that is printed reaches nothing.
        if matches!(invocation.does, Some(Does::Prints | Does::Searches)) {
            return;
        }
        for field in invocation.arguments() {
            if let Some((name, value)) = field.text.split_once('=') {
                self.proxy(name, value);
            }
        }
        let connects = invocation.does == Some(Does::Connects);
        let roles = invocation.roles();
        for (at, field) in invocation.arguments().iter().enumerate() {
            if told.contains(&at) || roles.is_text(at) {
                continue;
            }
            let mut found = network::destinations(&field.text);
            let like_one = BARE.contains(&invocation.name.as_ref()) && looks_like_host(&field.text);
            if found.is_empty() && (like_one || outputs.hosts.contains(&at)) {
                found.push(network::destination(&field.text));
            }
            self.effects.online |= connects && !found.is_empty();
            for destination in found {
                self.reach(&destination, &field.text);
            }
        }
    }

    /// Judges what a variable or setting is set to through which programs reach others: `https_proxy`, git's `http.proxy`.
    pub(super) fn proxy(&mut self, name: &str, value: &str) {
        let is_one = PROXIES.iter().any(|own| own.eq_ignore_ascii_case(name));
        if let Some(host) = proxy(value).filter(|_| is_one) {
            self.reach(&host, value);
        }
    }

    /// Judges one destination, which is `written` so. Whether it must not be reached.
    pub(super) fn reach(&mut self, destination: &Destination, written: &str) -> bool {
        let Some(found) = network::judge(destination, self.field, self.context.allowed) else {
            return false;
        };
        let refused = found.is_rejection();
        let named = !destination.host.is_empty() && self.effects.current.contains(&destination.host);
        // The first that is refused decides, and few others are told.
        let told = match refused {
            true => !self.findings.iter().any(Finding::is_rejection),
            false => !named && self.findings.len() < MOST_PARTS,
        };
        self.findings.push(match told {
            true => found.about(self.effects.part_of(written)),
            false => found,
        });
        refused
    }

    /// Judges what curl or wget is given.
    fn web(&mut self, parts: &[Part], here: Option<&Place>) {
        for part in parts {
            let text = part.field.text.as_str();
            let hosts = hosts(part);
            self.effects.online |= !hosts.is_empty();
            for host in &hosts {
                self.reach(host, text);
            }
            let files = part.files();
            if files.is_empty() {
                if part.says() {
                    self.effects.add("sends data", Risk::High);
                }
                match (part.means, text) {
                    (Means::Obeys, "-") => self.effects.add("does what its input says", Risk::High),
                    (Means::Lists, "-") => self.effects.add("reaches what its input names", Risk::Medium),
                    _ => {}
                }
                if !matches!(part.means, Means::Nothing | Means::Writes) {
                    self.given(text, here);
                }
            }
            for file in &files {
                self.of_web(part, file, here);
            }
            if part.means == Means::Runs {
                self.effects.add("runs or changes something by an option", Risk::High);
            }
        }
    }

    /// Judges one file that curl or wget reads.
    fn of_web(&mut self, part: &Part, file: &Field, here: Option<&Place>) {
        let name = named(file);
        match part.means {
            _ if part.sends() => {
                let told = file.is_known() && self.path_as("sends the file", &file.text, Access::Read, here);
                return match told {
                    true => self.guess(file, Access::Read),
                    false => self.sends(file, "the file "),
                };
            }
            Means::Obeys => self.effects.add(format!("does what is said in {name}"), Risk::High),
            Means::Socket => self.effects.add(format!("talks to the socket {name}"), Risk::High),
            Means::Lists => {
                // It may be an address itself.
                if file.text.contains("://") {
                    return;
                }
                self.effects.online = true;
                self.effects
                    .add(format!("reaches what is named in {name}"), Risk::Medium);
            }
            _ => self.effects.add(format!("reads {name}"), Risk::Medium),
        }
        self.path(&file.text, Access::Read, here);
        self.guess(file, Access::Read);
    }

    /// Notes that a file is sent. `what` comes before its name.
    fn sends(&mut self, file: &Field, what: &str) {
        if file.text.is_empty() {
            return;
        }
        // xargs and find put a name there.
        if !file.is_known() || file.text.contains("{}") {
            let told = "sends a file that only running tells, perhaps .env or a key";
            return self.effects.add(told, Risk::High);
        }
        self.effects.add(format!("sends {what}{}", named(file)), Risk::High);
        self.guess(file, Access::Read);
    }

    /// Judges a value that names no file for this program, but is named like one that is protected.
    fn given(&mut self, text: &str, here: Option<&Place>) {
        if text.is_empty() || text.len() > 4096 || text.contains('\n') || text.contains("://") {
            return;
        }
        match self.context.roots.protection(&self.place(text, here), Access::Read) {
            Some((Effect::Reject, _)) => drop(self.path(text, Access::Read, here)),
            Some((Effect::Ask, what)) => {
                let told = format!("is given {}, {what}", line(text, 60));
                self.effects.add(told, Risk::High);
                self.effects.vary();
            }
            _ => {}
        }
    }
}

/// A file, in words.
fn named(file: &Field) -> String {
    match file.is_known() {
        true => line(&file.text, 60),
        false => "a file that only running tells".to_owned(),
    }
}

fn looks_like_host(text: &str) -> bool {
    !text.starts_with('-') && text.contains(['.', ':'])
}

/// The hosts that one argument of curl or wget names.
fn hosts(part: &Part) -> Vec<Destination> {
    let text = part.field.text.as_str();
    match part.means {
        Means::Nothing | Means::Writes => Vec::new(),
        Means::Url if web::of_address(text).is_some() => Vec::new(),
        Means::Url => addresses(text),
        Means::Unclear if looks_like_host(text) => addresses(text),
        Means::Proxy => proxy(text).into_iter().collect(),
        Means::Hosts => text
            .split(',')
            .filter(|host| !host.is_empty())
            .map(network::destination)
            .collect(),
        Means::Resolve => resolved(text).map(network::destination).collect(),
        Means::Connect => pieces(text)
            .get(2)
            .filter(|host| !host.is_empty())
            .map(|host| network::destination(host))
            .into_iter()
            .collect(),
        Means::Setting => match text.split_once('=') {
            Some((key, value)) if key.trim().to_ascii_lowercase().ends_with("proxy") => {
                proxy(value.trim()).into_iter().collect()
            }
            _ => network::destinations(text),
        },
        _ => network::destinations(text),
    }
}

/// The hosts of an address, with its scheme or without one, and of those that stand in it.
fn addresses(text: &str) -> Vec<Destination> {
    if text.is_empty() {
        return Vec::new();
    }
    let mut found = network::destinations(text);
    let (scheme, rest) = text.split_once("://").unwrap_or_default();
    if !SCHEMES.iter().any(|own| own.eq_ignore_ascii_case(scheme)) {
        let is_scheme = !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let meant = match () {
            () if address::is_one(text) => address::destination(text),
            () if is_scheme => network::destination(rest),
            () => network::destination(text),
        };
        found.insert(0, meant);
    }
    // curl makes several of one with braces.
    if text.contains('{') {
        let plain = text.replace(['{', '}'], "");
        found.extend(network::destinations(&plain));
    }
    found
}

/// `[scheme://][user@]host[:port]`; without anything there is none.
fn proxy(text: &str) -> Option<Destination> {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let is_host = !rest.is_empty() && !matches!(rest, "on" | "off" | "yes" | "no");
    is_host.then(|| network::destination(rest))
}

/// The addresses of `[+]host:port:address[,address]`.
fn resolved(text: &str) -> impl Iterator<Item = &str> {
    let behind = pieces(text)
        .get(..2)
        .map_or(text.len(), |both| both.iter().map(|piece| piece.len() + 1).sum());
    let addresses = text.get(behind..).unwrap_or_default();
    addresses.split(',').filter(|address| !address.is_empty())
}

/// What stands between the colons, but those in brackets.
fn pieces(text: &str) -> Vec<&str> {
    let mut inside = false;
    let colon = |char: char| {
        inside = match char {
            '[' => true,
            ']' => false,
            _ => inside,
        };
        char == ':' && !inside
    };
    text.split(colon).collect()
}
