//! WASI, linked to an empty world: Rust's standard library imports it, so it is there, and there is nothing in it.
//!
//! No files, no network, no environment, no arguments; a clock that stands still, random numbers from a fixed seed,
//! output to the log. Nothing waits: with a clock that stands still no sleep would ever end, so asking to wait ends
//! the call. It is the same for gates and for what acts. Every function counts as a host call and costs fuel, like
//! those of our own interfaces; none of them needs an async runtime, and none can block.
//!
//! A component names the version it was built with, and may name several. So what it imports is read off its types,
//! and each interface of `wasi:…@0.2` is provided under that name. What an empty world has no use for ends the call by
//! name.

mod streams;
mod world;

use wasmtime::StoreContextMut;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{
    Component, ComponentType, Lift, Linker, LinkerInstance, Lower, Resource, ResourceType, Val,
};

use super::component::State;
use crate::capability::{Stop, charge};
pub(super) use world::{Ended, World};
use world::{Input, Nothing, Output, Pollable};

/// The interfaces there are, of package versions 0.2.
const INTERFACES: &[&str] = &[
    "cli/environment",
    "cli/exit",
    "cli/stderr",
    "cli/stdin",
    "cli/stdout",
    "cli/terminal-input",
    "cli/terminal-output",
    "cli/terminal-stderr",
    "cli/terminal-stdin",
    "cli/terminal-stdout",
    "clocks/monotonic-clock",
    "clocks/wall-clock",
    "filesystem/preopens",
    "filesystem/types",
    "io/error",
    "io/poll",
    "io/streams",
    "random/insecure",
    "random/insecure-seed",
    "random/random",
    "sockets/instance-network",
    "sockets/ip-name-lookup",
    "sockets/network",
    "sockets/tcp",
    "sockets/tcp-create-socket",
    "sockets/udp",
    "sockets/udp-create-socket",
];

/// Most random bytes in one call: seeds need 32.
const RANDOM_BYTES: u64 = 4 << 10;

type Store<'a> = StoreContextMut<'a, State>;
type Place<'a> = LinkerInstance<'a, State>;

/// Links what `component` imports of WASI.
///
/// # Errors
/// When a name is linked already.
pub(super) fn link(linker: &mut Linker<State>, component: &Component) -> wasmtime::Result<()> {
    let engine = linker.engine().clone();
    for (name, item) in component.component_type().imports(&engine) {
        let (Some(interface), ComponentItem::ComponentInstance(instance)) = (provided(name), item.ty) else {
            continue;
        };
        let mut place = linker.instance(name)?;
        for (item, export) in instance.exports(&engine) {
            match export.ty {
                ComponentItem::Resource(_) => link_resource(&mut place, item)?,
                ComponentItem::ComponentFunc(_) => link_function(&mut place, interface, item)?,
                _ => {}
            }
        }
    }
    Ok(())
}

/// The interface that an import names, such as `io/poll`, if there is such a one.
fn provided(import: &str) -> Option<&'static str> {
    let (interface, version) = import.strip_prefix("wasi:")?.split_once('@')?;
    let known = INTERFACES.iter().find(|own| **own == interface)?;
    version.starts_with("0.2.").then_some(*known)
}

/// A resource of this name. What is not a stream or a pollable nobody ever has.
fn link_resource(place: &mut Place<'_>, name: &str) -> wasmtime::Result<()> {
    let ty = match name {
        "pollable" => ResourceType::host::<Pollable>(),
        "input-stream" => ResourceType::host::<Input>(),
        "output-stream" => ResourceType::host::<Output>(),
        _ => ResourceType::host::<Nothing>(),
    };
    place.resource(name, ty, |mut store, _| {
        store.data_mut().world().give_back();
        Ok(())
    })
}

/// Links a function: as what it means in an empty world, or, where it means nothing, as one that ends the call.
fn link_function(place: &mut Place<'_>, interface: &str, name: &str) -> wasmtime::Result<()> {
    if link_meaningful(place, interface, name)? {
        return Ok(());
    }
    link_absent(place, format!("wasi:{interface}#{name}"), name)
}

/// Links a function that means something in an empty world; says whether it is one.
fn link_meaningful(place: &mut Place<'_>, interface: &str, name: &str) -> wasmtime::Result<bool> {
    match (interface, name) {
        ("cli/environment", "get-environment") => place.func_wrap(name, |mut store: Store<'_>, (): ()| {
            charge(&mut store, 0)?;
            Ok((Vec::<(String, String)>::new(),))
        }),
        ("cli/environment", "get-arguments") => place.func_wrap(name, |mut store: Store<'_>, (): ()| {
            charge(&mut store, 0)?;
            Ok((Vec::<String>::new(),))
        }),
        ("cli/environment", "initial-cwd") => place.func_wrap(name, |mut store: Store<'_>, (): ()| {
            charge(&mut store, 0)?;
            Ok((None::<String>,))
        }),
        ("cli/exit", "exit") => place.func_wrap(name, |_: Store<'_>, (_,): (Result<(), ()>,)| {
            Err::<(), _>(Ended::Exit.into())
        }),
        ("cli/exit", "exit-with-code") => {
            place.func_wrap(name, |_: Store<'_>, (_,): (u8,)| Err::<(), _>(Ended::Exit.into()))
        }
        ("cli/terminal-stdin", "get-terminal-stdin")
        | ("cli/terminal-stdout", "get-terminal-stdout")
        | ("cli/terminal-stderr", "get-terminal-stderr") => place.func_wrap(name, |mut store: Store<'_>, (): ()| {
            charge(&mut store, 0)?;
            Ok((None::<Resource<Nothing>>,))
        }),
        ("filesystem/preopens", "get-directories") => place.func_wrap(name, |mut store: Store<'_>, (): ()| {
            charge(&mut store, 0)?;
            Ok((Vec::<(Resource<Nothing>, String)>::new(),))
        }),
        ("clocks/monotonic-clock", _) => return link_clock(place, name),
        ("clocks/wall-clock", "now" | "resolution") => {
            // Both are read as a time: the beginning of it, and a granularity of a second.
            let seconds = u64::from(name == "resolution");
            place.func_wrap(name, move |mut store: Store<'_>, (): ()| {
                charge(&mut store, 0)?;
                Ok((Moment {
                    seconds,
                    nanoseconds: 0,
                },))
            })
        }
        ("io/poll", _) => return link_poll(place, name),
        ("cli/stdin" | "cli/stdout" | "cli/stderr" | "io/streams", _) => {
            return streams::link(place, interface, name);
        }
        ("random/random" | "random/insecure" | "random/insecure-seed", _) => return link_random(place, name),
        ("sockets/instance-network", "instance-network") => place.func_wrap(name, |mut store: Store<'_>, (): ()| {
            Ok((own::<Nothing>(&mut store, 0)?,))
        }),
        (
            "sockets/tcp-create-socket" | "sockets/udp-create-socket" | "sockets/ip-name-lookup",
            "create-tcp-socket" | "create-udp-socket" | "resolve-addresses",
        ) => place.func_new(name, |mut store, _, _, results| {
            charge(&mut store, 0)?;
            if let Some(result) = results.first_mut() {
                *result = Val::Result(Err(Some(Box::new(Val::Enum("access-denied".to_owned())))));
            }
            Ok(())
        }),
        _ => return Ok(false),
    }?;
    Ok(true)
}

/// A function that there is nothing to call on.
fn link_absent(place: &mut Place<'_>, full_name: String, name: &str) -> wasmtime::Result<()> {
    place.func_new(name, move |_, _, _, _| {
        Err(Ended::Absent {
            name: full_name.clone(),
        }
        .into())
    })
}

/// A time of the wall clock.
#[derive(Clone, Copy, Debug, ComponentType, Lower, Lift)]
#[component(record)]
struct Moment {
    seconds: u64,
    nanoseconds: u32,
}

fn link_clock(place: &mut Place<'_>, name: &str) -> wasmtime::Result<bool> {
    match name {
        "now" | "resolution" => {
            let answer = u64::from(name == "resolution");
            place.func_wrap(name, move |mut store: Store<'_>, (): ()| {
                charge(&mut store, 0)?;
                Ok((answer,))
            })
        }
        // Counted from now or from the beginning, which is the same: only what is no time away has come.
        "subscribe-instant" | "subscribe-duration" => {
            place.func_wrap(name, |mut store: Store<'_>, (when,): (u64,)| {
                let pollable = if when == 0 { Pollable::READY } else { Pollable::NEVER };
                Ok((own::<Pollable>(&mut store, pollable)?,))
            })
        }
        _ => return Ok(false),
    }?;
    Ok(true)
}

fn link_poll(place: &mut Place<'_>, name: &str) -> wasmtime::Result<bool> {
    let is_ready = |pollable: &Resource<Pollable>| pollable.rep() == Pollable::READY;
    match name {
        "poll" => place.func_wrap(
            name,
            move |mut store: Store<'_>, (pollables,): (Vec<Resource<Pollable>>,)| {
                charge(&mut store, pollables.len() * size_of::<Resource<Pollable>>())?;
                let ready: Vec<u32> = (0_u32..)
                    .zip(&pollables)
                    .filter(|(_, pollable)| is_ready(pollable))
                    .map(|(at, _)| at)
                    .collect();
                if ready.is_empty() {
                    return Err(Stop::Waiting.into());
                }
                Ok((ready,))
            },
        ),
        "[method]pollable.ready" => {
            place.func_wrap(name, move |mut store: Store<'_>, (pollable,): (Resource<Pollable>,)| {
                charge(&mut store, 0)?;
                Ok((is_ready(&pollable),))
            })
        }
        "[method]pollable.block" => {
            place.func_wrap(name, move |mut store: Store<'_>, (pollable,): (Resource<Pollable>,)| {
                charge(&mut store, 0)?;
                if is_ready(&pollable) {
                    Ok(())
                } else {
                    Err(Stop::Waiting.into())
                }
            })
        }
        _ => return Ok(false),
    }?;
    Ok(true)
}

fn link_random(place: &mut Place<'_>, name: &str) -> wasmtime::Result<bool> {
    match name {
        "get-random-bytes" | "get-insecure-random-bytes" => {
            place.func_wrap(name, |mut store: Store<'_>, (asked,): (u64,)| {
                if asked > RANDOM_BYTES {
                    return Err(Ended::Random {
                        asked,
                        allowed: RANDOM_BYTES,
                    }
                    .into());
                }
                // Hashing costs several times what copying does.
                charge(&mut store, 8 * asked as usize)?;
                Ok((store.data_mut().random(asked as usize),))
            })
        }
        "get-random-u64" | "get-insecure-random-u64" => place.func_wrap(name, |mut store: Store<'_>, (): ()| {
            charge(&mut store, 64)?;
            Ok((store.data_mut().random_number(),))
        }),
        "insecure-seed" => place.func_wrap(name, |mut store: Store<'_>, (): ()| {
            charge(&mut store, 128)?;
            let state = store.data_mut();
            let first = state.random_number();
            Ok(((first, state.random_number()),))
        }),
        _ => return Ok(false),
    }?;
    Ok(true)
}

/// Gives the guest a handle on something of ours, as far as the bound on handles allows.
fn own<T: 'static>(store: &mut Store<'_>, rep: u32) -> wasmtime::Result<Resource<T>> {
    charge(store, 0)?;
    store.data_mut().world().hand_out()?;
    Ok(Resource::new_own(rep))
}
