//! `script:FILE`: a provider that replays answers, for tests and demonstrations.
//!
//! The file holds answers separated by lines of `---`, read once at start; each request takes the next, and after the
//! last the provider fails as exhausted. What skills ask for themselves takes none of these: their answers stand in
//! `FILE.skills` beside it, laid out the same way, where there is one. What it was asked is appended to `FILE.prompts` beside it, one canonical
//! plist a request (`(:TYPE :MODEL-REQUEST :NUMBER 1 :SYSTEM "…" :MESSAGES ((:ROLE :USER :TEXT "…")))`), so that a test
//! can look at the next prompt. A string may hold newlines: read that file as forms, not as lines.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Answer, Asker, Asking, Meter, ModelRequest, Provider, ProviderError, Role};
use crate::plist;
use crate::sexp::{Form, kw};

/// Largest script file: far above any demonstration, far below what would hurt.
const LARGEST: u64 = 64 << 20;

/// What is wrong with a script file.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// It can't be read.
    #[error("the script {file} can't be read: {cause}")]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// It is too large.
    #[error("the script {file} is {bytes} bytes long, more than the {LARGEST} allowed")]
    TooLarge {
        /// The file.
        file: PathBuf,
        /// Its length.
        bytes: u64,
    },
    /// There is nothing in it.
    #[error("the script {file} holds no answer")]
    NoAnswer {
        /// The file.
        file: PathBuf,
    },
}

/// A provider that replays answers.
#[derive(Debug)]
pub struct Script {
    name: String,
    file: PathBuf,
    answers: Vec<String>,
    next: AtomicUsize,
    skills_answers: Vec<String>,
    skills_next: AtomicUsize,
    asked: AtomicUsize,
    prompts: Option<Mutex<File>>,
}

impl Script {
    /// Reads the answers in `file`, and opens `FILE.prompts`; where that can't be written, prompts are not recorded.
    ///
    /// # Errors
    /// When the file can't be read or holds no answer.
    pub fn open(file: &Path) -> Result<Script, ScriptError> {
        let answers = answers(file)?;
        if answers.is_empty() {
            return Err(ScriptError::NoAnswer { file: file.to_owned() });
        }
        let mut beside = file.as_os_str().to_owned();
        beside.push(".skills");
        let skills_answers = match self::answers(Path::new(&beside)) {
            Err(ScriptError::Unreadable { cause, .. }) if cause.kind() == io::ErrorKind::NotFound => Vec::new(),
            answers => answers?,
        };
        let mut prompts = file.as_os_str().to_owned();
        prompts.push(".prompts");
        // Prompts hold conversations: nobody else's business. A script may lie where commands write, so no link is followed,
        // and no pipe is waited for.
        let mut how = OpenOptions::new();
        how.create(true).append(true).mode(0o600);
        how.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        let prompts = match how.open(&prompts) {
            Ok(opened) => Some(Mutex::new(opened)),
            Err(cause) => {
                tracing::warn!(file = %Path::new(&prompts).display(), %cause, "prompts of the script are not recorded");
                None
            }
        };
        Ok(Script {
            name: format!("script:{}", file.display()),
            file: file.to_owned(),
            answers,
            next: AtomicUsize::new(0),
            skills_answers,
            skills_next: AtomicUsize::new(0),
            asked: AtomicUsize::new(0),
            prompts,
        })
    }

    fn take(&self, request: &ModelRequest) -> Result<Answer, ProviderError> {
        self.record(self.asked.fetch_add(1, Ordering::Relaxed), request);
        let (answers, next) = match request.asker {
            Asker::Cycle => (&self.answers, &self.next),
            Asker::Skill => (&self.skills_answers, &self.skills_next),
        };
        match answers.get(next.fetch_add(1, Ordering::Relaxed)) {
            Some(text) => Ok(Answer {
                text: text.clone(),
                calls: Vec::new(),
                provider: self.name.clone(),
            }),
            None => Err(ProviderError::Exhausted {
                file: self.file.display().to_string(),
                answers: answers.len(),
            }),
        }
    }

    fn record(&self, number: usize, request: &ModelRequest) {
        let Some(prompts) = &self.prompts else { return };
        let mut line = prompt_form(number + 1, request).to_string();
        line.push('\n');
        let mut file = prompts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(cause) = file.write_all(line.as_bytes()) {
            tracing::warn!(script = self.name, %cause, "a prompt of the script could not be recorded");
        }
    }
}

impl Provider for Script {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask<'a>(&'a self, request: &'a ModelRequest, _: &'a Meter) -> Asking<'a> {
        Box::pin(async move { self.take(request) })
    }
}

/// The answers in `file`.
fn answers(file: &Path) -> Result<Vec<String>, ScriptError> {
    let unreadable = |cause| ScriptError::Unreadable {
        file: file.to_owned(),
        cause,
    };
    let bytes = std::fs::metadata(file).map_err(unreadable)?.len();
    if bytes > LARGEST {
        return Err(ScriptError::TooLarge {
            file: file.to_owned(),
            bytes,
        });
    }
    Ok(split(&std::fs::read_to_string(file).map_err(unreadable)?))
}

/// The answers between lines of `---`. A blank one in the middle is an empty answer; one at the very end is none.
fn split(text: &str) -> Vec<String> {
    let mut answers = vec![String::new()];
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "---" {
            answers.push(String::new());
        } else if let Some(answer) = answers.last_mut() {
            answer.push_str(line);
        }
    }
    if answers.last().is_some_and(|last| last.trim().is_empty()) {
        answers.pop();
    }
    for answer in &mut answers {
        answer.truncate(answer.trim_end_matches(['\n', '\r']).len());
    }
    answers
}

fn prompt_form(number: usize, request: &ModelRequest) -> Form {
    let messages: Vec<Form> = request
        .messages
        .iter()
        .map(|message| {
            let role = match message.role {
                Role::User => "USER",
                Role::Assistant => "ASSISTANT",
                Role::Tool => "TOOL",
            };
            plist!("ROLE" => kw(role), "TEXT" => &message.text)
        })
        .collect();
    plist!(
        "TYPE" => kw("MODEL-REQUEST"),
        "NUMBER" => number,
        "SYSTEM" => &request.system,
        "MESSAGES" => messages,
    )
}
