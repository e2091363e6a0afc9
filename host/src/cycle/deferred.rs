//! What `/continue` goes on with: what a turn was stopped before, kept until somebody says something else. What the host adds
//! by itself, such as what came of something that was done before, is nothing that somebody says.

use super::kept::{deferred, restored, stored};
use super::session::{Session, State};
use crate::audit::{Durability, LogError};
use crate::context::{Line, Speaker};
use crate::sexp::Form;
use crate::signal::{Meta, Signal};

impl State {
    /// Keeps it on disk, so that the session can be put away; where that fails, until then.
    pub(super) fn defer(&mut self, stored: Form) {
        if let Err(error) = self.log.append(&deferred(&stored), Durability::Written) {
            tracing::warn!("what a turn could go on with can't be kept: {error}");
        }
        self.deferred = Some(stored);
    }

    /// Adds a line of the host's that tells an `end`.
    fn tell(&mut self, line: Line, end: &str) -> Result<(), LogError> {
        let waiting = self.deferred.clone();
        self.say(line, Some(end))?;
        if let Some(stored) = waiting {
            self.over = None;
            self.defer(stored);
        }
        Ok(())
    }

    /// Whether this was said last, but for what the host has added since.
    pub(super) fn was_said_last(&self, line: &Line) -> bool {
        let mut newest = self.conversation.lines().iter().rev();
        let found = newest.find(|own| *own == line || !matches!(own.speaker, Speaker::Tool | Speaker::Host));
        found == Some(line)
    }
}

impl Session {
    /// Adds a line to the conversation that tells the `end` of a plan, or what came of a proposal, whatever the running turn
    /// tells. What could be gone on with still can be.
    ///
    /// # Errors
    /// As [`Session::say`].
    pub(super) fn tell_end(&self, line: Line, end: &str) -> Result<(), LogError> {
        self.state().tell(line, end)
    }

    /// Keeps a signal that the turn stops before, for `/continue`, until something else is said.
    pub(super) fn defer(&self, signal: &Signal) {
        let mut state = self.state();
        state.goes_on = false;
        state.defer(stored(signal));
    }

    /// The signal that was kept, addressed to `meta`, with which the turn goes on. It stays: a turn that is stopped before it
    /// says anything can be begun again.
    pub(super) fn continues(&self, meta: &Meta) -> Option<Signal> {
        let mut state = self.state();
        let stored = state.deferred.clone()?;
        (state.asks, state.goes_on) = (true, true);
        Some(restored(&stored, meta.clone()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use rustix::process::{Resource, Rlimit, setrlimit};

    use super::*;
    use crate::audit::{AppendLog, Writes, read_entries};
    use crate::cycle::hiding::Turns;
    use crate::cycle::kept::{Kept, Owner};
    use crate::plist;
    use crate::sexp::kw;
    use crate::signal::frames::Outcome;
    use crate::signal::{Sensor, SessionId};
    use crate::vault::Secrets;

    fn open(path: &std::path::Path) -> Session {
        let (log, entries, _) = AppendLog::open(path, &Writes::default()).unwrap();
        let turns = Turns::on(log, &Secrets::default());
        let id = SessionId::random().unwrap();
        Session::new(id, Owner::Operator, Kept::read(&entries), turns, 10).0
    }

    fn asks(session: &Session, text: &str) {
        let line = Line {
            speaker: Speaker::User,
            text: text.into(),
            tainted: false,
        };
        session.begin();
        session.hear(line).unwrap();
    }

    /// What is said to be over, in order.
    fn over(session: &Session) -> Vec<String> {
        let state = session.state();
        let lines = state.conversation.lines().iter();
        let of_host = lines.filter(|line| line.speaker == Speaker::Host);
        of_host.map(|line| line.text.to_string()).collect()
    }

    fn signal() -> Signal {
        Signal {
            sensor: Sensor::UserInput,
            meta: Meta {
                source: "CLI".to_owned(),
                session: SessionId::random().unwrap(),
                request_id: None,
            },
            payload: plist!("SENSOR" => kw("USER-INPUT"), "TEXT" => "a"),
            depth: 0,
            tainted: false,
            began: None,
        }
    }

    #[test]
    fn what_was_continued_and_stopped_is_over_for_who_stopped_it_last_and_once() {
        let signal = signal();
        let meta = signal.meta.clone();
        for (ends, why) in [
            (vec![], "the host stopped it"),
            (vec![Outcome::Cancelled], "the person stopped it"),
            (vec![Outcome::Cancelled, Outcome::Exhausted], "no model answered"),
        ] {
            for anew in [false, true] {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("a.turns");
                let session = open(&path);
                asks(&session, "a");
                session.defer(&signal);
                session.is_over(Outcome::Failed);
                for end in &ends {
                    session.begin();
                    assert!(session.continues(&meta).is_some());
                    session.is_over(*end);
                }
                let session = match anew {
                    true => {
                        drop(session);
                        open(&path)
                    }
                    false => session,
                };
                assert!(session.state().deferred.is_some() && over(&session).is_empty());
                asks(&session, "b");
                session.is_over(Outcome::Answered);
                asks(&session, "c");
                let said = over(&session);
                assert!(said.len() == 1 && said[0].contains(why), "{why}: {said:?}");
                let entries = read_entries(&path).unwrap();
                assert_eq!(Kept::read(&entries).deferred, None);
            }
        }
    }

    /// How far files may grow from here on.
    fn bound(bytes: Option<u64>) {
        let bound = Rlimit {
            current: bytes,
            maximum: None,
        };
        setrlimit(Resource::Fsize, bound).unwrap();
    }

    #[test]
    fn that_something_is_over_is_said_once_though_what_is_said_next_can_not_be_kept() {
        // A process of its own, since the bound is one on all files, and ends who does not ignore its signal.
        const OWN: &str = "PASSEPARTOUT_TEST_OF_ITS_OWN";
        if std::env::var_os(OWN).is_none() {
            let name = concat!(
                module_path!(),
                "::that_something_is_over_is_said_once_though_what_is_said_next_can_not_be_kept"
            );
            let (_, name) = name.split_once("::").unwrap();
            let ran = std::process::Command::new("bash")
                .args(["-c", "trap '' XFSZ; exec \"$0\" --exact \"$1\""])
                .arg(std::env::current_exe().unwrap())
                .arg(name)
                .env(OWN, "1")
                .output()
                .unwrap();
            let told = String::from_utf8_lossy(&ran.stdout);
            assert!(ran.status.success() && told.contains("1 passed"), "{ran:?}");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.turns");
        let session = open(&path);
        asks(&session, "a");
        session.defer(&signal());
        session.is_over(Outcome::Failed);
        // Room for the word that it is over, and not for what is said then.
        bound(Some(path.metadata().unwrap().len() + 500));
        let long = Line {
            speaker: Speaker::User,
            text: "b".repeat(1_000).into(),
            tainted: false,
        };
        session.begin();
        session.hear(long).unwrap_err();
        session.is_over(Outcome::Failed);
        bound(None);
        assert_eq!(over(&session).len(), 1);
        asks(&session, "c");
        assert_eq!(over(&session).len(), 1);
    }
}
