//! Searches of the Assistant that versions before migration 36 stored.

use super::super::{config, now};
use domain::ids::{SearchId, UserId};
use domain::owner_scope::OwnerScope;
use domain::ports::{SearchStore, UserStore};
use domain::search::{ASSISTANT_TAG, SearchFilter, SearchSpec};
use domain::user::UserSpec;
use sqlx::{Connection, PgConnection, SqliteConnection};
use store::SqlStore;
use testkit::postgres::{TestDatabase, server};

/// Reverts migration 36.
const DOWN_TO_35: &str =
    "ALTER TABLE searches DROP COLUMN assistant; DELETE FROM _sqlx_migrations WHERE version >= 36";

/// Stores searches, and returns those that are not of the Assistant.
async fn fill(url: &str) -> (UserId, Vec<SearchId>) {
    let store = SqlStore::open(config(url)).await.expect("opens");
    let spec = UserSpec { username: "owner".to_owned(), ..UserSpec::default() };
    let owner = store.create_user(spec, "hash".to_owned(), now()).await.expect("a user").id;
    let mut others = Vec::new();
    // PostgreSQL cannot parse JSON with NUL.
    for (query, tag) in [
        ("river", ASSISTANT_TAG),
        ("river \0", ASSISTANT_TAG),
        ("river", "chats"),
        ("river \0", "Chat"),
        (r#"","tags":["chat"]"#, r#"","tags":["chat"#),
        ("\0\",\"tags\":[\"chat\"]", "x"),
    ] {
        let spec =
            SearchSpec { tags: vec![tag.to_owned(), "chat".to_owned()], ..SearchSpec::of_query(query) };
        let search = store.create_search(spec, owner, Vec::new(), now(), None).await.expect("a search");
        if tag != ASSISTANT_TAG {
            others.push(search.id);
        }
    }
    store.close().await;
    (owner, others)
}

async fn assert_left_out(url: &str, (owner, others): (UserId, Vec<SearchId>)) {
    let store = SqlStore::open(config(url)).await.expect("opens again");
    let own = SearchFilter::owned_by(OwnerScope::Only(owner));
    let filter = SearchFilter { without_assistant: true, ..own };
    let page = store.find_searches(&filter, 0, 20).await.expect("an answer");
    let mut found: Vec<SearchId> = page.items.iter().map(|search| search.id).collect();
    found.sort();
    assert_eq!(found, others);
    store.close().await;
}

#[tokio::test]
async fn stored_searches_of_the_assistant_are_left_out_on_sqlite() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    let filled = fill(&url).await;
    let mut file = SqliteConnection::connect(&url).await.expect("the file");
    sqlx::raw_sql(DOWN_TO_35).execute(&mut file).await.expect("taken back");
    file.close().await.expect("closed");
    assert_left_out(&url, filled).await;
}

#[tokio::test]
async fn stored_searches_of_the_assistant_are_left_out_on_postgres() {
    let Some(server) = server("the suite of the store") else { return };
    let database = TestDatabase::create(&server).await;
    let filled = fill(&database.url).await;
    let mut connection = PgConnection::connect(&database.url).await.expect("the database");
    sqlx::raw_sql(DOWN_TO_35).execute(&mut connection).await.expect("taken back");
    connection.close().await.expect("closed");
    assert_left_out(&database.url, filled).await;
    database.drop().await;
}
