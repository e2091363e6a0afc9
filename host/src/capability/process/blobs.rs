//! What git keeps of files, whole: of a change only a part is shown. Source: git-cat-file(1), `--batch`.

use super::private::is_private_version;
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout};

/// How much of one is looked at, in bytes.
const LONGEST: u64 = 1 << 20;

/// What git keeps, by what it calls that.
pub(super) struct Blobs {
    child: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
    known: HashMap<(PathBuf, Vec<u8>), Option<bool>>,
}

impl Blobs {
    /// By a `git cat-file --batch` whose input and output are piped.
    pub(super) fn of(mut child: Child) -> Option<Blobs> {
        let (ask, answers) = (child.stdin.take()?, BufReader::new(child.stdout.take()?));
        Some(Blobs {
            child,
            ask,
            answers,
            known: HashMap::new(),
        })
    }

    /// Whether what is called so, of a file, is private, if it is there.
    pub(super) fn is_private(&mut self, file: &Path, name: &[u8]) -> Option<bool> {
        let key = (file.to_owned(), name.to_owned());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let text = self.read(name).ok().flatten();
        let is_private = text.map(|text| is_private_version(Some(file), &text));
        self.known.insert(key, is_private);
        is_private
    }

    fn read(&mut self, name: &[u8]) -> io::Result<Option<Vec<u8>>> {
        self.ask.write_all(&[name, b"\n"].concat())?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        let mut words = answer.split_whitespace().rev();
        let length = words.next().and_then(|length| length.parse::<u64>().ok());
        let is_file = words.next() == Some("blob");
        let Some(length) = length else {
            return Ok(None);
        };
        let mut text = Vec::new();
        (&mut self.answers).take(length.min(LONGEST)).read_to_end(&mut text)?;
        // The rest of it, and the end of its last line.
        let rest = length - text.len() as u64 + 1;
        io::copy(&mut (&mut self.answers).take(rest), &mut io::sink())?;
        Ok(Some(text).filter(|_| is_file))
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
