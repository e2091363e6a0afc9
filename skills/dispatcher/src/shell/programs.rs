//! What programs do, as a table: enough to say in one line what a command would do, where another command may hide in
//! its arguments, and, for some, which of their options are harmless. The rows stand in `data/programs.toml`. A program
//! that is not there is unknown, and said to be.

use super::grammar::{Grammar, Operands, Takes};
use crate::finding::Risk;
use crate::text;

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// Programs without a row that do nothing but tell of themselves when they are asked to.
const TELLING: &[&str] = &["csplit", "g++", "gcc"];

/// One row of the table.
#[derive(Debug)]
pub(crate) struct Program {
    /// Without its folder.
    name: &'static str,
    /// In a word.
    pub(crate) does: Does,
    /// Options by which it tells of itself, and does nothing else, where no other argument is given.
    tells: &'static [&'static str],
    /// What is known of its command line, if it can be shown to be harmless.
    pub(crate) grammar: Option<Grammar>,
}

/// What a program does with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Does {
    /// Prints its arguments, or computes from them: they are data.
    Prints,
    /// Looks at names and attributes.
    Looks,
    /// Reads files.
    Reads,
    /// Reads files; its first operand is a pattern or a program text, and data.
    Searches,
    /// Writes or changes files.
    Writes,
    /// Writes its last operand and reads the others.
    Copies,
    /// Runs tools that the workspace configures.
    Builds,
    /// Installs software.
    Installs,
    /// Uses the network.
    Connects,
    /// Changes or stops processes, services, the machine.
    Controls,
    /// Makes something run later, or at every start.
    Persists,
    /// Deletes files.
    Deletes,
    /// Changes disks and file systems.
    Formats,
    /// Runs the command in its arguments.
    Wraps,
    /// Runs the command in its arguments as somebody else, or elsewhere.
    Escalates,
    /// A shell: runs a script in its arguments, a file, or its input.
    Shell,
    /// Runs a program text in its arguments, a file, or its input.
    Interprets,
    /// Runs its arguments, or a file, as a part of the script itself.
    Evaluates,
    /// Changes how the script goes on: variables, the current folder, control.
    Steers,
}

impl Does {
    /// In words, as what is going to happen.
    fn words(self) -> &'static str {
        match self {
            Does::Prints => "prints",
            Does::Looks => "lists",
            Does::Reads | Does::Searches => "reads",
            Does::Writes | Does::Copies => "writes",
            Does::Builds => "runs what the workspace configures",
            Does::Installs => "installs software",
            Does::Connects => "uses the network",
            Does::Controls => "controls processes or the machine",
            Does::Persists => "makes something run later",
            Does::Deletes => "deletes",
            Does::Formats => "changes disks",
            Does::Wraps => "runs a command in a command",
            Does::Escalates => "acts as another user or elsewhere",
            Does::Shell | Does::Evaluates => "runs a script",
            Does::Interprets => "runs a program text",
            Does::Steers => "sets the shell up",
        }
    }

    /// The same of a program, where what it may do is more than one thing.
    pub(crate) fn words_of(self, name: &str) -> &'static str {
        match (self, name) {
            (Does::Escalates, "ssh" | "mosh" | "rsh" | "autossh") => "acts on another machine",
            (Does::Escalates, "sudo" | "su" | "doas" | "pkexec" | "runuser" | "setpriv") => "acts as another user",
            _ => self.words(),
        }
    }

    /// Whether it does the same each time: no interpreter, shell or wrapper, nothing that runs what lies in the workspace,
    /// and nothing that outlasts it.
    pub(crate) fn is_its_own(self) -> bool {
        matches!(
            self,
            Does::Prints
                | Does::Looks
                | Does::Reads
                | Does::Searches
                | Does::Writes
                | Does::Copies
                | Does::Connects
                | Does::Deletes
        )
    }

    /// How bad it could be, before the arguments are looked at.
    pub(crate) fn risk(self) -> Risk {
        match self {
            Does::Prints | Does::Looks | Does::Reads | Does::Searches | Does::Steers => Risk::Low,
            Does::Writes | Does::Copies | Does::Builds | Does::Wraps => Risk::Medium,
            Does::Installs | Does::Connects | Does::Deletes => Risk::Medium,
            _ => Risk::High,
        }
    }
}

/// Where programs are: the search path of a command, and its usual links.
const FOLDERS: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/usr/sbin",
];

/// The name of the program of the system that `path` is. `None` for a file elsewhere, which may be anything.
pub(crate) fn installed(path: &str) -> Option<&str> {
    match text::split_last(path, b'/') {
        None => Some(path),
        Some((folder, name)) => FOLDERS.contains(&folder).then_some(name),
    }
}

use Does::{Formats, Interprets, Shell};

/// For each byte, how many rows have a name that begins with a lesser one. Many words are looked up, and few are found.
const BEFORE: [u16; 257] = {
    let mut before = [0; 257];
    let (mut byte, mut row) = (0, 0);
    while byte < before.len() {
        while row < PROGRAMS.len() && (PROGRAMS[row].name.as_bytes()[0] as usize) < byte {
            row += 1;
        }
        before[byte] = row as u16;
        byte += 1;
    }
    before
};

/// The row of the program `name`.
pub(crate) fn row(name: &str) -> Option<&'static Program> {
    let first = usize::from(*name.as_bytes().first()?);
    let rows = PROGRAMS.get(usize::from(BEFORE[first])..usize::from(BEFORE[first + 1]))?;
    let at = rows.binary_search_by_key(&name, |row| row.name).ok()?;
    rows.get(at)
}

/// The programs whose options are not looked at one by one.
#[cfg(test)]
pub(crate) fn bare() -> impl Iterator<Item = &'static str> {
    let is_bare = |row: &&Program| row.grammar.as_ref().is_some_and(|grammar| grammar.bare);
    PROGRAMS.iter().filter(is_bare).map(|row| row.name)
}

/// What the program `name` does, if the table knows it.
pub(crate) fn lookup(name: &str) -> Option<Does> {
    if name.starts_with("mkfs") {
        return Some(Formats);
    }
    versioned(name).map(|row| row.does)
}

/// The row of a program, or of the interpreter or shell of which it is a version.
fn versioned(name: &str) -> Option<&'static Program> {
    // `python3.12`, `perl5.36`, `lua5.4`: the version is no part of the name.
    let stem = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.' || char == '-');
    row(name).or_else(|| row(stem).filter(|row| matches!(row.does, Interprets | Shell)))
}

/// Whether the program `name` only tells of itself where it is given this option and nothing else: of one that is known by
/// its options any such does, of others those that its row names. What is not known may load what lies in the workspace,
/// as those do that look there for which version of them is wanted.
pub(crate) fn tells(name: &str, option: &str) -> bool {
    let usual = matches!(option, "--help" | "--version");
    let known = row(name).is_some_and(|row| row.grammar.is_some());
    usual && (known || TELLING.contains(&name)) || versioned(name).is_some_and(|row| row.tells.contains(&option))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn the_table_is_sorted_so_that_every_row_is_found() {
        for pair in PROGRAMS.windows(2) {
            assert!(
                pair[0].name < pair[1].name,
                "{} stands before {}",
                pair[0].name,
                pair[1].name
            );
        }
    }

    #[test]
    fn versions_are_no_part_of_an_interpreter() {
        assert_eq!(lookup("python3.12"), Some(Interprets));
        assert_eq!(lookup("mkfs.ext4"), Some(Formats));
        assert_eq!(lookup("cat2"), None);
        assert_eq!(lookup("3"), None);
    }
}
