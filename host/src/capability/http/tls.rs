//! How HTTP clients are built: the cryptography of TLS (ring), and the machine's own certificates, which are loaded only
//! where they are needed, since that takes milliseconds and memory.

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
