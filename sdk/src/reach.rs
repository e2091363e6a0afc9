//! What can be a right, for tests: the host reads each that `describe` names, and refuses the skill for one that is none.
//!
//! A test of the host's holds this against its own rule. Of hosts' names the host knows more: what is fine here may be
//! refused there, and never the other way round.

use std::path::{Component, Path, PathBuf};

/// Longest right, in bytes.
const LONGEST: usize = 4096 + 32;

/// What can be a right, for who wrote something else.
const FORMS: &str = "files:read:DIR, files:write:DIR (DIR is absolute, or begins with `workspace`), http:HOST, http:HOST:PORT, \
                     http:*.DOMAIN, http:*, http-private:HOST:PORT, memory:read, memory:write, model, vault:NAME, schedule, \
                     process, contains-secret, revise, recover, heartbeat, target:NAME, target:NAME/ACTION and tool:NAME";

/// Why the host would say that `text` is no right; nothing where it may be one.
pub(crate) fn fault(text: &str) -> Option<String> {
    if text.len() > LONGEST {
        return Some(format!(
            "a right has at most {LONGEST} bytes, and one has {}",
            text.len()
        ));
    }
    let lower = text.to_lowercase();
    let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
    let kind = kind.to_lowercase();
    let wrong = match (kind.as_str(), rest) {
        ("target" | "tool", name) if !name.is_empty() => None,
        ("memory", _) if lower == "memory:read" || lower == "memory:write" => None,
        ("memory", _) => Some("write memory:read or memory:write"),
        ("model" | "schedule", rest) => (!rest.is_empty()).then_some("it stands alone"),
        ("files", rest) => match rest.split_once(':') {
            Some((way, folder)) if way.eq_ignore_ascii_case("read") || way.eq_ignore_ascii_case("write") => {
                no_folder(folder)
            }
            _ => Some("write files:read:DIR or files:write:DIR"),
        },
        ("http" | "http-private", host) => no_host(host),
        ("vault", name) => no_secret(name),
        _ if ["process", "contains-secret", "revise", "recover", "heartbeat"].contains(&lower.as_str()) => None,
        _ => return Some(format!("{text:?} is no right; there are {FORMS}")),
    };
    wrong.map(|why| format!("{text:?} is no right: {why}"))
}

fn no_folder(text: &str) -> Option<&'static str> {
    if text == "DIR" {
        return Some("DIR stands for the folder; write that, or `workspace`");
    }
    let mut path = PathBuf::new();
    for part in Path::new(text).components() {
        match part {
            Component::ParentDir => return Some("there is `..` in it; write the folder in full"),
            Component::CurDir | Component::Prefix(_) => {}
            Component::RootDir | Component::Normal(_) => path.push(part),
        }
    }
    let is_folder = path.has_root() || path.starts_with("workspace");
    (!is_folder)
        .then_some("write the folder as an absolute path, or `workspace`, or one below it, such as workspace/notes")
}

fn no_host(text: &str) -> Option<&'static str> {
    const UNUSABLE: &str = "write a name or an address of a host, and a port if it is not the usual one, such as \
                            api.example.org, *.example.org or 127.0.0.1:8080";
    if text == "HOST" {
        return Some("HOST stands for the host; write its name, such as api.example.org");
    }
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (text, None),
    };
    let has_port = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0));
    let name = host.strip_prefix("*.").unwrap_or(host);
    let is_name = !name.is_empty()
        && !name.contains(['/', '@', '?', '#', '*', '\\', '%'])
        && !name.contains(char::is_whitespace);
    (!has_port || host != "*" && !is_name).then_some(UNUSABLE)
}

fn no_secret(name: &str) -> Option<&'static str> {
    if name == "NAME" {
        return Some("NAME stands for the name of the secret; write that");
    }
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let is_name = !name.is_empty() && name.len() <= 64 && name.bytes().all(fits);
    (!is_name).then_some("the name of a secret is 1 to 64 letters, digits, `-`, `_` and `.`")
}
