//! Clients for requests that bring their own idea of trust: a few, kept while they are used.

use crate::client::{client_builder, new_client};
use crate::guard::Way;
use crate::limits::ClientLimits;
use crate::resolver::CheckedResolver;
use domain::contracts::{FetchError, TlsOptions};
use reqwest::{Certificate, Client};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// Most clients that are kept; the one that was not used for the longest time goes first.
pub(crate) const CLIENTS_MAX: usize = 16;
/// Largest file of authorities.
pub(crate) const CA_FILE_BYTES_MAX: u64 = 1024 * 1024;

/// What one client was made for. A file that has changed since makes another client.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Made {
    options: TlsOptions,
    way: Way,
    file_changed: Option<SystemTime>,
}

/// The last one was used last.
#[derive(Default)]
pub(crate) struct TlsClients {
    kept: Mutex<Vec<(Made, Client)>>,
}

impl TlsClients {
    /// The client for these options; made when it is not there.
    pub(crate) async fn client(
        &self,
        options: &TlsOptions,
        way: Way,
        limits: &ClientLimits,
        resolver: &CheckedResolver,
    ) -> Result<Client, FetchError> {
        let file_changed = match ca_file(options) {
            Some(path) => tokio::fs::metadata(path).await.map_err(|_| no_file())?.modified().ok(),
            None => None,
        };
        let wanted = Made { options: options.clone(), way, file_changed };
        if let Some(client) = self.take_up(&wanted) {
            return Ok(client);
        }
        let client = build(options, limits, resolver).await?;
        self.keep(wanted, client.clone());
        Ok(client)
    }

    fn take_up(&self, wanted: &Made) -> Option<Client> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(made, _)| made == wanted)?;
        let found = kept.remove(at);
        let client = found.1.clone();
        kept.push(found);
        Some(client)
    }

    fn keep(&self, made: Made, client: Client) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, _)| *known != made);
        if kept.len() >= CLIENTS_MAX {
            kept.remove(0);
        }
        kept.push((made, client));
    }
}

/// The file that counts: without a check nobody is trusted or distrusted.
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
        return new_client(open).map_err(|_| not_set_up());
    }
    let Some(path) = ca_file(options) else {
        return new_client(|| client_builder(limits, resolver.clone())).map_err(|_| not_set_up());
    };
    let authorities = read_authorities(path).await?;
    new_client(|| client_builder(limits, resolver.clone()).tls_certs_only(authorities.clone()))
        .map_err(|_| FetchError::Invalid("the file of ca_certs holds a certificate of no use".to_owned()))
}

async fn read_authorities(path: &Path) -> Result<Vec<Certificate>, FetchError> {
    let size = tokio::fs::metadata(path).await.map_err(|_| no_file())?.len();
    if size > CA_FILE_BYTES_MAX {
        let sentence = format!("the file of ca_certs is larger than {CA_FILE_BYTES_MAX} bytes");
        return Err(FetchError::Invalid(sentence));
    }
    let text = tokio::fs::read(path).await.map_err(|_| no_file())?;
    match Certificate::from_pem_bundle(&text) {
        Ok(authorities) if !authorities.is_empty() => Ok(authorities),
        _ => Err(FetchError::Invalid("the file of ca_certs holds no certificate in PEM form".to_owned())),
    }
}

/// Neither the path nor the reason is told: it would say what is on this machine.
fn no_file() -> FetchError {
    FetchError::Invalid("the file of ca_certs cannot be read".to_owned())
}

fn not_set_up() -> FetchError {
    FetchError::Invalid("its certificate options cannot be used on this machine".to_owned())
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
        // Without a check the file is not looked at, so that its name only makes the options differ.
        let numbered =
            |number: usize| TlsOptions { verify: false, ca_file: Some(PathBuf::from(number.to_string())) };
        for number in 0..CLIENTS_MAX {
            clients.client(&numbered(number), Way::Open, &limits, &resolver).await.unwrap();
        }
        clients.client(&numbered(0), Way::Open, &limits, &resolver).await.unwrap();
        clients.client(&numbered(0), Way::Guarded, &limits, &resolver).await.unwrap();
        let kept = clients.kept.lock().unwrap();
        assert_eq!(kept.len(), CLIENTS_MAX);
        let is_kept = |number: usize| kept.iter().any(|(made, _)| made.options == numbered(number));
        assert!(is_kept(0) && !is_kept(1) && is_kept(2));
    }
}
