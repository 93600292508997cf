//! A PostgreSQL database per test, on the server of `SVC_TEST_POSTGRES`.

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use std::hash::{DefaultHasher, Hash, Hasher};
use tokio::task::JoinSet;

/// Held while a template is created.
const LOCK: i64 = 7_411_020;

/// The server for PostgreSQL tests; skips the `suite` if there is none.
pub fn server(suite: &str) -> Option<String> {
    crate::given("SVC_TEST_POSTGRES", &format!("{suite} on PostgreSQL"))
}

/// The server with pgvector; skips the `suite` if there is none.
pub fn server_with_pgvector(suite: &str) -> Option<String> {
    crate::given("SVC_TEST_PGVECTOR", suite)
}

/// Runs a test with the URL of its own database, which is dropped even if the test fails.
pub async fn with_database<F>(server: &str, test: impl FnOnce(String) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    run(TestDatabase::create(server).await, test).await;
}

/// Like `with_database`, on a copy of a database that `prepare` has filled: once per server and test program, because
/// copying the tables is faster than running the migrations.
pub async fn with_copy<F>(server: &str, prepare: impl AsyncFnOnce(String), test: impl FnOnce(String) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let template = template(server, prepare).await;
    run(TestDatabase::create_from(server, &template).await, test).await;
}

async fn run<F>(database: TestDatabase, test: impl FnOnce(String) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
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
        Self::create_from(server, "template1").await
    }

    async fn create_from(server: &str, template: &str) -> Self {
        let name = format!("test_{:016x}", rand::random::<u64>());
        let database = Self { server: server.to_owned(), url: url_of(server, &name), name };
        database.ask("CREATE DATABASE", &format!("TEMPLATE {template}")).await;
        database
    }

    pub async fn drop(&self) {
        self.ask("DROP DATABASE", "WITH (FORCE)").await;
    }

    async fn ask(&self, what: &str, how: &str) {
        let mut server = connect(&self.server).await;
        execute(&mut server, format!("{what} {} {how}", self.name)).await;
        server.close().await.expect("closed");
    }
}

/// The name of the template of this test program. Other processes wait for the one that creates it; one that is killed
/// leaves it unfinished under another name.
async fn template(server: &str, prepare: impl AsyncFnOnce(String)) -> String {
    let name = format!("template_{:016x}", program());
    let mut connection = connect(server).await;
    execute(&mut connection, format!("SELECT pg_advisory_lock({LOCK})")).await;
    let found = sqlx::query("SELECT 1 FROM pg_database WHERE datname = $1").bind(&name);
    if connection.fetch_optional(found).await.expect("the databases").is_none() {
        let unfinished = format!("{name}_unfinished");
        execute(&mut connection, format!("DROP DATABASE IF EXISTS {unfinished} WITH (FORCE)")).await;
        execute(&mut connection, format!("CREATE DATABASE {unfinished}")).await;
        prepare(url_of(server, &unfinished)).await;
        execute(&mut connection, format!("ALTER DATABASE {unfinished} RENAME TO {name}")).await;
    }
    connection.close().await.expect("closed");
    name
}

/// Changes with every build of the test program, and so with every change of the migrations.
fn program() -> u64 {
    let path = std::env::current_exe().expect("a test is a program");
    let built = path.metadata().and_then(|file| file.modified()).expect("its time");
    let mut hasher = DefaultHasher::new();
    (path, built).hash(&mut hasher);
    hasher.finish()
}

fn url_of(server: &str, database: &str) -> String {
    let (start, _) = server.rsplit_once('/').expect("postgres://…/database");
    format!("{start}/{database}")
}

async fn connect(server: &str) -> PgConnection {
    PgConnection::connect(server).await.expect("the server of SVC_TEST_POSTGRES")
}

/// All names in the statement are generated: ASCII alphanumeric characters and underscores.
async fn execute(server: &mut PgConnection, statement: String) {
    server.execute(AssertSqlSafe(statement)).await.expect("databases may be created there");
}
