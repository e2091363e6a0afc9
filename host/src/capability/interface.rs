//! The interfaces that a skill can import: the one table of them, and how each gets into a linker.
//!
//! Every interface is linked for both engines by the same lines ([`Acting`]): for real where actions are carried out, and
//! where things are pure, unless it is pure itself ([`Interface::is_pure`]), so that every function ends the call and names
//! itself. So a component that exports both gate and act is the same file for both, and no list of forbidden functions can
//! fall behind.

use std::fmt;

use wasmtime::StoreContextMut;
use wasmtime::component::{ComponentNamedList, Lift, Linker, LinkerInstance, Lower};

use super::{
    HasCall, PACKAGE, PACKAGE_VERSION, Purpose, Stop, command, files, forms, http, log, memory, model, schedule,
    secrets, settings, vault,
};

/// One interface of our package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Interface {
    /// Reading the forms of the call.
    Forms,
    /// Lines in the log.
    Log,
    /// What the operator configured.
    Settings,
    /// Whether a text contains a secret.
    Secrets,
    /// Running commands.
    Process,
    /// Reading and writing files.
    Files,
    /// Requests to hosts.
    Http,
    /// Memory objects.
    Memory,
    /// Asking the model.
    Model,
    /// Using secrets.
    Vault,
    /// What happens later.
    Schedule,
}

impl Interface {
    /// All that this host provides.
    pub const ALL: &[Interface] = &[
        Interface::Forms,
        Interface::Log,
        Interface::Settings,
        Interface::Secrets,
        Interface::Process,
        Interface::Files,
        Interface::Http,
        Interface::Memory,
        Interface::Model,
        Interface::Vault,
        Interface::Schedule,
    ];

    /// Its name in the package.
    pub fn name(self) -> &'static str {
        match self {
            Interface::Forms => "forms",
            Interface::Log => "log",
            Interface::Settings => "settings",
            Interface::Secrets => "secrets",
            Interface::Process => "process",
            Interface::Files => "files",
            Interface::Http => "http",
            Interface::Memory => "memory",
            Interface::Model => "model",
            Interface::Vault => "vault",
            Interface::Schedule => "schedule",
        }
    }

    /// Whether a call that must be pure, such as a gate's, can use it. Every other one traps there.
    pub fn is_pure(self) -> bool {
        matches!(
            self,
            Interface::Forms | Interface::Log | Interface::Settings | Interface::Secrets
        )
    }

    /// The interface with this name.
    pub fn named(name: &str) -> Option<Interface> {
        Self::ALL.iter().copied().find(|own| own.name() == name)
    }

    fn link<T: HasCall>(self, linker: &mut Linker<T>, purpose: Purpose) -> wasmtime::Result<()> {
        let own = &mut Acting {
            instance: linker.instance(&format!("{PACKAGE}/{}@{PACKAGE_VERSION}", self.name()))?,
            interface: self.name(),
            is_forbidden: purpose == Purpose::Pure && !self.is_pure(),
        };
        match self {
            Interface::Forms => forms::link(own),
            Interface::Log => log::link(own),
            Interface::Settings => settings::link(own),
            Interface::Secrets => secrets::link(own),
            Interface::Process => command::link(own),
            Interface::Files => files::link(own),
            Interface::Http => http::link(own),
            Interface::Memory => memory::link(own),
            Interface::Model => model::link(own),
            Interface::Vault => vault::link(own),
            Interface::Schedule => schedule::link(own),
        }
    }
}

impl fmt::Display for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Links every interface, as it is for `purpose`.
///
/// # Errors
/// When one is linked already.
pub fn link_all<T: HasCall>(linker: &mut Linker<T>, purpose: Purpose) -> wasmtime::Result<()> {
    Interface::ALL
        .iter()
        .try_for_each(|interface| interface.link(linker, purpose))
}

/// An interface while it is linked: whether it can act is known here, and not where its functions are.
pub struct Acting<'l, T: 'static> {
    instance: LinkerInstance<'l, T>,
    interface: &'static str,
    is_forbidden: bool,
}

impl<T: 'static> Acting<'_, T> {
    /// Links the function `name`: as `work`, or, where things are pure and the interface is not, as the end of the call. Its
    /// type is checked either way.
    ///
    /// # Errors
    /// When it is linked already.
    pub fn func<P, R, W>(&mut self, name: &'static str, work: W) -> wasmtime::Result<()>
    where
        P: ComponentNamedList + Lift + 'static,
        R: ComponentNamedList + Lower + 'static,
        W: Fn(StoreContextMut<'_, T>, P) -> wasmtime::Result<R> + Send + Sync + 'static,
    {
        if !self.is_forbidden {
            return self.instance.func_wrap(name, work);
        }
        let name_in_full = format!("{}.{name}", self.interface);
        self.instance
            .func_wrap(name, move |_: StoreContextMut<'_, T>, _: P| -> wasmtime::Result<R> {
                Err(Stop::Forbidden {
                    name: name_in_full.clone(),
                }
                .into())
            })
    }
}
