//! The suite of the port `TaskQueue`: for the queue in the database on SQLite, and on PostgreSQL if
//! `SVC_TEST_POSTGRES` is set; for the queue on NATS if `SVC_TEST_NATS` is set, and without a server.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use domain::ports::{Store, SystemClock, TaskQueue};
use domain::secret::Secret;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use store::{EncryptionKey, SqlStore, StoreConfig};
use tasks::queue::{NatsConfig, NatsQueue, SqlQueue};

type Behaviour = for<'a> fn(&'a dyn TaskQueue) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

async fn store(url: String) -> Arc<dyn Store> {
    Arc::new(open(url).await)
}

async fn open(url: String) -> SqlStore {
    let key = EncryptionKey::from_secret(&Secret::new("a test key"));
    SqlStore::open(StoreConfig { url: Secret::new(url), pool_max: 4, key }).await.unwrap()
}

async fn migrate(url: String) {
    open(url).await.close().await;
}

async fn on(url: String, behaviour: Behaviour) {
    behaviour(&SqlQueue::new(store(url).await, Arc::new(SystemClock))).await;
}

async fn on_nats(url: String, behaviour: Behaviour) {
    let config = NatsConfig::new(Secret::new(url), Duration::from_secs(15));
    let store = store("sqlite::memory:".to_owned()).await;
    let queue = NatsQueue::open(config, store, Arc::new(SystemClock)).await.unwrap();
    queue.connected(Duration::from_secs(10)).await.unwrap();
    behaviour(&queue).await;
}

/// The queue on NATS without a server.
async fn without_nats(behaviour: Behaviour) {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("nats://127.0.0.1:{port}");
    let config = NatsConfig::new(Secret::new(url), Duration::from_secs(15));
    let store = store("sqlite::memory:".to_owned()).await;
    behaviour(&NatsQueue::open(config, store, Arc::new(SystemClock)).await.unwrap()).await;
}

macro_rules! on_every_backend {
    ($($behaviour:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $behaviour() {
                let behaviour: crate::queue::Behaviour = |queue| Box::pin(testkit::suites::task_queue::$behaviour(queue));
                crate::queue::on("sqlite::memory:".to_owned(), behaviour).await;
            })*
        }
        mod postgres {
            $(#[tokio::test]
            async fn $behaviour() {
                let Some(server) = testkit::postgres::server("the suite of the task queue") else { return };
                let behaviour: crate::queue::Behaviour = |queue| Box::pin(testkit::suites::task_queue::$behaviour(queue));
                testkit::postgres::with_copy(&server, crate::queue::migrate, |url| crate::queue::on(url, behaviour)).await;
            })*
        }
        mod nats {
            $(#[tokio::test]
            async fn $behaviour() {
                let Some(url) = testkit::nats::queue("the suite of the task queue") else { return };
                let behaviour: crate::queue::Behaviour = |queue| Box::pin(testkit::suites::task_queue::$behaviour(queue));
                crate::queue::on_nats(url, behaviour).await;
            })*
        }
        mod without_nats {
            $(#[tokio::test]
            async fn $behaviour() {
                let behaviour: crate::queue::Behaviour = |queue| Box::pin(testkit::suites::task_queue::$behaviour(queue));
                crate::queue::without_nats(behaviour).await;
            })*
        }
    };
}

testkit::task_queue_behaviours!(on_every_backend);
