//! What was broken off when the daemon ended, until the decision record could be read for what came of it: tried again while
//! the daemon runs, whether anybody is in its session or not.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::session::Session;
use super::unsaid::BrokenOff;
use super::{Core, lock};
use crate::signal::SessionId;

/// All of it, by the session that has to hear of it.
#[derive(Debug, Default)]
pub(super) struct Unread(Mutex<BTreeMap<SessionId, Found>>);

/// What was found in one session.
#[derive(Debug, Default)]
struct Found {
    broken_off: Vec<BrokenOff>,
    /// Why the record could not be read when it was tried last.
    why: Option<String>,
}

impl Unread {
    pub(super) fn count(&self) -> usize {
        lock(&self.0).values().map(|found| found.broken_off.len()).sum()
    }

    /// Why nothing is known yet of what was broken off in `session`, or in any, where something was.
    pub(super) fn why(&self, session: Option<SessionId>) -> Option<String> {
        let all = lock(&self.0);
        let (_, found) = all
            .iter()
            .find(|(id, _)| session.is_none_or(|session| session == **id))?;
        Some(
            found
                .why
                .clone()
                .unwrap_or_else(|| "the record was not read yet".to_owned()),
        )
    }

    /// Notes what was found in a session, unless that is noted already.
    fn add(&self, session: SessionId, broken_off: Vec<BrokenOff>) {
        let mut all = lock(&self.0);
        let noted = &mut all.entry(session).or_default().broken_off;
        for own in broken_off {
            if noted.iter().all(|noted| noted.end != own.end) {
                noted.push(own);
            }
        }
    }

    /// What was found in `session`, or in all.
    fn found(&self, session: Option<SessionId>) -> Vec<(SessionId, Vec<BrokenOff>)> {
        let all = lock(&self.0);
        let wanted = all
            .iter()
            .filter(|(id, _)| session.is_none_or(|session| session == **id));
        wanted.map(|(id, found)| (*id, found.broken_off.clone())).collect()
    }

    /// Notes why nothing could be found out of a session.
    fn failed(&self, session: SessionId, why: &str) {
        if let Some(found) = lock(&self.0).get_mut(&session) {
            found.why = Some(why.to_owned());
        }
    }

    /// Notes that it was found out what came of these.
    fn is_over(&self, session: SessionId, known: &[BrokenOff]) {
        let mut all = lock(&self.0);
        if let Some(found) = all.get_mut(&session) {
            found
                .broken_off
                .retain(|own| known.iter().all(|known| known.end != own.end));
            if found.broken_off.is_empty() {
                all.remove(&session);
            }
        }
    }
}

impl Core {
    /// Takes up what stood in a session, when it was opened, without what came of it.
    pub(super) fn takes_broken_off(&self, session: &Session) {
        let broken_off = session.take_broken_off();
        if !broken_off.is_empty() {
            self.untold.unread.add(session.id(), broken_off);
        }
    }

    /// Owes what came of what was broken off in `session`, or in all. Reads the record for it, once. While that can't be read,
    /// this is logged and can be tried again.
    pub(super) fn owe_broken_off(&self, session: Option<SessionId>) {
        let found = self.untold.unread.found(session);
        if found.is_empty() {
            return;
        }
        let record = match self.read_record() {
            Ok(record) => record.unwrap_or_default(),
            Err(error) => {
                tracing::error!(
                    "what came of what was broken off can't be told before the record can be read: {error}"
                );
                let why = error.to_string();
                found.iter().for_each(|(id, _)| self.untold.unread.failed(*id, &why));
                return;
            }
        };
        for (id, broken_off) in found {
            for own in &broken_off {
                self.untold.owes(id, own.end.clone(), own.line(&record));
            }
            self.untold.unread.is_over(id, &broken_off);
        }
    }
}
