//! Running components: the one place that makes stores and calls guests.
//!
//! One store an instance. The deadline is set before instantiating and before every call, and whatever goes wrong is
//! told as a [`GateFault`] with what was asked and what is allowed. After a fault the store is thrown away, because a
//! trap poisons it. Calls block, so they belong on threads of their own, never on a worker of the async runtime.

mod deadline;
mod types;

use std::sync::Arc;
use std::time::Instant;

use wasmtime::component::{
    Component, ComponentExportIndex, ComponentNamedList, Instance, InstancePre, Lift, Linker, Lower, ResourceTable,
    TypedFunc,
};
use wasmtime::{Engine, Store};

use super::engine::{Engines, House};
use super::fault::{Bounds, Stage, fault, is_full, one_line};
use super::limits::Limiter;
use super::wasi::{self, World};
use crate::capability::{self, Call, Deed, Effects, Frame, HasCall, Held, Purpose, Rights, SecretSet, Stop};
use crate::config::SkillLimits;
use crate::gate::verdict::Settings;
use crate::gate::{Cleared, GateFault};
use crate::signal::Action;
use crate::vault::Secrets;

use deadline::Ends;
pub(super) use types::GuestVerdict;

/// The interface that every skill exports.
pub(super) const INTERFACE: &str = "passepartout:skill/skill@0.1.0";

/// The data of one store.
pub(super) struct State {
    call: Call,
    limiter: Limiter,
    world: World,
    ends: Ends,
}

impl HasCall for State {
    fn call(&self) -> &Call {
        &self.call
    }

    fn call_mut(&mut self) -> &mut Call {
        &mut self.call
    }
}

impl State {
    pub(super) fn world(&mut self) -> &mut World {
        &mut self.world
    }

    /// The handles of WASI that the guest holds.
    pub(super) fn table(&mut self) -> &mut ResourceTable {
        self.world.view().table
    }

    /// Takes what the guest wrote to its standard streams.
    pub(super) fn tell(&mut self) -> Result<(), Stop> {
        self.world.tell(&mut self.call)
    }

    /// What the guest wrote last may have had no end.
    fn end_call(&mut self) {
        self.world.finish(&mut self.call);
    }

    /// Random bytes, which come in the same order in each fresh instance.
    pub(super) fn random(&mut self, length: usize) -> Vec<u8> {
        self.world.random(&self.call.skill, length)
    }

    /// A random number, by the same rule.
    pub(super) fn random_number(&mut self) -> u64 {
        let bytes = self.random(size_of::<u64>());
        bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

/// What the host gives to skills: one linker an engine, made once.
pub(super) struct Linkers {
    pure: Linker<State>,
    acting: Linker<State>,
    house: Arc<House>,
}

impl Linkers {
    /// Links every capability for both engines.
    ///
    /// # Errors
    /// When two capabilities claim one name, which is a fault of this program.
    pub(super) fn new(engines: &Engines) -> wasmtime::Result<Linkers> {
        Ok(Linkers {
            pure: linker(engines.pure(), Purpose::Pure)?,
            acting: linker(engines.acting(), Purpose::Act)?,
            house: engines.house(),
        })
    }

    fn of(&self, purpose: Purpose) -> &Linker<State> {
        match purpose {
            Purpose::Pure => &self.pure,
            Purpose::Act => &self.acting,
        }
    }
}

fn linker(engine: &Engine, purpose: Purpose) -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    capability::link_all(&mut linker, purpose)?;
    wasi::link(&mut linker)?;
    Ok(linker)
}

/// Where the functions are in the component.
#[derive(Clone, Debug)]
pub(super) struct Exports {
    pub(super) describe: ComponentExportIndex,
    pub(super) trigger: ComponentExportIndex,
    pub(super) prompt: ComponentExportIndex,
    pub(super) mandate: ComponentExportIndex,
    pub(super) gate: ComponentExportIndex,
    pub(super) act: ComponentExportIndex,
    pub(super) call_tool: ComponentExportIndex,
    pub(super) recover: ComponentExportIndex,
}

/// A component compiled for one engine and linked: ready to be instantiated.
#[derive(Clone)]
pub(super) struct Code {
    pre: InstancePre<State>,
    pub(super) exports: Exports,
    purpose: Purpose,
    /// Holds the clock too, without which no deadline would ever come.
    house: Arc<House>,
}

/// Who is running, and with what: the same for every call of one skill.
#[derive(Clone, Debug)]
pub(super) struct Tenant {
    pub(super) name: Arc<str>,
    pub(super) limits: SkillLimits,
    pub(super) settings: Settings,
    pub(super) secrets: Secrets,
    /// How far its capabilities reach.
    pub(super) rights: Rights,
}

impl Code {
    /// Links `component`, compiled for the engine of `purpose`.
    ///
    /// # Errors
    /// In words, when an import or an export is missing or of another type.
    pub(super) fn link(linkers: &Linkers, component: &Component, purpose: Purpose) -> Result<Code, String> {
        let interface = component
            .get_export_index(None, INTERFACE)
            .ok_or_else(|| format!("it does not export {INTERFACE}"))?;
        let find = |name: &str| {
            component
                .get_export_index(Some(&interface), name)
                .ok_or_else(|| format!("its {INTERFACE} has no function `{name}`"))
        };
        let exports = Exports {
            describe: find("describe")?,
            trigger: find("trigger")?,
            prompt: find("prompt")?,
            mandate: find("mandate")?,
            gate: find("gate")?,
            act: find("act")?,
            call_tool: find("call-tool")?,
            recover: find("recover")?,
        };
        // Of its own, because a component may import what only a later WASI has.
        let mut linker = linkers.of(purpose).clone();
        let pre = wasi::link_later(&mut linker, component)
            .and_then(|()| linker.instantiate_pre(component))
            .map_err(|error| one_line(&error))?;
        Ok(Code {
            pre,
            exports,
            purpose,
            house: linkers.house.clone(),
        })
    }

    /// How much compiled code it is, in bytes.
    pub(super) fn size(&self) -> u64 {
        let image = self.pre.component().image_range();
        image.end.addr().saturating_sub(image.start.addr()) as u64
    }

    /// What the skill's instances have in common.
    pub(super) fn house(&self) -> &Arc<House> {
        &self.house
    }

    /// A fresh instance, which [`Running::begin`] makes ready for a call. While it is made it sees no settings, no forms
    /// and no secrets, and it has fuel and time of its own: what it becomes depends on its bytes alone, however long
    /// before the call that was. Where no place is free, those that are only held in stock are given up for it.
    pub(super) fn start(&self, tenant: &Tenant) -> Result<Running, GateFault> {
        loop {
            match self.try_start(tenant) {
                Err((true, fault)) => {
                    if !self.house.stock().reclaim(self.purpose) {
                        return Err(fault);
                    }
                }
                made => return made.map_err(|(_, fault)| fault),
            }
        }
    }

    /// The same, unless no place is free.
    pub(super) fn start_if_free(&self, tenant: &Tenant) -> Result<Running, GateFault> {
        self.try_start(tenant).map_err(|(_, fault)| fault)
    }

    /// The same; a failure says whether it was for want of a free place.
    fn try_start(&self, tenant: &Tenant) -> Result<Running, (bool, GateFault)> {
        let (limits, now) = (tenant.limits, Instant::now());
        let bounds = Bounds {
            fuel: limits.fuel,
            wall_ms: limits.pure_ms,
            limits,
        };
        let call = Call {
            skill: tenant.name.clone(),
            purpose: self.purpose,
            frame: Frame::empty(),
            settings: Settings::default(),
            secrets: SecretSet::default(),
            rights: tenant.rights.clone(),
            limits,
            meters: bounds.meters(now),
            deed: None,
        };
        let state = State {
            call,
            limiter: Limiter::new(&limits),
            world: World::default(),
            ends: Ends::from(self.house.ends()),
        };
        let mut store = Store::new(self.pre.engine(), state);
        store.limiter(|state| &mut state.limiter);
        deadline::watch(&mut store, self.purpose, &bounds);
        // What a guest can make the host allocate at one go: no more than it has itself.
        store.set_hostcall_fuel(usize::try_from(limits.memory).unwrap_or(usize::MAX));
        deadline::fuel(&mut store, self.purpose, &bounds).map_err(|fault| (false, fault))?;
        let made = self.pre.instantiate(&mut store);
        store.data_mut().end_call();
        let instance = made.map_err(|error| {
            let fault = fault(store.data().limiter.refused(), &error, &bounds, Stage::Start);
            (is_full(&error), fault)
        })?;
        // Looked up beforehand, since it is what has to be quick. One of another type is found when types are checked.
        let gate = match self.purpose {
            Purpose::Pure => instance.get_typed_func(&mut store, self.exports.gate).ok(),
            Purpose::Act => None,
        };
        Ok(Running {
            store,
            instance,
            gate,
            purpose: self.purpose,
            bounds: Box::new(bounds),
        })
    }
}

/// One live instance in its store.
pub(super) struct Running {
    store: Store<State>,
    instance: Instance,
    gate: Option<TypedFunc<(u32, u32), (GuestVerdict,)>>,
    purpose: Purpose,
    /// Apart, because an instance is moved about and its bounds are many.
    bounds: Box<Bounds>,
}

impl Running {
    /// Begins a call `now`: every bound is full, whatever was used before; what earlier handles meant is gone; settings and
    /// secrets are those of the moment. `size` is that of the action in bytes, which fuel grows with.
    pub(super) fn begin(
        &mut self,
        now: Instant,
        settings: &Settings,
        secrets: &SecretSet,
        size: usize,
    ) -> Result<(), GateFault> {
        let limits = &self.bounds.limits;
        self.bounds.fuel = limits
            .fuel
            .saturating_add(limits.fuel_per_byte.saturating_mul(size as u64));
        self.bounds.wall_ms = match self.purpose {
            Purpose::Pure => limits.pure_ms,
            Purpose::Act => limits.act_ms,
        };
        let state = self.store.data_mut();
        state.call.meters = self.bounds.meters(now);
        // Mostly they are those of the call before.
        if !Arc::ptr_eq(&state.call.settings, settings) {
            state.call.settings = settings.clone();
        }
        if !state.call.secrets.is_same(secrets) {
            state.call.secrets = secrets.clone();
        }
        state.call.deed = None;
        state.limiter.forget_refusal();
        if self.purpose == Purpose::Pure {
            state.world.rewind();
        }
        deadline::fuel(&mut self.store, self.purpose, &self.bounds)
    }

    /// Gives the guest handles on the forms of this call.
    pub(super) fn frame(&mut self, first: Held, second: Option<Held>) -> (u32, u32) {
        self.store.data_mut().call.frame.next(first, second)
    }

    /// Lets the guest carry out `action`, which it knows by `handle`.
    pub(super) fn carry_out(&mut self, action: &Cleared<Action>, handle: u32, effects: Arc<dyn Effects>) {
        self.store.data_mut().call.deed = Some(Deed::new(action, handle, effects));
    }

    /// Calls one function. After an error the instance must not be used again.
    pub(super) fn call<P, R>(&mut self, export: &ComponentExportIndex, params: P) -> Result<R, GateFault>
    where
        P: ComponentNamedList + Lower,
        R: ComponentNamedList + Lift,
    {
        let func = self
            .instance
            .get_typed_func::<P, R>(&mut self.store, export)
            .map_err(|error| GateFault::Nonsense {
                reason: one_line(&error),
            })?;
        self.enter(func, params)
    }

    /// Calls the gate, by the handles of its action and its signal. After an error the instance must not be used again.
    pub(super) fn judge(&mut self, action: u32, signal: u32) -> Result<GuestVerdict, GateFault> {
        let gate = self.gate.ok_or_else(|| GateFault::Nonsense {
            reason: "its function `gate` has another type than ours".to_owned(),
        })?;
        self.enter(gate, (action, signal)).map(|(said,)| said)
    }

    fn enter<P, R>(&mut self, func: TypedFunc<P, R>, params: P) -> Result<R, GateFault>
    where
        P: ComponentNamedList + Lower,
        R: ComponentNamedList + Lift,
    {
        deadline::begin(&mut self.store, self.purpose, &self.bounds);
        let said = func.call(&mut self.store, params);
        self.store.data_mut().end_call();
        // The instance may be kept for its session: the turn, and what that holds open, is not kept with it.
        self.store.data_mut().call.deed = None;
        said.map_err(|error| {
            let fault = fault(self.store.data().limiter.refused(), &error, &self.bounds, Stage::Call);
            match (fault, self.store.data_mut().call.meters.panicked.take()) {
                (GateFault::Trap { .. }, Some(reason)) => GateFault::Trap { reason },
                (fault, _) => fault,
            }
        })
    }

    /// `text`, if it is no longer than this skill may return.
    pub(super) fn bounded(&self, text: String) -> Result<String, GateFault> {
        let (asked, allowed) = (text.len() as u64, self.bounds.limits.text);
        if asked > allowed {
            Err(GateFault::Text { asked, allowed })
        } else {
            Ok(text)
        }
    }

    /// Whether so much of its memory is taken that another call could want for it.
    pub(super) fn is_worn(&self) -> bool {
        self.memory() > self.bounds.limits.memory / 2
    }

    /// How much memory the instance has, in bytes.
    pub(super) fn memory(&self) -> u64 {
        self.store.data().limiter.memory()
    }
}
