//! `http`: requests to the hosts that the operator granted.
//!
//! Fetching is bounded by the grant alone. Sending is an effect: the request is taken from the cleared action, or the
//! skill proposes an action of its own, `:HTTP`. Either way the same code sends it: the name is looked up once, every
//! address is checked, and the connection goes to one that was. Proxies, cookies and compression do not exist here.

mod address;
pub mod apart;
mod fetch;
mod reach;
mod request;
mod secret;
#[cfg(test)]
mod tests;
pub mod tls;

use wasmtime::StoreContextMut;
use wasmtime::component::{ComponentType, Lift, Lower};

use super::effects::{ByReference, Effects, check_length, deed, on_behalf, spend};
use super::interface::Acting;
use super::own::OnBehalf;
use super::{Failure, HasCall, charge};
use crate::gate::Cleared;
use crate::sexp::Form;
use crate::signal::Action;

pub use reach::{Reach, reach};

use fetch::{fetch, system_lookup};
use request::{Request, granted};

/// The host's own target for requests.
pub const TARGET: &str = "HTTP";

/// Longest text of a skill's own, in bytes: what a form can hold.
const LONGEST: usize = 4 << 20;

/// One header.
#[derive(Clone, Debug, PartialEq, Eq, ComponentType, Lower, Lift)]
#[component(record)]
pub struct Header {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// What a server answered.
#[derive(Clone, Debug, PartialEq, Eq, ComponentType, Lower, Lift)]
#[component(record)]
pub struct Response {
    /// The status, such as 200.
    pub status: u16,
    /// The headers, in the server's order.
    pub headers: Vec<Header>,
    /// The body, up to the bound.
    pub body: Vec<u8>,
    /// Whether the body was longer than the bound, and cut.
    pub truncated: bool,
    /// The address that answered, after redirects on the same host.
    pub url: String,
}

impl Response {
    /// How much was got, in bytes.
    fn size(&self) -> usize {
        let headers: usize = self
            .headers
            .iter()
            .map(|header| header.name.len() + header.value.len())
            .sum();
        self.body.len() + headers
    }
}

/// Where gates judge a request.
const SEND: ByReference = ByReference {
    name: "http.send",
    places: &[(TARGET, &["payload"]), ("TOOL", &["payload.args"])],
    otherwise: "http.propose",
};

/// Links the interface.
///
/// # Errors
/// When it is linked already.
pub(super) fn link<T: HasCall>(http: &mut Acting<'_, T>) -> wasmtime::Result<()> {
    http.func(
        "get",
        |mut store: StoreContextMut<'_, T>, (url, headers): (String, Vec<Header>)| {
            charge(&mut store, url.len())?;
            let response = on_behalf(&mut store, |_, on| {
                fetch(&Request::new("GET", &url, &headers, "")?, on, system_lookup)
            })?;
            Ok((counted(&mut store, response),))
        },
    )?;
    http.func(
        "send",
        |mut store: StoreContextMut<'_, T>, (of, path): (u32, String)| {
            charge(&mut store, path.len())?;
            let request =
                deed(store.data_mut().call_mut()).and_then(|deed| deed.take(&SEND, of, &[&path], request_of));
            let response = match request {
                Ok(request) => on_behalf(&mut store, |_, on| fetch(&request, on, system_lookup))?,
                Err(failure) => Err(failure),
            };
            Ok((counted(&mut store, response),))
        },
    )?;
    http.func(
        "propose",
        |mut store: StoreContextMut<'_, T>,
         (method, url, headers, body, why): (String, String, Vec<Header>, String, String)| {
            charge(&mut store, url.len() + body.len() + why.len())?;
            check_length(&[&url, &body, &why], LONGEST)?;
            let response = on_behalf(&mut store, |effects, on| {
                propose(effects, on, &Request::new(&method, &url, &headers, &body)?, &why)
            })?;
            Ok((counted(&mut store, response),))
        },
    )
}

fn counted<T: HasCall>(
    store: &mut StoreContextMut<'_, T>,
    response: Result<Response, Failure>,
) -> Result<Response, Failure> {
    let response = response?;
    spend(store, response.size()).map(|()| response)
}

fn propose(effects: &dyn Effects, on: &OnBehalf<'_>, request: &Request, why: &str) -> Result<Response, Failure> {
    // What no grant covers would be refused after a person has approved it.
    granted(&request.url, on)?;
    let payload = request.payload().with("EXPLANATION", why);
    let cleared = effects.clear(on.skill, TARGET, payload)?;
    // What is sent is what was cleared: a gate may have revised it.
    fetch(&request_of(cleared.get())?, on, system_lookup)
}

/// Carries out a cleared `:HTTP` action.
///
/// # Errors
/// Whatever kept it from being done.
pub(super) fn carry_out(action: &Cleared<Action>, on: &OnBehalf<'_>) -> Result<String, Failure> {
    let response = fetch(&request_of(action.get())?, on, system_lookup)?;
    let cut = if response.truncated { "\n[cut]" } else { "" };
    Ok(format!(
        "status {} from {}\n\n{}{cut}",
        response.status,
        response.url,
        String::from_utf8_lossy(&response.body)
    ))
}

/// The request that `action` says is to be sent.
fn request_of(action: &Action) -> Result<Request, Failure> {
    let form = if action.target() == TARGET {
        Some(action.payload())
    } else {
        action.payload().get("ARGS")
    };
    Request::from_form(form.unwrap_or(&Form::Nil))
}
