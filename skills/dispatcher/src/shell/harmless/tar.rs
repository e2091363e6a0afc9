//! tar(1), only where it lists.

use super::arguments::unknown;
use super::expand::Argument;
use super::paths::shown;
use super::state::{Output, State};
use super::{Doubt, Proof, Prover};
use crate::path::Access;

impl Prover<'_> {
    /// tar(1), only where it lists.
    pub(super) fn tar(&mut self, arguments: &[Argument], state: &State) -> Proof<Output> {
        let mut rest = arguments.iter();
        let mut lists = false;
        let mut first = true;
        while let Some(argument) = rest.next() {
            let text = argument.text.as_str();
            if !argument.is_known() {
                return Err(Doubt::new("what tar is given is only told by running", shown(text)));
            }
            let letters = match text.strip_prefix('-') {
                Some(letters) if !letters.starts_with('-') => letters,
                None if first => text,
                _ if matches!(
                    text,
                    "--list" | "--verbose" | "--gzip" | "--wildcards" | "--numeric-owner"
                ) =>
                {
                    lists |= text == "--list";
                    continue;
                }
                Some(_) => return Err(unknown("tar", text)),
                // A member of the archive.
                None => continue,
            };
            first = false;
            for (at, letter) in letters.char_indices() {
                match letter {
                    't' => lists = true,
                    'v' | 'z' | 'j' | 'J' | 'a' => {}
                    'f' if at + 1 == letters.len() => {
                        let file = rest
                            .next()
                            .filter(|file| file.is_known())
                            .ok_or_else(|| Doubt::new("-f of `tar` lacks its value", "tar"))?;
                        if file.text.contains(':') {
                            return Err(Doubt::new("tar reads from another machine", shown(&file.text)));
                        }
                        self.file(file, Access::Read, state)?;
                    }
                    _ => return Err(unknown("tar", &format!("-{letter}"))),
                }
            }
        }
        if lists {
            return Ok(Output::Unknown);
        }
        Err(Doubt::new("tar does more than list", "tar"))
    }
}
