//! Names become addresses here, once: the connector gets exactly the addresses that were checked.

use crate::guard::Guard;
use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Asks for the addresses of a name. A test puts its own answers here.
#[async_trait]
pub trait Lookup: Send + Sync {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The resolver of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemLookup;

#[async_trait]
impl Lookup for SystemLookup {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// Why a name led to no connection.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NameError {
    #[error("the host cannot be found")]
    Unknown,
    #[error("no address of the host is allowed")]
    Refused,
}

#[derive(Clone)]
pub(crate) struct CheckedResolver {
    lookup: Arc<dyn Lookup>,
    /// Without a guard every address is handed on: for hosts that are vouched for.
    guard: Option<Arc<Guard>>,
}

impl CheckedResolver {
    pub(crate) fn new(lookup: Arc<dyn Lookup>, guard: Option<Arc<Guard>>) -> Self {
        Self { lookup, guard }
    }
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let lookup = Arc::clone(&self.lookup);
        let guard = self.guard.clone();
        Box::pin(async move {
            let found = lookup.addresses(name.as_str()).await.map_err(|_| NameError::Unknown)?;
            if found.is_empty() {
                return Err(NameError::Unknown.into());
            }
            let admitted: Vec<SocketAddr> = found
                .into_iter()
                .filter(|address| guard.as_ref().is_none_or(|guard| guard.admits(*address)))
                .map(|address| SocketAddr::new(address, 0))
                .collect();
            if admitted.is_empty() {
                return Err(NameError::Refused.into());
            }
            let addresses: Addrs = Box::new(admitted.into_iter());
            Ok(addresses)
        })
    }
}
