//! Tags of matters that versions before migration 35 stored with a prefix in upper case.

use super::super::{config, now};
use domain::corpus::{MatterTag, NewSignal, OwnedVisibility};
use domain::ports::{SignalFilter, SignalStore, UserStore};
use domain::user::UserSpec;
use sqlx::{Connection, PgConnection, SqliteConnection};
use store::SqlStore;
use testkit::postgres::{TestDatabase, server};
use testkit::suites::store::signals;

/// Reverts migration 35, which only changes records, and the one after it.
const DOWN_TO_34: &str =
    "ALTER TABLE searches DROP COLUMN assistant; DELETE FROM _sqlx_migrations WHERE version >= 35";

async fn tag_document(url: &str) {
    let store = SqlStore::open(config(url)).await.expect("opens");
    let spec = UserSpec { username: "ann".to_owned(), ..UserSpec::default() };
    let ann = store.create_user(spec, "hash".to_owned(), now()).await.expect("a user").id;
    let tags = ["MATTER: a", "Matter:a", "MATTER:", "b", "matters"].map(str::to_owned);
    let seen = NewSignal { matter_tags: tags.to_vec(), ..signals::seen("x") };
    store.note_signal(seen, &signals::by(ann, ""), now()).await.expect("noted");
    store.close().await;
}

async fn assert_found_by_name(url: &str) {
    let store = SqlStore::open(config(url)).await.expect("opens again");
    for (tag, count) in [("a", 1), ("MATTER:a", 1), ("b", 1), ("matters", 1), ("c", 0)] {
        let all = SignalFilter::visible_to(OwnedVisibility::Unrestricted);
        let filter = SignalFilter { matter_tag: MatterTag::parse(tag), ..all };
        let found = store.find_signals(&filter, 0, 9).await.expect("found");
        assert_eq!(found.total, count, "{tag}");
        assert!(found.items.iter().all(|one| one.matter_tags == ["a", "b", "matters"]), "{found:?}");
    }
    store.close().await;
}

#[tokio::test]
async fn tags_lose_their_prefix_on_sqlite() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    tag_document(&url).await;
    let mut file = SqliteConnection::connect(&url).await.expect("the file");
    sqlx::raw_sql(DOWN_TO_34).execute(&mut file).await.expect("taken back");
    file.close().await.expect("closed");
    assert_found_by_name(&url).await;
}

#[tokio::test]
async fn tags_lose_their_prefix_on_postgres() {
    let Some(server) = server("the suite of the store") else { return };
    let database = TestDatabase::create(&server).await;
    tag_document(&database.url).await;
    let mut connection = PgConnection::connect(&database.url).await.expect("the database");
    sqlx::raw_sql(DOWN_TO_34).execute(&mut connection).await.expect("taken back");
    connection.close().await.expect("closed");
    assert_found_by_name(&database.url).await;
    database.drop().await;
}
