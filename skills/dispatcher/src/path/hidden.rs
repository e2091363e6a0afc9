//! What is picked by a pattern that spells nothing of a name, or only that of a folder that is hidden.

use super::left::{EVERYDAY, LONGEST, last, spells};
use super::set::{plain, set_length};
use super::table::{Effect, Match, ROWS};
use super::{glob, one};

/// So many times as rarely as hidden names, others are matched by chance.
const LESS: usize = 3;
/// Fewer letters name no folder.
const NAMING: usize = 2;
/// Hidden folders of projects, in which nothing is kept that is not shown to everybody who works on them. Sorted.
const SHOWN: &[&str] = &[
    ".buildkite",
    ".changeset",
    ".circleci",
    ".clusterfuzzlite",
    ".cursor",
    ".devcontainer",
    ".forgejo",
    ".gitea",
    ".github",
    ".gitlab",
    ".husky",
    ".mvn",
    ".storybook",
    ".vitepress",
    ".vscode",
    ".vuepress",
    ".well-known",
    ".woodpecker",
];

/// Whether it is such a folder.
pub(crate) fn is_shown(folder: &str) -> bool {
    SHOWN.contains(&folder)
}

/// Whether a part of a pattern of paths spells nothing, and matches hardly anything but what is hidden; or names a hidden
/// folder of which what is in it is picked.
pub(crate) fn picks_hidden(pattern: &str) -> bool {
    // What is more than anybody writes is there to keep us busy.
    if pattern.len() > LONGEST {
        return true;
    }
    let Some(pattern) = plain(&pattern.replace('\\', "")) else {
        return true;
    };
    pattern.contains(SIGNS) && (pattern.split('/').any(is_hidden) || picks_in_hidden(&pattern))
}

const SIGNS: [char; 3] = ['*', '?', '['];

fn is_hidden(part: &str) -> bool {
    if !part.contains(SIGNS) || spells(part) > 0 {
        return false;
    }
    let (mut all, mut hidden) = (0, 0);
    for name in protected() {
        all += 1;
        hidden += usize::from(glob(part, name));
    }
    let everyday = EVERYDAY.iter().filter(|path| glob(part, last(path))).count();
    // Beside many hidden ones, some others are matched by chance.
    hidden * EVERYDAY.len() > everyday * all * LESS
}

fn picks_in_hidden(pattern: &str) -> bool {
    let parts: Vec<&str> = pattern.split('/').collect();
    let picked = |at: usize| parts[at + 1..].iter().any(|part| part.contains(SIGNS));
    parts.iter().enumerate().any(|(at, part)| {
        // A star at the end may go on in the folder.
        let open = part.len() > 1 && part.ends_with('*') && is_protected(part.trim_end_matches('*'));
        open || picked(at) && (is_protected(part) || is_folder(part))
    })
}

/// Whether a part of a pattern is the name of a hidden folder, if its first sign is a dot.
fn is_folder(part: &str) -> bool {
    let Some(rest) = behind_dot(part) else {
        return false;
    };
    let is = |own: &&str| own.strip_prefix('.') == Some(rest);
    let named = part.starts_with('.') && !matches!(part, "." | "..");
    (named || spells(rest) >= NAMING) && !SHOWN.iter().any(is)
}

/// Whether it ends with the name of a hidden folder in which something is protected.
fn is_protected(part: &str) -> bool {
    let part = part.trim_start_matches('*');
    let Some(rest) = behind_dot(part).filter(|rest| spells(rest) >= NAMING) else {
        return false;
    };
    let folders = ROWS.iter().filter_map(|(what, read, ..)| match what {
        Match::Part([folder, ..]) if *read != Effect::Allow => folder.strip_prefix('.'),
        _ => None,
    });
    folders.into_iter().any(|folder| glob(rest, folder))
}

/// What stands behind the first sign of a part, if that may be a dot.
fn behind_dot(part: &str) -> Option<&str> {
    let first = part.chars().next()?;
    match first {
        '.' | '?' => part.get(1..),
        '[' => {
            let chars: Vec<char> = part.chars().collect();
            let length = set_length(&chars)?;
            let dot = one(&chars[..length], '.').is_some();
            dot.then(|| part.char_indices().nth(length).map_or("", |(at, _)| &part[at..]))
        }
        _ => None,
    }
}

/// Names that begin with a dot, and must not be read unasked or hold what must not.
pub(super) fn protected() -> impl Iterator<Item = &'static str> {
    let rows = ROWS.iter().filter(|(_, read, ..)| *read != Effect::Allow);
    let names = rows.filter_map(|(what, ..)| match what {
        Match::Name(name) | Match::Part([name, ..]) => Some(*name),
        _ => None,
    });
    names.filter(|name| name.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_a_hidden_folder_is_picked_by_its_name() {
        for pattern in [
            "*/.git/*",
            "./.git/??????",
            ".git/**",
            "*/.aws/*",
            "*/.hidden/*/x",
            "*/.aw?/*",
            "*/?aws/*",
            "*.git/*",
            "*?git/*",
            "*/[.]git/*",
            "*/[+-/]git/*",
            "./.aws*",
            "*?ssh*",
        ] {
            assert!(picks_hidden(pattern), "{pattern}");
        }
        for pattern in [
            "./.github/workflows/*.yml",
            "*?github/*",
            ".vscode/*.json",
            "*/?/*",
            "./?*",
            "../*",
            "*?/src/*",
            "*.app/*",
            "*[a-z]git/*",
            ".git/HEAD",
            ".eslintrc*",
        ] {
            assert!(!picks_hidden(pattern), "{pattern}");
        }
    }

    #[test]
    fn no_more_is_tried_than_anybody_writes() {
        assert!(picks_hidden(&".?/".repeat(40_000)));
        for open in ["[", "[[:", "[[:]", "[x"] {
            assert!(picks_hidden(&open.repeat(100_000)), "{open}");
            assert!(!picks_hidden(&open.repeat(64)), "{open}");
        }
    }

    #[test]
    fn what_only_matches_hidden_names_picks_them() {
        for pattern in [
            "[+-/]*",
            "[[.period.]]*",
            "[[=.=]]*",
            "[[:dot:]]*",
            "[!a-zA-Z]*",
            "*/[.]*/",
        ] {
            assert!(picks_hidden(pattern), "{pattern}");
        }
        for pattern in [".*", "[.]*", ".[!.]*", ".???", "*/.*", "[!a-zA-Z0-9_]*", "*/.*/*"] {
            assert!(picks_hidden(pattern), "{pattern}");
        }
        for pattern in [
            "*",
            "*.*",
            "????",
            ".gitignore",
            ".github/*",
            "[!a]*",
            "./*",
            ".[ch]",
            "*.[ch]",
            "*-*",
            "*_*",
            "[A-Z]*",
            "[!A-Z]*",
            "?????",
            "??????",
        ] {
            assert!(!picks_hidden(pattern), "{pattern}");
        }
    }
}
