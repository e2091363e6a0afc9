//! Names that files get without being named so: behind the folder into which they are copied or moved, or without their
//! ending.

use super::expand::{Argument, Kind};
use super::paths::shown;
use super::state::State;
use super::{Doubt, Proof, Prover};
use crate::path::{self, Access, Place, widened};
use crate::shell::grammar::{Grammar, Operands};

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
                for file in files {
                    if let Some((whole, _)) = file.text.rsplit_once('.').filter(|_| file.is_known()) {
                        self.file(&Argument::plain(whole), Access::Write, state)?;
                    }
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
