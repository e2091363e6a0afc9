//! The proof that a command line is harmless. Only a small part of the shell's language is read: simple commands, lists,
//! pipelines, groups, plain variables and substitutions, and loops and branches in their plainest form. Such a script is followed as bash would run it, and passes only
//! if every program in it, each of its options, and every file it names is known, and none does more than read the
//! workspace (or, if that is asked for, write there) or look at names of the installed system. Whatever is not
//! understood ends the proof, with the reason.
//!
//! This never refuses anything; that is the work of the other reader, in the folder above. So a command passes only if
//! two readers, which have nothing in common, find nothing against it.

mod arguments;
mod arithmetic;
mod awk;
mod braces;
mod builtins;
mod call;
mod control;
mod expand;
mod expression;
mod find;
mod flow;
mod follow;
mod foreign;
mod git;
mod looks;
mod named;
mod paths;
mod pathspec;
mod picked;
mod quiet;
mod reach;
mod read;
mod sed;
mod state;
mod syntax;
mod tar;
mod unpacked;
mod unshown;
mod walks;
mod words;
mod wrappers;

use std::cell::Cell;
use std::rc::Rc;

use super::word::UNKNOWN;
use crate::path::Roots;
pub(super) use awk::acts as awk_acts;
pub(super) use builtins::sets_nothing;
pub(super) use named::given;
use read::Dialect;
pub(super) use sed::{Act, acts, done_by};
use state::{Output, State};

/// The most commands that are followed.
const MOST_STEPS: usize = 1_000;
/// How deep scripts in scripts, and commands in commands, are followed.
const DEEPEST: usize = 12;

/// How much a harmless command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// It reads, and only the workspace.
    Reads,
    /// It makes or changes files too, and only in the workspace.
    Writes,
}

/// Why something could not be shown to be harmless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Doubt {
    /// The reason, to go behind "because".
    pub(super) why: String,
    /// The part of the command it is about.
    pub(super) part: String,
}

impl Doubt {
    fn new(why: impl Into<String>, part: impl Into<String>) -> Doubt {
        Doubt {
            why: why.into(),
            part: part.into(),
        }
    }
}

/// The one form of `command`: commands that differ only in blanks, lines and the like have the same. `None` for what is
/// not followed, and for control flow: how often what stands in it is done a form does not say.
pub(super) fn canonical(command: &str) -> Option<String> {
    let whole = read::read(command, Dialect::Bash).ok().filter(|whole| !whole.flows)?;
    Some(syntax::print(&whole.script))
}

type Proof<T> = Result<T, Doubt>;

/// Shows that `command` does no more than the answer says.
///
/// # Errors
/// Why that can't be shown.
pub(super) fn prove(command: &str, roots: &Roots) -> Proof<Level> {
    let mut prover = Prover::new(roots);
    let Some(workspace) = &roots.workspace else {
        return Err(Doubt::new("it is not known where the workspace is", ""));
    };
    if command.contains(UNKNOWN) {
        return Err(Doubt::new("it holds characters that stand for nothing", ""));
    }
    let mut state = State::new(&Rc::new(workspace.clone()));
    state.last = true;
    prover.whole(command, Dialect::Bash, &mut state)?;
    Ok(prover.level)
}

/// What goes along while a command line is followed.
struct Prover<'r> {
    roots: &'r Roots,
    level: Level,
    steps: usize,
    depth: usize,
    /// Whether there are two ways through the script.
    forks: bool,
    /// In how many loops what is followed stands.
    loops: usize,
    /// How many patterns of names were tried.
    tried: Cell<usize>,
}

impl Prover<'_> {
    fn new(roots: &Roots) -> Prover<'_> {
        Prover {
            roots,
            level: Level::Reads,
            steps: 0,
            depth: 0,
            forks: false,
            loops: 0,
            tried: Cell::new(0),
        }
    }

    /// Follows the text of a script. What it prints.
    fn whole(&mut self, text: &str, dialect: Dialect, state: &mut State) -> Proof<Output> {
        let script = read::read(text, dialect)?.script;
        let forks = std::mem::replace(&mut self.forks, text.contains("||"));
        let printed = self.script(&script, state, &Output::Unknown)?;
        self.forks = forks;
        Ok(printed)
    }

    /// Goes one level deeper, if there is one.
    fn deeper<T>(&mut self, part: &str, inner: impl FnOnce(&mut Self) -> Proof<T>) -> Proof<T> {
        if self.depth >= DEEPEST {
            return Err(Doubt::new("it nests too deep to be followed", part));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn step(&mut self) -> Proof<()> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(Doubt::new("it is too long to be followed", ""));
        }
        Ok(())
    }

    fn raise(&mut self, level: Level) {
        self.level = self.level.max(level);
    }
}

#[cfg(test)]
mod tests;
