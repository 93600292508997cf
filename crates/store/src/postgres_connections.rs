//! Connections to a PostgreSQL database that are used again without a test.
//!
//! The pool tests each connection that is given back, which takes a task and a round trip, and lends the one that has
//! rested longest, whose caches are cold. A connection whose statement has ended needs no test: it is kept for the next
//! one.

use crate::error::needs_no_test;
use domain::ports::PoolUse;
use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, PgPool, Postgres, Transaction};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// One connection of the pool in this many may be kept; the others are left to transactions.
const KEPT_ONE_IN: u32 = 8;
/// A connection that has rested for longer goes through the pool.
const REST_MAX: Duration = Duration::from_secs(1);
/// A connection goes through the pool at least this often, so that the pool can replace an old one.
const KEPT_MAX: Duration = Duration::from_secs(60);

/// The connections of a pool.
#[derive(Clone)]
pub(crate) struct PostgresConnections {
    pool: PgPool,
    idle: Arc<Mutex<IdleConnections>>,
}

struct IdleConnections {
    /// Outside of the pool. The one that was used last is used first.
    kept: Vec<KeptConnection>,
    kept_max: usize,
    /// Callers that wait for the pool. While there are any, nothing is kept from them.
    waiting: usize,
    is_closed: bool,
}

/// A caller that waits for the pool.
struct Waiting(Arc<Mutex<IdleConnections>>);

struct KeptConnection {
    connection: PoolConnection<Postgres>,
    /// When the pool lent it.
    since: Instant,
    used: Instant,
}

/// A connection in use. If it is dropped, for example because its caller stopped waiting, the pool tests it.
pub(crate) struct UsedConnection {
    connection: PoolConnection<Postgres>,
    since: Instant,
    idle: Arc<Mutex<IdleConnections>>,
}

impl PostgresConnections {
    pub(crate) fn new(pool: PgPool) -> Self {
        let kept_max = (pool.options().get_max_connections() / KEPT_ONE_IN) as usize;
        let idle = IdleConnections { kept: Vec::new(), kept_max, waiting: 0, is_closed: false };
        Self { pool, idle: Arc::new(Mutex::new(idle)) }
    }

    /// The connection that was used last, or one of the pool.
    pub(crate) async fn acquire(&self) -> Result<UsedConnection, sqlx::Error> {
        let (connection, since) = match self.take_kept() {
            Ok(kept) => (kept.connection, kept.since),
            Err(_waiting) => (self.pool.acquire().await?, Instant::now()),
        };
        Ok(UsedConnection { connection, since, idle: Arc::clone(&self.idle) })
    }

    pub(crate) async fn begin(&self) -> Result<Transaction<'static, Postgres>, sqlx::Error> {
        let UsedConnection { connection, .. } = self.acquire().await?;
        Transaction::begin(connection, None).await
    }

    /// The pool itself, for those that manage its connections on their own.
    pub(crate) fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// Waits for the connections in use and closes all.
    pub(crate) async fn close(&self) {
        let kept = {
            let mut idle = lock(&self.idle);
            idle.is_closed = true;
            std::mem::take(&mut idle.kept)
        };
        let closed = self.pool.close();
        drop(kept); // given back to the pool, which closes them
        closed.await;
    }

    pub(crate) fn pool_use(&self, name: &'static str) -> PoolUse {
        let idle = self.pool.num_idle() + self.count_kept();
        let (size, max) = (self.pool.size(), self.pool.options().get_max_connections());
        let idle = u32::try_from(idle).unwrap_or(u32::MAX);
        PoolUse { pool: name, max, size, in_use: size.saturating_sub(idle) }
    }

    pub(crate) fn count_kept(&self) -> usize {
        lock(&self.idle).kept.len()
    }

    /// A connection that need not go through the pool. Otherwise the caller waits for the pool.
    fn take_kept(&self) -> Result<KeptConnection, Waiting> {
        let mut idle = lock(&self.idle);
        // One that is not fresh is given back to the pool.
        if let Some(kept) = idle.kept.pop()
            && kept.used.elapsed() < REST_MAX
            && kept.since.elapsed() < KEPT_MAX
        {
            return Ok(kept);
        }
        idle.waiting += 1;
        Err(Waiting(Arc::clone(&self.idle)))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        lock(&self.0).waiting -= 1;
    }
}

impl UsedConnection {
    /// Gives the connection back after its last statement, outside of a transaction: without a test unless the
    /// statement failed.
    pub(crate) fn keep_after<T>(self, outcome: &Result<T, sqlx::Error>) {
        if !needs_no_test(outcome) {
            return;
        }
        let Self { connection, since, idle } = self;
        let mut idle = lock(&idle);
        if !idle.is_closed && idle.waiting == 0 && idle.kept.len() < idle.kept_max {
            idle.kept.push(KeptConnection { connection, since, used: Instant::now() });
        }
    }
}

impl Deref for UsedConnection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.connection
    }
}

impl DerefMut for UsedConnection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.connection
    }
}

impl Drop for IdleConnections {
    /// Not given back to the pool: that needs a runtime, which may have ended.
    fn drop(&mut self) {
        self.kept.drain(..).for_each(|kept| drop(kept.connection.leak()));
    }
}

fn lock(idle: &Mutex<IdleConnections>) -> MutexGuard<'_, IdleConnections> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use sqlx::postgres::PgPoolOptions;

    async fn open(url: &str, connections: u32) -> PostgresConnections {
        let pool = PgPoolOptions::new().max_connections(connections).connect(url).await;
        PostgresConnections::new(pool.expect("a server"))
    }

    async fn use_one(connections: &PostgresConnections) {
        let mut connection = connections.acquire().await.expect("a connection");
        let one = sqlx::query_scalar::<_, i32>("SELECT 1").fetch_one(&mut *connection).await;
        connection.keep_after(&one);
        assert_eq!(one.expect("told"), 1);
    }

    /// Uses a connection, and makes it older than it is.
    async fn keep_one_of(connections: &PostgresConnections, since: Duration, used: Duration) -> Instant {
        use_one(connections).await;
        let mut idle = lock(&connections.idle);
        let [kept] = &mut idle.kept[..] else { panic!("one is kept") };
        kept.since = kept.since.checked_sub(since).expect("a time");
        kept.used = kept.used.checked_sub(used).expect("a time");
        kept.since
    }

    #[tokio::test]
    async fn a_connection_that_is_kept_too_long_goes_through_the_pool() {
        let Some(server) = testkit::postgres::server("the age of kept connections") else { return };
        let connections = open(&server, KEPT_ONE_IN).await;
        let (young, short) = (KEPT_MAX / 2, Duration::ZERO);
        for (since, used, is_lent_again) in
            [(young, short, true), (KEPT_MAX, short, false), (young, REST_MAX, false)]
        {
            let lent = keep_one_of(&connections, since, used).await;
            let connection = connections.acquire().await.expect("a connection");
            assert_eq!(connection.since == lent, is_lent_again, "{since:?}, {used:?}");
            assert_eq!(connections.count_kept(), 0);
        }
        connections.close().await;
    }

    #[tokio::test]
    async fn a_small_pool_keeps_no_connection() {
        let Some(server) = testkit::postgres::server("the connections of a small pool") else { return };
        for (max, kept) in [(KEPT_ONE_IN - 1, 0), (KEPT_ONE_IN, 1)] {
            let connections = open(&server, max).await;
            use_one(&connections).await;
            assert_eq!(connections.count_kept(), kept, "{max}");
            connections.close().await;
            assert_eq!(connections.count_kept(), 0, "closed");
        }
    }

    #[tokio::test]
    async fn nothing_is_kept_from_those_who_wait() {
        let Some(server) = testkit::postgres::server("connections for transactions") else { return };
        let connections = open(&server, KEPT_ONE_IN).await;
        use_one(&connections).await;
        let kept = connections.begin().await.expect("begun");
        assert_eq!((connections.count_kept(), connections.pool.size()), (0, 1), "it began on the kept one");
        let mut held = Vec::new();
        for _ in 1..KEPT_ONE_IN {
            held.push(connections.acquire().await.expect("a connection"));
        }
        let mut waiting = Box::pin(connections.begin());
        assert!((&mut waiting).now_or_never().is_none(), "all are in use");
        held.pop().expect("one of many").keep_after(&Ok(()));
        assert_eq!(connections.count_kept(), 0);
        drop(waiting.await.expect("begun"));
        drop((kept, held));
        connections.close().await;
    }

    #[tokio::test]
    async fn a_kept_connection_is_not_in_use() {
        let Some(server) = testkit::postgres::server("the use of a pool") else { return };
        let connections = open(&server, KEPT_ONE_IN).await;
        use_one(&connections).await;
        assert_eq!((connections.count_kept(), connections.pool_use("all").in_use), (1, 0));
        let connection = connections.acquire().await.expect("a connection");
        assert_eq!((connections.count_kept(), connections.pool_use("all").in_use), (0, 1));
        drop(connection);
        connections.close().await;
    }
}
