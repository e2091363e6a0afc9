//! What git keeps of files, whole: of a change only a part is shown. Source: git-cat-file(1), `--batch`.

use super::private::is_private_version;
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// How much of one is looked at, in bytes. What is longer counts as private.
const LONGEST: u64 = 16 << 20;

/// What git says itself where it can't do what it is told.
pub(super) const FATAL: i32 = 128;

/// What git keeps, by what it calls that.
pub(super) struct Blobs {
    git: Command,
    /// Asks where the repository is.
    place: Command,
    asked: Option<Asked>,
    known: HashMap<(PathBuf, Vec<u8>), Option<bool>>,
}

/// A git that answers.
struct Asked {
    child: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Blobs {
    /// By a git that has no command yet, and one that says where the repository is.
    pub(super) fn of(git: Command, place: Command) -> Blobs {
        Blobs {
            git,
            place,
            asked: None,
            known: HashMap::new(),
        }
    }

    /// Whether what is called so, by its hash or how that begins, of a file, is private, if it is there. What git does not
    /// answer for is.
    pub(super) fn is_private(&mut self, file: &Path, name: &[u8]) -> Option<bool> {
        let key = (file.to_owned(), name.to_owned());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let is_private = match self.read(name) {
            Ok(text) => text.map(|text| is_private_version(Some(file), &text)),
            Err(_) if self.is_nowhere() => None,
            Err(_) => Some(true),
        };
        self.known.insert(key, is_private);
        is_private
    }

    /// Whether git had nothing to answer by, since there is no repository.
    fn is_nowhere(&mut self) -> bool {
        let asked = self.place.stderr(Stdio::null()).output();
        asked.is_ok_and(|output| output.status.code() == Some(FATAL))
    }

    fn read(&mut self, name: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let asked = match &mut self.asked {
            Some(asked) => asked,
            none => none.insert(Asked::of(&mut self.git)?),
        };
        asked.ask.write_all(&[name, b"\n"].concat())?;
        let mut answer = String::new();
        if asked.answers.read_line(&mut answer)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let wrong = || io::Error::from(io::ErrorKind::InvalidData);
        let words: Vec<&str> = answer.split_whitespace().collect();
        let (whole, kind, length) = match words.as_slice() {
            [_, "missing"] => return Ok(None),
            [whole, kind, length] => (*whole, *kind, length.parse::<u64>().map_err(|_| wrong())?),
            // It may be more than one.
            _ => return Err(wrong()),
        };
        let mut text = Vec::new();
        (&mut asked.answers).take(length.min(LONGEST)).read_to_end(&mut text)?;
        // The rest of it, and the end of its last line.
        let rest = length - text.len() as u64 + 1;
        io::copy(&mut (&mut asked.answers).take(rest), &mut io::sink())?;
        // A tag may be called as a hash begins.
        let is_meant = kind == "blob" && whole.as_bytes().starts_with(name) && length <= LONGEST;
        is_meant.then_some(Some(text)).ok_or_else(wrong)
    }
}

impl Asked {
    fn of(git: &mut Command) -> io::Result<Asked> {
        let mut child = git
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(ask), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        Ok(Asked {
            child,
            ask,
            answers: BufReader::new(answers),
        })
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
