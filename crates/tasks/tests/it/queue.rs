//! The suite of the port `TaskQueue`: for the queue in the database on SQLite, and on PostgreSQL if
//! `SVC_TEST_POSTGRES` is set; for the queue on NATS if `SVC_TEST_NATS` is set, and without a server.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use domain::ports::{SystemClock, TaskQueue};
use domain::secret::Secret;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use store::{EncryptionKey, SqlStore, StoreConfig};
use tasks::queue::{NatsConfig, NatsQueue, SqlQueue};

type Behavior = for<'a> fn(&'a dyn TaskQueue) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

async fn store(url: String) -> Arc<SqlStore> {
    Arc::new(open(url).await)
}

async fn open(url: String) -> SqlStore {
    let key = EncryptionKey::from_secret(&Secret::new("a test key"));
    SqlStore::open(StoreConfig { url: Secret::new(url), pool_max: 4, key }).await.unwrap()
}

async fn migrate(url: String) {
    open(url).await.close().await;
}

async fn on(url: String, behavior: Behavior) {
    behavior(&SqlQueue::new(store(url).await, Arc::new(SystemClock))).await;
}

async fn on_nats(url: String, behavior: Behavior) {
    let config = NatsConfig::new(Secret::new(url), Duration::from_secs(15));
    let store = store("sqlite::memory:".to_owned()).await;
    let queue = NatsQueue::open(config, store, Arc::new(SystemClock)).await.unwrap();
    queue.connected(Duration::from_secs(10)).await.unwrap();
    behavior(&queue).await;
}

/// The queue on NATS without a server.
async fn without_nats(behavior: Behavior) {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("nats://127.0.0.1:{port}");
    let config = NatsConfig::new(Secret::new(url), Duration::from_secs(15));
    let store = store("sqlite::memory:".to_owned()).await;
    behavior(&NatsQueue::open(config, store, Arc::new(SystemClock)).await.unwrap()).await;
}

macro_rules! on_every_backend {
    ($($behavior:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $behavior() {
                let behavior: crate::queue::Behavior = |queue| Box::pin(testkit::suites::task_queue::$behavior(queue));
                crate::queue::on("sqlite::memory:".to_owned(), behavior).await;
            })*
        }
        mod postgres {
            $(#[tokio::test]
            async fn $behavior() {
                let Some(server) = testkit::postgres::server("the suite of the task queue") else { return };
                let behavior: crate::queue::Behavior = |queue| Box::pin(testkit::suites::task_queue::$behavior(queue));
                testkit::postgres::with_copy(&server, crate::queue::migrate, |url| crate::queue::on(url, behavior)).await;
            })*
        }
        mod nats {
            $(#[tokio::test]
            async fn $behavior() {
                let Some(url) = testkit::nats::queue("the suite of the task queue") else { return };
                let behavior: crate::queue::Behavior = |queue| Box::pin(testkit::suites::task_queue::$behavior(queue));
                crate::queue::on_nats(url, behavior).await;
            })*
        }
        mod without_nats {
            $(#[tokio::test]
            async fn $behavior() {
                let behavior: crate::queue::Behavior = |queue| Box::pin(testkit::suites::task_queue::$behavior(queue));
                crate::queue::without_nats(behavior).await;
            })*
        }
    };
}

testkit::task_queue_behaviors!(on_every_backend);
