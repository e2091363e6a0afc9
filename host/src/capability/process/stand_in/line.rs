//! A command line of git, and having git do what it says.

use super::super::blobs::{Blobs, FATAL};
use super::super::versions::{How, Versions};
use super::withheld::Plan;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufReader, ErrorKind, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Git's own options whose value is the next argument: git(1).
const VALUED: &[&str] = &["--config-env", "--git-dir", "--namespace", "--work-tree", "-C", "-c"];
/// The others that are known: which command and which repository are meant is told behind them.
const PLAIN: &[&str] = &[
    "--bare",
    "--glob-pathspecs",
    "--icase-pathspecs",
    "--literal-pathspecs",
    "--no-advice",
    "--no-lazy-fetch",
    "--no-optional-locks",
    "--no-pager",
    "--no-replace-objects",
    "--noglob-pathspecs",
    "--paginate",
    "-P",
    "-p",
];
/// Those that git answers by itself.
const ANSWERED: &[&str] = &[
    "--exec-path",
    "--help",
    "--html-path",
    "--info-path",
    "--man-path",
    "--version",
    "-h",
    "-v",
];
/// The settings that are put behind its own: no module is looked into, whose index nobody has looked through.
const ALWAYS: [&str; 2] = ["-c", "submodule.recurse=false"];
/// Settings by which names would be told otherwise, or what is in another repository, or in no version.
const SETTINGS: [&str; 10] = [
    "-c",
    "diff.relative=false",
    "-c",
    "log.diffMerges=separate",
    "-c",
    "diff.submodule=short",
    "-c",
    "diff.srcPrefix=a/",
    "-c",
    "diff.dstPrefix=b/",
];
/// By which no program is run to show a change, and commands that run one.
const NO_PROGRAM: &str = "--no-ext-diff";
const SHOWING: &[&str] = &["diff", "log", "show", "whatchanged"];
/// Commands for the same about which a person is asked.
const ALL_SHOWING: &str = "`git diff-tree -p 1a2b3c4` (or `git cat-file -p 1a2b3c4:FILE`, with the version's hash)";
/// By which versions that were merged are shown beside each other, and by which each name is told that a file had in one.
const MERGED: [&str; 2] = ["--cc", ALL_NAMES];
const ALL_NAMES: &str = "--combined-all-paths";

/// A command line of git, all of it UTF-8 but for what is behind `--`.
pub(super) struct Line<'a> {
    git: &'a Path,
    pub(super) arguments: Vec<OsString>,
    /// Where git's command stands among them.
    command: usize,
}

impl Line<'_> {
    pub(super) fn of(git: &Path, arguments: Vec<OsString>) -> Line<'_> {
        let is_option = |argument: &&OsString| argument.as_bytes().starts_with(b"-");
        let mut command = 0;
        while let Some(argument) = arguments.get(command).filter(is_option) {
            let is_valued = VALUED.iter().any(|option| argument == option);
            command += if is_valued { 2 } else { 1 };
        }
        Line {
            git,
            command: command.min(arguments.len()),
            arguments,
        }
    }

    /// Has git do what it says, and answers with what to exit.
    pub(super) fn run(&self) -> io::Result<i32> {
        match self.plan() {
            Plan::AsItIs => Err(self.as_it_is().exec()),
            Plan::Withheld(what) => {
                let name = self.name().unwrap_or_default();
                let asks = match SHOWING.contains(&name) {
                    true => ALL_SHOWING.to_owned(),
                    false => format!("the same command with the version's hash, as `git {name} … 1a2b3c4`,"),
                };
                eprintln!(
                    "fatal: {what} is left out, since no person was asked and it may be private: {asks} asks a person"
                );
                Ok(FATAL)
            }
            Plan::Through(how) => self.through(how, io::stdout().lock(), Stdio::inherit()),
        }
    }

    /// Hands on to `out` what git prints, but for what may be private. What it complains about goes to `err`.
    pub(super) fn through(&self, how: How, out: impl Write, err: Stdio) -> io::Result<i32> {
        let several = how.several;
        let mut versions = Versions::new(out, Some(self.blobs()), how);
        let behind = self.arguments.get(self.command..).unwrap_or_default();
        // Before what is no option: `stash` has a command of its own.
        let place = if self.name() == Some("stash") { 2 } else { 1 };
        let (command, given) = behind.split_at(place.min(behind.len()));
        let shows = match self.name() {
            // What is stashed is summed up unless an option says otherwise.
            Some("stash") => self.texts().next() == Some("show") && !given.is_empty(),
            name => name.is_some_and(|name| SHOWING.contains(&name)),
        };
        let no_program = shows.then_some(NO_PROGRAM);
        let given: Vec<&OsStr> = match shows {
            true => self.naming_all(given, several),
            false => given.iter().map(OsString::as_os_str).collect(),
        };
        let mut child = { self.git(self.globals()) }
            .args(SETTINGS)
            .args(command)
            .args(no_program)
            .args(given)
            .stdout(Stdio::piped())
            .stderr(err)
            .spawn()?;
        let printed = child.stdout.take().map(BufReader::new);
        let handed_on = printed.map_or(Ok(()), |printed| versions.all(printed));
        if let Err(error) = handed_on {
            let _ = child.kill();
            let _ = child.wait();
            // Whoever reads it has enough.
            return match error.kind() {
                ErrorKind::BrokenPipe => Ok(FATAL + libc::SIGPIPE),
                _ => {
                    eprintln!("fatal: what git shows can't be written: {error}");
                    Ok(FATAL)
                }
            };
        }
        if versions.left_out {
            eprintln!(
                "note: what may be private is left out of what git shows here, since no person was asked: {ALL_SHOWING} asks a person"
            );
        }
        let status = child.wait()?;
        let by_signal = status.signal().map(|signal| FATAL + signal);
        Ok(status.code().or(by_signal).unwrap_or(FATAL))
    }

    fn git(&self, arguments: &[OsString]) -> Command {
        let mut git = Command::new(self.git);
        // Which objects stand for others, and which commits for the parents of others, is in no copy of a repository:
        // git-replace(1), gitrepository-layout(5).
        git.arg0("git")
            .args(arguments)
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_GRAFT_FILE", "/dev/null/none");
        git
    }

    /// What a command that shows changes is given, so that all names are told where several versions are compared.
    fn naming_all<'a>(&self, given: &'a [OsString], several: bool) -> Vec<&'a OsStr> {
        let has = |options: &[&str]| self.options().any(|option| options.contains(&option));
        let adds = several && !has(&["--cc", "--first-parent", "-c", "-m"]);
        let added = adds.then_some(MERGED).into_iter().flatten();
        let (options, rest) = given.split_at(given.iter().position(|text| text == "--").unwrap_or(given.len()));
        // Each of them takes back what was said before.
        let told = options.iter().flat_map(|option| {
            let merges = option == "-c" || option == "--cc";
            [option.as_os_str()]
                .into_iter()
                .chain(merges.then_some(OsStr::new(ALL_NAMES)))
        });
        added
            .map(OsStr::new)
            .chain(told)
            .chain(rest.iter().map(OsString::as_os_str))
            .collect()
    }

    pub(super) fn as_it_is(&self) -> Command {
        let (globals, behind) = self.arguments.split_at(self.command);
        let mut git = self.git(globals);
        // Behind what git answers by itself it would be told to that.
        if self.is_answered() != Ok(true) {
            git.args(ALWAYS);
        }
        git.args(behind);
        git
    }

    /// Git where it was told to work. How patterns of paths are read is not asked by whoever wrote the line.
    pub(super) fn question(&self) -> Command {
        let mut git = self.git(&[]);
        let mut globals = self.globals().iter();
        while let Some(option) = globals.next() {
            let is_valued = VALUED.iter().any(|valued| option == valued);
            if is_valued || !option.as_bytes().ends_with(b"-pathspecs") {
                git.arg(option);
            }
            git.args(is_valued.then(|| globals.next()).flatten());
        }
        git
    }

    /// What git keeps.
    pub(super) fn blobs(&self) -> Blobs {
        let mut place = self.question();
        place.args(["rev-parse", "--git-dir"]);
        Blobs::of(self.question(), place)
    }

    /// Git's command, if it has one that can be told.
    pub(super) fn name(&self) -> Option<&str> {
        self.arguments.get(self.command)?.to_str()
    }

    /// What comes before it.
    fn globals(&self) -> &[OsString] {
        self.arguments.get(..self.command).unwrap_or_default()
    }

    /// The folders that git is told to go to, one from the other.
    pub(super) fn folders(&self) -> impl Iterator<Item = &OsString> {
        let mut globals = self.globals().iter();
        std::iter::from_fn(move || {
            loop {
                let option = globals.next()?;
                let value = VALUED.iter().any(|valued| option == valued).then(|| globals.next());
                if option == "-C" {
                    return value.flatten();
                }
            }
        })
    }

    /// What comes behind it.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let behind = self.arguments.get(self.command + 1..).unwrap_or_default();
        behind.iter().map(|argument| argument.to_str().unwrap_or_default())
    }

    /// Whether git answers it by itself, or what of it is not known, so that it can't be told what the rest means.
    pub(super) fn is_answered(&self) -> Result<bool, String> {
        let shown = |argument: &OsString| argument.to_string_lossy().into_owned();
        let mut globals = self.globals().iter();
        while let Some(argument) = globals.next() {
            let is = |known: &&str| argument == known;
            let is_joined = |known: &&str| {
                let behind = argument.as_bytes().strip_prefix(known.as_bytes());
                known.starts_with("--") && behind.is_some_and(|behind| behind.starts_with(b"="))
            };
            if ANSWERED.iter().any(is) {
                return Ok(true);
            } else if VALUED.iter().any(is) {
                globals.next();
            } else if !PLAIN.iter().any(is) && !VALUED.iter().any(is_joined) {
                return Err(shown(argument));
            }
        }
        let behind = self.arguments.get(self.command..).unwrap_or_default();
        let read = behind.iter().take_while(|argument| *argument != "--");
        match self
            .globals()
            .iter()
            .chain(read)
            .find(|argument| argument.to_str().is_none_or(|text| text.contains(['\n', '\r'])))
        {
            Some(unread) => Err(shown(unread)),
            None => Ok(self.arguments.get(self.command).is_none()),
        }
    }

    /// Whether there is no repository.
    pub(super) fn is_nowhere(&self) -> Option<bool> {
        let asked = self.asked(["rev-parse", "--git-dir"])?;
        Some(asked.status.code() == Some(FATAL))
    }

    /// Whether a file is there that git has, called so from where it is called.
    pub(super) fn has(&self, file: &str) -> bool {
        let listed = || self.asked(["--literal-pathspecs", "ls-files", "--error-unmatch", "--", file]);
        self.object(&format!("HEAD:./{file}")).is_some() || listed().is_some_and(|output| output.status.success())
    }

    /// Whether there is a file that git takes for unchanged without looking, so that it may search what the index has instead;
    /// with `left_out`, or one that is not in the work tree since that is to have only a part: git-ls-files(1), `-v`.
    pub(super) fn has_frozen(&self, left_out: bool) -> bool {
        let asked = self.asked(["ls-files", "-v", "--", ":/"]);
        let is_one = |mark: &u8| mark.is_ascii_lowercase() || left_out && *mark == b'S';
        match asked.filter(|output| output.status.success()) {
            Some(output) => {
                let mut lines = output.stdout.split(|byte| *byte == b'\n');
                lines.any(|line| line.first().is_some_and(is_one))
            }
            None => !self.is_nowhere().unwrap_or(false),
        }
    }

    /// Beneath the top of the work tree, where it is called.
    pub(super) fn folder(&self) -> PathBuf {
        let printed = self.asked(["rev-parse", "--show-prefix"]).map(|output| output.stdout);
        let printed = printed.unwrap_or_default();
        PathBuf::from(OsString::from_vec(printed.trim_ascii_end().to_owned()))
    }

    pub(super) fn asked(
        &self,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Option<std::process::Output> {
        let mut git = self.question();
        git.args(arguments).stderr(Stdio::null()).output().ok()
    }
}
