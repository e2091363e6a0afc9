//! What a server won't do of what it is asked for beside the answer, remembered so that it is asked without.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use super::dialect::{Limit, Manner};

/// What the server has said that it won't do. It is asked without from then on.
#[derive(Debug, Default)]
pub(super) struct Declined {
    stream: AtomicBool,
    tools: AtomicBool,
    one_call: AtomicBool,
    /// How many ways to tell the longest answer.
    limits: AtomicU8,
}

impl Declined {
    /// How it is asked from now on.
    pub(super) fn manner(&self) -> Manner {
        let wanted = |declined: &AtomicBool| !declined.load(Ordering::Relaxed);
        Manner {
            stream: wanted(&self.stream),
            tools: wanted(&self.tools),
            one_call: wanted(&self.one_call),
            limit: (0..self.limits.load(Ordering::Relaxed)).fold(Limit::default(), |limit, _| limit.next()),
        }
    }

    /// Only so did it answer. Several questions may find that out at once.
    pub(super) fn remember(&self, manner: Manner) {
        let note = |declined: &AtomicBool, wanted: bool| declined.fetch_or(!wanted, Ordering::Relaxed);
        note(&self.stream, manner.stream);
        note(&self.tools, manner.tools);
        note(&self.one_call, manner.one_call);
        self.limits.fetch_max(manner.limit as u8, Ordering::Relaxed);
    }
}
