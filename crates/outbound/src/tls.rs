//! Cache of clients for requests with custom TLS options.

use crate::client_builder::{client_builder, new_client};
use crate::guard::Route;
use crate::limits::ClientLimits;
use crate::resolver::CheckedResolver;
use domain::ports::{FetchError, TlsOptions};
use reqwest::{Certificate, Client};
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// Maximum number of cached clients; the least recently used is evicted.
pub(crate) const CLIENTS_MAX: usize = 16;
/// Maximum size of a CA file.
pub(crate) const CA_FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Cache key of a client. A changed CA file gives another client.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ClientKey {
    options: TlsOptions,
    route: Route,
    file_changed: Option<SystemTime>,
}

/// Clients, most recently used last.
#[derive(Default)]
pub(crate) struct TlsClients {
    clients: Mutex<Vec<(ClientKey, Client)>>,
}

impl TlsClients {
    /// The client for these options, from the cache or new.
    pub(crate) async fn client(
        &self,
        options: &TlsOptions,
        route: Route,
        limits: &ClientLimits,
        resolver: &CheckedResolver,
    ) -> Result<Client, FetchError> {
        let file_changed = match ca_file(options) {
            Some(path) => tokio::fs::metadata(path).await.map_err(unreadable_file)?.modified().ok(),
            None => None,
        };
        let key = ClientKey { options: options.clone(), route, file_changed };
        if let Some(client) = self.get(&key) {
            return Ok(client);
        }
        let client = build(options, limits, resolver).await?;
        self.insert(key, client.clone());
        Ok(client)
    }

    fn get(&self, key: &ClientKey) -> Option<Client> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let at = clients.iter().position(|(known, _)| known == key)?;
        let found = clients.remove(at);
        let client = found.1.clone();
        clients.push(found);
        Some(client)
    }

    fn insert(&self, key: ClientKey, client: Client) {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|(known, _)| *known != key);
        if clients.len() >= CLIENTS_MAX {
            clients.remove(0);
        }
        clients.push((key, client));
    }
}

/// The CA file, unless verification is disabled.
fn ca_file(options: &TlsOptions) -> Option<&Path> {
    options.ca_file.as_deref().filter(|_| options.verify)
}

async fn build(
    options: &TlsOptions,
    limits: &ClientLimits,
    resolver: &CheckedResolver,
) -> Result<Client, FetchError> {
    if !options.verify {
        let open = || client_builder(limits, resolver.clone()).tls_danger_accept_invalid_certs(true);
        return new_client(open).map_err(not_set_up);
    }
    let Some(path) = ca_file(options) else {
        return new_client(|| client_builder(limits, resolver.clone())).map_err(not_set_up);
    };
    let authorities = read_authorities(path).await?;
    new_client(|| client_builder(limits, resolver.clone()).tls_certs_only(authorities.clone())).map_err(
        |error| FetchError::invalid("the file of ca_certs holds a certificate of no use").caused_by(error),
    )
}

async fn read_authorities(path: &Path) -> Result<Vec<Certificate>, FetchError> {
    let size = tokio::fs::metadata(path).await.map_err(unreadable_file)?.len();
    if size > CA_FILE_BYTES_MAX {
        let sentence = format!("the file of ca_certs is larger than {CA_FILE_BYTES_MAX} bytes");
        return Err(FetchError::invalid(sentence));
    }
    let text = tokio::fs::read(path).await.map_err(unreadable_file)?;
    // The parser's error is not kept: it repeats lines of the file, which may be any file of this machine.
    match Certificate::from_pem_bundle(&text) {
        Ok(authorities) if !authorities.is_empty() => Ok(authorities),
        _ => Err(FetchError::invalid("the file of ca_certs holds no certificate in PEM form")),
    }
}

/// Contains neither path nor reason, which would reveal files of this machine to those who read the log.
fn unreadable_file(_error: io::Error) -> FetchError {
    FetchError::invalid("the file of ca_certs cannot be read")
}

fn not_set_up(error: reqwest::Error) -> FetchError {
    FetchError::invalid("its certificate options cannot be used on this machine").caused_by(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolver::SystemLookup;
    use std::path::PathBuf;
    use std::sync::Arc;
    use std::time::Duration;

    #[tokio::test]
    async fn few_clients_are_kept_and_the_oldest_goes_first() {
        let limits = ClientLimits {
            connect: Duration::from_secs(1),
            read: Duration::from_secs(1),
            body_bytes_max: 1,
            redirects_max: 0,
            allow: Vec::new(),
        };
        let resolver = CheckedResolver::new(Arc::new(SystemLookup), None);
        let clients = TlsClients::default();
        // Without verification the file is not read, so its name only makes the options differ.
        let numbered =
            |number: usize| TlsOptions { verify: false, ca_file: Some(PathBuf::from(number.to_string())) };
        for number in 0..CLIENTS_MAX {
            clients.client(&numbered(number), Route::Trusted, &limits, &resolver).await.unwrap();
        }
        clients.client(&numbered(0), Route::Trusted, &limits, &resolver).await.unwrap();
        clients.client(&numbered(0), Route::Guarded, &limits, &resolver).await.unwrap();
        let clients = clients.clients.lock().unwrap();
        assert_eq!(clients.len(), CLIENTS_MAX);
        let is_kept = |number: usize| clients.iter().any(|(key, _)| key.options == numbered(number));
        assert!(is_kept(0) && !is_kept(1) && is_kept(2));
    }
}
