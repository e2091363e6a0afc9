//! What came of a job, and whether it still counts: the file may be another by then, and so may what it is granted.

use std::sync::Arc;
use std::time::Instant;

use super::{Loader, Phase, WRITING};
use crate::skill::attempt::{Done, Outcome};
use crate::skill::dropped::{COMPILING, REGRANTED};
use crate::skill::folder::COARSE;

impl Loader {
    /// Takes up what came of a job. Says whether anything is different: nothing is if the file, or what it is granted, has
    /// changed meanwhile, and it is tried again.
    pub(in crate::skill) fn finish(&mut self, done: Done, now: Instant) -> bool {
        let crowded = match &done.outcome {
            Outcome::Made(skill) => self.crowded_out(skill),
            _ => None,
        };
        let Some(file) = self.files.get_mut(&done.name) else {
            return false;
        };
        if file.edition != done.edition {
            return false;
        }
        file.in_hand = false;
        // What was read must be what was seen, and what is there still.
        if file.stamp != done.read || file.stamp != done.stamp {
            (file.stamp, file.changed) = (done.stamp, now);
            file.renew(&mut self.editions);
            let why = WRITING.to_owned();
            file.phase = Phase::Seen { closed: false, why };
            return true;
        }
        let reread = (done.may_hide_a_change && !file.is_reread).then(|| now + COARSE);
        file.is_reread |= reread.is_some();
        match done.outcome {
            Outcome::Made(skill) => {
                file.again = reread;
                // The job knows what was granted when it began; what counts is what is granted now.
                if self.workshop.check_allowed(&skill, self.bundled, &self.grants).is_err()
                    || !self.once_ready.admits(&skill, &self.grants)
                {
                    file.renew(&mut self.editions);
                    let why = REGRANTED.to_owned();
                    file.phase = Phase::Seen { closed: true, why };
                    return true;
                }
                if let Some(crowded) = crowded {
                    (file.phase, file.newest) = (crowded, None);
                    return true;
                }
                self.abroad.retain(|skill| skill.strong_count() > 0);
                if !self.abroad.iter().any(|known| known.as_ptr() == Arc::as_ptr(&skill)) {
                    self.abroad.push(Arc::downgrade(&skill));
                }
                (file.phase, file.newest) = (Phase::Made, Some(skill));
            }
            Outcome::Refused(refusal) => {
                file.again = refusal.again.map(|pause| now + pause).or(reread);
                file.failures = file.failures.saturating_add(1);
                (file.phase, file.newest) = (Phase::Refused(refusal), None);
            }
            Outcome::Later => {
                let why = COMPILING.to_owned();
                (file.is_large, file.phase) = (true, Phase::Seen { closed: true, why });
            }
            // Whoever writes it may not be done; the next change, or the end of the time, tells.
            Outcome::Incomplete(why) => file.phase = Phase::Seen { closed: false, why },
        }
        true
    }
}
