//! The TaskQueue's contract for the queue in the database: on SQLite, and on PostgreSQL when
//! `SVC_TEST_POSTGRES` names a server.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use domain::contracts::{Store, SystemClock, TaskQueue};
use domain::secret::Secret;
use std::pin::Pin;
use std::sync::Arc;
use store::{SealKey, SqlStore, StoreConfig};
use tasks::queue::SqlQueue;

type Behaviour = for<'a> fn(&'a dyn TaskQueue) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

async fn on(url: String, behaviour: Behaviour) {
    let key = SealKey::from_secret(&Secret::new("a test key"));
    let config = StoreConfig { url: Secret::new(url), pool_max: 4, key };
    let store: Arc<dyn Store> = Arc::new(SqlStore::open(config).await.unwrap());
    behaviour(&SqlQueue::new(store, Arc::new(SystemClock))).await;
}

macro_rules! on_both_databases {
    ($($behaviour:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $behaviour() {
                let behaviour: crate::Behaviour = |queue| Box::pin(testkit::suites::task_queue::$behaviour(queue));
                crate::on("sqlite::memory:".to_owned(), behaviour).await;
            })*
        }
        mod postgres {
            $(#[tokio::test]
            async fn $behaviour() {
                let Some(server) = testkit::postgres::server("the suite of the task queue") else { return };
                let behaviour: crate::Behaviour = |queue| Box::pin(testkit::suites::task_queue::$behaviour(queue));
                testkit::postgres::with_database(&server, |url| crate::on(url, behaviour)).await;
            })*
        }
    };
}

testkit::task_queue_behaviours!(on_both_databases);
