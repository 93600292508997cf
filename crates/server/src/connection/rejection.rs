//! Rejected connections: their response and their log lines.

use crate::client_address::ClientAddress;
use crate::security_headers;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// An address is logged at most once in this time.
const LOG_EVERY: Duration = Duration::from_secs(60);
/// Most addresses remembered for that. Further ones are not logged until there is space.
const ADDRESSES_MAX: usize = 1000;

/// Why a connection is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rejection {
    /// Too many connections in total.
    Full { connections: usize },
    /// Too many connections of this address.
    Address { address: ClientAddress, connections: usize },
}

impl Rejection {
    /// The whole response, since no request has been read yet.
    pub fn answer(self) -> String {
        let status = match self {
            Self::Full { .. } => "503 Service Unavailable",
            Self::Address { .. } => "429 Too Many Requests",
        };
        format!(
            "HTTP/1.1 {status}\r\nretry-after: 5\r\ncache-control: no-store\r\n{}content-length: 0\r\nconnection: close\r\n\r\n",
            security_headers::lines()
        )
    }

    fn log(self) {
        match self {
            Self::Full { connections } => tracing::warn!(
                "connections are refused: {connections} are open, as many as the limit of open files allows"
            ),
            Self::Address { address, connections } => tracing::warn!(
                client.address = %address,
                "connections of {address} are refused: {connections} are open (SVC_CONNECTIONS_PER_ADDRESS). If this is \
                 a proxy or an ingress, name it in SVC_TRUSTED_PROXIES"
            ),
        }
    }
}

/// Limits how often rejections are logged.
#[derive(Debug, Default)]
pub struct RejectionLog {
    logged: HashMap<Rejection, Instant>,
}

impl RejectionLog {
    pub fn note(&mut self, rejection: Rejection) {
        if self.record_if_due(rejection, Instant::now()) {
            rejection.log();
        }
    }

    /// False if it, or too many others, were logged within `LOG_EVERY`.
    fn record_if_due(&mut self, rejection: Rejection, now: Instant) -> bool {
        let is_recent = |logged: &Instant| now.duration_since(*logged) < LOG_EVERY;
        if self.logged.get(&rejection).is_some_and(is_recent) {
            return false;
        }
        if self.logged.len() >= ADDRESSES_MAX {
            self.logged.retain(|_, logged| is_recent(logged));
        }
        let has_capacity = self.logged.len() < ADDRESSES_MAX;
        if has_capacity {
            self.logged.insert(rejection, now);
        }
        has_capacity
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn of_address(number: u32) -> Rejection {
        let address = ClientAddress::block_of(Ipv4Addr::from_bits(number).into());
        Rejection::Address { address, connections: 256 }
    }

    #[test]
    fn an_address_is_logged_once_a_minute() {
        let (mut log, start) = (RejectionLog::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        assert!(log.record_if_due(of_address(1), at(0)));
        assert!(!log.record_if_due(of_address(1), at(59)));
        assert!(
            log.record_if_due(of_address(2), at(59))
                && log.record_if_due(Rejection::Full { connections: 9 }, at(59))
        );
        assert!(log.record_if_due(of_address(1), at(60)));
        assert!(!log.record_if_due(of_address(1), at(61)));
    }

    #[test]
    fn a_flood_of_many_addresses_fills_neither_memory_nor_log() {
        let (mut log, start) = (RejectionLog::default(), Instant::now());
        let due = (0..5000).filter(|number| log.record_if_due(of_address(*number), start)).count();
        assert_eq!((due, log.logged.len()), (ADDRESSES_MAX, ADDRESSES_MAX));
        assert!(log.record_if_due(of_address(9999), start + LOG_EVERY), "there is space again");
        assert_eq!(log.logged.len(), 1);
    }
}
