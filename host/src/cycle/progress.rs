//! What a person hears while a model is asked: who, how much has come, who failed. Never what it says: that is not judged.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Core, Outlet};
use crate::model::{Heard, Watch};
use crate::signal::frames;
use crate::signal::{Meta, SessionId};

/// Between two frames that only say how much has come.
const PAUSE: Duration = Duration::from_millis(500);

impl Core {
    /// Tells `session` how it goes with the model, in the turn of `meta`.
    pub(super) fn watched(&self, session: SessionId, meta: &Meta) -> Watch {
        let (outlet, meta) = (self.outlet.clone(), meta.clone());
        let told = Told::default();
        Watch::by(move |heard| {
            if let Some(detail) = told.detail(&heard, Instant::now()) {
                send(&outlet, session, &meta, &detail);
            }
        })
    }
}

fn send(outlet: &Arc<dyn Outlet>, session: SessionId, meta: &Meta, detail: &str) {
    outlet.send(session, frames::progress(meta, "MODEL", detail));
}

/// What has been told so far.
#[derive(Default)]
struct Told(Mutex<State>);

#[derive(Default)]
struct State {
    /// Whether a provider has failed, so that it is worth telling who is next.
    failed: bool,
    /// When the last frame was sent.
    last: Option<Instant>,
}

impl Told {
    /// What is told of `heard`, if anything. How much has come is told at most twice a second; a failure always, since
    /// there are no more of them than providers are asked.
    fn detail(&self, heard: &Heard, now: Instant) -> Option<String> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let detail = match heard {
            Heard::Asking { provider } => state.failed.then(|| format!("asking {provider}")),
            Heard::Failed { provider, cause } => {
                state.failed = true;
                Some(format!("{provider} failed: {cause}"))
            }
            Heard::Received { provider, bytes } => {
                let soon = |last: Instant| now.saturating_duration_since(last) < PAUSE;
                (!state.last.is_some_and(soon)).then(|| format!("{provider}: {} received", size(*bytes)))
            }
        }?;
        state.last = Some(now);
        Some(detail)
    }
}

fn size(bytes: usize) -> String {
    match bytes {
        0..1_024 => format!("{bytes} bytes"),
        1_024..1_048_576 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn received(bytes: usize) -> Heard {
        Heard::Received {
            provider: "local".to_owned(),
            bytes,
        }
    }

    #[test]
    fn how_much_has_come_is_told_at_most_twice_a_second() {
        let (told, start) = (Told::default(), Instant::now());
        let frames: Vec<String> = (0..1_000)
            .filter_map(|at| told.detail(&received(at * 1_024), start + Duration::from_millis(at as u64 * 2)))
            .collect();
        assert_eq!(
            frames,
            [
                "local: 0 bytes received",
                "local: 250 KiB received",
                "local: 500 KiB received",
                "local: 750 KiB received"
            ]
        );
    }

    #[test]
    fn each_failure_is_told_and_who_is_asked_instead() {
        let (told, now) = (Told::default(), Instant::now());
        let asking = |provider: &str| Heard::Asking {
            provider: provider.to_owned(),
        };
        let failed = |provider: &str| Heard::Failed {
            provider: provider.to_owned(),
            cause: "the answer was empty".to_owned(),
        };
        assert_eq!(
            told.detail(&asking("one"), now),
            None,
            "that a model is asked is told already"
        );
        assert_eq!(
            told.detail(&failed("one"), now).unwrap(),
            "one failed: the answer was empty"
        );
        assert_eq!(told.detail(&asking("two"), now).unwrap(), "asking two");
        assert_eq!(
            told.detail(&failed("two"), now).unwrap(),
            "two failed: the answer was empty"
        );
    }
}
