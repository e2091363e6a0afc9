//! Names that files get without being named so: behind the folder into which they are copied or moved, or without their
//! ending.

use super::expand::{Argument, Kind};
use super::paths::shown;
use super::state::State;
use super::{Doubt, Proof, Prover};
use crate::path::{self, Access, Place, widened};
use crate::shell::grammar::{Grammar, Operands};

/// How names of what is packed end, in small letters, and what is put there when it is unpacked: the manuals of gzip, bzip2,
/// xz, zstd and lz4, and their tables of endings. The first three of gzip's need no dot.
const PACKED: &[(&str, &str)] = &[
    ("-gz", ""),
    ("-z", ""),
    ("_z", ""),
    ("-xz", ""),
    (".gz", ""),
    (".z", ""),
    (".tgz", ".tar"),
    (".taz", ".tar"),
    (".bz2", ""),
    (".bz", ""),
    (".tbz2", ".tar"),
    (".tbz", ".tar"),
    (".xz", ""),
    (".txz", ".tar"),
    (".lzma", ""),
    (".lzm", ""),
    (".tlz", ".tar"),
    (".lz", ""),
    (".zst", ""),
    (".tzst", ".tar"),
    (".lz4", ""),
    (".tlz4", ".tar"),
];
/// What is put behind a name when a file is packed, or, by bzip2, unpacked from one that ends like none of these.
const ADDED: &[&str] = &[".gz", ".bz2", ".xz", ".lzma", ".out"];

impl Prover<'_> {
    /// Shows that what a program writes may be written under the names that it comes to have.
    pub(super) fn named(
        &mut self,
        name: &str,
        grammar: &Grammar,
        operands: &[&Argument],
        state: &State,
    ) -> Proof<()> {
        match (grammar.operands, operands) {
            (Operands::Filter, files) => {
                for name in files.iter().flat_map(|file| given(&file.text)) {
                    self.file(&Argument::plain(name), Access::Write, state)?;
                }
                Ok(())
            }
            (Operands::Copies | Operands::Moves, [files @ .., target]) => {
                for file in files {
                    let inside = self.behind(file, target)?;
                    self.file(&inside, Access::Write, state)?;
                    if grammar.operands == Operands::Moves {
                        self.moved(name, &[file, target, &inside], state)?;
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Where a file comes to be if the target is a folder. A pattern stands for what only running tells, and for nothing
    /// that must not be written.
    fn behind(&self, file: &Argument, target: &Argument) -> Proof<Argument> {
        let name = file.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let told = match file.kind {
            Kind::One => true,
            Kind::Pattern => !path::may_match_written(&widened(name)) && !self.may_match_protected(name),
            Kind::Found | Kind::Names | Kind::Anything => false,
        };
        if !told {
            return Err(Doubt::new(
                "which names the files get is only told by running",
                shown(&file.text),
            ));
        }
        let name = if file.kind == Kind::Pattern { "x" } else { name };
        Ok(Argument::plain(format!("{}/{name}", target.text)))
    }

    /// Shows of each place that a folder which is moved there, or away, takes nothing along that is protected beneath it.
    fn moved(&self, name: &str, places: &[&Argument], state: &State) -> Proof<()> {
        let folders = state.here.as_deref().unwrap_or_default();
        for place in places {
            let holds = |here: &Place| self.roots.may_hold_protected(&Place::of(&place.text, here));
            if folders.is_empty() || folders.iter().any(holds) {
                return Err(Doubt::new(
                    format!("`{name}` may move a folder with what is protected beneath it"),
                    shown(&place.text),
                ));
            }
        }
        Ok(())
    }
}

/// Each name that a file may get when it is packed or unpacked: which of the programs is meant, and which version of it, may
/// not be told by the command.
pub(crate) fn given(file: &str) -> impl Iterator<Item = String> {
    let unpacked = PACKED.iter().filter_map(move |(ending, instead)| {
        let at = file.len().checked_sub(ending.len())?;
        let ends = file.get(at..)?.eq_ignore_ascii_case(ending);
        ends.then(|| format!("{}{instead}", &file[..at]))
    });
    let cut = file.rsplit_once('.').map(|(whole, _)| whole.to_owned());
    let packed = ADDED.iter().map(move |added| format!("{file}{added}"));
    unpacked.chain(cut).chain(packed)
}
