//! Tests of the connections: the options of the databases, and statements that write.

use super::*;
use crate::STATEMENT_MAX;

/// They are set in `.cargo/config.toml`, which says why.
#[tokio::test]
async fn sqlite_is_compiled_with_the_options_for_many_connections() {
    let db = Db::open(&Secret::new("sqlite::memory:"), 1, STATEMENT_MAX).await.expect("opens");
    let Db::Sqlite(pools) = &db else { panic!("this is SQLite") };
    let mut connection = pools.read.acquire().await.expect("a connection");
    let options: Vec<String> =
        sqlx::query_scalar("PRAGMA compile_options").fetch_all(&mut *connection).await.expect("options");
    for (option, is_set) in
        [("ENABLE_QPSG", true), ("DEFAULT_MEMSTATUS=0", true), ("ENABLE_MEMORY_MANAGEMENT", false)]
    {
        assert_eq!(options.iter().any(|one| one == option), is_set, "{option} in {options:?}");
    }
}

#[tokio::test]
async fn statements_of_postgres_have_their_time() {
    let Some(server) = testkit::postgres::server("the time of a statement") else { return };
    let table = [
        (STATEMENT_MAX, "30s"),
        (Duration::from_millis(1500), "1500ms"),
        (Duration::ZERO, "1ms"),
        (Duration::from_secs(31_536_000), "2147483647ms"),
    ];
    for (statement_max, told) in table {
        let db = Db::open(&Secret::new(server.as_str()), 1, statement_max).await.expect("opens");
        let Db::Postgres(pools) = &db else { panic!("this is PostgreSQL") };
        let text = "SELECT current_setting('statement_timeout')";
        // A statement may exceed the shortest limit; it is repeated.
        let mut found: Result<String, sqlx::Error> = Err(sqlx::Error::RowNotFound);
        for _ in 0..100 {
            found = sqlx::query_scalar(text).fetch_one(pools.read.pool()).await;
            if found.is_ok() {
                break;
            }
        }
        assert_eq!(found.expect("told"), told);
        db.close().await;
    }
}

#[tokio::test]
async fn sessions_of_postgres_hold_no_lock_for_ever() {
    let Some(server) = testkit::postgres::server("the limits of a session") else { return };
    let db = Db::open(&Secret::new(server.as_str()), 1, STATEMENT_MAX).await.expect("opens");
    let Db::Postgres(pools) = &db else { panic!("this is PostgreSQL") };
    for (name, value) in POSTGRES_SESSION {
        let text = "SELECT setting::bigint FROM pg_settings WHERE name = $1";
        let found: i64 =
            sqlx::query_scalar(text).bind(name).fetch_one(pools.read.pool()).await.expect("told");
        assert_eq!(found, i64::from(value), "{name}");
    }
    db.close().await;
}

/// Only the transaction of the statement is not flushed, and not the next one of its session.
#[tokio::test]
async fn one_commit_of_postgres_is_not_flushed() {
    let Some(server) = testkit::postgres::server("a commit that is not flushed") else { return };
    let db = Db::open(&Secret::new(server.as_str()), 1, STATEMENT_MAX).await.expect("opens");
    let Db::Postgres(pools) = &db else { panic!("this is PostgreSQL") };
    let told = "SELECT current_setting('synchronous_commit')";
    let before: String = sqlx::query_scalar(told).fetch_one(pools.write.pool()).await.expect("told");
    assert_ne!(before, "off");
    let statement = || sqlx::AssertSqlSafe(format!("SELECT {NO_FLUSH}"));
    let mut tx = pools.write.begin().await.expect("begun");
    sqlx::query(statement()).execute(&mut *tx).await.expect("set");
    let within: String = sqlx::query_scalar(told).fetch_one(&mut *tx).await.expect("told");
    assert_eq!(within, "off");
    tx.commit().await.expect("committed");
    sqlx::query(statement()).execute(pools.write.pool()).await.expect("set");
    let after: String = sqlx::query_scalar(told).fetch_one(pools.write.pool()).await.expect("told");
    assert_eq!(after, before, "a single statement is its own transaction");
    db.close().await;
}

#[tokio::test]
async fn postgres_compresses_with_lz4_unless_another_method_is_set() {
    let Some(server) = testkit::postgres::server("the compression of large values") else { return };
    let used = async |url: &str| -> (bool, Option<String>) {
        let db = Db::open(&Secret::new(url), 1, STATEMENT_MAX).await.expect("opens");
        let Db::Postgres(pools) = &db else { panic!("this is PostgreSQL") };
        let text = "SELECT EXISTS (SELECT 1 FROM pg_settings WHERE name = 'default_toast_compression' AND \
                    'lz4' = ANY (enumvals)), current_setting('default_toast_compression', TRUE)";
        let told = sqlx::query_as(text).fetch_one(pools.write.pool()).await.expect("told");
        db.close().await;
        told
    };
    let (is_offered, method) = used(&server).await;
    assert_eq!(method.as_deref() == Some("lz4"), is_offered, "{method:?}");
    if is_offered {
        let set = format!("{}?options[default_toast_compression]=pglz", server.as_str());
        assert_eq!(used(&set).await.1.as_deref(), Some("pglz"));
    }
}

#[tokio::test]
async fn statements_of_postgres_that_follow_each_other_share_a_connection() {
    let Some(server) = testkit::postgres::server("connections that are kept") else { return };
    let db = Db::open(&Secret::new(server.as_str()), 8, STATEMENT_MAX).await.expect("opens");
    let Db::Postgres(pools) = &db else { panic!("this is PostgreSQL") };
    let mut several = Vec::new();
    for _ in 0..4 {
        several.push(pools.write.acquire().await.expect("a connection"));
    }
    drop(several);
    let mut backends = std::collections::BTreeSet::new();
    for _ in 0..20 {
        let backend: i32 = on_db!(db, read, db =>
            sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(db))
        .expect("told");
        backends.insert(backend);
    }
    assert!(backends.len() <= 2, "a machine that stalls may use another one once: {backends:?}");
    assert_eq!(pools.write.count_kept(), 1);
    let nothing: Result<i32, StoreError> =
        on_db!(db, read, db => sqlx::query_scalar("SELECT 1 WHERE FALSE").fetch_one(db));
    assert_eq!((nothing, pools.write.count_kept()), (Err(StoreError::NotFound), 1));
    let failed: Result<i32, StoreError> =
        on_db!(db, read, db => sqlx::query_scalar("SELECT 1 / 0").fetch_one(db));
    assert!(failed.is_err());
    assert_eq!(pools.write.count_kept(), 0, "the pool tests it");
    let one: i32 = on_db!(db, read, db => sqlx::query_scalar("SELECT 1").fetch_one(db)).expect("told");
    assert_eq!((one, pools.write.count_kept()), (1, 1));
    // Transactions get all connections.
    let mut others = Vec::new();
    for _ in 0..8 {
        others.push(db.begin().await.expect("begun"));
    }
    assert_eq!(pools.write.count_kept(), 0);
    for tx in others {
        tx.rollback().await.expect("undone");
    }
    db.close().await; // waits for connections that are not returned
    assert_eq!(pools.write.count_kept(), 0);
}

/// Every `on_db!` in a source text, up to its closing parenthesis.
fn statements(text: &str) -> impl Iterator<Item = &str> {
    text.split("on_db!(").skip(1).map(|rest| {
        let mut depth = 1;
        let end = rest.find(|c: char| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0
        });
        &rest[..end.unwrap_or(rest.len())]
    })
}

/// The files below a folder.
fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("a file").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn a_statement_that_writes_is_run_to_its_end() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sql");
    let mut count = 0;
    for path in files(&folder) {
        let text = std::fs::read_to_string(&path).expect("a text");
        for statement in statements(&text).filter(|text| text.contains(", write, ")) {
            let leaves = ["fetch_one(", "fetch_optional("].iter().any(|fetch| statement.contains(fetch));
            assert!(!leaves, "{}: use `first_row` and fetch_all:\n{statement}", path.display());
            count += 1;
        }
    }
    assert!(count > 10, "{count} statements");
}

#[tokio::test]
async fn a_commit_that_fails_after_the_first_row_is_heard() {
    let url = Secret::new("sqlite::memory:");
    let db = Db::open(&url, 1, STATEMENT_MAX).await.expect("opens");
    let Db::Sqlite(pools) = &db else { panic!("this is SQLite") };
    let tables = "CREATE TABLE parent (id INTEGER PRIMARY KEY); CREATE TABLE child (parent INTEGER \
                  REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)";
    let mut connection = pools.write.acquire().await.expect("a connection");
    sqlx::raw_sql(tables).execute(&mut *connection).await.expect("tables");
    drop(connection);
    let insert = "INSERT INTO child (parent) VALUES (1) RETURNING parent";
    let kept = on_db!(db, write, db => first_row(sqlx::query_scalar::<_, i64>(insert).fetch_all(db)));
    assert!(kept.is_err(), "there is no such parent: {kept:?}");
    let children: i64 = on_db!(db, read, db =>
        sqlx::query_scalar("SELECT COUNT(*) FROM child").fetch_one(db))
    .expect("counted");
    assert_eq!(children, 0);
}

/// More pages than the database may have.
const TOO_MUCH: i64 = 10_000_000;

async fn pages_max(db: &Db, pages: i64) {
    let text = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {pages}"));
    let Db::Sqlite(pools) = db else { panic!("this is SQLite") };
    let mut connection = pools.write.acquire().await.expect("a connection");
    sqlx::query(text).execute(&mut *connection).await.expect("a limit");
}

async fn insert(db: &Db, bytes: i64) -> Result<(), StoreError> {
    let mut tx = db.begin().await?;
    on_tx!(&mut tx, db => rows_affected(sqlx::query("INSERT INTO heap (bytes) VALUES (zeroblob($1))")
        .bind(bytes).execute(db)))?;
    tx.commit().await
}

#[tokio::test]
async fn a_full_disk_is_said_and_forgotten_when_there_is_space() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = Secret::new(format!("sqlite://{}/store.db", folder.path().display()));
    let db = Db::open(&url, 2, STATEMENT_MAX).await.expect("opens");
    on_db!(db, write, db => rows_affected(sqlx::query("CREATE TABLE heap (bytes BLOB)").execute(db)))
        .expect("made");
    pages_max(&db, 20).await;
    insert(&db, 10).await.expect("there is space for little");
    for _ in 0..3 {
        let refused = insert(&db, TOO_MUCH).await;
        assert!(matches!(refused, Err(StoreError::Full { .. })), "{refused:?}");
        pages_max(&db, 20).await; // a new connection has no limit
    }
    pages_max(&db, TOO_MUCH).await;
    insert(&db, TOO_MUCH).await.expect("there is space for much");
    let rows: i64 = on_db!(db, read, db =>
        sqlx::query_scalar("SELECT COUNT(*) FROM heap").fetch_one(db))
    .expect("counted");
    assert_eq!(rows, 2, "what was refused left nothing");
    db.close().await;
}
