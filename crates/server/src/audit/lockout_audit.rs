//! How often lockouts are recorded in the audit log.

use crate::client_address::ClientAddress;
use moka::sync::Cache;
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::Instant;

/// A lockout of one address is recorded once in this time, however often it occurs.
const LOCKOUT_RECORD_INTERVAL: Duration = Duration::from_secs(10 * 60);
/// Most addresses remembered for that.
const LOCKOUT_ADDRESSES_MAX: u64 = 10_000;
/// Most lockouts recorded in an hour, so that guessing from many addresses cannot fill the log.
const LOCKOUTS_PER_HOUR_MAX: u32 = 60;

/// Limits how often lockouts are recorded in the audit log.
pub struct LockoutAudit {
    recorded: Cache<ClientAddress, ()>,
    /// When the hour began, and how many lockouts were recorded in it.
    hour: Mutex<(Instant, u32)>,
}

impl LockoutAudit {
    pub fn new() -> Self {
        let recorded = Cache::builder()
            .max_capacity(LOCKOUT_ADDRESSES_MAX)
            .time_to_live(LOCKOUT_RECORD_INTERVAL)
            .build();
        Self { recorded, hour: Mutex::new((Instant::now(), 0)) }
    }

    pub fn admit(&self, address: ClientAddress) -> bool {
        if self.recorded.contains_key(&address) {
            return false;
        }
        let mut hour = self.hour.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if hour.0.elapsed() >= Duration::from_secs(60 * 60) {
            *hour = (Instant::now(), 0);
        }
        if hour.1 >= LOCKOUTS_PER_HOUR_MAX {
            return false;
        }
        hour.1 += 1;
        self.recorded.insert(address, ());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[tokio::test(start_paused = true)]
    async fn lockouts_are_recorded_once_and_limited_per_hour() {
        let audit = LockoutAudit::new();
        let from = |number: u32| ClientAddress::block_of(Ipv4Addr::from_bits(number).into());
        assert!(audit.admit(from(0)));
        assert!(!audit.admit(from(0)), "the same address a moment later");
        let recorded = (0..1000).filter(|number| audit.admit(from(*number))).count();
        assert_eq!(recorded, LOCKOUTS_PER_HOUR_MAX as usize - 1);
        tokio::time::advance(Duration::from_secs(60 * 60)).await;
        assert!(audit.admit(from(2000)));
    }
}
