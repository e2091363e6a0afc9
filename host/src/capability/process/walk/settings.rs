//! What git's configuration leads to in the workspace and may open something, for a command that no person was asked about:
//! configurations that it includes, and files of passwords, cookies and keys that it names. Git-config(1), git-credential-store(1).

use super::super::guarded::{Cover, Guarded};
use super::super::listing::inside;
use super::super::{credentials, elsewhere, gitconfig};
use super::Walk;
use rustix::fs::OFlags;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Most of a configuration that is read, in bytes. What is longer is not there.
const LONGEST: u64 = 1 << 20;
/// Most places that are looked up for what is named, and how deep one configuration includes another.
const MOST: usize = 20_000;
const DEEPEST: usize = 10;
/// Settings whose values are files that open something, whatever section they are in.
const KEPT: [&str; 4] = ["cookiefile", "sslkey", "proxysslkey", "smtpsslclientkey"];

/// A configuration, and the folders from which git may take what is named in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Configuration {
    path: PathBuf,
    from: Vec<PathBuf>,
    depth: usize,
}

impl Walk<'_> {
    /// How the configuration at `path` is covered, if it has anything in it that is not to be seen.
    pub(super) fn reworded(&self, path: &Path) -> Option<Guarded> {
        // What we can't read a command can't either.
        let file = File::from(self.root.reach(path, OFlags::RDONLY | OFlags::NOCTTY).ok()?);
        let mut bytes = Vec::new();
        let read = file.take(LONGEST + 1).read_to_end(&mut bytes);
        let mut place = Guarded::new(path.to_owned(), Cover::ReadOnly);
        if read.is_err() || bytes.len() as u64 > LONGEST {
            place.cover = Cover::Absent;
        } else {
            place.instead = credentials::without(&bytes);
        }
        place.hides().then_some(place)
    }

    /// Covers what the configurations lead to that were found, and the operator's own.
    pub(super) fn follow_settings(&mut self) {
        if !self.unasked {
            return;
        }
        let of_repository = |path: PathBuf| {
            let path = self.workspace.join(path);
            let above = path.ancestors().skip(1).take(2);
            let mut from: Vec<PathBuf> = above.map(Path::to_owned).collect();
            from.push(self.workspace.to_owned());
            Configuration { path, from, depth: 0 }
        };
        let mut waiting: Vec<Configuration> = std::mem::take(&mut self.settings)
            .into_iter()
            .map(of_repository)
            .collect();
        waiting.extend(elsewhere::everyones().into_iter().map(|path| Configuration {
            path,
            from: vec![self.workspace.to_owned()],
            depth: 0,
        }));
        let (mut known, mut left) = (BTreeSet::new(), MOST);
        while let Some(mut next) = waiting.pop() {
            let Ok(real) = next.path.canonicalize() else { continue };
            next.path = real;
            if !known.insert((next.path.clone(), next.from.clone())) {
                continue;
            }
            if self.time.is_over() {
                self.survey.late = true;
                return;
            }
            if self.follow(&next, &mut waiting, &mut left).is_none() {
                // More may be named that would have to be hidden.
                self.survey.cut = true;
                return;
            }
        }
    }

    /// Covers what one configuration names. `None` where that is more than is looked up.
    fn follow(&mut self, own: &Configuration, waiting: &mut Vec<Configuration>, left: &mut usize) -> Option<()> {
        let (settings, _) = gitconfig::settings(&elsewhere::text_up_to(&own.path, LONGEST));
        let folder = own.path.parent().unwrap_or(self.workspace);
        let mut from = own.from.clone();
        let trees = settings.iter().filter(|one| one.kind() == "core.worktree");
        from.extend(trees.map(|one| folder.join(elsewhere::at_home(&one.value))));
        for setting in &settings {
            let named = match setting.kind().as_str() {
                "include.path" | "includeif.*.path" => {
                    *left = left.checked_sub(1)?;
                    let path = folder.join(elsewhere::at_home(&setting.value));
                    self.cover_included(&path);
                    if own.depth < DEEPEST && path.exists() {
                        let depth = own.depth + 1;
                        let from = from.clone();
                        waiting.push(Configuration { path, from, depth });
                    }
                    continue;
                }
                _ if KEPT.contains(&setting.key.as_str()) => vec![setting.value.as_str()],
                "credential.helper" | "credential.*.helper" => files_of(&setting.value),
                _ => continue,
            };
            for name in named {
                for base in &from {
                    *left = left.checked_sub(1)?;
                    self.hide_named(&base.join(elsewhere::at_home(name)));
                }
            }
        }
        Some(())
    }

    fn cover_included(&mut self, place: &Path) {
        let place = inside(self.workspace, place).and_then(|path| self.reworded(&path));
        let Some(place) = place else { return };
        if !self.reader.is_tracked(self.root, &place.path) {
            self.survey.guarded.push(place);
        }
    }

    fn hide_named(&mut self, place: &Path) {
        let path = inside(self.workspace, place).filter(|_| place.is_file());
        let Some(path) = path else { return };
        if !self.reader.is_tracked(self.root, &path) {
            self.names.push(Guarded::new(path, Cover::Absent));
        }
    }
}

/// What in the words of a helper of git's may name a file: not the helper itself where it is one of git's.
fn files_of(helper: &str) -> Vec<&str> {
    let words = helper.trim_start_matches('!').split_whitespace().enumerate();
    let words = words.filter(|(place, word)| *place > 0 || word.contains('/'));
    let quotes = ['"', '\'', ';', '(', ')'];
    words
        .map(|(_, word)| {
            word.rsplit_once('=')
                .map_or(word, |(_, value)| value)
                .trim_matches(quotes)
        })
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_helper_the_words_that_name_files_are_found_and_its_own_name_is_none() {
        for (helper, files) in [
            ("store", &[][..]),
            ("cache --timeout=3600", &["3600"]),
            ("store --file=creds", &["creds"]),
            ("store --file 'a/creds'", &["--file", "a/creds"]),
            ("!cat creds", &["creds"]),
            ("./own/helper", &["./own/helper"]),
        ] {
            assert_eq!(files_of(helper), files, "{helper}");
        }
    }
}
