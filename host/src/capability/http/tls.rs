//! How HTTP clients are built: the cryptography of TLS (ring), and the machine's own certificates, which are loaded only
//! where they are needed, since that takes milliseconds and memory.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::sync::Arc;

use reqwest::{Client, ClientBuilder};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};

/// A client that speaks TLS only, and trusts whom this machine trusts. Reads certificates from disk.
///
/// # Errors
/// When there are none, or TLS can't be set up.
pub fn with_system_roots(builder: ClientBuilder) -> reqwest::Result<Client> {
    // reqwest takes the cryptography from the process's default. It is an error only when there is one already.
    let _ = ring::default_provider().install_default();
    builder.https_only(true).build()
}

/// A client that trusts nobody over TLS, and so has to load nothing.
///
/// # Errors
/// When TLS can't be set up.
pub fn without_roots(builder: ClientBuilder) -> reqwest::Result<Client> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map(|config| {
            config
                .with_root_certificates(RootCertStore::empty())
                .with_no_client_auth()
        });
    match config {
        Ok(config) => builder.tls_backend_preconfigured(config).build(),
        // ring has the default versions, so this does not happen; the costly way works as well.
        Err(_) => with_system_roots(builder),
    }
}

/// That the two sides of a connection did not speak the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// TLS was begun, and what came is none.
    NoTls,
    /// TLS was begun, and the other side hung up.
    HungUp,
    /// HTTP was spoken, and what came is none: an alert of TLS, for one.
    NoHttp,
}

/// Whether a request failed since the two sides did not speak the same.
pub fn mismatch(error: &reqwest::Error) -> Option<Mismatch> {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(own) = cause {
        let system = own.downcast_ref::<io::Error>();
        // One of the system's passes over the one that it holds when it is asked for its source.
        let held = system
            .and_then(io::Error::get_ref)
            .map(|held| held as &(dyn Error + 'static));
        let of_tls = held.unwrap_or(own).downcast_ref::<rustls::Error>();
        if matches!(of_tls, Some(rustls::Error::InvalidMessage(_))) {
            return Some(Mismatch::NoTls);
        }
        let is_https = error.url().is_some_and(|url| url.scheme() == "https");
        let hangs_up = [
            ErrorKind::UnexpectedEof,
            ErrorKind::ConnectionReset,
            ErrorKind::BrokenPipe,
        ];
        if is_https && error.is_connect() && system.is_some_and(|system| hangs_up.contains(&system.kind())) {
            return Some(Mismatch::HungUp);
        }
        // Hyper's own type is not ours to name.
        if own.to_string().starts_with("invalid HTTP version") {
            return Some(Mismatch::NoHttp);
        }
        cause = held.or_else(|| own.source());
    }
    None
}
