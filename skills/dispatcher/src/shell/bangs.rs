//! Commands behind `!`, and behind the words that mean the same to debuggers and databases: only few programs run them, and to
//! all others it is a character like any other. Sources: git-config(1), and the manuals of vim, ed, GDB, strace, less, Mailutils,
//! ftp, sqlite3, psql and mysql.

use super::hidden::Invocation;
use super::word::Field;

const EDITORS: &[&str] = &[
    "ed", "ex", "gvim", "mvim", "nvi", "nvim", "rview", "rvim", "vi", "view", "vim", "vimdiff",
];
const PAGERS: &[&str] = &["less", "lesspipe", "man", "more", "most", "zless", "zmore"];
const MAILERS: &[&str] = &["bsd-mailx", "mail", "mailx", "s-nail"];

/// Last parts of the names of git's settings whose value is a command.
const COMMANDS: &[&str] = &[
    "alternaterefscommand",
    "askpass",
    "cccmd",
    "clean",
    "cmd",
    "command",
    "defaultkeycommand",
    "difffilter",
    "driver",
    "editor",
    "external",
    "fsmonitor",
    "gitproxy",
    "headercmd",
    "helper",
    "packobjectshook",
    "pager",
    "process",
    "program",
    "receivepack",
    "sendmailcmd",
    "smudge",
    "sshcommand",
    "textconv",
    "tocmd",
    "tunnel",
    "uploadpack",
];

/// The commands in its arguments, as shell.
pub(super) fn scripts(invocation: &Invocation<'_>) -> Vec<String> {
    let arguments = invocation.arguments();
    let texts = arguments.iter().map(|field| field.text.as_str());
    let behind_option = |at: usize| at > 0 && is_option(&arguments[at - 1].text);
    let found: Vec<&str> = match invocation.name.as_ref() {
        "git" => settings(arguments),
        name if EDITORS.contains(&name) => texts
            .enumerate()
            .filter(|(at, text)| text.starts_with(['-', '+', '!']) || behind_option(*at))
            .filter_map(|(_, text)| behind(text))
            .collect(),
        name if PAGERS.contains(&name) => texts.filter(|text| text.starts_with('+')).filter_map(behind).collect(),
        // It prints into a command there.
        "ltrace" | "strace" => texts
            .map(|text| text.trim_start_matches("--output=").trim_start_matches("-o"))
            .filter_map(|text| text.strip_prefix(['!', '|']))
            .collect(),
        "gdb" => texts
            .flat_map(|text| [Some(text), text.split_once('=').map(|(_, value)| value)])
            .flatten()
            .filter_map(debugger)
            .collect(),
        name => texts
            .flat_map(|text| [Some(text), text.split_once('=').map(|(_, value)| value)])
            .flatten()
            .flat_map(str::lines)
            .filter_map(|line| database(name, line))
            .collect(),
    };
    let of_words = found.into_iter().filter(|text| text.contains(char::is_whitespace));
    of_words.map(str::to_owned).collect()
}

/// The commands in the lines of its input.
pub(super) fn lines(name: &str, input: &str) -> Vec<String> {
    let of = |line| match name {
        _ if EDITORS.contains(&name) => addressed(line),
        _ if MAILERS.contains(&name) => escaped(line),
        "ftp" | "lftp" | "sftp" => line_behind(line),
        "gdb" => debugger(line),
        _ => database(name, line),
    };
    input
        .lines()
        .map(str::trim_start)
        .filter_map(of)
        .map(str::to_owned)
        .collect()
}

fn is_option(text: &str) -> bool {
    text.len() > 1 && text.starts_with('-')
}

/// What stands behind the first `!`.
fn behind(text: &str) -> Option<&str> {
    text.split_once('!').map(|(_, command)| command)
}

fn line_behind(line: &str) -> Option<&str> {
    line.strip_prefix('!')
}

/// The command of a line of an editor: only addresses and a letter stand before it, or the line is a text.
fn addressed(line: &str) -> Option<&str> {
    let (before, command) = line.split_once('!')?;
    let letters = before.trim_start_matches(|char: char| char.is_ascii_digit() || ",.;$%'+-: ".contains(char));
    matches!(
        letters.trim_end(),
        "" | "e" | "f" | "r" | "w" | "W" | "read" | "write" | "silent"
    )
    .then_some(command)
}

/// The command of a line that begins with `~!` or `~|`.
fn escaped(line: &str) -> Option<&str> {
    line.strip_prefix('~').unwrap_or(line).strip_prefix(['!', '|'])
}

/// The command of GDB's `!`, `shell` and `pipe`.
fn debugger(text: &str) -> Option<&str> {
    let text = text.trim_start();
    if let Some(command) = line_behind(text) {
        return Some(command);
    }
    let (word, rest) = text.split_once(char::is_whitespace)?;
    match word {
        "pipe" | "|" => rest.split_once('|').map(|(_, command)| command),
        _ => (word.len() > 2 && "shell".starts_with(word)).then_some(rest),
    }
}

/// The command of a line that is given to a database.
fn database<'t>(name: &str, line: &'t str) -> Option<&'t str> {
    let line = line.trim_start();
    match name {
        "sqlite" | "sqlite3" => line.strip_prefix(".shell ").or_else(|| line.strip_prefix(".system ")),
        "mariadb" | "mysql" => line
            .strip_prefix("system ")
            .or_else(|| line.split_once("\\!").map(|(_, command)| command)),
        "psql" => line.split_once("\\!").map(|(_, command)| command),
        _ => None,
    }
}

/// The commands that git is told to run by settings: with `-c` and `--config`, and by `git config`.
fn settings(arguments: &[Field]) -> Vec<&str> {
    let text = |at: usize| arguments.get(at).map_or("", |field| field.text.as_str());
    let sets = (0..arguments.len()).any(|at| text(at) == "config");
    let mut found = Vec::new();
    for at in 0..arguments.len() {
        let joined = text(at)
            .strip_prefix("--config=")
            .or_else(|| text(at).strip_prefix("-c"));
        let setting = match joined {
            Some(setting) if !setting.is_empty() => setting,
            _ if at > 0 && matches!(text(at - 1), "-c" | "--config") => text(at),
            _ if sets && (text(at).starts_with('!') || at > 0 && is_command(text(at - 1))) => {
                found.push(text(at).trim_start_matches('!'));
                continue;
            }
            _ => continue,
        };
        if let Some((key, value)) = setting.split_once('=')
            && (is_command(key) || value.starts_with('!'))
        {
            found.push(value.trim_start_matches('!'));
        }
    }
    found
}

/// Whether the value of a setting is a command.
fn is_command(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let last = key.rsplit('.').next().unwrap_or_default();
    key.starts_with("pager.") || key.contains('.') && COMMANDS.contains(&last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str]) -> Vec<String> {
        let fields: Vec<Field> = texts.iter().copied().map(Field::from).collect();
        scripts(&Invocation::of(&fields))
    }

    #[test]
    fn a_mark_is_a_command_only_to_those_that_run_it() {
        assert_eq!(of(&["git", "-c", "alias.x=!rm x", "x"]), ["rm x"]);
        assert_eq!(of(&["git", "-c", "core.pager=rm x", "log"]), ["rm x"]);
        assert_eq!(of(&["git", "config", "--global", "alias.x", "!rm x"]), ["rm x"]);
        assert_eq!(of(&["git", "config", "user.name", "Stop! rm x"]), [""; 0]);
        assert_eq!(of(&["git", "commit", "-m", "Stop! rm x"]), [""; 0]);
        assert_eq!(of(&["vim", "-c", "w | !rm x"]), ["rm x"]);
        assert_eq!(of(&["vim", "Stop! rm x"]), [""; 0]);
        assert_eq!(of(&["gdb", "-ex", "shell rm x"]), ["rm x"]);
        assert_eq!(of(&["gdb", "--eval-command=!rm x"]), ["rm x"]);
        assert_eq!(of(&["psql", "-c", "\\! rm x"]), [" rm x"]);
        assert_eq!(of(&["echo", "Stop! rm x"]), [""; 0]);
    }

    #[test]
    fn lines_of_input_are_told_from_texts() {
        assert_eq!(lines("ed", "1,$w !rm x\na\nStop! rm y\n.\n"), ["rm x"]);
        assert_eq!(lines("mail", "~!rm x\nStop! rm y\n"), ["rm x"]);
        assert_eq!(lines("cat", "!rm x\n"), [""; 0]);
    }
}
