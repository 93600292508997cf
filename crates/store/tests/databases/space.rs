//! The SQLite file releases the space of deleted records.

use super::{config, now};
use domain::ports::{SearchEdits, SearchStore, StorageStore, UserStore};
use domain::search::SearchSpec;
use domain::secret::Secret;
use domain::user::UserSpec;
use sqlx::sqlite::{SqliteAutoVacuum, SqliteConnectOptions};
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use std::path::Path;
use std::str::FromStr;
use store::SqlStore;
use testkit::builders::notice;

/// More than stays in a file for new records.
const FILLED_BYTES: u64 = 12 * 1024 * 1024;

/// Searches of 100 kB each, and their deletion.
async fn fill_and_empty(store: &SqlStore) {
    let spec = UserSpec { username: "owner".to_owned(), ..UserSpec::default() };
    let owner = store.create_user(spec, "hash".to_owned(), now()).await.expect("a user").id;
    let mut made = Vec::new();
    for _ in 0..FILLED_BYTES / 100_000 {
        let (spec, notices) = (SearchSpec::of_query("query"), vec![notice(&"x".repeat(50_000))]);
        made.push(store.create_search(spec, owner, notices, now(), None).await.expect("a search").id);
    }
    for id in made {
        store.delete_search(id).await.expect("deleted");
    }
}

fn size(file: &Path) -> u64 {
    file.metadata().expect("a file").len()
}

#[tokio::test]
async fn a_file_shrinks_when_its_records_are_deleted() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("store.db");
    let store = SqlStore::open(config(&format!("sqlite://{}", file.display()))).await.expect("opens");
    fill_and_empty(&store).await;
    let before = store.database_size().await.expect("a size");
    assert!(before.bytes > FILLED_BYTES && before.used_bytes < FILLED_BYTES / 2, "{before:?}");
    let mut steps = 0;
    while store.release_space().await.expect("a step") {
        steps += 1;
        assert!(steps < 100, "there is an end");
    }
    assert!(steps > 3, "small steps: {steps}");
    let after = store.database_size().await.expect("a size");
    assert!(after.bytes < before.bytes / 2, "{before:?} {after:?}");
    assert!(size(&file) <= after.bytes + 1024 * 1024, "{} on the disk, {after:?}", size(&file));
    store.close().await;
}

/// Files of earlier versions cannot shrink until they are rewritten once.
#[tokio::test]
async fn a_file_of_an_earlier_version_shrinks_after_it_was_compacted() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("store.db");
    let url = format!("sqlite://{}", file.display());
    let options = SqliteConnectOptions::from_str(&url).expect("an address").create_if_missing(true);
    let mut old = options.auto_vacuum(SqliteAutoVacuum::None).connect().await.expect("a file");
    sqlx::raw_sql("CREATE TABLE old (id INTEGER); DROP TABLE old").execute(&mut old).await.expect("old");
    old.close().await.expect("closed");

    let store = SqlStore::open(config(&url)).await.expect("opens");
    fill_and_empty(&store).await;
    assert!(!store.release_space().await.expect("a step"), "it has nothing to give");
    store.close().await;
    let compacted = store::compact(&Secret::new(url.as_str())).await.expect("compacted").expect("a file");
    assert!(compacted.before > FILLED_BYTES && compacted.after < compacted.before / 2, "{compacted:?}");
    assert_eq!(size(&file), compacted.after);

    let mut connection = SqliteConnection::connect(&url).await.expect("the file");
    let mode: i64 =
        sqlx::query_scalar("PRAGMA auto_vacuum").fetch_one(&mut connection).await.expect("a mode");
    assert_eq!(mode, 2, "from now on it gives back by itself");
    connection.close().await.expect("closed");
    let store = SqlStore::open(config(&url)).await.expect("opens again");
    assert!(store.user_by_name("owner").await.is_ok(), "nothing is lost");
    store.close().await;
}

#[tokio::test]
async fn a_server_is_not_compacted() {
    let url = Secret::new("postgres://nobody@127.0.0.1:1/nothing");
    assert_eq!(store::compact(&url).await, Ok(None));
}
