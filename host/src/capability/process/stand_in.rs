//! What stands in for git in the jail of what nobody was asked about: the host's own binary, which has git do the work and leaves
//! out of what it prints what may be private ([`super::versions`]). So it comes before whatever the command does with that.

mod grammar;
mod line;
mod objects;
mod place;
mod revision;
mod shared;
mod unmerged;
mod withheld;
mod words;

use self::line::Line;
use super::blobs::FATAL;
use super::carve::below;
use super::message::{During, Trouble};
use super::mount::{self, Forbid};
use std::collections::BTreeSet;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// In which variable it finds where git itself is: under a name that nobody knows before.
pub(super) const VARIABLE: &str = "PASSEPARTOUT_GIT";
/// And in which one the workspace.
pub(super) const WORKSPACE: &str = "PASSEPARTOUT_WORKSPACE";

/// What stands there if the host's binary is not where it was.
const GONE: &str = "#!/bin/sh\necho \"git can't be run by what no person was asked about: Passepartout's program was replaced; start \
                    the daemon again\" >&2\nexit 126\n";

/// Where the host's binary is. Called while the host's root is still there.
pub(super) fn own() -> Option<PathBuf> {
    let path = std::fs::read_link("/proc/self/exe").ok()?;
    let (own, there) = (
        std::fs::metadata("/proc/self/exe").ok()?,
        std::fs::metadata(&path).ok()?,
    );
    ((own.dev(), own.ino()) == (there.dev(), there.ino())).then_some(path)
}

/// Puts `own`, of the root that is seen at `host`, in the place of each git in the folders that are looked through for programs,
/// and git itself into `apart`.
pub(super) fn put(own: Option<&Path>, host: &Path, folders: &str, apart: &Path) -> Result<Option<PathBuf>, Trouble> {
    let what = "putting git apart";
    let found = folders.split(':').map(|folder| Path::new(folder).join("git"));
    let found: Vec<PathBuf> = found.filter_map(|path| std::fs::canonicalize(path).ok()).collect();
    // A script there calls another one, which would be the stand-in again.
    let Some(first) = found.iter().find(|path| is_program(path)).or(found.first()) else {
        return Ok(None);
    };
    let place = apart.join("git");
    std::fs::create_dir_all(apart).during(what)?;
    let git = mount::copy(first).during(what)?;
    std::fs::File::create(&place).during(what)?;
    mount::attach(&git, &place).during(what)?;
    let gone = Path::new("/.gone");
    let stands = match own {
        Some(own) => below(host, own),
        None => {
            std::fs::write(gone, GONE).during(what)?;
            std::fs::set_permissions(gone, std::fs::Permissions::from_mode(0o755)).during(what)?;
            gone.to_owned()
        }
    };
    for path in found.iter().collect::<BTreeSet<_>>() {
        let copy = mount::copy(&stands).during(what)?;
        mount::forbid(&copy, Forbid::WRITING).during(what)?;
        mount::attach(&copy, path).during(what)?;
    }
    if own.is_none() {
        std::fs::remove_file(gone).during(what)?;
    }
    Ok(Some(place))
}

/// Whether a file is a program by itself: elf(5).
fn is_program(path: &Path) -> bool {
    let mut begin = [0; 4];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut begin));
    read.is_ok() && begin == *b"\x7fELF"
}

/// Does git's work, if this process was started to stand in for it, and answers with what to exit.
pub(super) fn code() -> Option<i32> {
    let mut arguments = std::env::args_os();
    let called = arguments.next()?;
    let git = std::env::var_os(VARIABLE)?;
    (Path::new(&called).file_name()? == "git").then(|| {
        let line = Line::of(Path::new(&git), arguments.collect());
        let workspace = std::env::var_os(WORKSPACE).unwrap_or_default();
        if let (Ok(Some(other)), Ok(false) | Err(_)) = (line.other_repository(Path::new(&workspace)), line.is_answered()) {
            let other = other.display();
            eprintln!(
                "fatal: {other} has a repository of its own, whose configuration may name programs, and no person was asked: a command \
                 that names it asks a person, as `git --git-dir={other}/.git --work-tree={other} …`"
            );
            return FATAL;
        }
        line.run().unwrap_or_else(|error| {
            eprintln!("fatal: git can't be run: {error}");
            FATAL
        })
    })
}

#[cfg(test)]
mod tests;
