//! A fresh database for each test, and its end.
#![expect(clippy::expect_used, reason = "a test fails where its database does")]

mod at_rest;

use domain::contracts::Store;
use domain::secret::Secret;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use std::pin::Pin;
use store::{SealKey, SqlStore, StoreConfig};
use tokio::task::JoinSet;

pub type Behaviour = for<'a> fn(&'a dyn Store) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

fn config(url: &str) -> StoreConfig {
    StoreConfig { url: Secret::new(url), pool_max: 8, key: SealKey::from_secret(&Secret::new("a test key")) }
}

pub async fn on_memory(behaviour: Behaviour) {
    let store = SqlStore::open(config("sqlite::memory:")).await.expect("SQLite in memory");
    behaviour(&store).await;
    store.close().await;
}

pub async fn on_file(behaviour: Behaviour) {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    let store = SqlStore::open(config(&url)).await.expect("SQLite in a file");
    behaviour(&store).await;
    store.close().await;
}

pub async fn on_postgres(behaviour: Behaviour) {
    let Some(server) = postgres_server() else { return };
    let database = PostgresDatabase::create(&server).await;
    let url = database.url.clone();
    // In a task of its own, so that the database is dropped when the test fails as well.
    let mut test = JoinSet::new();
    test.spawn(async move {
        let store = SqlStore::open(config(&url)).await.expect("PostgreSQL");
        behaviour(&store).await;
        store.close().await;
    });
    let ended = test.join_next().await.expect("one task");
    database.drop().await;
    if let Err(error) = ended {
        std::panic::resume_unwind(error.into_panic());
    }
}

/// The server for PostgreSQL tests; says so when there is none.
#[expect(clippy::disallowed_methods, reason = "a test learns from the environment which servers are running")]
fn postgres_server() -> Option<String> {
    let server = std::env::var("SVC_TEST_POSTGRES").ok();
    if server.is_none() {
        eprintln!("skipped: the PostgreSQL suite of the store, because SVC_TEST_POSTGRES is not set");
    }
    server
}

struct PostgresDatabase {
    server: String,
    name: String,
    url: String,
}

impl PostgresDatabase {
    async fn create(server: &str) -> Self {
        let name = format!("store_{:016x}", rand::random::<u64>());
        let (start, _) = server.rsplit_once('/').expect("postgres://…/database");
        let database = Self { server: server.to_owned(), url: format!("{start}/{name}"), name };
        database.ask("CREATE DATABASE").await;
        database
    }

    async fn drop(&self) {
        self.ask("DROP DATABASE").await;
    }

    async fn ask(&self, what: &str) {
        let mut server = PgConnection::connect(&self.server).await.expect("the server of SVC_TEST_POSTGRES");
        // The name is ours: letters and digits only.
        let force = if what.starts_with("DROP") { " WITH (FORCE)" } else { "" };
        let statement = AssertSqlSafe(format!("{what} {}{force}", self.name));
        server.execute(statement).await.expect("databases may be created there");
        server.close().await.expect("closed");
    }
}
