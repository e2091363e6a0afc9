//! What a line of a script says of its words: which of them a program is given to run, as far as that can be seen without
//! knowing the grammar of each language. Nothing is looked up here.

use super::parts::{Kind, Part, parts};
use super::programs::{Behind, GO, Program, makes, program};
use super::searched::{self, ALL, Searched};
use std::borrow::Cow;

/// How many words behind what goes into a folder may be that folder.
const NEAR: usize = 8;

/// What goes into the folder that stands somewhere behind it.
const GOING: [&str; 5] = ["cd", "pushd", "-C", "--chdir", "--directory"];

/// Behind these comes a command.
const BEFORE_COMMANDS: [&str; 15] = [
    "then", "do", "else", "elif", "if", "while", "until", "exec", "eval", "env", "time", "command", "sudo", "nice",
    "xargs",
];

/// Behind these a text names a module of JavaScript, by its place.
const IMPORTING: [&str; 3] = ["require", "import", "from"];

/// A word of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub(super) text: Cow<'a, str>,
    /// Whether it begins with what the shell puts something else for.
    pub(super) expanded: bool,
    pub(super) role: Role<'a>,
    /// Whether it may be a folder that others are named from: one that is gone into, or kept in a variable.
    pub(super) base: bool,
    /// Whether it is a variable that holds what is run.
    pub(super) runs: bool,
}

/// What a program does with a word.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role<'a> {
    /// It may only be named.
    Any,
    /// It is a file that is run.
    Script,
    /// What matches is run.
    Scripts,
    /// What matches is put in this variable.
    Listed(Cow<'a, str>),
    /// It is a folder, and what is in it is run.
    Folder,
    /// It is a module of Python, which is run.
    Module,
    /// It is a module of JavaScript, or a folder that holds one.
    Import,
    /// It is a folder whose files of Go are run as one program.
    Package,
    /// It looks by itself for what it runs.
    Make,
}

/// The words of a line in their order. Some are there twice, since it is not known where one ends.
pub(super) fn words(line: &str) -> Vec<Word<'_>> {
    let mut reader = Reader::new(line);
    parts(line).into_iter().filter_map(|part| reader.word(part)).collect()
}

#[derive(Clone)]
struct Reader<'a> {
    line: &'a str,
    /// How many parentheses are open, and whether a backtick is.
    depth: usize,
    ticked: bool,
    given: Option<Given>,
    /// The two words before, whether a variable was set to the last, and whether a command began with it or it is run.
    before: [Cow<'a, str>; 2],
    set: bool,
    began: bool,
    /// The variable of a loop whose list this is, and whether scripts of folders are run: with the depth, where the last of
    /// these folders ends, and which of the files in it.
    listed: Option<(Cow<'a, str>, usize)>,
    folders: Option<(usize, usize, &'a str)>,
    /// Whether something is put into a variable, and how near a folder is gone into.
    assigned: bool,
    goes: usize,
    /// Where a pattern, or the value of an option, ends whose parts mean nothing by themselves.
    pattern: usize,
}

/// What a program is given.
#[derive(Clone, Copy)]
struct Given {
    program: &'static Program,
    depth: usize,
    next: Behind,
    /// Whether something was put in the place of the next word, which may still go on.
    filled: bool,
}

impl<'a> Reader<'a> {
    fn new(line: &'a str) -> Reader<'a> {
        Reader {
            line,
            depth: 0,
            ticked: false,
            given: None,
            before: [Cow::Borrowed(""), Cow::Borrowed("")],
            set: false,
            began: false,
            listed: None,
            folders: None,
            assigned: false,
            goes: 0,
            pattern: 0,
        }
    }

    fn word(&mut self, part: Part<'a>) -> Option<Word<'a>> {
        let expanded = part.expanded();
        let word = |text, role| Word {
            text,
            expanded,
            role,
            base: false,
            runs: false,
        };
        if part.kind != Kind::Plain {
            // Its plain parts come again.
            let mut ahead = self.clone();
            ahead.cross(part.gap);
            let script = ahead.is_script(&part);
            let role = match (part.kind, &ahead.listed) {
                (Kind::Quoted, _) if script => Role::Script,
                // Most are for somebody to read.
                (Kind::Quoted, _) if part.text.contains(['/', '.']) => Role::Any,
                (Kind::Quoted, _) => return None,
                (_, Some((variable, _))) => Role::Listed(variable.clone()),
                _ if script => Role::Scripts,
                _ => return None,
            };
            if part.kind == Kind::Pattern {
                self.pattern = part.end();
            }
            if script {
                self.given = None;
            }
            return Some(word(part.text, role));
        }
        let begins = self.cross(part.gap);
        let glued = part.begin > 0 && !part.gap.contains(char::is_whitespace);
        let text = part.text.clone();
        if part.begin < self.pattern {
            return Some(word(text, Role::Any));
        }
        let alone = part.variable() && !text.contains('/');
        let script = self.is_script(&part);
        let base = self.is_base(&part);
        let runs = begins || script || glued && self.began;
        let (mut text, mut role) = (text, Role::Any);
        match self.given {
            Some(given) if given.depth == self.depth => (text, role) = self.give(given, &part, alone),
            Some(ref mut given) => {
                // Something is put together there.
                given.filled = true;
                role = if script { Role::Script } else { Role::Any };
            }
            None => {}
        }
        if role == Role::Any && self.imports(&part) {
            role = Role::Import;
        }
        let option = part.gap.contains('=') || part.text.starts_with('-');
        if let Some((_, until, pattern)) = self.folders
            && !alone
            && !option
            && part.begin < until
        {
            // What is on a list is run where it is said what is done with it.
            (text, role) = match &self.listed {
                Some((variable, _)) => (Cow::Owned(format!("{text}/{pattern}")), Role::Listed(variable.clone())),
                None if pattern == ALL => (text, Role::Folder),
                None => (Cow::Owned(format!("{text}/{pattern}")), Role::Scripts),
            };
        }
        if !alone && let Some(new) = self.begin(&part, begins) {
            role = new;
        }
        (self.began, self.set) = (runs, part.gap.trim_end_matches(['"', '\'']) == "=");
        self.before.rotate_left(1);
        self.before[1] = part.text;
        Some(Word {
            base,
            runs: alone && runs,
            ..word(text, role)
        })
    }

    /// Goes on over what stands between two words. Answers whether a command begins behind it.
    fn cross(&mut self, gap: &str) -> bool {
        let last = &*self.before[1];
        // What is on such a list is found by programs, and not named from there.
        let list = last.ends_with("PATH");
        let code = last.starts_with('-') && last.ends_with('c') && !last.starts_with("--");
        let set = self.set && gap.contains(char::is_whitespace);
        let behind = last.is_empty() || set || code || BEFORE_COMMANDS.contains(&last);
        for char in gap.chars() {
            match char {
                '(' => self.depth += 1,
                ')' => self.depth = self.depth.saturating_sub(1),
                '`' if self.ticked => (self.depth, self.ticked) = (self.depth.saturating_sub(1), false),
                '`' => (self.depth, self.ticked) = (self.depth + 1, true),
                ';' | '|' | '&' => {
                    let depth = self.depth;
                    self.listed = self.listed.take().filter(|(_, own)| *own < depth);
                    self.folders = self.folders.filter(|(own, ..)| *own < depth);
                    self.given = self.given.filter(|given| given.depth < depth);
                    self.assigned &= depth > 0;
                }
                '=' => self.assigned = !list,
                _ => {}
            }
        }
        // Behind a blank what was put together is done.
        let over = |given: &Given| {
            given.depth > self.depth || given.depth == self.depth && given.filled && gap.contains(char::is_whitespace)
        };
        if self.given.as_ref().is_some_and(over) {
            self.given = None;
        }
        let listed = gap.ends_with("[\"") || gap.ends_with("['");
        let separate = gap.contains([';', '|', '&', '(', '!', '`']) || gap.contains("{ ");
        (behind || separate || listed) && !gap.contains("[ ")
    }

    /// Whether a program is given it to run.
    fn is_script(&self, part: &Part<'_>) -> bool {
        self.given.is_some_and(|given| match given.next {
            Behind::Script => true,
            Behind::Nothing => given.program.operand && !part.text.starts_with(['-', '+']),
            _ => false,
        })
    }

    /// Whether it names a module of JavaScript that lies beside the script.
    fn imports(&self, part: &Part<'_>) -> bool {
        let near = part.text.starts_with("./") || part.text.starts_with("..") || part.text == ".";
        near && IMPORTING.contains(&&*self.before[1]) && part.gap.ends_with(['"', '\'', '`'])
    }

    /// Passes over what is left of the word that a part begins in, unless something is put together there.
    fn pass_over(&mut self, part: &Part<'_>) {
        let is_quote = |char: &char| matches!(char, '"' | '\'');
        let (before, rest) = self.line.split_at(part.begin);
        let mut open = before.chars().next_back().filter(is_quote);
        let ends = |char: char| {
            let ends = open.is_none() && (char.is_whitespace() || ";|&)".contains(char));
            match open {
                Some(quote) if quote == char => open = None,
                None => open = Some(char).filter(is_quote),
                Some(_) => {}
            }
            ends
        };
        let word = &rest[..rest.find(ends).unwrap_or(rest.len())];
        if !word.contains("$(") && !word.contains('`') {
            self.pattern = part.begin + word.len();
        }
    }

    fn is_base(&mut self, part: &Part<'_>) -> bool {
        let near = self.goes > 0;
        self.goes = self.goes.saturating_sub(1);
        if GOING.contains(&&*part.text) {
            self.goes = NEAR;
        }
        let slash = part.text.contains('/');
        let held = part.gap.ends_with('=') || part.gap.contains('=') && part.gap.ends_with(['"', '\'']);
        near || self.listed.is_some() || self.assigned && (held || slash)
    }

    /// What a program that is given the word does with it, and the word itself.
    fn give(&mut self, given: Given, part: &Part<'a>, alone: bool) -> (Cow<'a, str>, Role<'a>) {
        let mut next = Given {
            next: Behind::Nothing,
            filled: false,
            ..given
        };
        let mut text = part.text.clone();
        let mut role = Role::Any;
        match given.next {
            _ if alone => {
                next = Given { filled: true, ..given };
                self.given = Some(next);
                return (text, role);
            }
            Behind::Module => {
                self.given = None;
                return (text, Role::Module);
            }
            Behind::Script => role = Role::Script,
            Behind::Value => self.pass_over(part),
            Behind::Code => {}
            Behind::Nothing if part.text.starts_with(['-', '+']) => {
                let (behind, rest) = given.program.behind(&part.text);
                let rest = rest.map(|rest| Cow::Owned(rest.to_owned()));
                next.next = behind;
                match (behind, rest) {
                    (Behind::Code, _) => {
                        self.given = None;
                        return (text, role);
                    }
                    (Behind::Module, Some(rest)) => {
                        self.given = None;
                        return (rest, Role::Module);
                    }
                    (Behind::Script, Some(rest)) => {
                        (text, role, next.next) = (rest, Role::Script, Behind::Nothing);
                    }
                    // What stands behind the sign is its value.
                    (Behind::Nothing, None) if self.line[part.end()..].starts_with('=') => self.pass_over(part),
                    _ => {}
                }
            }
            // All that are named are parts of one program.
            Behind::Nothing if given.program.compiles() && part.text.ends_with(".go") => role = Role::Script,
            Behind::Nothing if given.program.compiles() && part.text != "run" => {
                self.given = None;
                return (text, Role::Package);
            }
            Behind::Nothing if given.program.operand && part.text != "run" => {
                self.given = None;
                return (text, Role::Script);
            }
            Behind::Nothing => {}
        }
        self.given = Some(next);
        (text, role)
    }

    /// Notes what begins with a word, and answers what is done with that itself if something is.
    fn begin(&mut self, part: &Part<'a>, begins: bool) -> Option<Role<'a>> {
        // So a line of a makefile begins.
        let text = if begins {
            part.text.trim_start_matches(['@', '-', '+'])
        } else {
            &part.text
        };
        if text == "in" && ["for", "select"].contains(&&*self.before[0]) {
            self.listed = Some((self.before[1].clone(), self.depth));
        }
        let behind = self.line.get(part.end()..).unwrap_or_default();
        let folders = match text.rsplit('/').next() {
            Some("run-parts") => Some(Searched {
                length: behind.len(),
                pattern: ALL,
            }),
            Some(name @ ("find" | "ls")) => searched::folders(behind, name == "find", self.listed.is_some()),
            _ => None,
        };
        if let Some(found) = folders.filter(|_| begins) {
            self.folders = Some((self.depth, part.end() + found.length, found.pattern));
        }
        let program = program(text)?;
        let goes = text.rsplit('/').next() == Some(GO);
        if goes && (!begins || behind.split_whitespace().next() != Some("run")) {
            return None;
        }
        // These are also words and marks of other meanings.
        let common = matches!(text, "." | "source" | "include" | "ex") || makes(text);
        if common && !begins {
            return None;
        }
        self.given = Some(Given {
            program,
            depth: self.depth,
            next: Behind::Nothing,
            filled: false,
        });
        let rest = behind.split([';', '|', '&']).next().unwrap_or_default();
        let told = |word: &str| {
            ["-f", "--file", "--makefile"]
                .iter()
                .any(|option| word.starts_with(option))
        };
        (makes(text) && !rest.split_whitespace().any(told)).then_some(Role::Make)
    }
}

#[cfg(test)]
mod tests;
