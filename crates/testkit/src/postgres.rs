//! A PostgreSQL database that lives as long as one test, on the server of `SVC_TEST_POSTGRES`.

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use tokio::task::JoinSet;

/// The server for PostgreSQL tests; skips the `suite` when there is none.
pub fn server(suite: &str) -> Option<String> {
    crate::given("SVC_TEST_POSTGRES", &format!("{suite} on PostgreSQL"))
}

/// The server that has pgvector; skips the `suite` when there is none.
pub fn server_with_pgvector(suite: &str) -> Option<String> {
    crate::given("SVC_TEST_PGVECTOR", suite)
}

/// Runs a test with the URL of a database of its own, which is dropped also when the test fails.
pub async fn with_database<F>(server: &str, test: impl FnOnce(String) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let database = TestDatabase::create(server).await;
    let mut running = JoinSet::new();
    running.spawn(test(database.url.clone()));
    let ended = running.join_next().await;
    database.drop().await;
    if let Some(Err(error)) = ended {
        std::panic::resume_unwind(error.into_panic());
    }
}

pub struct TestDatabase {
    server: String,
    name: String,
    pub url: String,
}

impl TestDatabase {
    pub async fn create(server: &str) -> Self {
        let name = format!("test_{:016x}", rand::random::<u64>());
        let (start, _) = server.rsplit_once('/').expect("postgres://…/database");
        let database = Self { server: server.to_owned(), url: format!("{start}/{name}"), name };
        database.ask("CREATE DATABASE", "").await;
        database
    }

    pub async fn drop(&self) {
        self.ask("DROP DATABASE", "WITH (FORCE)").await;
    }

    async fn ask(&self, what: &str, how: &str) {
        let mut server = PgConnection::connect(&self.server).await.expect("the server of SVC_TEST_POSTGRES");
        // The name is ours: letters and digits only.
        let statement = AssertSqlSafe(format!("{what} {} {how}", self.name));
        server.execute(statement).await.expect("databases may be created there");
        server.close().await.expect("closed");
    }
}
