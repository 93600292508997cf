//! Builds the underlying HTTP clients.

use crate::limits::ClientLimits;
use crate::resolver::CheckedResolver;
use reqwest::Client;

/// Maximum number of idle connections per host of one client.
const IDLE_CONNECTIONS_MAX: usize = 32;

/// Builds a client after installing the TLS provider.
pub(crate) fn new_client(builder: impl FnOnce() -> reqwest::ClientBuilder) -> Result<Client, reqwest::Error> {
    // An error means that it is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    builder().build()
}

#[expect(clippy::disallowed_methods, reason = "this is the guarded client")]
pub(crate) fn client_builder(limits: &ClientLimits, resolver: CheckedResolver) -> reqwest::ClientBuilder {
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .no_proxy()
        .connect_timeout(limits.connect)
        .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
        .dns_resolver(resolver)
}
