//! Pool of idle database connections, shared by all searches.

use super::database::DatabaseTarget;
use super::dsn::Tls;
use moka::sync::Cache;
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Most databases with idle connections, and how long an unused one is kept.
const TARGETS_MAX: u64 = 200;
const TARGET_IDLE: Duration = Duration::from_secs(300);
/// Most idle connections to one database, and how long one is kept.
const IDLE_MAX: usize = 8;
const IDLE_TIME: Duration = Duration::from_secs(60);

/// Host, port, database, user, hash of the password, TLS: connections are shared only if all are equal.
type Key = (String, u16, String, String, [u8; 32], Tls);

/// Idle connections to all databases of one kind.
pub struct ConnectionPool<C: Send + 'static> {
    targets: Cache<Key, Arc<IdleConnections<C>>>,
}

/// Idle connections to one database.
pub struct IdleConnections<C> {
    connections: Mutex<Vec<(C, Instant)>>,
}

impl<C: Send + 'static> ConnectionPool<C> {
    pub fn new() -> Self {
        Self { targets: Cache::builder().max_capacity(TARGETS_MAX).time_to_idle(TARGET_IDLE).build() }
    }

    pub fn idle(&self, target: &DatabaseTarget) -> Arc<IdleConnections<C>> {
        let dsn = &target.dsn;
        let key = (
            dsn.host.clone(),
            dsn.port,
            dsn.database.clone(),
            target.user.clone(),
            Sha256::digest(target.password.expose()).into(),
            target.tls.clone(),
        );
        self.targets.get_with(key, || Arc::new(IdleConnections { connections: Mutex::default() }))
    }
}

impl<C> IdleConnections<C> {
    /// The connection used last, so that the others age and are closed.
    pub fn take(&self) -> Option<C> {
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.retain(|(_, since)| since.elapsed() < IDLE_TIME);
        connections.pop().map(|(connection, _)| connection)
    }

    /// Returns a connection to the pool, or closes it if the pool is full.
    pub fn put(&self, connection: C) {
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        if connections.len() < IDLE_MAX {
            connections.push((connection, Instant::now()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_are_kept() {
        let idle = IdleConnections { connections: Mutex::default() };
        (0..IDLE_MAX + 3).for_each(|number| idle.put(number));
        let taken: Vec<usize> = std::iter::from_fn(|| idle.take()).collect();
        assert_eq!(taken, (0..IDLE_MAX).rev().collect::<Vec<_>>());
    }
}
