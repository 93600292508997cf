//! Connections that are kept between questions, so that a search does not pay for opening one.

use super::database::Place;
use super::dsn::Tls;
use moka::sync::Cache;
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Databases whose connections are kept, and how long after the last question.
const PLACES_MAX: u64 = 200;
const PLACE_IDLE: Duration = Duration::from_secs(300);
/// Idle connections to one database, and how long one stays.
const IDLE_MAX: usize = 8;
const IDLE_TIME: Duration = Duration::from_secs(60);

/// Host, port, database, user, a hash of the password, trust: who differs in one of them shares nothing.
type Key = (String, u16, String, String, [u8; 32], Tls);

/// All connections of one kind of database.
pub struct Kept<C: Send + 'static> {
    places: Cache<Key, Arc<Idle<C>>>,
}

/// The connections to one database that nobody uses now.
pub struct Idle<C> {
    connections: Mutex<Vec<(C, Instant)>>,
}

impl<C: Send + 'static> Kept<C> {
    pub fn new() -> Self {
        Self { places: Cache::builder().max_capacity(PLACES_MAX).time_to_idle(PLACE_IDLE).build() }
    }

    pub fn at(&self, place: &Place) -> Arc<Idle<C>> {
        let dsn = &place.dsn;
        let key = (
            dsn.host.clone(),
            dsn.port,
            dsn.database.clone(),
            place.user.clone(),
            Sha256::digest(place.password.expose()).into(),
            place.tls.clone(),
        );
        self.places.get_with(key, || Arc::new(Idle { connections: Mutex::default() }))
    }
}

impl<C> Idle<C> {
    /// The one that was used last; the others grow old and are closed.
    pub fn take(&self) -> Option<C> {
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.retain(|(_, since)| since.elapsed() < IDLE_TIME);
        connections.pop().map(|(connection, _)| connection)
    }

    /// Keeps a connection that can be used again; with enough of them it is closed.
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
        let idle = Idle { connections: Mutex::default() };
        (0..IDLE_MAX + 3).for_each(|number| idle.put(number));
        let taken: Vec<usize> = std::iter::from_fn(|| idle.take()).collect();
        assert_eq!(taken, (0..IDLE_MAX).rev().collect::<Vec<_>>());
    }
}
