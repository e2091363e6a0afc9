//! A command line of git, and having git do what it says.

use super::super::blobs::{Blobs, FATAL};
use super::super::versions::{How, Versions};
use std::ffi::OsString;
use std::io::{self, BufReader, ErrorKind};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
    "check-ignore",
    "describe",
    "ls-files",
    "ls-tree",
    "merge-base",
    "remote",
    "rev-parse",
    "symbolic-ref",
    "version",
];
/// Settings by which names would be told otherwise.
const PLAIN: [&str; 2] = ["-c", "diff.relative=false"];

/// Whether a word names a file of a version.
pub(super) fn is_of_version(word: &str) -> bool {
    word.contains(':') && !word.starts_with("--") && !word.starts_with(":(") && !word.starts_with(":!")
}

/// A command line of git.
pub(super) struct Line<'a> {
    git: &'a Path,
    pub(super) arguments: Vec<OsString>,
    /// Where git's command stands among them.
    command: usize,
}

impl Line<'_> {
    pub(super) fn of(git: &Path, arguments: Vec<OsString>) -> Line<'_> {
        let mut command = 0;
        while let Some(argument) = arguments
            .get(command)
            .filter(|argument| argument.as_bytes().starts_with(b"-"))
        {
            let is_valued = VALUED.iter().any(|option| argument == option);
            command += if is_valued { 2 } else { 1 };
        }
        Line {
            git,
            command: command.min(arguments.len()),
            arguments,
        }
    }

    pub(super) fn run(&self) -> io::Result<i32> {
        let name = self.arguments.get(self.command);
        if name.is_none_or(|name| QUIET.iter().any(|quiet| name == quiet)) {
            return Err(self.git(&self.arguments).exec());
        }
        let name = name.and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(what) = self.withheld(name) {
            eprintln!(
                "fatal: {what} is left out, since no person was asked and it may be private: the same command asks one if it \
                 calls the version by its hash, as `git {name} … 1a2b3c4`"
            );
            return Ok(FATAL);
        }
        let blobs = Blobs::of(self.git(self.globals()));
        let mut versions = Versions::new(io::stdout().lock(), Some(blobs), self.how());
        let mut child = { self.git(&PLAIN.map(OsString::from)) }
            .args(&self.arguments)
            .stdout(Stdio::piped())
            .spawn()?;
        let printed = child.stdout.take().map(BufReader::new);
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

    pub(super) fn git(&self, arguments: &[OsString]) -> Command {
        let mut git = Command::new(self.git);
        git.arg0("git").args(arguments);
        git
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
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
            files: self.shows_files().then(|| self.files()),
        }
    }

    /// The files of versions that it is told to show.
    fn files(&self) -> Vec<PathBuf> {
        // A folder is one of names alone.
        let is_folder = |word: &str| self.kinds([word.to_owned()]).is_some_and(|kind| kind.trim() == "tree");
        let words = self.options().filter(|word| is_of_version(word) && !is_folder(word));
        let paths = words.filter_map(|word| Some(Path::new(word.split_once(':')?.1)));
        paths.map(|path| self.from_top(path)).collect()
    }

    /// The path of a file of a version: some count from where git is called.
    fn from_top(&self, path: &Path) -> PathBuf {
        let is_from_here = path.starts_with(".") || path.starts_with("..");
        let mut whole = if is_from_here { self.folder() } else { PathBuf::new() };
        for step in path {
            if step == ".." {
                whole.pop();
            } else {
                whole.push(step);
            }
        }
        whole
    }

    /// Beneath the top of the work tree, where it is called.
    fn folder(&self) -> PathBuf {
        let output = { self.git(self.globals()) }
            .args(["rev-parse", "--show-prefix"])
            .output();
        let printed = output.map(|output| output.stdout).unwrap_or_default();
        PathBuf::from(OsString::from_vec(printed.trim_ascii_end().to_owned()))
    }

    pub(super) fn globals(&self) -> &[OsString] {
        self.arguments.get(..self.command).unwrap_or_default()
    }

    pub(super) fn options(&self) -> impl Iterator<Item = &str> {
        self.texts().take_while(|text| *text != "--")
    }

    /// Whether it shows files of versions as they are.
    pub(super) fn shows_files(&self) -> bool {
        let name = self.arguments.get(self.command).and_then(|name| name.to_str());
        name == Some("cat-file") || name == Some("show") && self.options().any(is_of_version)
    }
}
