//! A fresh database for each test.
#![expect(clippy::expect_used, reason = "a test fails where its database does")]

mod at_rest;
mod audit;
mod blocked;
mod compact_json;
mod dump;
mod facts;
mod message_bus;
mod rekey;
mod space;
mod unreadable;
mod upgrade;

use chrono::DateTime;
use domain::instant::Instant;
use domain::ports::Store;
use domain::secret::Secret;
use std::pin::Pin;
use store::{EncryptionKey, SqlStore, StoreConfig};

pub type Behavior = for<'a> fn(&'a dyn Store) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

fn now() -> Instant {
    DateTime::from_timestamp(1_700_000_000, 0).expect("a time in range")
}

fn config(url: &str) -> StoreConfig {
    StoreConfig {
        url: Secret::new(url),
        pool_max: 8,
        key: EncryptionKey::from_secret(&Secret::new("a test key")),
    }
}

pub async fn on_memory(behavior: Behavior) {
    let store = SqlStore::open(config("sqlite::memory:")).await.expect("SQLite in memory");
    behavior(&store).await;
    store.close().await;
}

pub async fn on_file(behavior: Behavior) {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    let store = SqlStore::open(config(&url)).await.expect("SQLite in a file");
    behavior(&store).await;
    store.close().await;
}

pub async fn on_postgres(behavior: Behavior) {
    let Some(server) = testkit::postgres::server("the suite of the store") else { return };
    let migrate = async |url: String| SqlStore::open(config(&url)).await.expect("PostgreSQL").close().await;
    let test = move |url: String| async move {
        let store = SqlStore::open(config(&url)).await.expect("PostgreSQL");
        behavior(&store).await;
        store.close().await;
    };
    testkit::postgres::with_copy(&server, migrate, test).await;
}
