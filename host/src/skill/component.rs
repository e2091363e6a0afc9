//! Running components: the one place that makes stores and calls guests.
//!
//! One store an instance. The deadline is set before instantiating and before every call, and whatever goes wrong is
//! told as a [`GateFault`] with what was asked and what is allowed. After a fault the store is thrown away, because a
//! trap poisons it. Calls block, so they belong on threads of their own, never on a worker of the async runtime.

use std::sync::Arc;

use wasmtime::component::{
    Component, ComponentExportIndex, ComponentNamedList, ComponentType, Instance, InstancePre, Lift, Linker, Lower,
};
use wasmtime::{Engine, Store};

use super::engine::{Clock, Engines};
use super::fault::{Bounds, Stage, fault, one_line};
use super::limits::Limiter;
use super::wasi::{self, EmptyWorld};
use crate::capability::{self, Call, Deed, Effects, Frame, HasCall, Held, Purpose, Rights};
use crate::config::SkillLimits;
use crate::gate::GateFault;
use crate::gate::verdict::Settings;
use crate::signal::Action;
use crate::vault::Secrets;

/// The interface that every skill exports.
pub(super) const INTERFACE: &str = "passepartout:skill/skill@0.1.0";

/// The data of one store.
pub(super) struct State {
    call: Call,
    limiter: Limiter,
    world: Option<Box<EmptyWorld>>,
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
    pub(super) fn world(&mut self) -> &mut EmptyWorld {
        let call = &self.call;
        self.world
            .get_or_insert_with(|| Box::new(EmptyWorld::new(&call.skill, call.meters.log_lines.1)))
    }
}

/// What the host gives to skills: one linker an engine, made once.
pub(super) struct Linkers {
    pure: Linker<State>,
    acting: Linker<State>,
    clock: Arc<Clock>,
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
            clock: engines.clock(),
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
    wasi::link(&mut linker)?;
    capability::link_all(&mut linker, purpose)?;
    Ok(linker)
}

/// What a gate's function returns.
#[derive(Clone, Debug, PartialEq, Eq, ComponentType, Lift)]
#[component(variant)]
pub(super) enum GuestVerdict {
    #[component(name = "pass")]
    Pass,
    #[component(name = "revise")]
    Revise(String),
    #[component(name = "reject")]
    Reject(String),
    #[component(name = "ask")]
    Ask(String),
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
    /// Without it no deadline would ever come.
    _clock: Arc<Clock>,
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
        let pre = linkers
            .of(purpose)
            .instantiate_pre(component)
            .map_err(|error| one_line(&error))?;
        Ok(Code {
            pre,
            exports,
            purpose,
            _clock: linkers.clock.clone(),
        })
    }

    /// A fresh instance. `size` is that of the action in bytes, which fuel grows with.
    pub(super) fn start(&self, tenant: &Tenant, size: usize) -> Result<Running, GateFault> {
        let limits = tenant.limits;
        let bounds = Bounds {
            fuel: limits
                .fuel
                .saturating_add(limits.fuel_per_byte.saturating_mul(size as u64)),
            wall_ms: match self.purpose {
                Purpose::Pure => limits.pure_ms,
                Purpose::Act => limits.act_ms,
            },
            limits,
        };
        let call = Call {
            skill: tenant.name.clone(),
            purpose: self.purpose,
            frame: Frame::empty(),
            settings: tenant.settings.clone(),
            secrets: tenant.secrets.now(),
            rights: tenant.rights.clone(),
            limits,
            meters: bounds.meters(),
            deed: None,
        };
        let ticks = call.meters.ticks();
        let state = State {
            call,
            limiter: Limiter::new(&limits),
            world: None,
        };
        let mut store = Store::new(self.pre.engine(), state);
        store.limiter(|state| &mut state.limiter);
        store.set_epoch_deadline(ticks);
        // What a guest can make the host allocate at one go: no more than it has itself.
        store.set_hostcall_fuel(usize::try_from(limits.memory).unwrap_or(usize::MAX));
        if self.purpose == Purpose::Pure {
            store.set_fuel(bounds.fuel).map_err(|error| GateFault::Trap {
                reason: one_line(&error),
            })?;
        }
        let instance = self
            .pre
            .instantiate(&mut store)
            .map_err(|error| fault(store.data().limiter.refused(), &error, &bounds, Stage::Start))?;
        Ok(Running {
            store,
            instance,
            bounds,
        })
    }
}

/// One live instance in its store.
pub(super) struct Running {
    store: Store<State>,
    instance: Instance,
    bounds: Bounds,
}

impl Running {
    /// Begins another call on an instance that is kept: bounds are full again, and what earlier handles meant is gone.
    pub(super) fn renew(&mut self, tenant: &Tenant) {
        let call = &mut self.store.data_mut().call;
        call.meters = self.bounds.meters();
        call.settings = tenant.settings.clone();
        call.secrets = tenant.secrets.now();
        call.deed = None;
    }

    /// Gives the guest handles on the forms of this call.
    pub(super) fn frame(&mut self, first: Held, second: Option<Held>) -> (u32, u32) {
        self.store.data_mut().call.frame.next(first, second)
    }

    /// Lets the guest carry out `action`, which it knows by `handle`.
    pub(super) fn carry_out(&mut self, action: Action, handle: u32, effects: Arc<dyn Effects>) {
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
        let ticks = self.store.data().call.meters.ticks();
        self.store.set_epoch_deadline(ticks);
        func.call(&mut self.store, params)
            .map_err(|error| fault(self.store.data().limiter.refused(), &error, &self.bounds, Stage::Call))
    }

    /// Checks that every function has the type of our interface, without calling any: a linker doesn't look.
    pub(super) fn check_types(&mut self, exports: &Exports) -> Result<(), String> {
        type Said = (Result<String, String>,);
        self.check::<(), (String,)>(&exports.describe, "describe")?;
        self.check::<(u32,), (bool,)>(&exports.trigger, "trigger")?;
        self.check::<(u32,), (Option<String>,)>(&exports.prompt, "prompt")?;
        self.check::<(u32,), (Option<String>,)>(&exports.mandate, "mandate")?;
        self.check::<(u32, u32), (GuestVerdict,)>(&exports.gate, "gate")?;
        self.check::<(u32, u32), Said>(&exports.act, "act")?;
        self.check::<(String, u32, u32), Said>(&exports.call_tool, "call-tool")?;
        self.check::<(u32, u32), (Option<String>,)>(&exports.recover, "recover")
    }

    fn check<P, R>(&mut self, export: &ComponentExportIndex, name: &str) -> Result<(), String>
    where
        P: ComponentNamedList + Lower,
        R: ComponentNamedList + Lift,
    {
        match self.instance.get_typed_func::<P, R>(&mut self.store, export) {
            Ok(_) => Ok(()),
            Err(error) => Err(format!(
                "its function `{name}` has another type than ours: {}",
                one_line(&error)
            )),
        }
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

    /// How much memory the instance has, in bytes.
    pub(super) fn memory(&self) -> u64 {
        self.store.data().limiter.memory()
    }
}
