//! Tools: what each may do without asking, what its arguments name, and what leaves the machine through it.

use crate::address;
use crate::files;
use crate::finding::{Finding, Risk};
use crate::network;
use crate::path::Access;
use crate::payload::{Leaf, Payload};
use crate::permission::{self, Of, Permission};
use crate::settings::{Settings, Unasked};
use crate::shell;

/// What a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    /// Reads what the workspace or the memex holds.
    Reads,
    /// Lists names.
    Looks,
    /// Writes files or memory.
    Writes,
    /// Sends something out.
    Sends,
    /// Nothing is known of it.
    Unknown,
}

/// The tools that are known: the plan of the first releases, and the original's.
const TOOLS: &[(&str, Does)] = &[
    ("edit-file", Does::Writes),
    ("fetch-url", Does::Sends),
    ("find-files", Does::Looks),
    ("http-request", Does::Sends),
    ("list-directory", Does::Looks),
    ("memory-search", Does::Reads),
    ("memory-write", Does::Writes),
    ("read-file", Does::Reads),
    ("repair-file", Does::Writes),
    ("search-text", Does::Reads),
    ("send-message", Does::Sends),
    ("write-file", Does::Writes),
];

/// Arguments that name files.
const PATH_KEYS: &[&str] = &[
    "cwd",
    "destination",
    "dir",
    "directory",
    "file",
    "filename",
    "folder",
    "from",
    "output",
    "path",
    "paths",
    "root",
    "source",
    "target",
    "to",
];

/// Arguments that hold contents: what a file or message says, which names nothing.
const CONTENT_KEYS: &[&str] = &[
    "body",
    "content",
    "explanation",
    "message",
    "new",
    "old",
    "pattern",
    "query",
    "replacement",
    "text",
];

/// Arguments that name a place on the network, with a scheme or without.
const HOST_KEYS: &[&str] = &["endpoint", "host", "hostname", "server", "uri", "url"];

/// Arguments that hold a command line.
const COMMAND_KEYS: &[&str] = &["cmd", "command", "script"];

/// What the tool `name` does.
pub(crate) fn does(name: &str) -> Does {
    let name = name.to_lowercase();
    TOOLS
        .iter()
        .find(|(own, _)| *own == name)
        .map_or(Does::Unknown, |(_, does)| *does)
}

/// Tools that change what cannot be looked through beforehand: a person is asked whatever is permitted.
const HIGH_IMPACT: &[&str] = &["repair-file"];

/// What follows from the permission that the operator gave the tool, or from its own.
pub(crate) fn permission(name: &str, field: &str, settings: &Settings) -> Option<Finding> {
    let of = Of {
        kind: permission::Kind::Tool,
        name,
        field,
    };
    let given = match of.permission(settings.tool.as_deref()) {
        Ok(given) => given,
        Err(finding) => return Some(remembered(finding, name)),
    };
    let ask = |rule, summary: &str, risk| Some(Finding::ask(rule, field, format!("{summary} {name}"), risk));
    if HIGH_IMPACT.iter().any(|own| own.eq_ignore_ascii_case(name)) {
        return ask(
            "tool-high-impact",
            "changes files in ways only running shows, with",
            Risk::High,
        );
    }
    if given == Some(Permission::Allow) {
        return None;
    }
    match does(name) {
        // What these become is judged for itself.
        _ if matches!(name, "shell" | "eval") => None,
        Does::Reads | Does::Looks => None,
        Does::Writes => ask("tool-writes", "writes with", Risk::Medium).map(|ask| remembered(ask, name)),
        Does::Sends => ask("tool-sends", "sends with", Risk::Medium).map(|ask| remembered(ask, name)),
        Does::Unknown => ask("tool-unknown", "uses the unknown tool", Risk::Medium),
    }
}

/// A known tool with exactly its arguments can be approved once and for all. Nobody knows what an unknown one runs. For
/// other arguments as well, the operator sets the tool's permission to `allow`.
fn remembered(ask: Finding, name: &str) -> Finding {
    match does(name) {
        Does::Unknown => ask,
        _ => ask.rememberable(format!("the tool {}", name.to_lowercase())),
    }
}

/// What there is against a tool's arguments.
pub(crate) fn arguments(name: &str, payload: &Payload, settings: &Settings) -> Vec<Finding> {
    let does = does(name);
    let mut findings = Vec::new();
    for leaf in payload
        .leaves()
        .iter()
        .filter(|leaf| leaf.path.starts_with("payload.args."))
    {
        let key = last_key(leaf);
        if COMMAND_KEYS.contains(&key) {
            let context = shell::Context {
                roots: &settings.roots,
                allowed: &settings.allowed_hosts,
                unasked: settings.unasked.min(Unasked::Reads),
                // Who carries it out may run it elsewhere.
                offline: false,
            };
            findings.extend(shell::judge(&leaf.text, &leaf.path, &context));
        }
        if CONTENT_KEYS.contains(&key) {
            continue;
        }
        if PATH_KEYS.contains(&key) || looks_like_path(&leaf.text) {
            findings.extend(path(leaf, does, settings));
        }
        for destination in network::destinations(&leaf.text) {
            findings.extend(network::judge(&destination, &leaf.path, &settings.allowed_hosts));
        }
        if HOST_KEYS.contains(&key) || address::is_one(&leaf.text) {
            let whole = address::destination(&leaf.text);
            findings.extend(network::judge(&whole, &leaf.path, &settings.allowed_hosts));
        }
    }
    findings.extend(written_lisp(payload));
    findings
}

/// The last key on a leaf's path, past positions.
fn last_key(leaf: &Leaf) -> &str {
    leaf.path
        .rsplit('.')
        .find(|step| !step.bytes().all(|byte| byte.is_ascii_digit()))
        .unwrap_or_default()
}

fn looks_like_path(text: &str) -> bool {
    text.len() < 4096
        && !text.contains('\n')
        && ["/", "~", "./", "../", "file://"]
            .iter()
            .any(|start| text.starts_with(start))
}

fn path(leaf: &Leaf, does: Does, settings: &Settings) -> Option<Finding> {
    let text = leaf.text.as_str();
    // To a tool of files it is a name like any other.
    let of_files = matches!(does, Does::Reads | Does::Looks | Does::Writes);
    if !of_files && text.contains("://") && !text.starts_with("file://") {
        return None;
    }
    let access = match does {
        Does::Reads | Does::Sends => Access::Read,
        Does::Looks => Access::Look,
        Does::Writes | Does::Unknown => Access::Write,
    };
    files::reach(text, &leaf.path, access, "the tool", settings)
}

/// Lisp that would not read, about to be written, or that may not once a piece of it is another.
fn written_lisp(payload: &Payload) -> Vec<Finding> {
    let at = |keys: &[&str]| {
        keys.iter().find_map(|key| {
            let field = format!("payload.args.{key}");
            Some((payload.text(&field)?, field))
        })
    };
    let Some((file, _)) = at(&["path", "file", "filename"]) else {
        return Vec::new();
    };
    let whole = at(&["content", "text", "body"]).and_then(|(text, field)| files::written_lisp(file, text, &field));
    let piece = at(&["new", "replacement"]).and_then(|(_, field)| files::edited_lisp(file, &field));
    whole.into_iter().chain(piece).collect()
}
