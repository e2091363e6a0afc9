//! Sending one request: looked up once, checked, and connected to exactly what was checked; redirects by hand, and
//! only where they stay with whom the gates judged.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Url};
use tokio::runtime::Handle;

use super::address::{Realm, realm};
use super::apart::Apart;
use super::request::{Granted, Request, granted, parse_url, place};
use super::tls::{self, Mismatch};
use super::{Header, Response, secret};
use crate::capability::Failure;
use crate::capability::own::OnBehalf;
use crate::config::Secret;
use crate::sexp::visible;

/// Most redirects that are followed for one request.
const REDIRECTS: usize = 5;

/// Finds the addresses of a host.
pub(super) type Lookup = fn(String, u16) -> Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;

/// As this machine resolves names.
pub(super) fn system_lookup(
    host: String,
    port: u16,
) -> Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>> {
    Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
}

fn failed<T>(why: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Failed(why.into()))
}

/// Sends `request`, within the grants and the time of `on`. What comes back taints the turn. Blocks: not for a worker of
/// the runtime, but for a thread that belongs to it.
///
/// # Errors
/// Whatever kept it from being sent, or the answer from arriving. An answer that reports an error is a [`Response`].
pub(super) fn fetch(request: &Request, on: &OnBehalf<'_>, lookup: Lookup) -> Result<Response, Failure> {
    on.turn.check()?;
    let runtime = Handle::try_current()
        .map_err(|_| Failure::Unavailable("there is no runtime to wait for the network with".to_owned()))?;
    let time = Duration::from_millis(on.limits.http_ms);
    runtime.block_on(async {
        tokio::select! {
            biased;
            () = on.turn.cancel().cancelled() => failed("the turn was cancelled"),
            done = tokio::time::timeout(time, exchange(request, on, lookup)) => done.unwrap_or_else(|_| {
                failed(format!(
                    "{} did not answer in {} seconds; `limits.{}.http_seconds` in the configuration sets that",
                    place(&request.url),
                    time.as_secs_f32(),
                    on.skill
                ))
            }),
        }
    })
}

async fn exchange(request: &Request, on: &OnBehalf<'_>, lookup: Lookup) -> Result<Response, Failure> {
    let follow = matches!(request.method, Method::GET | Method::HEAD);
    let mut url = request.url.clone();
    let mut used = Vec::new();
    let apart =
        Apart::start().map_err(|error| Failure::Unavailable(format!("a thread for it can't be started: {error}")))?;
    for _ in 0..=REDIRECTS {
        let client = client(&url, granted(&url, on)?, lookup).await?;
        let mut sending = client.request(request.method.clone(), url.clone());
        sending = sending.headers(filled(&request.headers, &url, on, &mut used)?);
        if !request.body.is_empty() {
            sending = sending.body(request.body.clone());
        }
        let answer = match apart.spawn(sending.send()).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => return failed(unreached(&url, &error)),
            Err(error) => return failed(format!("{} can't be reached: {}", place(&url), cause(&error))),
        };
        // From here on something from outside has a say.
        on.turn.read_outside();
        let status = answer.status();
        let redirects = follow && matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308);
        let location = answer.headers().get(LOCATION).filter(|_| redirects);
        match location.and_then(|location| next_hop(&url, location)) {
            Some(next) => url = next,
            None => return response(answer, &url, &used, on).await,
        }
    }
    failed(format!(
        "{} leads from one place to another, more than {REDIRECTS} times",
        place(&request.url)
    ))
}

/// Why there is no answer from there, in plain words where the two sides did not speak the same.
fn unreached(url: &Url, error: &reqwest::Error) -> String {
    let why = match tls::mismatch(error) {
        Some(Mismatch::NoTls) => "it does not speak TLS, as https:// wants it".to_owned(),
        Some(Mismatch::HungUp) => "it hung up while TLS was set up; perhaps it speaks none".to_owned(),
        Some(Mismatch::NoHttp) => "what it sends is no HTTP; if it speaks TLS, use https://".to_owned(),
        None => cause(error),
    };
    format!("{} can't be reached: {why}", place(url))
}

/// Where a redirect leads, if it stays with the same scheme, host and port. The gates have judged no other: one that leads
/// elsewhere, or nowhere, is the answer, and whoever asked may propose the next request.
pub(super) fn next_hop(from: &Url, location: &HeaderValue) -> Option<Url> {
    let joined = from.join(location.to_str().ok()?).ok()?;
    let next = parse_url(joined.as_str()).ok()?;
    (next.origin() == from.origin()).then_some(next)
}

/// The headers as they are sent, with secrets in their places.
fn filled(
    headers: &[(reqwest::header::HeaderName, String)],
    url: &Url,
    on: &OnBehalf<'_>,
    used: &mut Vec<Secret>,
) -> Result<HeaderMap, Failure> {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let secret = secret::asks(value);
        let value = secret::fill(value, host, on, used)?;
        let Ok(mut value) = HeaderValue::from_str(&value) else {
            return failed(format!("the secret in the header `{name}` can't stand in a header"));
        };
        value.set_sensitive(secret);
        map.append(name.clone(), value);
    }
    // What is compressed could be small here and without end when it is unpacked.
    map.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    Ok(map)
}

/// A client that can connect to the checked addresses of `url` and nowhere else. It keeps nothing from one request to
/// the next.
async fn client(url: &Url, granted: Granted, lookup: Lookup) -> Result<Client, Failure> {
    let host = url.host_str().unwrap_or_default().to_owned();
    let port = url.port_or_known_default().unwrap_or(443);
    let literal = url.domain().is_none();
    let bare = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let addresses = match lookup(bare, port).await {
        Ok(addresses) if !addresses.is_empty() => addresses,
        Ok(_) => return failed(format!("{host} has no address")),
        Err(error) => return failed(format!("{host} can't be looked up: {error}")),
    };
    for address in &addresses {
        check_address(url, *address, granted, literal)?;
    }
    let builder = Client::builder()
        .no_proxy()
        .redirect(Policy::none())
        .referer(false)
        .pool_max_idle_per_host(0)
        .user_agent(concat!("passepartout/", env!("CARGO_PKG_VERSION")))
        .dns_resolver(Arc::new(Checked(addresses)));
    let built = if url.scheme() == "https" {
        tls::with_system_roots(builder)
    } else {
        tls::without_roots(builder)
    };
    built.map_err(|error| {
        Failure::Unavailable(format!(
            "TLS can't be set up: {}; install the system's certificates (package ca-certificates)",
            cause(&error)
        ))
    })
}

/// # Errors
/// [`Failure::Rejected`] when a connection to `address` is not what was granted.
pub(super) fn check_address(url: &Url, address: SocketAddr, granted: Granted, literal: bool) -> Result<(), Failure> {
    let refuse = |why: &str| {
        Err(Failure::Rejected(format!(
            "{} is at {}, {why}",
            place(url),
            address.ip()
        )))
    };
    match (realm(address.ip()), granted) {
        (Realm::Public, _) if url.scheme() == "https" => Ok(()),
        (Realm::Public, _) => refuse("a public address, where only https is spoken"),
        (Realm::Private, Granted::Private) => Ok(()),
        // A name could be made to lead there; who means it writes the address.
        (Realm::Link, Granted::Private) if literal => Ok(()),
        (Realm::Private, Granted::Public) => refuse(&format!(
            "an address of this machine or a private network; if that is meant, grant http-private:{}",
            place(url)
        )),
        (Realm::Link, _) => refuse("an address of this link, where machines keep their credentials"),
        (Realm::Nobody, _) => refuse("which is no host's address"),
    }
}

/// Answers every name with the addresses that were checked.
struct Checked(Vec<SocketAddr>);

impl Resolve for Checked {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

async fn response(
    mut answer: reqwest::Response,
    url: &Url,
    used: &[Secret],
    on: &OnBehalf<'_>,
) -> Result<Response, Failure> {
    let most = usize::try_from(on.limits.http_bytes).unwrap_or(usize::MAX);
    let hide = |text: String| String::from_utf8_lossy(&secret::hide(text.into_bytes(), used, false)).into_owned();
    let status = answer.status().as_u16();
    let headers = answer
        .headers()
        .iter()
        .map(|(name, value)| Header {
            name: name.as_str().to_owned(),
            value: hide(String::from_utf8_lossy(value.as_bytes()).into_owned()),
        })
        .collect();
    let (mut body, mut truncated) = (Vec::new(), false);
    while !truncated {
        match answer.chunk().await {
            Ok(None) => break,
            Ok(Some(part)) => {
                let room = most - body.len();
                truncated = part.len() > room;
                body.extend_from_slice(&part[..part.len().min(room)]);
            }
            Err(error) => return failed(format!("{} broke off its answer: {}", place(url), cause(&error))),
        }
    }
    Ok(Response {
        status,
        headers,
        body: secret::hide(body, used, truncated),
        truncated,
        url: hide(url.to_string()),
    })
}

/// The innermost cause, which says what happened, and never the URL.
fn cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(inner) = innermost.source() {
        innermost = inner;
    }
    visible(&innermost.to_string())
}
