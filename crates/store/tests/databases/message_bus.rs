//! The message bus between the processes on one PostgreSQL database.

use super::config;
use sqlx::{Connection, PgConnection};
use store::SqlStore;
use testkit::suites::message_bus::messages_go_where_they_are_sent;

/// Terminates the listening connections.
async fn cut(url: &str) -> i64 {
    const TEXT: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
         WHERE datname = current_database() AND query LIKE 'LISTEN%'";
    let mut server = PgConnection::connect(url).await.expect("PostgreSQL");
    sqlx::query_scalar(TEXT).fetch_one(&mut server).await.expect("cut")
}

#[tokio::test]
async fn messages_go_where_they_are_sent_after_a_disconnect() {
    let Some(server) = testkit::postgres::server("news") else { return };
    testkit::postgres::with_database(&server, |url| async move {
        let here = SqlStore::open(config(&url)).await.expect("PostgreSQL");
        let there = SqlStore::open(config(&url)).await.expect("PostgreSQL");
        let buses = [&here, &there].map(|store| store.message_bus().expect("a message bus"));
        messages_go_where_they_are_sent(&buses[0], &buses[1]).await;
        assert_eq!(cut(&url).await, 2, "one connection of each process listens");
        messages_go_where_they_are_sent(&buses[0], &buses[1]).await;
    })
    .await;
}

#[tokio::test]
async fn sqlite_has_none() {
    let store = SqlStore::open(config("sqlite::memory:")).await.expect("SQLite in memory");
    assert!(store.message_bus().is_none());
}
