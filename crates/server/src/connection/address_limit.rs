//! Limit of open connections per address.

use super::rejection::Rejection;
use crate::client_address::ClientAddress;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use syntax::network::Network;

/// A limit for every address except proxies, through which many clients connect.
#[derive(Debug)]
pub struct AddressLimit {
    /// 0: no limit.
    connections_max: usize,
    exempt: Vec<Network>,
    open: Mutex<HashMap<ClientAddress, usize>>,
}

/// Permit for one connection of an address, released when it is dropped.
#[derive(Debug)]
pub struct AddressPermit {
    limit: Arc<AddressLimit>,
    /// None: an address without a limit.
    address: Option<ClientAddress>,
}

impl AddressLimit {
    pub fn new(connections_max: usize, exempt: Vec<Network>) -> Arc<Self> {
        Arc::new(Self { connections_max, exempt, open: Mutex::default() })
    }

    /// Refuses an address that has reached the limit.
    pub fn admit(self: &Arc<Self>, address: IpAddr) -> Result<AddressPermit, Rejection> {
        let address = address.to_canonical();
        let is_exempt =
            self.connections_max == 0 || self.exempt.iter().any(|network| network.contains(address));
        if is_exempt {
            return Ok(AddressPermit { limit: Arc::clone(self), address: None });
        }
        let address = ClientAddress::block_of(address);
        let mut open = self.lock();
        let count = open.entry(address).or_default();
        if *count >= self.connections_max {
            return Err(Rejection::Address { address, connections: self.connections_max });
        }
        *count += 1;
        Ok(AddressPermit { limit: Arc::clone(self), address: Some(address) })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ClientAddress, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AddressPermit {
    fn drop(&mut self) {
        let Some(address) = self.address else { return };
        let mut open = self.limit.lock();
        if let Some(count) = open.get_mut(&address) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                open.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn each_address_has_its_own_count() {
        let limit = AddressLimit::new(2, Vec::new());
        let first = limit.admit(address("192.0.2.1")).expect("a place");
        let _second = limit.admit(address("::ffff:192.0.2.1")).expect("the same address, a second place");
        assert!(limit.admit(address("192.0.2.1")).is_err());
        assert!(limit.admit(address("192.0.2.2")).is_ok());
        drop(first);
        assert!(limit.admit(address("192.0.2.1")).is_ok());
        let _block = (limit.admit(address("2001:db8::1")), limit.admit(address("2001:db8::2")));
        assert!(limit.admit(address("2001:db8::3")).is_err(), "a customer has a /64");
        assert!(limit.admit(address("2001:db8:0:1::3")).is_ok());
    }

    #[test]
    fn proxies_are_not_limited_and_closed_connections_are_forgotten() {
        let exempt = ["10.0.0.0/8", "::1/128"].into_iter().filter_map(Network::parse).collect();
        let limit = AddressLimit::new(1, exempt);
        let proxies: Vec<_> = (0..5).map(|_| limit.admit(address("::ffff:10.1.2.3"))).collect();
        assert!(proxies.iter().all(Result::is_ok));
        drop(limit.admit(address("192.0.2.1")));
        assert!(limit.lock().is_empty());
        let unlimited = AddressLimit::new(0, Vec::new());
        let many: Vec<_> = (0..5).map(|_| unlimited.admit(address("192.0.2.1"))).collect();
        assert!(many.iter().all(Result::is_ok));
    }
}
