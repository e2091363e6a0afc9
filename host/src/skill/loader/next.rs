//! What is to be done next, and when.

use std::time::{Duration, Instant};

use super::{Loader, QUICK};
use crate::skill::apart;
use crate::skill::attempt::Job;

impl Loader {
    /// When there is something to do without anything new happening.
    pub(in crate::skill) fn look_again(&self, now: Instant) -> Option<Duration> {
        // What is not there is waited for elsewhere, and a large one is begun when the one before it is done.
        let files = self.files.iter();
        let files = files.filter(|(name, file)| !file.is_large && !self.once_ready.is_missed(name));
        let due = files.filter_map(|(_, file)| Some(file.due()?.saturating_duration_since(now)));
        due.chain(self.once_ready.next_deleted(now)).min()
    }

    /// Takes the file of `name` as it is now for the one that was seen, as if a change had left it the same stamp.
    #[cfg(test)]
    pub(in crate::skill) fn overlook(&mut self, name: &str) {
        if let Some(file) = self.files.get_mut(name) {
            file.stamp = crate::skill::folder::Stamp::at(&file.path);
        }
    }

    /// Reads and makes all that is due. Takes as long as compiling takes.
    #[cfg(test)]
    pub(in crate::skill) fn work(&mut self, now: Instant) {
        for is_large in [false, true] {
            while let Some(job) = self.next_job(now, is_large) {
                let done = job.run();
                self.finish(done, now);
            }
        }
    }

    /// What is to be tried next, if anything is due, of those that may be quick, or of those that were found to take long.
    pub(in crate::skill) fn next_job(&mut self, now: Instant, is_large: bool) -> Option<Job> {
        let due = self.files.iter_mut().filter(|(name, file)| {
            file.is_large == is_large && !file.in_hand && file.is_due(now) && !self.once_ready.is_missed(name)
        });
        // What judged goes first, and what is short before what is long: of what is worthless none holds up a gate for long. At
        // a start all count as changed at once.
        let (once_ready, grants) = (&self.once_ready, &self.grants);
        let (name, file) = due.min_by_key(|(name, file)| {
            let stamp = &file.stamp;
            let judged = once_ready.guards(name, grants);
            (!judged, stamp.magnitude(), file.changed, stamp.since())
        })?;
        file.in_hand = true;
        Some(Job {
            name: name.clone(),
            path: file.path.clone(),
            edition: file.edition,
            failures: file.failures,
            quiet: file.is_quiet(now),
            versions: file.newest.iter().chain(&file.last_good).cloned().collect(),
            room: if is_large { u64::MAX } else { QUICK },
            time: if is_large {
                self.workshop.compile_time()
            } else {
                apart::QUICK.min(self.workshop.compile_time())
            },
            untrusted: apart::QUICK,
            is_large,
            was_gate: self.once_ready.guards(name, &self.grants),
            workshop: self.workshop.clone(),
            bundled: self.bundled,
            grants: self.grants.clone(),
            hopeless: self.hopeless.clone(),
        })
    }
}
