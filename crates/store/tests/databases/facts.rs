//! Facts about a database: counts and sizes, on both databases, in any state.

use super::{config, now};
use domain::ports::UserStore;
use domain::secret::Secret;
use domain::user::UserSpec;
use std::time::Duration;
use store::{DatabaseFacts, SqlStore, database_facts};

const LONG: Duration = Duration::from_secs(60);

async fn facts_of(url: &str) -> DatabaseFacts {
    database_facts(&Secret::new(url), LONG).await.expect("facts")
}

fn rows(facts: &DatabaseFacts, table: &str) -> Option<u64> {
    facts.tables.iter().find(|one| one.name == table).expect(table).rows
}

async fn an_empty_and_a_used_database(url: &str, kind: &str) {
    let store = SqlStore::open(config(url)).await.expect("opens");
    for name in ["anna", "rosa"] {
        let spec = UserSpec { username: name.to_owned(), ..UserSpec::default() };
        store.create_user(spec, "hash".to_owned(), now()).await.expect("a user");
    }
    let facts = facts_of(url).await;
    assert_eq!((facts.kind, facts.migration), (kind, Some(store::dump::schema_version())));
    assert_eq!((rows(&facts, "users"), rows(&facts, "searches")), (Some(2), Some(0)));
    assert!(facts.bytes > 0 && facts.server_version.contains('.'), "{facts:?}");
    let written = serde_json::to_string(&facts).expect("JSON");
    assert!(!written.contains("anna") && !written.contains("rosa"), "{written}");
    let hasty = database_facts(&Secret::new(url), Duration::ZERO).await.expect("facts without counts");
    assert_eq!(rows(&hasty, "users"), None);
    store.close().await;
}

#[tokio::test]
async fn the_facts_of_sqlite() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    let missing = database_facts(&Secret::new(url.as_str()), LONG).await;
    assert!(missing.is_err() && !folder.path().join("store.db").exists(), "{missing:?}");
    an_empty_and_a_used_database(&url, "SQLite").await;
}

#[tokio::test]
async fn the_facts_of_postgres() {
    let Some(server) = testkit::postgres::server("the facts of a database") else { return };
    testkit::postgres::with_database(&server, |url| async move {
        let empty = facts_of(&url).await;
        assert_eq!((empty.migration, empty.tables.len()), (None, 0));
        an_empty_and_a_used_database(&url, "PostgreSQL").await;
    })
    .await;
}
