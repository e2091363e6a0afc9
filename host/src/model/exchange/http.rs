//! The HTTP client of one endpoint, built when it is first needed.
//!
//! Redirects are never followed, since a redirect would carry the key and the conversation to wherever it points. A
//! loopback address is never reached through a proxy; a plain one never loads certificates, which takes milliseconds and
//! memory.

use std::net::IpAddr;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Url};
use tokio::sync::OnceCell;

use crate::capability::http::apart::Apart;
use crate::capability::http::tls::{with_system_roots, without_roots};
use crate::model::ProviderError;

/// How long an unused connection is kept. Below the minute after which many servers close it.
const KEEP: Duration = Duration::from_secs(45);

pub(super) struct Http {
    encrypted: bool,
    loopback: bool,
    connect_timeout: Duration,
    ready: OnceCell<Ready>,
}

/// What requests are made with, and the thread that their connections are on.
pub(super) struct Ready {
    pub(super) client: Client,
    pub(super) apart: Apart,
}

impl Http {
    pub(super) fn new(endpoint: &Url, connect_timeout: Duration) -> Http {
        Http {
            encrypted: endpoint.scheme() == "https",
            loopback: is_loopback(endpoint),
            connect_timeout,
            ready: OnceCell::new(),
        }
    }

    /// The client, and its thread.
    ///
    /// # Errors
    /// When TLS can't be set up, for one because the system has no certificates, or there is no thread left. Tried again at the next request.
    pub(super) async fn ready(&self) -> Result<&Ready, ProviderError> {
        self.ready
            .get_or_try_init(|| async {
                let builder = self.settings();
                let built = if self.encrypted {
                    // Reads the system's certificates from disk.
                    tokio::task::spawn_blocking(move || with_system_roots(builder))
                        .await
                        .map_err(unusable)?
                } else {
                    without_roots(builder)
                };
                let client = built.map_err(unusable)?;
                let apart = Apart::start().map_err(|cause| ProviderError::Misconfigured {
                    problem: format!("a thread for its connections can't be started: {cause}"),
                    remedy: "raise the system's bound on threads".to_owned(),
                })?;
                Ok(Ready { client, apart })
            })
            .await
    }

    fn settings(&self) -> ClientBuilder {
        let builder = Client::builder()
            .redirect(Policy::none())
            .connect_timeout(self.connect_timeout)
            .pool_idle_timeout(KEEP)
            .user_agent(concat!("passepartout/", env!("CARGO_PKG_VERSION")));
        if self.loopback { builder.no_proxy() } else { builder }
    }
}

fn unusable(cause: impl std::error::Error) -> ProviderError {
    let mut innermost: &dyn std::error::Error = &cause;
    while let Some(inner) = innermost.source() {
        innermost = inner;
    }
    ProviderError::Misconfigured {
        problem: format!("TLS can't be set up: {innermost}"),
        remedy: "install the system's certificates (package ca-certificates)".to_owned(),
    }
}

/// Whether this address is this machine itself.
pub(super) fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.ends_with(".localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}
