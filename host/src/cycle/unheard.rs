//! What was said while nobody was attached to its session: kept on disk until an operator has been told of it, and told
//! once.
//!
//! The whole of it is in its conversation; this is the note that somebody has to look there. It is told after a kill as
//! well, and it is bounded: of what is older than the newest, only the number is kept.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::{Core, lock, now};
use crate::audit::{AppendLog, LogError, Recovery, Writes};
use crate::plist;
use crate::sexp::Form;
use crate::signal::SessionId;

/// How many messages are kept with their text.
const MESSAGES: usize = 20;

/// How much of one is kept, in characters.
const TEXT: usize = 500;

/// What nobody has heard yet.
#[derive(Debug)]
pub struct Unheard {
    path: PathBuf,
    noted: Mutex<Noted>,
    /// Whether the file may say something else, as after a write that failed. Held while the file is written, so that the
    /// newest state is written last. Never locked while `noted` is.
    unwritten: Mutex<bool>,
    writes: Writes,
}

#[derive(Debug, Default)]
struct Noted {
    messages: VecDeque<Message>,
    /// How many older ones there were.
    older: u64,
}

#[derive(Debug)]
struct Message {
    session: String,
    at: String,
    text: String,
}

impl Unheard {
    /// What is kept at `path`. What is damaged of it is left out, which is logged: the conversations have it. How writing it
    /// goes is noted in `writes`.
    ///
    /// # Errors
    /// When the file can't be read or made.
    pub fn open(path: &Path, writes: Writes) -> Result<Unheard, LogError> {
        let (_, entries, recovery) = AppendLog::open(path, &writes)?;
        if recovery != Recovery::default() {
            tracing::warn!("the note of what nobody has heard was damaged; the rest of it is told");
        }
        let older = entries
            .iter()
            .find_map(|entry| entry.at("older")?.as_int())
            .and_then(|older| u64::try_from(older).ok());
        let noted = Noted {
            messages: entries.iter().filter_map(Message::from_form).collect(),
            older: older.unwrap_or(0),
        };
        Ok(Unheard {
            path: path.to_owned(),
            noted: Mutex::new(noted),
            unwritten: Mutex::default(),
            writes,
        })
    }

    /// How many messages nobody has heard.
    pub fn count(&self) -> u64 {
        lock(&self.noted).count()
    }

    /// The answer to an operator who asks, or is told of himself: `(:COUNT … :TEXT … :MESSAGES ((:SESSION-ID … :AT …
    /// :TEXT …) …))`; none where there is nothing. Nobody else is told of it; [`Unheard::save`] makes that so for good.
    pub fn tell(&self) -> Option<Form> {
        let noted = std::mem::take(&mut *lock(&self.noted));
        (noted.count() > 0).then(|| noted.to_payload())
    }

    /// Writes what there is now to the disk. Blocks.
    ///
    /// # Errors
    /// When it can't be written; then the disk has what it had, until [`Unheard::save_again`].
    pub fn save(&self) -> Result<(), LogError> {
        self.write(&mut lock(&self.unwritten))
    }

    /// Writes what there is now where the last write failed. Blocks.
    ///
    /// # Errors
    /// As [`Unheard::save`].
    pub(super) fn save_again(&self) -> Result<(), LogError> {
        let mut unwritten = lock(&self.unwritten);
        if *unwritten { self.write(&mut unwritten) } else { Ok(()) }
    }

    fn write(&self, unwritten: &mut bool) -> Result<(), LogError> {
        let entries = lock(&self.noted).to_entries();
        let written = AppendLog::anew(&self.path, &entries, &self.writes).map(drop);
        *unwritten = written.is_err();
        written
    }

    /// Whether `text` is among what was said in `session` and nobody has heard.
    pub(super) fn has(&self, session: SessionId, text: &str) -> bool {
        let (session, text) = (session.to_string(), cut(text));
        let noted = lock(&self.noted);
        let mut messages = noted.messages.iter();
        messages.any(|own| own.session == session && own.text == text)
    }

    pub(super) fn add(&self, session: SessionId, text: &str) {
        let mut noted = lock(&self.noted);
        noted.messages.push_back(Message {
            session: session.to_string(),
            at: now(),
            text: cut(text),
        });
        if noted.messages.len() > MESSAGES {
            noted.messages.pop_front();
            noted.older += 1;
        }
    }
}

impl Core {
    /// Notes what is about to be said in a session that nobody is attached to. On the disk when this returns; where that
    /// fails, whoever comes is told as long as the daemon runs.
    pub(super) async fn note_unheard(self: &Arc<Core>, session: SessionId, text: &str) {
        if self.outlet.is_heard(session) {
            return;
        }
        self.unheard.add(session, &self.hidden(text));
        if let Err(error) = self.blocking(|core| Ok(core.unheard.save()?)).await {
            tracing::error!(%session, "that nobody has heard what was said can't be kept: {error}");
        }
    }
}

impl Core {
    /// The same, for whoever may block, and once: not what is among it already.
    pub(super) fn note_unheard_of(&self, session: SessionId, text: &str) {
        if !self.outlet.is_heard(session) {
            self.note_for_whoever_comes(session, text);
        }
    }

    /// The same of what nobody who is attached by now has been told either.
    pub(super) fn note_for_whoever_comes(&self, session: SessionId, text: &str) {
        let text = self.hidden(text);
        if self.unheard.has(session, &text) {
            return;
        }
        self.unheard.add(session, &text);
        if let Err(error) = self.unheard.save() {
            tracing::error!(%session, "that nobody has heard what was said can't be kept: {error}");
        }
    }
}

impl Noted {
    fn count(&self) -> u64 {
        self.older + self.messages.len() as u64
    }

    fn to_payload(&self) -> Form {
        let messages: Vec<Form> = self.messages.iter().map(Message::to_form).collect();
        plist!("COUNT" => self.count(), "TEXT" => self.to_text(), "MESSAGES" => messages)
    }

    fn to_text(&self) -> String {
        let mut lines = vec![match self.count() {
            1 => "1 message arrived while nobody was attached:".to_owned(),
            count => format!("{count} messages arrived while nobody was attached:"),
        }];
        if self.older > 0 {
            lines.push(format!("  {} older than these, in their sessions", self.older));
        }
        for Message { session, at, text } in &self.messages {
            // Set in, so that no line of it can pass for another message.
            let text = text.replace('\n', "\n    ");
            lines.push(format!("  session {session}, {at}: {text}"));
        }
        lines.join("\n")
    }

    fn to_entries(&self) -> Vec<Form> {
        if self.count() == 0 {
            return Vec::new();
        }
        let head = plist!("OLDER" => self.older);
        std::iter::once(head)
            .chain(self.messages.iter().map(Message::to_form))
            .collect()
    }
}

impl Message {
    fn to_form(&self) -> Form {
        plist!("SESSION-ID" => &self.session, "AT" => &self.at, "TEXT" => &self.text)
    }

    fn from_form(form: &Form) -> Option<Message> {
        let text = |key: &str| form.text_at(key).map(str::to_owned);
        Some(Message {
            session: text("session-id")?,
            at: text("at")?,
            text: text("text")?,
        })
    }
}

/// The beginning of `text`.
fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
