//! Other machines that are named without the scheme of an address: `[user@]host[:path]`, as ssh and what is built on it, rsync
//! and git take them. Sources: the manuals of OpenSSH, mosh, rsync, socat and git (git-clone(1), "GIT URLS").

use super::hidden::Invocation;
use super::online;
use super::word::Field;
use crate::network::{self, Destination};

/// Schemes before whose hosts a user's name is usual.
const SCHEMES: &[&str] = &["git+ssh", "mosh", "rsync", "scp", "sftp", "ssh", "ssh+git"];

/// Where hosts stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hosts {
    /// The first operand is one; behind it stands a command.
    First,
    /// Each operand is one.
    All,
    /// Those operands that have a host before a colon; the last one is where the others go.
    Copied,
}

/// What is known of one program.
struct Row {
    name: &'static str,
    hosts: Hosts,
    /// Short options with a value.
    values: &'static str,
    /// Long ones whose value may be the next argument.
    long: &'static [&'static str],
}

const ROWS: &[Row] = &[
    Row {
        name: "ssh",
        hosts: Hosts::First,
        values: "BbcDEeFIiJLlmOoPpQRSWw",
        long: &[],
    },
    Row {
        name: "sftp",
        hosts: Hosts::First,
        values: "BbcDFiJloPRSsX",
        long: &[],
    },
    Row {
        name: "scp",
        hosts: Hosts::Copied,
        values: "cDFiJloPSX",
        long: &[],
    },
    Row {
        name: "ssh-copy-id",
        hosts: Hosts::All,
        values: "Fiopt",
        long: &[],
    },
    Row {
        name: "mosh",
        hosts: Hosts::First,
        values: "p",
        long: &[
            "bind-server",
            "client",
            "experimental-remote-ip",
            "family",
            "port",
            "predict",
            "server",
            "ssh",
        ],
    },
    Row {
        name: "rsync",
        hosts: Hosts::Copied,
        values: "@BMTef",
        long: &[
            "address",
            "backup-dir",
            "block-size",
            "bwlimit",
            "checksum-choice",
            "chmod",
            "chown",
            "compare-dest",
            "compress-choice",
            "compress-level",
            "contimeout",
            "copy-as",
            "copy-dest",
            "debug",
            "exclude",
            "exclude-from",
            "files-from",
            "filter",
            "groupmap",
            "iconv",
            "include",
            "include-from",
            "info",
            "link-dest",
            "log-file",
            "log-file-format",
            "max-alloc",
            "max-delete",
            "max-size",
            "min-size",
            "modify-window",
            "only-write-batch",
            "out-format",
            "partial-dir",
            "password-file",
            "port",
            "protocol",
            "read-batch",
            "remote-option",
            "rsh",
            "rsync-path",
            "skip-compress",
            "sockopts",
            "stop-after",
            "stop-at",
            "suffix",
            "temp-dir",
            "timeout",
            "usermap",
            "write-batch",
        ],
    },
];

/// Commands of git that take the address of a repository, and whether only their first operand can be one: what stands behind
/// it are names of branches, which may have a colon.
const OF_GIT: &[(&str, bool)] = &[
    ("clone", false),
    ("fetch", true),
    ("ls-remote", true),
    ("pull", true),
    ("push", true),
    ("remote", false),
    ("submodule", false),
];

/// Options of these whose value may be the next argument.
const WITH_VALUE: &[&str] = &[
    "--branch",
    "--deepen",
    "--depth",
    "--exec",
    "--filter",
    "--jobs",
    "--negotiation-tip",
    "--origin",
    "--push-option",
    "--receive-pack",
    "--reference",
    "--refmap",
    "--server-option",
    "--shallow-exclude",
    "--shallow-since",
    "--strategy",
    "--strategy-option",
    "--upload-pack",
    "-X",
    "-b",
    "-c",
    "-j",
    "-o",
    "-s",
];

/// What an invocation names on other machines.
#[derive(Debug, Default)]
pub(super) struct Remote {
    /// The hosts, and in which argument each stands.
    pub(super) hosts: Vec<(usize, Destination)>,
    /// The files of this machine that are sent to one of them.
    pub(super) sent: Vec<Field>,
}

/// Tells it. `None` for programs that take no such names.
pub(super) fn read(invocation: &Invocation<'_>) -> Option<Remote> {
    let arguments = invocation.whole.get(1..).unwrap_or_default();
    let name = invocation.name.as_ref();
    match name {
        "git" => Some(of_git(arguments)),
        "socat" => Some(of_socat(arguments)),
        _ => {
            let row = ROWS.iter().find(|row| row.name == name)?;
            Some(of_row(row, arguments))
        }
    }
}

fn of_row(row: &Row, arguments: &[Field]) -> Remote {
    let mut found = Remote::default();
    let mut operands: Vec<(usize, &Field)> = Vec::new();
    let (mut options, mut at) = (true, 0);
    while let Some(field) = arguments.get(at) {
        let text = field.text.as_str();
        let here = at;
        at += 1;
        if !options || text.len() < 2 || !text.starts_with('-') {
            operands.push((here, field));
            // What runs there is not ours.
            if row.hosts == Hosts::First && operands.len() > 1 {
                break;
            }
            continue;
        }
        if text == "--" {
            options = false;
            continue;
        }
        let next = || arguments.get(here + 1).map_or("", |next| next.text.as_str());
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = long
                .split_once('=')
                .map_or((long, None), |(name, value)| (name, Some(value)));
            let takes = row.long.contains(&name);
            at += usize::from(value.is_none() && takes);
            if matches!(name, "rsh" | "ssh") {
                found.by_shell(here, value.unwrap_or_else(next));
            }
            continue;
        }
        let letters = &text[1..];
        if let Some((from, letter)) = letters.char_indices().find(|(_, letter)| row.values.contains(*letter)) {
            let joined = &letters[from + letter.len_utf8()..];
            at += usize::from(joined.is_empty());
            let (place, value) = match joined.is_empty() {
                true => (here + 1, next()),
                false => (here, joined),
            };
            match letter {
                'J' => found.jumps(place, value),
                'o' => found.setting(place, value),
                'W' => found.hosts.push((place, host(value))),
                'e' if row.name == "rsync" => found.by_shell(place, value),
                _ => {}
            }
        }
    }
    match row.hosts {
        Hosts::First => {
            let first = operands.iter().take(1);
            found.hosts.extend(first.map(|(at, field)| (*at, host(&field.text))));
        }
        Hosts::All => found
            .hosts
            .extend(operands.iter().map(|(at, field)| (*at, host(&field.text)))),
        Hosts::Copied => {
            let remote = |field: &Field| remote_part(&field.text).map(host);
            for (at, field) in &operands {
                found.hosts.extend(remote(field).map(|host| (*at, host)));
            }
            if let Some(((_, last), files)) = operands.split_last()
                && remote(last).is_some()
            {
                let local = files.iter().filter(|(_, field)| remote(field).is_none());
                found.sent = local.map(|(_, field)| (*field).clone()).collect();
            }
        }
    }
    found
}

impl Remote {
    /// `-J a,b`: the machines in between.
    fn jumps(&mut self, at: usize, value: &str) {
        let named = value.split(',').filter(|one| !one.is_empty() && *one != "none");
        self.hosts.extend(named.map(|one| (at, host(one))));
    }

    /// `-o ProxyJump=host`: ssh_config(5).
    fn setting(&mut self, at: usize, value: &str) {
        let Some((key, value)) = value.trim().split_once(['=', ' ', '\t']) else {
            return;
        };
        let value = value.trim_matches([' ', '\t', '=', '"']);
        match key.to_ascii_lowercase().as_str() {
            "hostname" => self.hosts.push((at, host(value))),
            "proxyjump" => self.jumps(at, value),
            _ => {}
        }
    }

    /// `-e 'ssh -J host'`: the command by which rsync or mosh reaches the other machine.
    fn by_shell(&mut self, at: usize, command: &str) {
        let fields: Vec<Field> = command.split_whitespace().map(Field::from).collect();
        let inner = Invocation::of(&fields);
        if let Some(row) = ROWS.iter().find(|row| row.name == inner.name) {
            let inner = of_row(row, inner.arguments());
            self.hosts.extend(inner.hosts.into_iter().map(|(_, host)| (at, host)));
        }
    }
}

/// The host that `[scheme://][user@]host[:path]` names. A user's name is nothing odd here.
fn host(text: &str) -> Destination {
    let rest = behind_scheme(text).unwrap_or(text);
    let end = rest.find('/').unwrap_or(rest.len());
    let host = rest[..end].rfind('@').map_or(rest, |at| &rest[at + 1..]);
    network::destination(host)
}

/// What stands behind a scheme of these.
fn behind_scheme(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once("://")?;
    let known = SCHEMES.iter().any(|own| own.eq_ignore_ascii_case(scheme));
    known.then_some(rest)
}

/// The part of an operand that names another machine. `None` for a file of this one: it has no colon, or one behind a slash or
/// at its beginning (scp.c, `colon`).
fn remote_part(text: &str) -> Option<&str> {
    if behind_scheme(text).is_some() {
        return Some(text);
    }
    if text.contains("://") {
        return None;
    }
    let mut bracket = text.starts_with('[');
    for (at, char) in text.char_indices() {
        let rest = &text[at..];
        bracket |= rest.starts_with("@[");
        match char {
            ']' if bracket && rest.starts_with("]:") => return Some(&text[..=at]),
            ':' if !bracket => return (at > 0).then(|| &text[..at]),
            '/' => return None,
            _ => {}
        }
    }
    None
}

/// Addresses in the commands of git that take one.
fn of_git(arguments: &[Field]) -> Remote {
    let mut found = Remote::default();
    let Some((start, command)) = online::command_of_git(arguments) else {
        return found;
    };
    let Some((_, only_first)) = OF_GIT.iter().find(|(name, _)| *name == command) else {
        return found;
    };
    let mut first = true;
    for (at, field) in arguments.iter().enumerate().skip(start + 1) {
        if field.text.starts_with('-') || WITH_VALUE.contains(&arguments[at - 1].text.as_str()) {
            continue;
        }
        let named = remote_part(&field.text).filter(|part| !only_first || first || has_user(part));
        found.hosts.extend(named.map(|part| (at, host(part))));
        first = false;
    }
    found
}

/// Whether it is `user@host`, as no branch is named.
fn has_user(part: &str) -> bool {
    let plain = |text: &str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_[]:".contains(&byte);
        !text.is_empty() && text.bytes().all(is_plain)
    };
    behind_scheme(part).is_some()
        || part
            .split_once('@')
            .is_some_and(|(user, host)| plain(user) && plain(host))
}

/// `TCP:host:port` and its like.
fn of_socat(arguments: &[Field]) -> Remote {
    const KINDS: &[&str] = &["dccp", "openssl", "proxy", "sctp", "socks", "ssl", "tcp", "udp"];
    let mut found = Remote::default();
    for (at, field) in arguments.iter().enumerate() {
        // `!!` joins two for one direction each.
        for address in field.text.split("!!") {
            let lower = address.to_ascii_lowercase();
            let Some((kind, _)) = lower.split_once(':') else {
                continue;
            };
            let waits = ["listen", "recv", "bind"].iter().any(|word| kind.contains(word)) || kind.ends_with("-l");
            if waits || !KINDS.iter().any(|own| kind.starts_with(own)) {
                continue;
            }
            found.hosts.push((at, network::destination(&address[kind.len() + 1..])));
            // Behind a proxy stands where it leads.
            if kind.starts_with("proxy") || kind.starts_with("socks") {
                let (_, target) = address[kind.len() + 1..].split_once(':').unwrap_or_default();
                found.hosts.push((at, network::destination(target)));
            }
        }
    }
    found
}
