//! Tools: what each may do without asking, what its arguments name, and what leaves the machine through it.

use crate::finding::{Finding, Risk};
use crate::lisp;
use crate::network;
use crate::path::{Access, Effect, Place};
use crate::payload::{Leaf, Payload};
use crate::settings::Settings;
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

/// The permission that the operator gave the tool, or its own.
pub(crate) fn permission(name: &str, settings: &Settings) -> Option<Finding> {
    let shown = crate::finding::line(name, 60);
    let set = settings.tool.as_deref().map(|value| value.trim().to_ascii_lowercase());
    match set.as_deref() {
        Some("allow") => None,
        Some("deny") => Some(Finding::reject(
            "tool-denied",
            "payload.tool",
            format!("the operator denied the tool {shown}"),
            "Use another tool, or ask the person for what you need.",
        )),
        Some("ask") => {
            let ask = Finding::ask(
                "tool-ask",
                "payload.tool",
                format!("uses the tool {shown}"),
                Risk::Medium,
            );
            Some(remembered(ask, name))
        }
        Some(other) => Some(Finding::reject(
            "tool-setting",
            "payload.tool",
            format!("the setting dispatcher.tools.{shown} is `{other}`, which is none of allow, ask, deny"),
            "Use another tool, and tell the person that the setting needs to be mended.",
        )),
        None => match does(name) {
            Does::Reads | Does::Looks => None,
            Does::Writes => {
                let ask = Finding::ask(
                    "tool-writes",
                    "payload.tool",
                    format!("writes with {shown}"),
                    Risk::Medium,
                );
                Some(remembered(ask, name))
            }
            Does::Sends => {
                let ask = Finding::ask(
                    "tool-sends",
                    "payload.tool",
                    format!("sends with {shown}"),
                    Risk::Medium,
                );
                Some(remembered(ask, name))
            }
            Does::Unknown => Some(Finding::ask(
                "tool-unknown",
                "payload.tool",
                format!("uses the unknown tool {shown}"),
                Risk::Medium,
            )),
        },
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
        if matches!(key, "host" | "hostname") && !leaf.text.contains("://") {
            findings.extend(network::judge(
                &network::destination(&leaf.text),
                &leaf.path,
                &settings.allowed_hosts,
            ));
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
    if text.contains("://") && !text.starts_with("file://") {
        return None;
    }
    let access = match does {
        Does::Reads | Does::Sends => Access::Read,
        Does::Looks => Access::Look,
        Does::Writes | Does::Unknown => Access::Write,
    };
    let place = Place::of(text, &settings.roots.start());
    let verb = if access == Access::Write { "writes" } else { "reads" };
    match settings.roots.protection(&place, access) {
        Some((Effect::Reject, what)) => {
            return Some(Finding::reject(
                "path-protected",
                &leaf.path,
                format!("the tool {verb} {place}, {what}"),
                "Leave that file out. If it is really needed, ask the person to do it themselves.",
            ));
        }
        Some((Effect::Ask, what)) => {
            return Some(Finding::ask(
                "path-protected",
                &leaf.path,
                format!("{verb} {place}, {what}"),
                Risk::High,
            ));
        }
        _ => {}
    }
    if settings.roots.is_inside(&place) {
        return None;
    }
    let risk = if access == Access::Write {
        Risk::High
    } else {
        Risk::Medium
    };
    Some(Finding::ask(
        "path-outside",
        &leaf.path,
        format!("{verb} {place}, outside the workspace"),
        risk,
    ))
}

/// Lisp that would not read, about to be written.
fn written_lisp(payload: &Payload) -> Option<Finding> {
    let file = ["path", "file", "filename"]
        .iter()
        .find_map(|key| payload.text(&format!("payload.args.{key}")))?;
    let field = ["content", "text", "body"]
        .iter()
        .map(|key| format!("payload.args.{key}"))
        .find(|path| payload.text(path).is_some())?;
    let fault = lisp::fault(file, payload.text(&field)?)?;
    Some(Finding::reject(
        "lisp-unreadable",
        &field,
        format!("the Lisp for {file} would not read: {fault}"),
        "Mend that place and propose the whole content again.",
    ))
}
