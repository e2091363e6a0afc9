//! The files that lines of a script, or a value of git's configuration, may name: command lines, of which no part is known
//! to be a path.

use super::calls::{Role, Word, words};
use super::elsewhere::{Leads, WORD, What};
use super::listing::inside;
use super::lookups::Lookups;
use super::matching::matching;
use super::programs::MAKEFILES;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Most folders that the lines are taken to go into, or to keep in variables.
const MOST_FOLDERS: usize = 32;
/// Most steps of the name of a module.
const MOST_STEPS: usize = 16;

/// What interpreters put behind a name by themselves, or those who write in their languages leave away.
const ENDINGS: [&str; 10] = ["js", "mjs", "cjs", "ts", "tsx", "rb", "py", "php", "lua", "sh"];
/// What is run of a folder that is given to be run: node's and Python's documentation.
const INDEXES: [&str; 6] = [
    "index.js",
    "index.cjs",
    "index.mjs",
    "index.ts",
    "index.tsx",
    "__main__.py",
];
/// How the files end that Go leaves out of a program.
const TESTS: &str = "_test.go";

/// What the lines may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// Only files: what is done in a folder need not be done with what is in it.
    Files,
    /// Files, and folders of such.
    Both,
}

/// A file that is named.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) leads: Leads,
    /// Whether a program is given it to run. Otherwise it may be for something else.
    pub(super) runs: bool,
}

/// What `lines` name in the work trees, which are absolute, as far as there are `lookups` left.
pub(super) fn named(
    workspace: &Path,
    trees: &BTreeSet<&Path>,
    lines: &[String],
    what: Named,
    lookups: &Lookups,
) -> Vec<Found> {
    let all: Vec<Word<'_>> = lines.iter().flat_map(|line| words(line)).collect();
    let mut look = Look {
        workspace,
        trees,
        what,
        folders: Vec::new(),
        run: all.iter().filter(|word| word.runs).map(|word| &*word.text).collect(),
        lookups,
        found: Vec::new(),
    };
    let mut known = BTreeSet::new();
    for word in all.iter().filter(|word| word.base) {
        if known.insert((&word.text, word.expanded)) && !look.go_into(word) {
            break;
        }
    }
    let mut known = BTreeSet::new();
    for word in &all {
        if known.insert((&word.text, word.expanded, &word.role)) && look.word(word).is_none() {
            break;
        }
    }
    look.found
}

struct Look<'a> {
    workspace: &'a Path,
    trees: &'a BTreeSet<&'a Path>,
    what: Named,
    /// Where a word may be meant from, beside the work trees.
    folders: Vec<PathBuf>,
    /// The variables that hold what is run.
    run: BTreeSet<&'a str>,
    lookups: &'a Lookups,
    found: Vec<Found>,
}

impl Look<'_> {
    /// Each step looks into each of the places at most twice.
    fn places(&self) -> usize {
        self.trees.len() + self.folders.len() + 1
    }

    fn take(&self, times: usize) -> Option<()> {
        self.lookups.take(times * self.places()).then_some(())
    }

    /// The work trees, and the other folders.
    fn all(&self) -> impl Iterator<Item = &Path> {
        self.trees
            .iter()
            .copied()
            .chain(self.folders.iter().map(PathBuf::as_path))
    }

    /// Adds the folders in the workspace that a word names from one of those. Answers whether there were lookups for that.
    fn go_into(&mut self, word: &Word<'_>) -> bool {
        if self.take(2).is_none() {
            return false;
        }
        let text = &*word.text;
        // What stands before a slash may be a variable that holds the work tree.
        let rest = text.split_once('/').filter(|_| word.expanded).map(|(_, rest)| rest);
        let texts = [Some(text), Some(text.trim_start_matches('/')), rest];
        let mut new = Vec::new();
        for from in self.all() {
            for text in texts.into_iter().flatten().filter(|text| !text.is_empty()) {
                let real = from.join(text).canonicalize().ok();
                let fits = |real: &PathBuf| {
                    let within = real.starts_with(self.workspace) && real.is_dir();
                    within && !self.trees.contains(real.as_path()) && !self.folders.contains(real)
                };
                new.extend(real.filter(fits).filter(|real| !new.contains(real)));
            }
        }
        self.folders.append(&mut new);
        if self.folders.len() > MOST_FOLDERS {
            self.folders.truncate(MOST_FOLDERS);
            self.lookups.fall_short();
        }
        true
    }

    fn word(&mut self, word: &Word<'_>) -> Option<()> {
        match &word.role {
            Role::Any => self.name(word, false),
            Role::Script => self.name(word, true),
            Role::Scripts => self.pattern(&word.text, word.expanded, true),
            Role::Listed(variable) => self.pattern(&word.text, word.expanded, self.run.contains(&**variable)),
            Role::Folder => self.pattern(&format!("{}/*", word.text), word.expanded, true),
            Role::Package => self.pattern(&format!("{}/*.go", word.text), word.expanded, true),
            Role::Import => {
                self.name(word, false)?;
                self.indexes(&word.text)
            }
            Role::Module => self.files(&module(&word.text)),
            Role::Make => self.files(&MAKEFILES.map(PathBuf::from)),
        }
    }

    /// Files that are run if they are there.
    fn files(&mut self, names: &[PathBuf]) -> Option<()> {
        for name in names {
            self.take(1)?;
            let places: Vec<PathBuf> = self.all().map(|from| from.join(name)).collect();
            self.add_files(places, true);
        }
        Some(())
    }

    /// The files that a pattern matches: those that can be run by themselves, or that are run.
    fn pattern(&mut self, pattern: &str, expanded: bool, runs: bool) -> Option<()> {
        self.take(1)?;
        let rest = pattern.split_once('/').filter(|_| expanded).map(|(_, rest)| rest);
        let pattern = rest.unwrap_or(pattern);
        // Nobody could work where all that lies in a work tree is kept.
        let all = pattern.trim_start_matches("./") == "*";
        let from = self.all().filter(|from| !all || !from.join(".git").exists());
        let places = from.flat_map(|from| matching(self.workspace, from, pattern, self.lookups));
        let places = places.filter(|place| !place.to_string_lossy().ends_with(TESTS));
        let places: Vec<PathBuf> = places.collect();
        self.lookups.take(places.len()).then_some(())?;
        self.add_files(places, runs);
        Some(())
    }

    fn add_files(&mut self, places: Vec<PathBuf>, runs: bool) {
        for place in places {
            let how = if runs { "named" } else { WORD };
            let is_one = place
                .metadata()
                .is_ok_and(|metadata| metadata.is_file() && (runs || metadata.permissions().mode() & 0o111 != 0));
            let leads = leads(self.workspace, &place, how).filter(|_| is_one);
            self.found.extend(leads.map(|leads| Found { leads, runs }));
        }
    }

    /// What may be the name of a file. `given` is whether a program is given it to run.
    fn name(&mut self, word: &Word<'_>, given: bool) -> Option<()> {
        let text = word
            .text
            .trim_start_matches(|char: char| word.text.starts_with('-') && (char == '-' || char == '+'));
        self.take(1)?;
        if !looks_like_a_path(text) {
            let places: Vec<PathBuf> = self.all().map(|from| from.join(text)).collect();
            for place in places {
                let Some(metadata) = place.metadata().ok().filter(|metadata| metadata.is_file()) else {
                    continue;
                };
                let runs = given || metadata.permissions().mode() & 0o111 != 0;
                let leads = leads(self.workspace, &place, WORD).filter(|_| runs);
                self.found.extend(leads.map(|leads| Found { leads, runs: given }));
            }
            return if given { self.shortened(text, true) } else { Some(()) };
        }
        let workspace = self.workspace;
        let mut whole = found_in(workspace, self.trees.iter().copied(), text, "named");
        let how = if given || text.starts_with("./") { "named" } else { WORD };
        whole.extend(found_in(
            workspace,
            self.folders.iter().map(PathBuf::as_path),
            text,
            how,
        ));
        if self.what == Named::Files || !text.contains('/') {
            whole.retain(|leads| workspace.join(&leads.path).is_file());
        }
        // Nobody could work where all of a work tree is kept.
        whole.retain(|leads| {
            let place = workspace.join(&leads.path);
            // What lies below it follows it.
            let next = self.trees.range(place.as_path()..).next();
            next.is_none_or(|tree| !tree.starts_with(&place))
        });
        // What is outside is not the command's to change.
        let outside = text.starts_with('/') && Path::new(text).exists();
        if whole.is_empty() && !outside {
            let ends = text.match_indices('/').map(|(at, _)| &text[at + 1..]);
            for (number, end) in ends.filter(|end| !end.is_empty()).enumerate() {
                self.take(1)?;
                // The first may be a variable that holds the work tree.
                let how = if word.expanded && number == 0 { "named" } else { WORD };
                let files = found_in(workspace, self.all(), end, how).into_iter();
                whole.extend(files.filter(|leads| workspace.join(&leads.path).is_file()));
                if given || end.contains('/') {
                    self.shortened(end, given)?;
                }
            }
            self.shortened(text, given)?;
        }
        self.found
            .extend(whole.into_iter().map(|leads| Found { leads, runs: given }));
        Some(())
    }

    /// What may be meant by a name without its ending, or by a folder that is `given` to be run, where there is no such file.
    fn shortened(&mut self, text: &str, given: bool) -> Option<()> {
        let last = text.rsplit('/').next().unwrap_or_default();
        let whole = last
            .rsplit_once('.')
            .is_some_and(|(_, ending)| ENDINGS.contains(&ending));
        if whole || text.is_empty() {
            return Some(());
        }
        self.take(1)?;
        let places: Vec<PathBuf> = self.all().map(|from| from.join(text)).collect();
        for place in places.iter().filter(|place| place.parent().is_some_and(Path::is_dir)) {
            self.lookups.take(ENDINGS.len()).then_some(())?;
            if place.is_file() {
                continue;
            }
            let longer = |ending: &&str| {
                let mut name = place.clone().into_os_string();
                name.extend([".", ending].map(OsStr::new));
                PathBuf::from(name)
            };
            self.add_files(ENDINGS.iter().map(longer).collect(), true);
        }
        if given { self.indexes(text) } else { Some(()) }
    }

    /// What is run of a folder.
    fn indexes(&mut self, text: &str) -> Option<()> {
        self.take(1)?;
        let places: Vec<PathBuf> = self.all().map(|from| from.join(text)).collect();
        for place in places.iter().filter(|place| place.is_dir()) {
            self.lookups.take(INDEXES.len()).then_some(())?;
            self.add_files(INDEXES.map(|name| place.join(name)).to_vec(), true);
        }
        Some(())
    }
}

fn found_in<'a>(workspace: &Path, from: impl Iterator<Item = &'a Path>, text: &str, how: &str) -> Vec<Leads> {
    let places = from.map(|folder| folder.join(text));
    places.filter_map(|place| leads(workspace, &place, how)).collect()
}

fn leads(workspace: &Path, place: &Path, how: &str) -> Option<Leads> {
    Some(Leads {
        said: format!("{how} {}", place.display()),
        what: What::Named,
        path: inside(workspace, place)?,
    })
}

/// The files that Python runs for a module, as far as they are there.
fn module(name: &str) -> Vec<PathBuf> {
    let steps: Vec<&str> = name.split('.').collect();
    let usable = |step: &&str| !step.is_empty() && !step.contains(['/', '-', '+', '@', ',', '%']);
    if steps.len() > MOST_STEPS || !steps.iter().all(usable) {
        return Vec::new();
    }
    let whole: PathBuf = steps.iter().collect();
    let folders = whole.ancestors().filter(|folder| !folder.as_os_str().is_empty());
    let mut found: Vec<PathBuf> = folders.map(|folder| folder.join("__init__.py")).collect();
    found.push(whole.join("__main__.py"));
    found.push(whole.with_extension("py"));
    found
}

fn looks_like_a_path(text: &str) -> bool {
    text.contains('/') || text.trim_start_matches('.').contains('.')
}
