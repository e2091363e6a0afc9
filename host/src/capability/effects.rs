//! Effects: what carrying out a cleared action may do beyond reading, and how it stays what the gates passed.
//!
//! An effect by reference names paths into the cleared action, and the host reads the arguments there. Where they may
//! stand is a closed table for each effect ([`ByReference`]): the places at which gates know what they judge. Each
//! happens once. An effect with arguments of the skill's own is an action of its own, which [`Effects::clear`] takes
//! through every gate; it comes back cleared, or not at all.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use wasmtime::StoreContextMut;

use super::command::Output;
use super::files::Protected;
use super::own::OnBehalf;
use super::{Call, Failure, HasCall, LOOKING, Services, Stop};
use crate::gate::{Cleared, Consent};
use crate::sexp::{Form, Path};
use crate::signal::{Action, SessionId};

/// What carrying out an action may do beyond reading. Calls block.
pub trait Effects: Send + Sync {
    /// Takes an action that the skill `skill` made itself through every gate: origin `:skill NAME`, one deeper than
    /// what is being carried out. Who gets it back cleared carries it out, once.
    ///
    /// # Errors
    /// [`Failure::Rejected`] by a gate, [`Failure::NeedsApproval`] when a plan was made, [`Failure::Failed`] when it
    /// could not be decided.
    fn clear(&self, skill: &str, target: &str, payload: Form) -> Result<Cleared<Action>, Failure>;

    /// Runs the command line `command`, which the host took from a cleared action, and whether a person agreed to that:
    /// what nobody was asked about sees less of the machine.
    ///
    /// # Errors
    /// Whatever kept it from running.
    fn run(&self, command: &str, consent: Consent) -> Result<Output, Failure>;

    /// The turn in which it happens.
    fn turn(&self) -> &Turn;
}

/// What capabilities may use of the turn that is running.
pub struct Turn {
    session: SessionId,
    /// What it began with, in upper case; empty where nothing tells.
    sensor: String,
    cancel: CancellationToken,
    services: Arc<Services>,
    outside: AtomicBool,
    /// Found when it is first needed, and good for the whole turn.
    protected: OnceLock<Result<Protected, String>>,
    model_calls: Arc<AtomicU64>,
}

impl Turn {
    /// A turn of `session`, which `cancel` stops. Nothing from outside has been read.
    pub fn new(session: SessionId, cancel: CancellationToken, services: Arc<Services>) -> Turn {
        Turn {
            session,
            sensor: String::new(),
            cancel,
            services,
            outside: AtomicBool::new(false),
            protected: OnceLock::new(),
            model_calls: Arc::default(),
        }
    }

    /// The same, begun by a signal of this sensor.
    #[must_use]
    pub fn begun_by(mut self, sensor: &str) -> Turn {
        self.sensor = sensor.to_uppercase();
        self
    }

    /// The same, where the model was asked as often as `calls` says: by the earlier cycles of the turn.
    #[must_use]
    pub fn after_model_calls(mut self, calls: Arc<AtomicU64>) -> Turn {
        self.model_calls = calls;
        self
    }

    /// Counts that a skill asks the model, unless skills have done so `most` times in this turn. Says whether it may.
    pub fn count_model_call(&self, most: u64) -> bool {
        let more = |made: u64| (made < most).then_some(made + 1);
        self.model_calls
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .is_ok()
    }

    /// Whose turn it is.
    pub fn session(&self) -> SessionId {
        self.session
    }

    /// The sensor of the signal that it began with, in upper case; empty where nothing tells.
    pub fn sensor(&self) -> &str {
        &self.sensor
    }

    /// Stops what waits.
    pub fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    /// What the daemon lends to capabilities.
    pub fn services(&self) -> &Services {
        &self.services
    }

    /// Notes that something from outside the workspace was read: the turn is tainted from here on.
    pub fn read_outside(&self) {
        self.outside.store(true, Ordering::Relaxed);
    }

    /// Whether something from outside was read.
    pub fn has_read_outside(&self) -> bool {
        self.outside.load(Ordering::Relaxed)
    }

    /// What is closed to every skill.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] when it can't be found out; then nothing is safe to open.
    pub fn protected(&self) -> Result<&Protected, Failure> {
        self.protected
            .get_or_init(|| Protected::find(&self.services.home, &self.services.protected))
            .as_ref()
            .map_err(|problem| Failure::Unavailable(problem.clone()))
    }

    /// # Errors
    /// [`Failure::Failed`] once the turn is stopped.
    pub fn check(&self) -> Result<(), Failure> {
        if self.cancel.is_cancelled() {
            return Err(Failure::Failed("the turn was cancelled".to_owned()));
        }
        Ok(())
    }
}

/// One effect that takes its arguments by reference.
#[derive(Debug)]
pub struct ByReference {
    /// The function, such as `process.run`.
    pub name: &'static str,
    /// A target, and the paths of the arguments in an action for it, in the order of the function's parameters: where
    /// gates know what they judge.
    pub places: &'static [(&'static str, &'static [&'static str])],
    /// The function for arguments of the skill's own.
    pub otherwise: &'static str,
}

impl ByReference {
    /// # Errors
    /// When `paths` are not where `action` has the arguments of this effect.
    fn check(&self, action: &Action, paths: &[&str]) -> Result<(), Failure> {
        let same = |own: &[&str]| {
            own.len() == paths.len() && own.iter().zip(paths).all(|(own, path)| own.eq_ignore_ascii_case(path))
        };
        if self
            .places
            .iter()
            .any(|(target, own)| *target == action.target() && same(own))
        {
            return Ok(());
        }
        let places: Vec<String> = self
            .places
            .iter()
            .map(|(target, own)| format!("{} of :{target}", own.join(" and ")))
            .collect();
        Err(Failure::NotCleared(format!(
            "{} of an action for :{} is nothing that the gates judged for {}; only {} is. Use {} for what is the skill's \
             own",
            paths
                .iter()
                .map(|path| format!("`{path}`"))
                .collect::<Vec<_>>()
                .join(" and "),
            action.target(),
            self.name,
            places.join(", or "),
            self.otherwise,
        )))
    }
}

/// The cleared action that a call carries out, and which effects of it have happened.
pub struct Deed {
    action: Action,
    consent: Consent,
    within: bool,
    handle: u32,
    effects: Arc<dyn Effects>,
    done: Vec<&'static str>,
}

impl fmt::Debug for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deed")
            .field("action", &self.action.digest())
            .field("done", &self.done)
            .finish_non_exhaustive()
    }
}

impl Deed {
    /// The carrying-out of `action`, which the guest knows by `handle`.
    pub fn new(action: &Cleared<Action>, handle: u32, effects: Arc<dyn Effects>) -> Deed {
        Deed {
            action: action.get().clone(),
            consent: action.consent(),
            within: action.stays_within(),
            handle,
            effects,
            done: Vec::new(),
        }
    }

    /// What may be done beyond reading.
    pub fn effects(&self) -> &Arc<dyn Effects> {
        &self.effects
    }

    /// Whether a person agreed to the action.
    pub fn consent(&self) -> Consent {
        self.consent
    }

    /// Whether every gate that asked said that nothing outside the workspace is read.
    pub fn stays_within(&self) -> bool {
        self.within
    }

    /// Takes the arguments of `effect` from the cleared action, as `read` finds them in it. Each effect of an action is
    /// taken once; what `read` refuses was not taken.
    ///
    /// # Errors
    /// [`Failure::NotCleared`] when the handle or a path is another than the effect's, or it was taken already; what
    /// `read` says.
    pub fn take<R>(
        &mut self,
        effect: &ByReference,
        handle: u32,
        paths: &[&str],
        read: impl FnOnce(&Action) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        if handle != self.handle {
            return Err(Failure::NotCleared(format!(
                "handle {handle} is not the cleared action"
            )));
        }
        effect.check(&self.action, paths)?;
        if self.done.contains(&effect.name) {
            return Err(Failure::NotCleared(format!(
                "{} of this action was done already; each effect happens once",
                effect.name
            )));
        }
        let taken = read(&self.action)?;
        self.done.push(effect.name);
        Ok(taken)
    }
}

/// The string at `path` of `action`.
///
/// # Errors
/// [`Failure::NotCleared`] when there is none.
pub fn text_of<'a>(action: &'a Action, path: &str) -> Result<&'a str, Failure> {
    action
        .form()
        .text_at(path)
        .ok_or_else(|| Failure::NotCleared(format!("the action has no text at {}", Path(path))))
}

/// The action that the running call carries out.
///
/// # Errors
/// [`Failure::NotCleared`] in a call that carries out none.
pub fn deed(call: &mut Call) -> Result<&mut Deed, Failure> {
    call.deed
        .as_mut()
        .ok_or_else(|| Failure::NotCleared("this call carries out no action".to_owned()))
}

/// What the running call may do beyond reading.
///
/// # Errors
/// As [`deed`].
pub fn effects(call: &mut Call) -> Result<Arc<dyn Effects>, Failure> {
    deed(call).map(|deed| deed.effects.clone())
}

/// Does `work` on behalf of the skill whose call is running, within what it was granted; what takes time there is not the
/// guest's.
///
/// # Errors
/// As [`waited`]. Inside, what `work` says, and [`Failure::NotCleared`] in a call that carries out no action.
pub fn on_behalf<T: HasCall, R>(
    store: &mut StoreContextMut<'_, T>,
    work: impl FnOnce(&dyn Effects, &OnBehalf<'_>) -> Result<R, Failure>,
) -> wasmtime::Result<Result<R, Failure>> {
    let call = store.data_mut().call_mut();
    let (skill, rights, limits) = (call.skill.clone(), call.rights.clone(), call.limits);
    let effects = match effects(call) {
        Ok(effects) => effects,
        Err(failure) => return Ok(Err(failure)),
    };
    waited(store, || {
        let on = OnBehalf {
            skill: &skill,
            rights: &rights,
            limits: &limits,
            turn: effects.turn(),
        };
        work(&*effects, &on)
    })
}

/// Counts `bytes` that the running call got from files or the network.
///
/// # Errors
/// [`Failure::Failed`] when they are more than a call may have, and are not handed over.
pub fn spend<T: HasCall>(store: &mut StoreContextMut<'_, T>, bytes: usize) -> Result<(), Failure> {
    let call = store.data_mut().call_mut();
    let allowed = call.limits.outside_bytes;
    let sum = call.meters.outside_bytes.saturating_add(bytes as u64);
    if sum > allowed {
        return Err(Failure::Failed(format!(
            "this call has got its {allowed} bytes from files and the network; `limits.{}.outside_bytes` in the \
             configuration sets that",
            call.skill
        )));
    }
    call.meters.outside_bytes = sum;
    Ok(())
}

/// # Errors
/// [`Stop::Text`] when one of the `texts` of the skill's own is longer than `allowed` bytes.
pub fn check_length(texts: &[&str], allowed: usize) -> Result<(), Stop> {
    match texts.iter().map(|text| text.len()).max() {
        Some(longest) if longest > allowed => Err(Stop::Text {
            asked: longest as u64,
            allowed: allowed as u64,
        }),
        _ => Ok(()),
    }
}

/// Does `work`, which has deadlines of its own: the time it takes is not the guest's, but there is a bound on the sum of
/// such times too. One that goes beyond it is the last.
///
/// # Errors
/// [`Stop::Time`] when the guest has no time left to begin it, [`Stop::Waits`] when the host has waited long enough.
pub fn waited<T: HasCall, R>(store: &mut StoreContextMut<'_, T>, work: impl FnOnce() -> R) -> wasmtime::Result<R> {
    let began = Instant::now();
    let call = store.data().call();
    if began >= call.meters.until {
        return Err(Stop::Time.into());
    }
    let allowed_ms = call.limits.wait_ms;
    if call.meters.waited >= Duration::from_millis(allowed_ms) {
        let asked_ms = u64::try_from(call.meters.waited.as_millis()).unwrap_or(u64::MAX);
        return Err(Stop::Waits { asked_ms, allowed_ms }.into());
    }
    let result = work();
    let meters = &mut store.data_mut().call_mut().meters;
    let waited = began.elapsed();
    meters.waited += waited;
    meters.until += waited;
    let ticks = meters.ticks();
    store.set_epoch_deadline(ticks.min(LOOKING));
    Ok(result)
}
