//! WASI, linked to an empty world: Rust's standard library imports it, so it is there, and there is nothing in it.
//!
//! No files, no network, no environment, no arguments; a clock that stands still, random numbers from a fixed seed,
//! output to the log. It is the same for gates and for what acts. `wasmtime-wasi` provides it, for a context that
//! grants nothing. Replaced is what would not do here: what would wait (with a clock that stands still no sleep would
//! ever end, so asking to wait ends the call), what would enter an async runtime (guests also run on threads that have
//! none), random numbers (they begin again for each call), and ending the process.
//!
//! What is replaced counts as a host call and costs fuel, like the functions of our own interfaces: clocks, random
//! numbers, polling, and writing. The rest reads constants or makes handles, of which there are few; it is bounded by
//! the fuel that the guest pays for calling it, and by the wall clock.

mod world;

use std::pin::pin;

use wasmtime::StoreContextMut;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{
    Component, ComponentNamedList, Lift, Linker, LinkerInstance, Lower, Resource, ResourceTable, ResourceType,
};
use wasmtime_wasi::clocks::WasiClocksView;
use wasmtime_wasi::p2::bindings::clocks::{monotonic_clock, wall_clock};
use wasmtime_wasi::p2::bindings::io::poll::{Host as _, HostPollable as _};
use wasmtime_wasi::p2::bindings::sockets::network::{ErrorCode, Host as _, IpAddressFamily};
use wasmtime_wasi::p2::bindings::sockets::udp_create_socket::Host as _;
use wasmtime_wasi::p2::bindings::sync::io::streams::{
    Host as _, HostInputStream as _, HostOutputStream as _, StreamError,
};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, DynPollable, StreamResult, UdpSocket};
use wasmtime_wasi::runtime::poll_noop;
use wasmtime_wasi::sockets::WasiSocketsView;
use wasmtime_wasi::{WasiCtxView, WasiView};

use super::component::State;
use crate::capability::{Stop, charge};
pub(super) use world::{Ended, HANDLES, World};

/// The version of WASI that `wasmtime-wasi` provides, which every other 0.2 is served by.
const VERSION: &str = "0.2.12";

/// The packages of WASI there are.
const PACKAGES: [&str; 6] = ["cli", "clocks", "filesystem", "io", "random", "sockets"];

/// Most random bytes in one call: seeds need 32.
const RANDOM_BYTES: u64 = 4 << 10;

type Store<'a> = StoreContextMut<'a, State>;
type Place<'a> = LinkerInstance<'a, State>;

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        self.world().view()
    }
}

/// Links WASI.
///
/// # Errors
/// When it is linked already, or the library speaks another version of it.
pub(super) fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    wasmtime_wasi::p2::add_to_linker_sync(linker)?;
    // Under another version's name nothing would be replaced.
    let pollable = ResourceType::host::<DynPollable>();
    if interface(linker, "io/poll")?
        .resource("pollable", pollable, |_, _| Ok(()))
        .is_ok()
    {
        wasmtime::bail!("wasmtime-wasi provides another version of WASI than {VERSION}");
    }
    linker.allow_shadowing(true);
    replace_clocks(linker)?;
    replace_poll(&mut interface(linker, "io/poll")?)?;
    replace_streams(&mut interface(linker, "io/streams")?)?;
    replace_random(linker)?;
    replace_exit(&mut interface(linker, "cli/exit")?)?;
    replace_sockets(&mut interface(linker, "sockets/udp-create-socket")?)?;
    linker.allow_shadowing(false);
    Ok(())
}

/// Links what `component` imports of a later WASI 0.2 than the library knows: each such function ends the call by name.
///
/// # Errors
/// When an interface can't be linked.
pub(super) fn link_later(linker: &mut Linker<State>, component: &Component) -> wasmtime::Result<()> {
    let engine = linker.engine().clone();
    let mut seen = Vec::new();
    for (import, item) in component.component_type().imports(&engine) {
        let (Some(name), ComponentItem::ComponentInstance(instance)) = (provided(import), item.ty) else {
            continue;
        };
        let mut place = interface(linker, name)?;
        for (item, export) in instance.exports(&engine) {
            // What the library has can't be linked again, and that is what is wanted.
            let _ = match export.ty {
                // One that another interface has already under this or another name is found there.
                ComponentItem::Resource(ty) if seen.contains(&ty) => Ok(()),
                ComponentItem::Resource(ty) => {
                    seen.push(ty);
                    place.resource(item, ResourceType::host::<Absent>(), |_, _| Ok(()))
                }
                ComponentItem::ComponentFunc(_) => {
                    let name = format!("wasi:{name}#{item}");
                    place.func_new(item, move |_, _, _, _| Err(Ended::Absent { name: name.clone() }.into()))
                }
                _ => Ok(()),
            };
        }
    }
    Ok(())
}

/// Marks what there is none of.
struct Absent;

/// The interface that an import names, such as `io/poll`, if it is one of WASI 0.2.
fn provided(import: &str) -> Option<&str> {
    let (name, version) = import.strip_prefix("wasi:")?.split_once('@')?;
    let (package, _) = name.split_once('/')?;
    (PACKAGES.contains(&package) && version.starts_with("0.2.")).then_some(name)
}

fn interface<'a>(linker: &'a mut Linker<State>, name: &str) -> wasmtime::Result<Place<'a>> {
    linker.instance(&format!("wasi:{name}@{VERSION}"))
}

/// Links a function that counts as a host call and costs as much fuel as `units` says beside that.
fn counted<P, R>(
    place: &mut Place<'_>,
    name: &str,
    units: fn(&P) -> usize,
    work: fn(&mut State, P) -> wasmtime::Result<R>,
) -> wasmtime::Result<()>
where
    P: ComponentNamedList + Lift + 'static,
    R: ComponentNamedList + Lower + 'static,
{
    place.func_wrap(name, move |mut store: Store<'_>, params: P| {
        charge(&mut store, units(&params))?;
        work(store.data_mut(), params)
    })
}

fn replace_clocks(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    use monotonic_clock::Host as _;
    let place = &mut interface(linker, "clocks/monotonic-clock")?;
    counted(place, "now", |()| 0, |state, ()| Ok((state.clocks().now()?,)))?;
    counted(
        place,
        "resolution",
        |()| 0,
        |state, ()| Ok((state.clocks().resolution()?,)),
    )?;
    // Counted from now or from the beginning, which is the same: only what is no time away has come.
    for name in ["subscribe-instant", "subscribe-duration"] {
        counted(
            place,
            name,
            |_| 0,
            |state, (when,): (u64,)| Ok((state.world().timer(when == 0)?,)),
        )?;
    }
    let place = &mut interface(linker, "clocks/wall-clock")?;
    counted(
        place,
        "now",
        |()| 0,
        |state, ()| Ok((wall_clock::Host::now(&mut state.clocks())?,)),
    )?;
    counted(
        place,
        "resolution",
        |()| 0,
        |state, ()| Ok((wall_clock::Host::resolution(&mut state.clocks())?,)),
    )
}

fn replace_poll(place: &mut Place<'_>) -> wasmtime::Result<()> {
    counted(
        place,
        "poll",
        |(pollables,): &(Vec<Resource<DynPollable>>,)| pollables.len() * size_of::<Resource<DynPollable>>(),
        |state, (pollables,)| Ok((at_once(state.table().poll(pollables))??,)),
    )?;
    counted(
        place,
        "[method]pollable.ready",
        |_| 0,
        |state, (pollable,): (Resource<DynPollable>,)| Ok((at_once(state.table().ready(pollable))??,)),
    )?;
    counted(
        place,
        "[method]pollable.block",
        |_| 0,
        |state, (pollable,): (Resource<DynPollable>,)| at_once(state.table().block(pollable))?,
    )
}

/// What comes of `future` without waiting.
///
/// # Errors
/// [`Stop::Waiting`] when it would have to be waited for.
fn at_once<F: Future>(future: F) -> wasmtime::Result<F::Output> {
    poll_noop(pin!(future)).ok_or_else(|| Stop::Waiting.into())
}

/// Streams never block, so what the library would do in an async runtime is done like what does not block.
fn replace_streams(place: &mut Place<'_>) -> wasmtime::Result<()> {
    type Output = Resource<DynOutputStream>;
    type Input = Resource<DynInputStream>;
    for name in ["write", "blocking-write-and-flush"] {
        counted(
            place,
            &format!("[method]output-stream.{name}"),
            |(_, bytes): &(Output, Vec<u8>)| bytes.len(),
            |state, (output, bytes)| {
                let table = state.table();
                let said = table.write(output, bytes);
                let said = told(table, said)?;
                state.tell()?;
                Ok(said)
            },
        )?;
    }
    counted(
        place,
        "[method]output-stream.blocking-flush",
        |_| 0,
        |state, (output,): (Output,)| {
            let said = state.table().flush(output);
            told(state.table(), said)
        },
    )?;
    counted(
        place,
        "[method]output-stream.blocking-write-zeroes-and-flush",
        |_| 0,
        |state, (output, length): (Output, u64)| {
            let said = state.table().write_zeroes(output, length);
            told(state.table(), said)
        },
    )?;
    counted(
        place,
        "[method]output-stream.blocking-splice",
        |_| 0,
        |state, (output, input, length): (Output, Input, u64)| {
            let said = state.table().splice(output, input, length);
            told(state.table(), said)
        },
    )?;
    counted(
        place,
        "[method]input-stream.blocking-read",
        |_| 0,
        |state, (input, length): (Input, u64)| {
            let said = state.table().read(input, length);
            told(state.table(), said)
        },
    )?;
    counted(
        place,
        "[method]input-stream.blocking-skip",
        |_| 0,
        |state, (input, length): (Input, u64)| {
            let said = state.table().skip(input, length);
            told(state.table(), said)
        },
    )?;
    place.resource(
        "output-stream",
        ResourceType::host::<DynOutputStream>(),
        |mut store, rep| {
            store.data_mut().table().delete(Output::new_own(rep))?;
            Ok(())
        },
    )?;
    place.resource(
        "input-stream",
        ResourceType::host::<DynInputStream>(),
        |mut store, rep| {
            store.data_mut().table().delete(Input::new_own(rep))?;
            Ok(())
        },
    )
}

/// What a stream said, as the guest is told.
fn told<T>(table: &mut ResourceTable, said: StreamResult<T>) -> wasmtime::Result<(Result<T, StreamError>,)> {
    Ok((match said {
        Ok(said) => Ok(said),
        Err(error) => Err(table.convert_stream_error(error)?),
    },))
}

fn replace_random(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    for (name, prefix) in [
        ("random/random", "get-random"),
        ("random/insecure", "get-insecure-random"),
    ] {
        let place = &mut interface(linker, name)?;
        // Hashing costs several times what copying does. What is too much is refused, whatever it would cost.
        counted(
            place,
            &format!("{prefix}-bytes"),
            |(asked,): &(u64,)| 8 * (*asked).min(RANDOM_BYTES) as usize,
            |state, (asked,)| {
                if asked > RANDOM_BYTES {
                    let allowed = RANDOM_BYTES;
                    return Err(Ended::Random { asked, allowed }.into());
                }
                Ok((state.random(asked as usize),))
            },
        )?;
        counted(
            place,
            &format!("{prefix}-u64"),
            |()| 64,
            |state, ()| Ok((state.random_number(),)),
        )?;
    }
    counted(
        &mut interface(linker, "random/insecure-seed")?,
        "insecure-seed",
        |()| 128,
        |state, ()| {
            let first = state.random_number();
            Ok(((first, state.random_number()),))
        },
    )
}

fn replace_exit(place: &mut Place<'_>) -> wasmtime::Result<()> {
    place.func_wrap("exit", |_: Store<'_>, (_,): (Result<(), ()>,)| {
        Err::<(), _>(Ended::Exit.into())
    })?;
    place.func_wrap("exit-with-code", |_: Store<'_>, (_,): (u8,)| {
        Err::<(), _>(Ended::Exit.into())
    })
}

/// Making a socket is denied, at once.
fn replace_sockets(place: &mut Place<'_>) -> wasmtime::Result<()> {
    counted(
        place,
        "create-udp-socket",
        |_| 0,
        |state, (family,): (IpAddressFamily,)| {
            let mut sockets = state.sockets();
            let made: Result<Resource<UdpSocket>, ErrorCode> = match at_once(sockets.create_udp_socket(family))? {
                Ok(socket) => Ok(socket),
                Err(error) => Err(sockets.convert_error_code(error)?),
            };
            Ok((made,))
        },
    )
}
