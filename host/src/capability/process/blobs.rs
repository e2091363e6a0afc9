//! What git keeps of files, whole: of a change only a part is shown. Source: git-cat-file(1), `--batch`.

use super::private::is_private_version;
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// How much of one is looked at, in bytes.
const LONGEST: u64 = 1 << 20;

/// What git says itself where it can't do what it is told.
pub(super) const FATAL: i32 = 128;

/// What git keeps, by what it calls that.
pub(super) struct Blobs {
    git: Command,
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
    /// By a git that has no command yet.
    pub(super) fn of(git: Command) -> Blobs {
        Blobs {
            git,
            asked: None,
            known: HashMap::new(),
        }
    }

    /// Whether what is called so, of a file, is private, if it is there. What git does not answer for is.
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
        let ended = self.asked.as_mut().and_then(|asked| asked.child.wait().ok());
        self.known.values().all(Option::is_none) && ended.is_some_and(|status| status.code() == Some(FATAL))
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
        let mut words = answer.split_whitespace().rev();
        let length = words.next().and_then(|length| length.parse::<u64>().ok());
        let is_file = words.next() == Some("blob");
        let Some(length) = length else {
            return Ok(None);
        };
        let mut text = Vec::new();
        (&mut asked.answers).take(length.min(LONGEST)).read_to_end(&mut text)?;
        // The rest of it, and the end of its last line.
        let rest = length - text.len() as u64 + 1;
        io::copy(&mut (&mut asked.answers).take(rest), &mut io::sink())?;
        Ok(Some(text).filter(|_| is_file))
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
