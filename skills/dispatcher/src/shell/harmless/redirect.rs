//! Following where the input and output of commands go.

use brush_parser::ast::{CompoundList, IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, RedirectList};

use super::expand::Argument;
use super::state::{Output, State};
use super::{Doubt, NUMBER, Proof, Prover};
use crate::path::Access;

/// Where what a command prints goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// To where it is looked for.
    Whole,
    /// Elsewhere.
    Nothing,
    /// Nobody can tell, or something else comes along.
    Unclear,
}

impl Shown {
    /// What a file makes of it: a name of a descriptor may be the very place.
    fn to(file: &str) -> Shown {
        if file.starts_with("/dev/") && file != "/dev/null" {
            Shown::Unclear
        } else {
            Shown::Nothing
        }
    }

    /// This, and then `next`: what is unclear stays so.
    fn then(self, next: Shown) -> Shown {
        if self == Shown::Unclear { self } else { next }
    }

    /// What of `output` is seen.
    pub(super) fn of(self, output: Output) -> Output {
        match self {
            Shown::Whole => output,
            Shown::Nothing => Output::Nothing,
            Shown::Unclear => Output::Unknown,
        }
    }
}

/// `<&3`, `2>&1`.
fn copied(kind: &IoFileRedirectKind, number: Option<i32>, flowing: &mut Output, printed: &mut Shown) {
    if matches!(kind, IoFileRedirectKind::DuplicateInput) {
        if number.is_none_or(|number| number == 0) {
            *flowing = Output::Unknown;
        }
    } else {
        *printed = Shown::Unclear;
    }
}

impl Prover<'_> {
    /// `<(…)` or `>(…)`: a name of a pipe.
    pub(super) fn process(&mut self, list: &CompoundList, state: &State) -> Proof<Argument> {
        self.aside = true;
        self.deeper("<(…)", |prover| {
            prover.list(list, &mut state.clone(), &Output::Unknown)
        })?;
        Ok(Argument {
            pipe: true,
            ..Argument::plain(format!("/dev/fd/{NUMBER}"))
        })
    }

    pub(super) fn redirects(
        &mut self,
        list: Option<&RedirectList>,
        state: &mut State,
        input: &Output,
    ) -> Proof<(Output, Shown)> {
        let (mut flowing, mut printed) = (input.clone(), Shown::Whole);
        for redirect in list.iter().flat_map(|list| &list.0) {
            self.redirect(redirect, state, &mut flowing, &mut printed)?;
        }
        Ok((flowing, printed))
    }

    /// Follows one redirection: what then flows in, and whether what is printed is still seen.
    pub(super) fn redirect(
        &mut self,
        redirect: &IoRedirect,
        state: &mut State,
        flowing: &mut Output,
        printed: &mut Shown,
    ) -> Proof<()> {
        match redirect {
            IoRedirect::File(number, kind, target) => {
                let word = match target {
                    IoFileRedirectTarget::Fd(_) => {
                        copied(kind, *number, flowing, printed);
                        return Ok(());
                    }
                    IoFileRedirectTarget::ProcessSubstitution(_, shell) => {
                        if !matches!(kind, IoFileRedirectKind::Read) {
                            self.aside = true;
                        }
                        let output = self.list(&shell.list, &mut state.clone(), &Output::Unknown)?;
                        if matches!(kind, IoFileRedirectKind::Read) && number.is_none_or(|number| number == 0) {
                            *flowing = output;
                        }
                        return Ok(());
                    }
                    IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word) => word,
                };
                let target = self.text(&word.value, state)?;
                let copies = matches!(
                    kind,
                    IoFileRedirectKind::DuplicateInput | IoFileRedirectKind::DuplicateOutput
                );
                if copies && is_descriptor(&target.text) {
                    copied(kind, *number, flowing, printed);
                    return Ok(());
                }
                let reads = matches!(kind, IoFileRedirectKind::Read | IoFileRedirectKind::DuplicateInput);
                self.opened |= target.text != "/dev/null";
                self.file(&target, if reads { Access::Read } else { Access::Write }, state)?;
                if reads && number.is_none_or(|number| number == 0) {
                    *flowing = Output::Unknown;
                }
                if !reads && number.is_none_or(|number| number == 1) {
                    *printed = printed.then(Shown::to(&target.text));
                }
                Ok(())
            }
            IoRedirect::OutputAndError(word, _) => {
                let target = self.text(&word.value, state)?;
                *printed = printed.then(Shown::to(&target.text));
                self.opened |= target.text != "/dev/null";
                self.file(&target, Access::Write, state)
            }
            // To another descriptor it would flow in where nobody looks for it.
            IoRedirect::HereString(Some(number), _) | IoRedirect::HereDocument(Some(number), _) if *number != 0 => {
                Err(Doubt::new("it gives a text to another descriptor than its input", ""))
            }
            IoRedirect::HereString(_, word) => {
                let text = self.text(&word.value, state)?.text;
                *flowing = Output::Text(text + "\n");
                Ok(())
            }
            IoRedirect::HereDocument(_, document) => {
                *flowing = if document.requires_expansion {
                    Output::Text(self.document(&document.doc.value, state)?)
                } else {
                    Output::Text(document.doc.value.clone())
                };
                Ok(())
            }
        }
    }
}

fn is_descriptor(text: &str) -> bool {
    text == "-" || (!text.is_empty() && text.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit()))
}
