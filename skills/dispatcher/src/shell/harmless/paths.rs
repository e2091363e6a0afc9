//! Files that a command names: whether each lies inside the workspace, and is not protected.

use super::expand::Argument;
use super::state::State;
use super::{Doubt, NAME, NUMBER, Proof, Prover, UNKNOWN};
use crate::path::{self, Access, Place};

/// Devices that hold nothing.
const DEVICES: &[&str] = &[
    "/dev/full",
    "/dev/null",
    "/dev/random",
    "/dev/stderr",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/urandom",
    "/dev/zero",
];

impl Prover<'_> {
    /// Shows that a file may be read, looked at or written.
    pub(super) fn file(&mut self, argument: &Argument, access: Access, state: &State) -> Proof<()> {
        let text = argument.text.as_str();
        let doubt = |why: &str| Err(Doubt::new(why, shown(text)));
        if text.contains(UNKNOWN) || argument.splits {
            return doubt("it names a file that only running tells");
        }
        let device = match access {
            // What an open descriptor names is written where that is.
            Access::Write => {
                // A pipe may have been made a part of another text since.
                let pipe = || {
                    argument.pipe
                        && text
                            .strip_prefix("/dev/fd/")
                            .is_some_and(|rest| rest.chars().eq([NUMBER]))
                };
                matches!(text, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/full") || pipe()
            }
            _ => DEVICES.contains(&text) || text.strip_prefix("/dev/fd/").is_some_and(is_number),
        };
        if device {
            return Ok(());
        }
        if text.is_empty() {
            return Ok(());
        }
        if argument.glob && access != Access::Look && text.contains('(') {
            return doubt("a pattern in it may match a file that is protected");
        }
        if !components_are_clear(text) {
            return doubt("it puts a name together that may lead elsewhere");
        }
        if argument.glob && (access != Access::Look) && text.split('/').any(may_match_protected) {
            return doubt("a pattern in it may match a file that is protected");
        }
        // A tilde that is still there was quoted, and is a name.
        let quoted;
        let text = if text.starts_with('~') {
            quoted = format!("./{text}");
            &quoted
        } else {
            text
        };
        let relative = !text.starts_with('/');
        let Some(folders) = state.here.as_deref() else {
            return if relative {
                doubt("it is not known in which folder it runs")
            } else {
                self.place(text, &state.home, access)
            };
        };
        folders.iter().try_for_each(|here| self.place(text, here, access))?;
        if access == Access::Write {
            self.writes();
        }
        Ok(())
    }

    /// Shows the same of one place.
    fn place(&self, text: &str, here: &Place, access: Access) -> Proof<()> {
        let place = Place::of(text, here);
        if let Some((_, what)) = self.roots.protection(&place, access) {
            return Err(Doubt::new(format!("it names {what}"), shown(text)));
        }
        if self.roots.is_inside(&place) {
            return Ok(());
        }
        // A command has a temporary folder of its own, which is thrown away: there is nothing in it that is not its own,
        // and what is put there is lost. Where the workspace lies in it, the rest of it is no place to look at.
        let temporary = Place::absolute("/tmp");
        let here = self
            .roots
            .workspace
            .as_ref()
            .is_some_and(|workspace| workspace.is_in(&temporary));
        if place.is_in(&temporary) && !here && access != Access::Write {
            return Ok(());
        }
        Err(Doubt::new("it reaches outside the workspace", shown(text)))
    }
}

/// `text` with what is not known shown as dots.
pub(super) fn shown(text: &str) -> String {
    text.replace([UNKNOWN, NAME], "…").replace(NUMBER, "N")
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|char| char.is_ascii_digit() || char == NUMBER)
}

/// Whether no component could turn out to be `..`: `.$x` with `x` a dot would.
fn components_are_clear(text: &str) -> bool {
    // A name or a number may be nothing, and then what is behind it begins at the root.
    if text
        .split_once('/')
        .is_some_and(|(first, _)| !first.is_empty() && first.chars().all(|char| char == NAME || char == NUMBER))
    {
        return false;
    }
    // A name may be `.`, and then what is above it is above the folder.
    let mut behind = false;
    for part in text.split('/') {
        if behind && part == ".." {
            return false;
        }
        behind |= part.contains(NAME);
    }
    text.split('/').all(|part| {
        let Some(at) = part.find(NAME) else { return true };
        let (before, after) = (&part[..at], &part[at + NAME.len_utf8()..]);
        let clear = |rest: &str| rest.is_empty() || rest.chars().any(|char| char != '.' && char != NAME);
        // Behind a dot the name may make a hidden one, which is often protected.
        clear(before) && clear(after) && !before.starts_with('.')
    })
}

/// Whether a component with `*` in it may match a protected name, or a hidden one.
fn may_match_protected(part: &str) -> bool {
    part.contains(['*', '?', '[', '(']) && (part.starts_with('.') || path::may_match_protected(part))
}
