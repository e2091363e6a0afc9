//! The three standard streams: input is at its end, output is the log.

use wasmtime::component::{ComponentType, Lift, Lower, Resource, WasmList};

use super::world::{Input, Nothing, Output, Pollable};
use super::{Place, Store, own};
use crate::capability::{Stop, charge};

/// Most that one write takes, in bytes.
const WRITE: u64 = 64 << 10;

/// How a stream fails.
#[derive(ComponentType, Lower, Lift)]
#[component(variant)]
enum Failure {
    #[component(name = "last-operation-failed")]
    Failed(Resource<Nothing>),
    #[component(name = "closed")]
    Closed,
}

type Done = (Result<(), Failure>,);

/// Links a function of `wasi:cli/std…` or of `wasi:io/streams`; says whether there is such a one.
pub(super) fn link(place: &mut Place<'_>, interface: &str, name: &str) -> wasmtime::Result<bool> {
    match (interface, name) {
        ("cli/stdin", "get-stdin") => {
            place.func_wrap(name, |mut store: Store<'_>, (): ()| Ok((own::<Input>(&mut store, 0)?,)))
        }
        ("cli/stdout", "get-stdout") => place.func_wrap(name, |mut store: Store<'_>, (): ()| {
            Ok((own::<Output>(&mut store, Output::STANDARD)?,))
        }),
        ("cli/stderr", "get-stderr") => place.func_wrap(name, |mut store: Store<'_>, (): ()| {
            Ok((own::<Output>(&mut store, Output::ERROR)?,))
        }),
        ("io/streams", name) => match name.strip_prefix("[method]output-stream.") {
            Some(method) => return link_output(place, name, method),
            None => return link_input(place, name),
        },
        _ => return Ok(false),
    }?;
    Ok(true)
}

fn link_input(place: &mut Place<'_>, name: &str) -> wasmtime::Result<bool> {
    match name.strip_prefix("[method]input-stream.") {
        Some("read" | "blocking-read") => {
            place.func_wrap(name, |mut store: Store<'_>, (_, _): (Resource<Input>, u64)| {
                charge(&mut store, 0)?;
                Ok((Err::<Vec<u8>, _>(Failure::Closed),))
            })
        }
        Some("skip" | "blocking-skip") => {
            place.func_wrap(name, |mut store: Store<'_>, (_, _): (Resource<Input>, u64)| {
                charge(&mut store, 0)?;
                Ok((Err::<u64, _>(Failure::Closed),))
            })
        }
        Some("subscribe") => place.func_wrap(name, |mut store: Store<'_>, (_,): (Resource<Input>,)| {
            Ok((own::<Pollable>(&mut store, Pollable::READY)?,))
        }),
        _ => return Ok(false),
    }?;
    Ok(true)
}

fn link_output(place: &mut Place<'_>, name: &str, method: &str) -> wasmtime::Result<bool> {
    match method {
        "check-write" => place.func_wrap(name, |mut store: Store<'_>, (_,): (Resource<Output>,)| {
            charge(&mut store, 0)?;
            Ok((Ok::<u64, Failure>(WRITE),))
        }),
        "write" | "blocking-write-and-flush" => place.func_wrap(
            name,
            |mut store: Store<'_>, (output, bytes): (Resource<Output>, WasmList<u8>)| {
                charge(&mut store, bytes.len())?;
                if bytes.len() as u64 > WRITE {
                    return Err(Stop::Text {
                        asked: bytes.len() as u64,
                        allowed: WRITE,
                    }
                    .into());
                }
                let bytes = bytes.as_le_slice(&store).to_vec();
                store.data_mut().write(output.rep(), &bytes)?;
                done()
            },
        ),
        "flush" | "blocking-flush" => place.func_wrap(name, |mut store: Store<'_>, (_,): (Resource<Output>,)| {
            charge(&mut store, 0)?;
            done()
        }),
        // A line of zeros says nothing: it is taken, and left out of the log.
        "write-zeroes" | "blocking-write-zeroes-and-flush" => {
            place.func_wrap(name, |mut store: Store<'_>, (_, _): (Resource<Output>, u64)| {
                charge(&mut store, 0)?;
                done()
            })
        }
        "splice" | "blocking-splice" => place.func_wrap(
            name,
            |mut store: Store<'_>, (_, _, _): (Resource<Output>, Resource<Input>, u64)| {
                charge(&mut store, 0)?;
                Ok((Err::<u64, _>(Failure::Closed),))
            },
        ),
        "subscribe" => place.func_wrap(name, |mut store: Store<'_>, (_,): (Resource<Output>,)| {
            Ok((own::<Pollable>(&mut store, Pollable::READY)?,))
        }),
        _ => return Ok(false),
    }?;
    Ok(true)
}

fn done() -> wasmtime::Result<Done> {
    Ok((Ok(()),))
}
