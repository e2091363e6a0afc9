//! What stands in for git in the jail of what nobody was asked about: the host's own binary, which has git do the work and leaves
//! out of what it prints what may be private ([`super::versions`]). So it comes before whatever the command does with that.

use super::blobs::Blobs;
use super::carve::below;
use super::message::{During, Trouble};
use super::mount::{self, Forbid};
use super::versions::{How, Versions};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufReader, ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// In which variable it finds where git itself is: under a name that nobody knows before.
pub(super) const VARIABLE: &str = "PASSEPARTOUT_GIT";

/// What stands there if the host's binary is not where it was.
const GONE: &str = "#!/bin/sh\necho \"git can't be run by what no person was asked about: Passepartout's program was replaced; start \
                    the daemon again\" >&2\nexit 126\n";

/// Git's own options whose value is the next argument.
const VALUED: &[&str] = &[
    "--attr-source",
    "--config-env",
    "--exec-path",
    "--git-dir",
    "--namespace",
    "--super-prefix",
    "--work-tree",
    "-C",
    "-c",
];
/// Commands that print nothing of what files hold.
const QUIET: &[&str] = &[
    "branch",
    "check-ignore",
    "config",
    "describe",
    "ls-files",
    "ls-tree",
    "merge-base",
    "remote",
    "rev-parse",
    "symbolic-ref",
    "version",
];
/// Options of `git grep` whose value may be the next argument: by their letters, and long ones.
const VALUED_LETTERS: &str = "ABCefm";
const VALUED_LONG: &[&str] = &[
    "--after-context",
    "--before-context",
    "--context",
    "--max-count",
    "--max-depth",
    "--threads",
];
/// Those by which it is told what to look for.
const PATTERNS: &str = "ef";
/// Settings by which names would be told otherwise.
const PLAIN: [&str; 2] = ["-c", "diff.relative=false"];
/// What git says itself where it can't do what it is told.
const FATAL: i32 = 128;

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

/// Whether a word names a file of a version.
fn is_of_version(word: &str) -> bool {
    word.contains(':') && !word.starts_with("--") && !word.starts_with(":(") && !word.starts_with(":!")
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
        line.run().unwrap_or_else(|error| {
            eprintln!("fatal: git can't be run: {error}");
            FATAL
        })
    })
}

/// A command line of git.
struct Line<'a> {
    git: &'a Path,
    arguments: Vec<OsString>,
    /// Where git's command stands among them.
    command: usize,
}

impl Line<'_> {
    fn of(git: &Path, arguments: Vec<OsString>) -> Line<'_> {
        let mut command = 0;
        while let Some(text) = arguments.get(command).and_then(|argument| argument.to_str()) {
            if !text.starts_with('-') {
                break;
            }
            command += if VALUED.contains(&text) { 2 } else { 1 };
        }
        Line {
            git,
            command: command.min(arguments.len()),
            arguments,
        }
    }

    fn run(&self) -> io::Result<i32> {
        let name = self.arguments.get(self.command).and_then(|name| name.to_str());
        if name.is_none_or(|name| QUIET.contains(&name)) {
            return Err(self.git(&self.arguments).exec());
        }
        if let Some(what) = self.refused(name.unwrap_or_default()) {
            eprintln!(
                "fatal: {what} is left out, since no person was asked and it may be private: the same command asks one if it \
                 calls the version by its hash, as `git {} … 1a2b3c4`",
                name.unwrap_or_default()
            );
            return Ok(FATAL);
        }
        let mut child = { self.git(&PLAIN.map(OsString::from)) }
            .args(&self.arguments)
            .stdout(Stdio::piped())
            .spawn()?;
        let printed = child.stdout.take().map(BufReader::new);
        let blobs = self.git(self.arguments.get(..self.command).unwrap_or_default());
        let blobs = { blobs }
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut versions = Versions::new(io::stdout().lock(), blobs.ok().and_then(Blobs::of), self.how());
        let handed_on = printed.map_or(Ok(()), |printed| versions.all(printed));
        if let Err(error) = handed_on {
            let _ = child.kill();
            let _ = child.wait();
            // Whoever reads it has enough.
            return match error.kind() {
                ErrorKind::BrokenPipe => Ok(FATAL + libc::SIGPIPE),
                _ => Err(error),
            };
        }
        if versions.left_out {
            eprintln!(
                "note: what may be private is left out of what git shows here, since no person was asked: a command that calls the \
                 commit by its hash, as `git show 1a2b3c4`, asks one"
            );
        }
        let status = child.wait()?;
        let by_signal = status.signal().map(|signal| FATAL + signal);
        Ok(status.code().or(by_signal).unwrap_or(FATAL))
    }

    fn git(&self, arguments: &[OsString]) -> Command {
        let mut git = Command::new(self.git);
        git.arg0("git").args(arguments);
        git
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        let behind = self.arguments.get(self.command + 1..).unwrap_or_default();
        behind.iter().map(|argument| argument.to_str().unwrap_or_default())
    }

    fn how(&self) -> How {
        let given = |begin: &str| {
            self.options()
                .any(|text| text.starts_with(begin) && !text.ends_with("=none"))
        };
        How {
            by_line: !given("--word-d") && !given("--color-w"),
            graph: given("--gra"),
            heads: !self.shows_files(),
        }
    }

    fn options(&self) -> impl Iterator<Item = &str> {
        self.texts().take_while(|text| *text != "--")
    }

    /// Whether it shows files of versions as they are.
    fn shows_files(&self) -> bool {
        let name = self.arguments.get(self.command).and_then(|name| name.to_str());
        name == Some("cat-file") || name == Some("show") && self.options().any(is_of_version)
    }

    /// What it would show of which it is not told of what file that is.
    fn refused(&self, name: &str) -> Option<String> {
        let options = || self.options();
        let given = |begin: &str| options().any(|text| text.starts_with(begin));
        let words = match name {
            "grep" => self.words_of_grep(),
            _ => options().collect(),
        };
        let other = || words.iter().find(|word| self.is_another(word));
        match name {
            "grep" | "blame" | "annotate" => other().map(|version| format!("what `git {name}` finds in {version}")),
            "show" if self.shows_files() => {
                let other = options().find(|text| !text.starts_with('-') && !is_of_version(text));
                other.map(|other| format!("what {other} has beside files of versions"))
            }
            _ if given("-L") => Some("what `-L` picks".to_owned()),
            _ if given("--rel") => Some("what `--relative` leaves of names".to_owned()),
            // It names no file as others do.
            "diff" if given("--ch") => other().map(|version| format!("what `--check` finds in {version}")),
            _ if given("--ch") => Some("what `--check` finds".to_owned()),
            _ => None,
        }
    }

    /// What `git grep` is given that may be a version: not what is looked for, which the first operand is unless an option says it.
    fn words_of_grep(&self) -> Vec<&str> {
        let (mut words, mut given, mut first, mut skip) = (Vec::new(), false, None, false);
        let mut options = true;
        for text in self.texts() {
            if std::mem::take(&mut skip) {
                continue;
            }
            match text.strip_prefix('-').filter(|_| options) {
                // Before what is looked for it ends the options and nothing else.
                _ if text == "--" && options && !given && first.is_none() => options = false,
                _ if text == "--" => break,
                Some(letters) if letters.starts_with('-') => skip = VALUED_LONG.contains(&text),
                Some(letters) if !letters.is_empty() => {
                    // The first that takes one takes the rest.
                    let valued = letters.find(|letter| VALUED_LETTERS.contains(letter));
                    let letter = valued.and_then(|at| letters.get(at..=at)).unwrap_or_default();
                    given |= !letter.is_empty() && PATTERNS.contains(letter);
                    skip = valued.is_some_and(|at| at + 1 == letters.len());
                }
                _ if first.is_none() => first = Some(text),
                _ => words.push(text),
            }
        }
        words.extend(first.filter(|_| given));
        words
    }

    /// Whether it may name a version that has other files than the last commit.
    fn is_another(&self, word: &str) -> bool {
        // A folder above, or a pattern of paths.
        if word.starts_with("../")
            || word == ".."
            || word.contains("/../")
            || word.starts_with(":(")
            || word.starts_with('-')
        {
            return false;
        }
        // A range, or a file of a version.
        if word.contains("..") || word.contains(':') {
            return true;
        }
        let name = |word: &str| {
            let globals = self.arguments.get(..self.command).unwrap_or_default();
            let asked = ["rev-parse", "-q", "--verify", "--end-of-options", word].map(OsStr::new);
            let output = { self.git(globals) }.args(asked).stderr(Stdio::null()).output().ok()?;
            output.status.success().then_some(output.stdout)
        };
        let tree = |word: &str| name(&format!("{word}^{{tree}}"));
        name(word).is_some() && (tree(word).is_none() || tree(word) != tree("HEAD"))
    }
}
