//! Connections of PostgreSQL that are kept from one statement to the next. The pool tests each connection that is returned
//! to it, which takes a task and a round trip, and lends the one that has rested longest, whose caches are cold.

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Pool, Postgres};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// One connection of the pool in this many may be kept; the others are left to transactions.
const KEPT_ONE_IN: u32 = 8;
/// A connection that has rested for longer goes through the pool.
const REST_MAX: Duration = Duration::from_secs(1);
/// A connection goes through the pool at least this often, so that the pool can replace an old one.
const KEPT_MAX: Duration = Duration::from_secs(60);

pub(crate) struct KeptConnections {
    max: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    connections: Vec<KeptConnection>,
    is_closed: bool,
}

struct KeptConnection {
    connection: PoolConnection<Postgres>,
    /// When the pool lent it.
    since: Instant,
    used: Instant,
}

/// A connection for one statement. If it is dropped, it goes back to the pool.
pub(crate) struct LentConnection {
    connection: PoolConnection<Postgres>,
    since: Instant,
    kept: Arc<KeptConnections>,
}

impl KeptConnections {
    pub(crate) fn of_pool(connections_max: u32) -> Arc<Self> {
        let max = (connections_max / KEPT_ONE_IN) as usize;
        Arc::new(Self { max, state: Mutex::default() })
    }

    /// The connection that was used last, or one of the pool.
    pub(crate) async fn acquire(
        self: &Arc<Self>,
        pool: &Pool<Postgres>,
    ) -> Result<LentConnection, sqlx::Error> {
        let (connection, since) = match self.take() {
            Some(kept) => kept,
            None => (pool.acquire().await?, Instant::now()),
        };
        Ok(LentConnection { connection, since, kept: Arc::clone(self) })
    }

    fn take(&self) -> Option<(PoolConnection<Postgres>, Instant)> {
        let KeptConnection { connection, since, used } = self.lock().connections.pop()?;
        let is_fresh = used.elapsed() < REST_MAX && since.elapsed() < KEPT_MAX;
        is_fresh.then_some((connection, since))
    }

    fn put(&self, kept: KeptConnection) {
        let mut state = self.lock();
        if !state.is_closed && state.connections.len() < self.max {
            state.connections.push(kept);
        }
    }

    /// Returns all to the pool if it has no other connection for a transaction.
    pub(crate) fn yield_to_transaction(&self, pool: &Pool<Postgres>) {
        if pool.num_idle() == 0 && pool.size() >= pool.options().get_max_connections() {
            self.lock().connections.clear();
        }
    }

    /// How many are kept. The pool takes them for connections in use.
    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.lock().connections.len()).unwrap_or(u32::MAX)
    }

    /// Returns all to the pool, which waits for them when it is closed, and keeps none from now on.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.connections.clear();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for KeptConnections {
    /// Closes the connections, because they can be returned to the pool only inside of the runtime.
    fn drop(&mut self) {
        for kept in self.lock().connections.drain(..) {
            drop(kept.connection.leak());
        }
    }
}

impl LentConnection {
    pub(crate) fn connection(&mut self) -> &mut PgConnection {
        &mut self.connection
    }

    /// Keeps the connection for the next statement. After a failure the pool tests it.
    pub(crate) fn keep_after<T>(self, outcome: &Result<T, sqlx::Error>) {
        let Self { connection, since, kept } = self;
        if matches!(outcome, Ok(_) | Err(sqlx::Error::RowNotFound)) {
            kept.put(KeptConnection { connection, since, used: Instant::now() });
        }
    }
}
