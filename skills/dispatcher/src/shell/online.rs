//! Which commands can do nothing without a network, beside those that name an address. Sources: the programs' manuals.

use super::hidden::Invocation;
use super::word::Field;

/// Options of git, before its command, whose value is the next argument.
const OF_GIT: &[&str] = &[
    "--config-env",
    "--exec-path",
    "--git-dir",
    "--namespace",
    "--super-prefix",
    "--work-tree",
    "-C",
    "-c",
];

/// Programs that ask other machines whatever they are told.
const ALWAYS: &[&str] = &["dig", "nslookup", "tracepath", "traceroute", "whois"];

/// Programs, and their commands that ask another machine.
const COMMANDS: &[(&[&str], &[&str])] = &[
    (
        &["apk", "apt", "apt-get", "brew", "dnf", "yum", "zypper"],
        &[
            "add",
            "dist-upgrade",
            "download",
            "full-upgrade",
            "install",
            "reinstall",
            "update",
            "upgrade",
        ],
    ),
    (&["cargo"], &["add", "install", "login", "publish", "search", "update"]),
    (
        &["gh"],
        &[
            "api",
            "cache",
            "codespace",
            "gist",
            "issue",
            "label",
            "pr",
            "project",
            "release",
            "repo",
            "run",
            "search",
            "secret",
            "variable",
            "workflow",
        ],
    ),
    (&["gem"], &["fetch", "install", "push", "update"]),
    (&["go"], &["get", "install"]),
    (
        &["npm", "pnpm", "yarn"],
        &[
            "add", "audit", "ci", "i", "install", "login", "outdated", "publish", "update", "upgrade", "view",
        ],
    ),
    (
        &["kubectl"],
        &[
            "apply", "cp", "create", "delete", "describe", "exec", "get", "logs", "patch", "rollout", "scale",
        ],
    ),
    (&["pip", "pip3"], &["download", "install"]),
    (&["uv"], &["add", "lock", "publish", "sync"]),
];

/// The same of git.
const BY_GIT: &[&str] = &["clone", "fetch", "ls-remote", "pull", "push"];

/// Options by which a program says that it asks nobody.
const OFFLINE: &[&str] = &["--dry-run", "--help", "--no-index", "--offline", "--version", "-h"];

/// Whether it does.
pub(super) fn is_needed(invocation: &Invocation<'_>) -> bool {
    let name = invocation.name.as_ref();
    let arguments = invocation.arguments();
    if arguments.iter().any(|field| OFFLINE.contains(&field.text.as_str())) {
        return false;
    }
    if name == "git" {
        return command_of_git(arguments).is_some_and(|(at, command)| {
            let is_folder =
                |field: &Field| field.text.starts_with(['.', '/', '~']) || field.text.starts_with("file:");
            BY_GIT.contains(&command) && !arguments[at + 1..].iter().any(is_folder)
        });
    }
    let command = || invocation.operands().next().map_or("", |field| field.text.as_str());
    ALWAYS.contains(&name)
        || name == "aws" && !matches!(command(), "" | "configure" | "help")
        || COMMANDS
            .iter()
            .any(|(names, commands)| names.contains(&name) && commands.contains(&command()))
        // Python runs pip as its own module.
        || name.starts_with("python")
            && arguments.windows(3).any(|three| {
                three[0].text == "-m" && three[1].text == "pip" && matches!(three[2].text.as_str(), "download" | "install")
            })
}

/// The command of git among its arguments, and where it stands.
pub(super) fn command_of_git(arguments: &[Field]) -> Option<(usize, &str)> {
    let mut at = 0;
    loop {
        let text = arguments.get(at)?.text.as_str();
        match text {
            _ if OF_GIT.contains(&text) => at += 2,
            _ if text.starts_with('-') => at += 1,
            _ => return Some((at, text)),
        }
    }
}
