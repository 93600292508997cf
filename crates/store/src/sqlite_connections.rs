//! Connections to an SQLite database that are used again without a test.
//!
//! The driver tests every connection that is given back, in a task of its own: that wakes the thread that owns the
//! connection a second time, and takes as long as a small statement. A connection whose statement has ended needs no
//! test: it is passed to the next caller at once.

use crate::error::needs_no_test;
use domain::ports::PoolUse;
use sqlx::pool::PoolConnection;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{SqlSafeStr, Sqlite, SqliteConnection, SqlitePool, Transaction};
use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// The connections of a pool. Everybody takes them from here: a caller that waits for the pool itself would not get a
/// connection that is kept here.
#[derive(Clone)]
pub(crate) struct SqliteConnections {
    pool: SqlitePool,
    idle: Arc<Mutex<IdleConnections>>,
}

#[derive(Default)]
struct IdleConnections {
    /// Outside of the pool. The one that was used last is used first: its pages and statements are in memory.
    kept: Vec<PoolConnection<Sqlite>>,
    /// Callers that wait for a connection, first come, first served. They wait for the pool as well: connections that
    /// need a test come back there.
    waiting: VecDeque<oneshot::Sender<PoolConnection<Sqlite>>>,
    is_closed: bool,
}

/// A connection in use. If it is dropped, for example because its caller stopped waiting, the driver tests it.
pub(crate) struct UsedConnection {
    connection: PoolConnection<Sqlite>,
    idle: Arc<Mutex<IdleConnections>>,
}

impl SqliteConnections {
    pub(crate) fn new(pool: SqlitePool) -> Self {
        Self { pool, idle: Arc::default() }
    }

    pub(crate) async fn acquire(&self) -> Result<UsedConnection, sqlx::Error> {
        let connection = match self.take_kept() {
            Ok(connection) => connection,
            // The pool opens another connection. Waiting for a kept one as well would mean to give that up halfway.
            Err(_) if self.pool.size() < self.pool.options().get_max_connections() => {
                self.pool.acquire().await?
            }
            Err(next_kept) => tokio::select! {
                biased;
                Ok(connection) = next_kept => connection,
                connection = self.pool.acquire() => connection?,
            },
        };
        Ok(UsedConnection { connection, idle: Arc::clone(&self.idle) })
    }

    /// Begins a transaction with this statement.
    pub(crate) async fn begin_with(
        &self,
        statement: &'static str,
    ) -> Result<Transaction<'static, Sqlite>, sqlx::Error> {
        let UsedConnection { connection, .. } = self.acquire().await?;
        Transaction::begin(connection, Some(statement.into_sql_str())).await
    }

    pub(crate) fn connect_options(&self) -> Arc<SqliteConnectOptions> {
        self.pool.connect_options()
    }

    /// Waits for the connections in use and closes all.
    pub(crate) async fn close(&self) {
        let kept = {
            let mut idle = lock(&self.idle);
            idle.is_closed = true;
            idle.waiting.clear(); // the pool refuses them
            std::mem::take(&mut idle.kept)
        };
        let closed = self.pool.close();
        drop(kept); // given back to the pool, which closes them
        closed.await;
    }

    pub(crate) fn pool_use(&self, name: &'static str) -> PoolUse {
        let idle = self.pool.num_idle() + lock(&self.idle).kept.len();
        let (size, max) = (self.pool.size(), self.pool.options().get_max_connections());
        let idle = u32::try_from(idle).unwrap_or(u32::MAX);
        PoolUse { pool: name, max, size, in_use: size.saturating_sub(idle) }
    }

    /// A kept connection, or where the next one arrives.
    fn take_kept(&self) -> Result<PoolConnection<Sqlite>, oneshot::Receiver<PoolConnection<Sqlite>>> {
        let mut idle = lock(&self.idle);
        if let Some(connection) = idle.kept.pop() {
            return Ok(connection);
        }
        // Those who wait no longer would make the list longer and longer.
        idle.waiting.retain(|waiting| !waiting.is_closed());
        let (sender, next_kept) = oneshot::channel();
        if !idle.is_closed {
            idle.waiting.push_back(sender);
        }
        Err(next_kept)
    }
}

impl UsedConnection {
    /// Gives the connection back after its last statement, outside of a transaction: without a test unless the
    /// statement failed.
    pub(crate) fn keep_after<T>(self, outcome: &Result<T, sqlx::Error>) {
        if needs_no_test(outcome) {
            self.keep();
        }
    }

    fn keep(self) {
        let Self { mut connection, idle } = self;
        let mut idle = lock(&idle);
        while let Some(waiting) = idle.waiting.pop_front() {
            match waiting.send(connection) {
                Ok(()) => return,
                Err(refused) => connection = refused, // waits no longer
            }
        }
        if !idle.is_closed {
            idle.kept.push(connection);
        }
    }
}

impl Deref for UsedConnection {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.connection
    }
}

impl DerefMut for UsedConnection {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}

impl Drop for IdleConnections {
    /// Not given back to the pool: that needs a runtime, which may have ended.
    fn drop(&mut self) {
        self.kept.drain(..).for_each(|connection| drop(connection.leak()));
    }
}

fn lock(idle: &Mutex<IdleConnections>) -> MutexGuard<'_, IdleConnections> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use sqlx::sqlite::SqlitePoolOptions;
    use std::time::Duration;
    use tokio::task::JoinSet;

    /// A test that waits longer than this hangs.
    const HANGS: Duration = Duration::from_secs(20);

    fn open(connections: u32) -> SqliteConnections {
        let options = SqlitePoolOptions::new().max_connections(connections).acquire_timeout(HANGS);
        let pool = options.connect_lazy("sqlite::memory:").expect("an address");
        SqliteConnections::new(pool)
    }

    fn kept(connections: &SqliteConnections) -> usize {
        lock(&connections.idle).kept.len()
    }

    fn waiting(connections: &SqliteConnections) -> usize {
        lock(&connections.idle).waiting.iter().filter(|waiting| !waiting.is_closed()).count()
    }

    async fn use_one(connections: &SqliteConnections) {
        let mut connection = connections.acquire().await.expect("a connection");
        let one: i64 = sqlx::query_scalar("SELECT 1").fetch_one(&mut *connection).await.expect("one");
        assert_eq!(one, 1);
        connection.keep();
    }

    #[tokio::test]
    async fn a_kept_connection_is_used_again_at_once() {
        let connections = open(2);
        for _ in 0..3 {
            use_one(&connections).await;
            assert_eq!((kept(&connections), connections.pool.num_idle()), (1, 0));
        }
        let again = connections.acquire().now_or_never();
        assert!(again.is_some_and(|again| again.is_ok()), "nobody is asked");
        assert_eq!(connections.pool.size(), 1);
    }

    #[tokio::test]
    async fn a_kept_connection_is_not_in_use() {
        let connections = open(2);
        use_one(&connections).await;
        let used = |connections: &SqliteConnections| {
            let PoolUse { max, size, in_use, .. } = connections.pool_use("read");
            (max, size, in_use)
        };
        assert_eq!(used(&connections), (2, 1, 0));
        let connection = connections.acquire().await.expect("a connection");
        assert_eq!(used(&connections), (2, 1, 1));
        connection.keep();
        assert_eq!(used(&connections), (2, 1, 0));
    }

    #[tokio::test]
    async fn a_caller_that_waits_gets_the_connection() {
        let connections = open(1);
        for _ in 0..3 {
            let connection = connections.acquire().await.expect("a connection");
            let mut waiter = JoinSet::new();
            waiter.spawn({
                let connections = connections.clone();
                async move { use_one(&connections).await }
            });
            while waiting(&connections) == 0 {
                tokio::task::yield_now().await;
            }
            connection.keep();
            assert_eq!((kept(&connections), waiting(&connections)), (0, 0), "it has a new user");
            let used = tokio::time::timeout(HANGS, waiter.join_next()).await.expect("in time");
            used.expect("a task").expect("used");
            assert_eq!(kept(&connections), 1, "nobody waits any more");
        }
        assert_eq!(connections.pool.num_idle(), 0, "the pool had no part in it");
    }

    #[tokio::test]
    async fn a_caller_that_waits_gets_a_connection_that_is_tested() {
        let connections = open(1);
        for _ in 0..3 {
            let connection = connections.acquire().await.expect("a connection");
            let mut waiter = Box::pin(use_one(&connections));
            assert!((&mut waiter).now_or_never().is_none());
            assert_eq!(waiting(&connections), 1);
            drop(connection);
            tokio::time::timeout(HANGS, waiter).await.expect("in time");
            assert_eq!((kept(&connections), waiting(&connections)), (1, 0));
        }
    }

    #[tokio::test]
    async fn a_list_of_callers_that_gave_up_is_short() {
        let connections = open(1);
        let connection = connections.acquire().await.expect("a connection");
        for _ in 0..10 {
            assert!(connections.acquire().now_or_never().is_none());
            assert!(lock(&connections.idle).waiting.len() <= 1);
        }
        connection.keep();
        assert_eq!(kept(&connections), 1);
    }

    #[tokio::test]
    async fn a_connection_is_kept_unless_its_statement_failed() {
        let connections = open(1);
        for (text, count) in [("SELECT 1", 1), ("SELECT 1 WHERE FALSE", 1), ("SELECT no_column", 0)] {
            let mut connection = connections.acquire().await.expect("a connection");
            let outcome = sqlx::query_scalar::<_, i64>(text).fetch_one(&mut *connection).await;
            connection.keep_after(&outcome);
            assert_eq!(kept(&connections), count, "{text}");
        }
    }

    #[tokio::test]
    async fn connections_are_opened_up_to_the_maximum() {
        let connections = open(3);
        let first = connections.acquire().await.expect("a connection");
        let second = Box::pin(connections.acquire());
        let third = Box::pin(connections.acquire());
        let (second, third) = tokio::join!(second, third);
        assert_eq!(connections.pool.size(), 3, "nobody waited for the first one");
        first.keep_after(&Ok(()));
        assert_eq!(kept(&connections), 1);
        drop((second, third));
    }

    #[tokio::test]
    async fn a_dropped_connection_is_given_back_to_the_pool() {
        let connections = open(1);
        drop(connections.acquire().await.expect("a connection"));
        use_one(&connections).await;
        assert_eq!((kept(&connections), connections.pool.size()), (1, 1));
    }

    #[tokio::test]
    async fn a_transaction_takes_a_kept_connection() {
        let connections = open(1);
        use_one(&connections).await;
        let tx = connections.begin_with("BEGIN IMMEDIATE").await.expect("begun");
        assert_eq!(kept(&connections), 0);
        tx.commit().await.expect("committed");
        tokio::time::timeout(HANGS, use_one(&connections)).await.expect("the connection is free again");
    }

    #[tokio::test]
    async fn nothing_is_kept_after_closing() {
        let connections = open(2);
        use_one(&connections).await;
        let in_use = connections.acquire().await.expect("a connection");
        let mut closing = Box::pin(connections.close());
        assert!((&mut closing).now_or_never().is_none(), "one is in use");
        in_use.keep();
        tokio::time::timeout(HANGS, closing).await.expect("closed");
        assert_eq!((kept(&connections), connections.pool.size()), (0, 0));
        assert!(matches!(connections.acquire().await, Err(sqlx::Error::PoolClosed)));
    }

    #[test]
    fn kept_connections_may_outlive_their_runtime() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let connections = runtime.block_on(async {
            let connections = open(1);
            use_one(&connections).await;
            connections
        });
        drop(runtime);
        drop(connections);
    }
}
