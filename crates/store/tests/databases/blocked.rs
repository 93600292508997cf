//! A process that hangs in a transaction blocks nobody else.

use super::config;
use sqlx::{Connection, PgConnection};
use std::time::Duration;
use store::SqlStore;
use testkit::suites::store::{finished, new_search, person, set};
use tokio::task::JoinSet;

/// Shorter than the lock timeout, so that nobody gets through by the other's error.
const TIME_MAX: Duration = Duration::from_secs(8);

/// One process hangs while finishing a run, after it has assigned result ids.
#[tokio::test(flavor = "multi_thread")]
async fn runs_end_while_another_process_hangs_in_its_own() {
    use domain::ports::SearchStore;
    let Some(server) = testkit::postgres::server("a process that hangs") else { return };
    testkit::postgres::with_database(&server, |url| async move {
        let hanging = SqlStore::open(config(&url)).await.expect("opens");
        let other = SqlStore::open(config(&url)).await.expect("opens");
        let owner = person(&hanging, "owner").await.id;
        let held = new_search(&hanging, owner, "held", 0).await;
        let mut searches = Vec::new();
        for seconds in 1..=5 {
            searches.push(new_search(&other, owner, "free", seconds).await);
        }

        // Anybody who saves results of the first provider for this search waits for this transaction.
        let mut blocker = PgConnection::connect(&url).await.expect("connects");
        let mut blocking = blocker.begin().await.expect("begun");
        let row = "INSERT INTO result_sets (search_id, provider_id, found, retrieved, time_s, item_count, \
                   date_created, date_updated, detail, items) \
                   VALUES ($1, 1, 0, 0, 0, 0, now(), now(), '{}', '[]')";
        sqlx::query(row).bind(held.id.0).execute(&mut *blocking).await.expect("inserted");
        let run = finished(&held, vec![set(held.id, 1, &["a", "b"])]);
        let mut waiting = JoinSet::new();
        waiting.spawn({
            let hanging = hanging.clone();
            async move { hanging.finish_run(run).await }
        });
        let waits = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND \
                     wait_event_type = 'Lock' AND query LIKE 'WITH ended AS (UPDATE searches %')";
        // Inside a transaction the server would always report the same.
        let mut watcher = PgConnection::connect(&url).await.expect("connects");
        while !sqlx::query_scalar::<_, bool>(waits).fetch_one(&mut watcher).await.expect("told") {
            assert!(waiting.try_join_next().is_none(), "it waits for the blocking transaction");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }

        for search in &searches {
            let run = finished(search, vec![set(search.id, 1, &["a", "b"])]);
            let ended = tokio::time::timeout(TIME_MAX, other.finish_run(run)).await;
            assert!(ended.expect("nobody waits").expect("saved").is_some(), "{}", search.id);
        }
        blocking.rollback().await.expect("left");
        let ended = waiting.join_next().await.expect("one").expect("ends");
        assert!(ended.expect("saved").is_some(), "it goes on where it was");
        for store in [hanging, other] {
            store.close().await;
        }
    })
    .await;
}
