//! Files that a command names: whether each lies inside the workspace, and is not protected.

use super::expand::{Argument, Kind};
use super::state::State;
use super::{Doubt, Level, Proof, Prover, UNKNOWN};
use crate::path::{self, Access, Place, is_pattern, widened};

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

/// Why what was found is not written: how much that is, and what is lost, only running tells.
const MANY: &str = "it changes all files that match";

impl Prover<'_> {
    /// Shows that a file may be read, looked at or written.
    pub(super) fn file(&mut self, argument: &Argument, access: Access, state: &State) -> Proof<()> {
        let text = argument.text.as_str();
        let doubt = |why: &str| Err(Doubt::new(why, shown(text)));
        match argument.kind {
            // What is found lies in the workspace, and what is protected there the jail hides.
            Kind::Found | Kind::Names if access != Access::Write => return Ok(()),
            Kind::Found | Kind::Names => return doubt(MANY),
            Kind::Anything => return doubt("it names a file that only running tells"),
            Kind::One if text.contains(UNKNOWN) => return doubt("it names a file that only running tells"),
            Kind::One if text.is_empty() => return Ok(()),
            Kind::One => {
                let device = DEVICES.contains(&text) || text.strip_prefix("/dev/fd/").is_some_and(is_number);
                if device && access != Access::Write {
                    return Ok(());
                }
            }
            Kind::Pattern if access == Access::Write => return doubt(MANY),
            Kind::Pattern => {
                // Before bash 5.2 a pattern matches the folder above as well.
                let above = |part: String| part.starts_with('.') && is_pattern(&part) && path::glob(&part, "..");
                if text.split('/').map(widened).any(above) {
                    return doubt("a pattern in it may match the folder above");
                }
                if access != Access::Look && self.may_match_protected(text) {
                    return doubt("a pattern in it may match a file that is protected");
                }
            }
        }
        if climbs(text, state) {
            return doubt("where `..` leads behind a name is only told by running: the name may be a link");
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
            self.raise(Level::Writes);
        }
        Ok(())
    }

    /// Whether a pattern of paths may match one that is protected, or a hidden one, or what is in a hidden folder: these
    /// are often hidden for a reason. What matches everything is not meant.
    pub(super) fn may_match_protected(&self, pattern: &str) -> bool {
        let hidden = |part: &str| part.starts_with('.') && !matches!(part, "." | "..");
        if pattern.split('/').any(|part| hidden(part) && !path::is_shown(part)) {
            return true;
        }
        let own = |part: &str| {
            let named = |wanted: &String| {
                let last = wanted.rsplit('/').next().unwrap_or_default();
                meet(part, &widened(last))
            };
            let broad = part.bytes().all(|byte| byte == b'*');
            !broad && self.roots.protected.iter().any(named)
        };
        let mut parts = pattern.split('/').map(widened).filter(|part| is_pattern(part));
        path::may_match_protected(pattern) || parts.any(|part| own(&part))
    }

    /// Whether a file lies in the temporary folder. A command has one of its own, which is thrown away: there is nothing
    /// in it that is not its own, and what is put there is lost. Where the workspace lies in it, the rest of it is no
    /// place to look at.
    pub(super) fn is_temporary(&self, text: &str) -> bool {
        let temporary = Place::absolute("/tmp");
        let here = self
            .roots
            .workspace
            .as_ref()
            .is_some_and(|workspace| workspace.is_in(&temporary));
        text.starts_with('/') && !here && Place::absolute(text).is_in(&temporary)
    }

    /// Shows the same of one place.
    fn place(&self, text: &str, here: &Place, access: Access) -> Proof<()> {
        let place = Place::of(text, here);
        if let Some((_, what)) = self.roots.protection(&place, access) {
            return Err(Doubt::new(
                format!("it names a place that is closed ({what})"),
                shown(text),
            ));
        }
        if access == Access::Read && path::is_unshown(place.parts()) {
            let why = "it reads git's own files, in which may be what was never shown to anybody";
            return Err(Doubt::new(why, shown(text)));
        }
        // All that lies in it is read, or what a pattern finds there.
        let many = place.parts().next_back() == Some(".git") || text.contains(['*', '?', '[']);
        if access == Access::Read && many && place.parts().any(|part| part == ".git") {
            let why = "it reads git's own files, of which the configuration may hold passwords";
            return Err(Doubt::new(why, shown(text)));
        }
        if self.roots.is_inside(&place) {
            return Ok(());
        }
        if access != Access::Write && (self.is_temporary(text) || is_installed(&place, access)) {
            return Ok(());
        }
        Err(Doubt::new("it reaches outside the workspace", shown(text)))
    }
}

/// Whether a place belongs to the installed system, which is the same on each machine: names there may be looked at, and
/// what is there to be read by programmers may be read.
fn is_installed(place: &Place, access: Access) -> bool {
    let folders: &[&str] = if access == Access::Look {
        &["/usr"]
    } else {
        &["/usr/include", "/usr/src"]
    };
    // Which system it is everybody may know: os-release(5).
    let is_told = |file: &&str| *place == Place::absolute(file);
    folders.iter().any(|folder| place.is_in(&Place::absolute(folder)))
        || ["/etc/os-release", "/usr/lib/os-release"].iter().any(is_told)
}

/// Whether a path goes up again where the kernel may stand elsewhere than the text says: behind a name, or in a folder that
/// was gone into by one.
pub(super) fn climbs(text: &str, state: &State) -> bool {
    let mut parts = text.split('/').filter(|part| !matches!(*part, "" | "."));
    let first = parts.clone().next() == Some("..");
    let leading = first && !text.starts_with('/') && !state.is_at_home();
    leading || parts.by_ref().skip_while(|part| *part == "..").any(|part| part == "..")
}

/// `text` with what is not known shown as dots.
pub(super) fn shown(text: &str) -> String {
    text.replace(UNKNOWN, "…")
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether there is a name that both patterns match.
fn meet(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    // Whether what is left of `a` meets what is left of `b`, which begins at each place, from its end.
    let mut below = vec![false; b.len() + 1];
    for at in (0..=a.len()).rev() {
        let mut row = vec![false; b.len() + 1];
        for to in (0..=b.len()).rev() {
            row[to] = match (a.get(at), b.get(to)) {
                (None, None) => true,
                (Some(b'*'), other) => below[to] || (other.is_some() && row[to + 1]),
                (other, Some(b'*')) => row[to + 1] || (other.is_some() && below[to]),
                (Some(one), Some(other)) => (one == other || *one == b'?' || *other == b'?') && below[to + 1],
                _ => false,
            };
        }
        below = row;
    }
    below[0]
}
