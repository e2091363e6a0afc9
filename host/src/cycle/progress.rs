//! What a person hears while a model is asked: who, how much has come, who failed. Never what it says: that is not judged.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Core, Outlet};
use crate::model::{Heard, Watch};
use crate::signal::frames;
use crate::signal::{Meta, SessionId};

/// Between two frames that only say how much has come: at first, and at most. A short answer needs none, and a long one
/// more and more seldom.
const PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

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

/// Between two frames that say that an action still runs.
const STILL: Duration = Duration::from_secs(10);

/// What comes of `work`; as long as it goes on, `session` hears that what `doing` names still runs.
pub(super) async fn while_it_runs<T>(
    outlet: &Arc<dyn Outlet>,
    session: SessionId,
    meta: &Meta,
    doing: &str,
    work: impl Future<Output = T>,
) -> T {
    let begun = Instant::now();
    tokio::pin!(work);
    loop {
        match tokio::time::timeout(STILL, &mut work).await {
            Ok(done) => return done,
            Err(_) => {
                let text = format!(
                    "{doing} still runs, {} s by now; /stop ends it",
                    begun.elapsed().as_secs()
                );
                outlet.send(session, frames::progress(meta, "ACT", &text));
            }
        }
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
    /// When how much has come is worth telling again.
    next: Option<Instant>,
    /// How long until then from the last time.
    pause: Duration,
}

impl Told {
    /// What is told of `heard`, if anything. A failure always is, since there are no more of them than providers are asked.
    fn detail(&self, heard: &Heard, now: Instant) -> Option<String> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match heard {
            Heard::Asking { provider } => {
                (state.pause, state.next) = (PAUSE, now.checked_add(PAUSE));
                state.failed.then(|| format!("asking {provider}"))
            }
            Heard::Failed { provider, cause } => {
                state.failed = true;
                Some(format!("{provider} failed: {cause}"))
            }
            Heard::Received { provider, bytes } => {
                if state.next.is_some_and(|next| now < next) {
                    return None;
                }
                state.pause = (state.pause * 2).clamp(PAUSE, LONGEST_PAUSE);
                state.next = now.checked_add(state.pause);
                Some(format!("{provider}: {} received", size(*bytes)))
            }
        }
    }
}

fn size(bytes: usize) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
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
    fn how_much_has_come_is_told_at_most_twice_a_second_and_ever_more_seldom() {
        let (told, start) = (Told::default(), Instant::now());
        let asking = Heard::Asking {
            provider: "local".to_owned(),
        };
        assert_eq!(told.detail(&asking, start), None);
        // A hundred KiB a second, for half a minute.
        let frames: Vec<String> = (0..300)
            .filter_map(|at| told.detail(&received(at * 10_240), start + Duration::from_millis(at as u64 * 100)))
            .collect();
        assert_eq!(
            frames,
            [
                "local: 50 KiB received",
                "local: 150 KiB received",
                "local: 350 KiB received",
                "local: 750 KiB received",
                "local: 1 MiB received",
                "local: 2 MiB received"
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
