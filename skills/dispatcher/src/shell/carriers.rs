//! Options that run their value: a program, a command line, or a setting that names one. The value of any other option is a
//! text. Sources: the manuals of the programs named, on their options; of git, those of its commands.

use super::hidden::Invocation;

/// What is known of one program, or of several of a kind.
#[derive(Clone, Copy, Debug)]
struct Row {
    names: &'static [&'static str],
    /// Short options whose value is run.
    short: &'static str,
    /// Short options without a value, which may stand before one in a cluster.
    flags: &'static str,
    /// Long options whose value is run. An abbreviation of one may stand for it.
    long: &'static [&'static str],
    /// Options whose value is a setting: what stands behind the `=` in it is run.
    settings: &'static [&'static str],
    /// Words of which a setting that is run has one in its name. Empty if all are.
    keys: &'static [&'static str],
    /// Whether one dash begins a whole word as well.
    single: bool,
}

const NONE: Row = Row {
    names: &[],
    short: "",
    flags: "",
    long: &[],
    settings: &[],
    keys: &[],
    single: false,
};

const fn long(names: &'static [&'static str], long: &'static [&'static str]) -> Row {
    Row { names, long, ..NONE }
}

/// The table.
const ROWS: &[Row] = &[
    long(&["diff3", "sdiff"], &["diff-program"]),
    long(&["dpkg"], &["post-invoke", "pre-invoke"]),
    long(&["gpg", "gpg2"], &["photo-viewer"]),
    long(&["install"], &["strip-program"]),
    long(&["make", "gmake"], &["eval"]),
    long(&["meson"], &["gdb-path", "wrapper"]),
    long(&["sort"], &["compress-program"]),
    long(&["split"], &["filter"]),
    long(&["wget"], &["use-askpass"]),
    long(&["zip"], &["unzip-command"]),
    long(&["rg"], &["hostname-bin", "pre"]),
    long(&["just"], &["command", "shell", "shell-arg"]),
    long(&["fd", "fdfind"], &["exec", "exec-batch"]),
    long(&["tmux"], &["command"]),
    Row {
        short: "FI",
        flags: "AcdkmOprtuvxzjJZ",
        ..long(
            &["bsdtar", "gtar", "tar"],
            &[
                "checkpoint-action",
                "info-script",
                "new-volume-script",
                "rmt-command",
                "rsh-command",
                "to-command",
                "use-compress-program",
            ],
        )
    },
    Row {
        short: "e",
        flags: "abcCdDgHhiklLnNoOpqrRStuvWxXyz0",
        ..long(&["rsync"], &["rsh", "rsync-path"])
    },
    Row {
        short: "HP",
        flags: "acDdfhIiKklRtTVWwZ7",
        ..long(&["man"], &["html", "pager"])
    },
    Row {
        short: "ce",
        flags: "46CdDhklnNrStuUvzZ",
        ..long(&["nc", "ncat", "netcat"], &["exec", "lua-exec", "sh-exec"])
    },
    Row {
        short: "c",
        ..long(
            &["npm", "npx", "pnpm", "yarn"],
            &["browser", "call", "editor", "git", "script-shell", "shell", "viewer"],
        )
    },
    Row {
        short: "xOu",
        ..long(
            &["git"],
            &[
                "access-hook",
                "cc-cmd",
                "commit-filter",
                "env-filter",
                "exec",
                "extcmd",
                "header-cmd",
                "index-filter",
                "msg-filter",
                "open-files-in-pager",
                "parent-filter",
                "receive-pack",
                "sendmail-cmd",
                "setup",
                "smtp-server",
                "tag-name-filter",
                "to-cmd",
                "tree-filter",
                "upload-pack",
            ],
        )
    },
    Row {
        long: &["exec", "toolexec"],
        single: true,
        ..long(&["go"], &[])
    },
    Row {
        names: &["apt", "apt-get"],
        settings: &["o", "option"],
        keys: &["invoke", "command", "program", "runner", "bin::"],
        ..NONE
    },
    Row {
        names: &["cargo"],
        settings: &["config"],
        ..NONE
    },
    Row {
        names: &["cmake"],
        settings: &["D"],
        keys: &["command", "compiler", "emulator", "launcher", "linker", "program"],
        ..NONE
    },
    Row {
        short: "S",
        flags: "346ABCOpqRrTv",
        settings: &["o"],
        keys: &["command"],
        names: &["scp", "sftp", "ssh"],
        ..NONE
    },
];

/// The scripts in the values of options. Of those that stand in an argument of their own, or are often a program with the
/// files of its user's, only what must never run counts.
pub(super) fn scripts(invocation: &Invocation<'_>) -> Vec<(String, bool)> {
    let name = invocation.name.as_ref();
    let mut found = Vec::new();
    let Some(row) = ROWS.iter().find(|row| row.names.contains(&name)) else {
        return found;
    };
    let mut arguments = invocation
        .arguments()
        .iter()
        .map(|field| field.text.as_str())
        .peekable();
    while let Some(argument) = arguments.next().filter(|argument| *argument != "--") {
        let next = arguments.peek().copied();
        for (value, joined) in row.values(argument, next) {
            let command = value.trim_start_matches("exec=").trim_start_matches(['!', '|']);
            if command.contains(char::is_whitespace) {
                found.push((command.to_owned(), joined));
            }
        }
    }
    found
}

impl Row {
    /// The values that an argument runs, or the one behind it where it is an option, and whether they stand behind a `=`.
    fn values<'t>(&self, argument: &'t str, next: Option<&'t str>) -> Vec<(&'t str, bool)> {
        let mut found = Vec::new();
        let Some(text) = argument.strip_prefix('-').filter(|text| !text.is_empty()) else {
            return found;
        };
        let word = text.strip_prefix('-').or(self.single.then_some(text));
        if let Some(word) = word {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word, None),
            };
            let stands_for = |long: &&str| long.starts_with(name);
            let value = value.map(|value| (value, true)).or(next.map(|next| (next, false)));
            if self.long.iter().any(stands_for) {
                found.extend(value);
            } else if self.settings.iter().any(stands_for)
                && let Some((setting, joined)) = value
            {
                found.extend(self.setting(setting).map(|command| (command, joined)));
            }
            return found;
        }
        let letters = text.trim_start_matches(|char| self.flags.contains(char));
        let letters = if letters.is_empty() { text } else { letters };
        let mut chars = letters.chars();
        let Some(letter) = chars.next() else {
            return found;
        };
        let value = Some(chars.as_str()).filter(|value| !value.is_empty()).or(next);
        let joined = chars.as_str().starts_with('=');
        if self.short.contains(letter) {
            found.extend(value.map(|value| (value.trim_start_matches('='), joined)));
        } else if self.settings.contains(&letters.get(..1).unwrap_or_default()) {
            let joined = chars.as_str().contains('=') && !self.names.contains(&"ssh");
            found.extend(
                value
                    .and_then(|value| self.setting(value))
                    .map(|command| (command, joined)),
            );
        }
        found
    }

    /// The command of a setting, if it is one that is run: `ProxyCommand=x`, `ProxyCommand x`.
    fn setting<'t>(&self, setting: &'t str) -> Option<&'t str> {
        let (key, value) = setting.split_once(['=', ' '])?;
        let key = key.to_ascii_lowercase();
        let runs = self.keys.is_empty() || self.keys.iter().any(|part| key.contains(part));
        let value = value.trim_start_matches(['=', ' ']);
        // The settings of Cargo are TOML: a text, or a list of such.
        let value = match value.strip_prefix(['"', '\'', '[']) {
            Some(inner) if self.names.contains(&"cargo") => {
                let end = |char| matches!(char, '"' | '\'' | ']' | ' ');
                inner.trim_start_matches(end).trim_end_matches(end)
            }
            _ => value,
        };
        runs.then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::super::word::Field;
    use super::*;

    fn of(texts: &[&str]) -> Vec<String> {
        let fields: Vec<Field> = texts.iter().copied().map(Field::from).collect();
        let found = scripts(&Invocation::of(&fields)).into_iter();
        found.map(|(script, _)| script).collect()
    }

    #[test]
    fn the_values_of_options_that_run_them_are_scripts() {
        for texts in [
            &["sort", "--compress-program=rm x"][..],
            &["sort", "--comp", "rm x"],
            &["tar", "--checkpoint-action=exec=rm x"],
            &["tar", "-cI", "rm x"],
            &["tar", "-cIrm x"],
            &["rsync", "-ae", "rm x"],
            &["man", "-P", "rm x"],
            &["git", "grep", "-Orm x"],
            &["ssh", "-oProxyCommand=rm x", "host"],
            &["ssh", "-o", "proxycommand rm x", "host"],
            &["cargo", "--config", "target.runner = 'rm x'"],
            &["go", "test", "-exec=rm x"],
            &["go", "test", "-exec", "rm x"],
            &["apt-get", "-oDPkg::Pre-Invoke::=rm x"],
        ] {
            assert_eq!(of(texts), ["rm x"], "{texts:?}");
        }
    }

    #[test]
    fn the_values_of_others_are_texts() {
        for texts in [
            &["sort", "--key=rm x"][..],
            &["git", "log", "--grep=rm x"],
            &["git", "log", "-Gx rm x"],
            &["ssh", "-o", "User=rm x", "host"],
            &["rg", "--", "--pre=rm x"],
            &["rg", "--pre-glob=rm x"],
            &["unheard-of", "--exec=rm x"],
        ] {
            assert!(of(texts).is_empty(), "{texts:?}");
        }
    }
}
