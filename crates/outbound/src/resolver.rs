//! Resolves names to checked addresses; connections use exactly these addresses.

use crate::guard::Guard;
use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Resolves a name to addresses. Tests use their own implementation.
#[async_trait]
pub trait Lookup: Send + Sync {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The system resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemLookup;

#[async_trait]
impl Lookup for SystemLookup {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// Errors of name resolution.
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
    /// Without a guard every address is allowed, for trusted hosts.
    guard: Option<Arc<Guard>>,
}

impl CheckedResolver {
    pub(crate) fn new(lookup: Arc<dyn Lookup>, guard: Option<Arc<Guard>>) -> Self {
        Self { lookup, guard }
    }

    /// The allowed addresses of a name.
    pub(crate) async fn addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, NameError> {
        let found = self.lookup.addresses(host).await.map_err(|_| NameError::Unknown)?;
        if found.is_empty() {
            return Err(NameError::Unknown);
        }
        let is_admitted = |address: &IpAddr| self.guard.as_ref().is_none_or(|guard| guard.admits(*address));
        let admitted: Vec<SocketAddr> =
            found.into_iter().filter(is_admitted).map(|address| SocketAddr::new(address, port)).collect();
        if admitted.is_empty() { Err(NameError::Refused) } else { Ok(admitted) }
    }
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let addresses: Addrs = Box::new(resolver.addresses(name.as_str(), 0).await?.into_iter());
            Ok(addresses)
        })
    }
}
