//! What is on disk, and what happens when a database is reopened or missing.

use super::{config, now};
use domain::ai_provider::AiProviderSpec;
use domain::ids::{AiProviderId, ProviderId};
use domain::ports::{
    AiProviderEdits, AiProviderStore, HealthStore, ProviderEdits, ProviderStore, StoreError, UserStore,
};
use domain::provider::ProviderSpec;
use domain::secret::Secret;
use domain::unreadable_secrets::UnreadableSecrets;
use domain::user::UserSpec;
use sqlx::{Connection, Executor, PgConnection, SqliteConnection};
use std::path::Path;
use store::{EncryptionKey, SqlStore, StoreConfig};
use testkit::postgres::{TestDatabase, server};
use tokio::task::JoinSet;

const SECRET: &str = "key=plain-text-that-must-not-be-found";

async fn provider_with_secret(store: &SqlStore) -> ProviderId {
    let spec = UserSpec { username: "owner".to_owned(), ..UserSpec::default() };
    let owner = store.create_user(spec, "hash".to_owned(), now()).await.expect("a user").id;
    let spec = ProviderSpec {
        name: "with a secret".to_owned(),
        credentials: SECRET.to_owned(),
        ..confidential("plain-text")
    };
    let model = AiProviderSpec {
        name: "a model with a secret".to_owned(),
        api_key: "plain-text".to_owned(),
        config: serde_json::json!({"aws_session": "plain-text"}).as_object().expect("an object").clone(),
        ..AiProviderSpec::default()
    };
    store.create_ai_provider(model, Some(owner), now()).await.expect("an AIProvider");
    store.create_providers(vec![spec], owner, now()).await.expect("a provider")[0].id
}

/// A spec with this word in every field that may contain a secret.
fn confidential(word: &str) -> ProviderSpec {
    let config = serde_json::json!({"cache": "true", "diffbot": {"token": word}});
    ProviderSpec {
        http_request_headers: [("X-Api-Key".to_owned(), word.to_owned())].into(),
        page_fetch_config_json: config.as_object().expect("an object").clone().into(),
        eval_credentials: word.to_owned(),
        ..ProviderSpec::default()
    }
}

fn folder_holds(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).expect("a folder").any(|entry| {
        let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    })
}

#[tokio::test]
async fn the_file_holds_no_plain_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    let store = SqlStore::open(config(&url)).await.expect("opens");
    let id = provider_with_secret(&store).await;
    store.close().await;
    assert!(folder_holds(folder.path(), "with a secret"), "the draft is in the file");
    assert!(folder_holds(folder.path(), "a model with a secret"), "its name too");
    assert!(!folder_holds(folder.path(), "plain-text"), "the secret is not");

    // With the same key it is readable again; another key does not fit, and the records say so.
    let again = SqlStore::open(config(&url)).await.expect("opens again");
    let provider = again.provider(id).await.expect("opens");
    assert_eq!(provider.credentials.expose(), SECRET);
    let name = "with a secret".to_owned();
    assert_eq!(provider.spec, ProviderSpec { name, ..confidential("plain-text") });
    assert_eq!(again.ai_providers().await.expect("opens")[0].spec.api_key, "plain-text");
    again.close().await;
    let key = EncryptionKey::from_secret(&Secret::new("another key"));
    let stranger = SqlStore::open(StoreConfig { key, ..config(&url) }).await.expect("opens");
    let shown = stranger.providers().await.expect("listed").remove(0);
    assert_eq!(shown.unreadable, UnreadableSecrets { credentials: true, confidential: true });
    assert!(!format!("{shown:?}").contains("plain-text"), "{shown:?}");
    let shown = stranger.ai_providers().await.expect("listed").remove(0);
    assert!(shown.is_unreadable && shown.spec.name == "a model with a secret", "{shown:?}");
    let new = AiProviderSpec { name: "new".to_owned(), ..AiProviderSpec::default() };
    stranger.replace_ai_provider(AiProviderId(1), new.clone(), now()).await.expect("replaced");
    assert_eq!(stranger.ai_providers().await.expect("opens")[0].spec, new);

    // A lost key can be repaired: the owner enters the secret again.
    let spec = ProviderSpec { credentials: "key=2".to_owned(), ..confidential("new") };
    stranger.replace_provider(id, spec, now()).await.expect("replaced");
    let provider = stranger.provider(id).await.expect("opens");
    assert_eq!((provider.credentials.expose(), provider.spec), ("key=2", confidential("new")));
    stranger.close().await;
}

/// Writes what a version without encryption of these fields would have left.
const CLEAR: &str = r#"UPDATE providers SET confidential = '', draft = '{"name": "with a secret", "http_request_headers": {"X-Api-Key": "plain-text"}, "page_fetch_config_json": {"cache": "true", "diffbot": {"token": "plain-text"}}, "eval_credentials": "plain-text"}'"#;

/// Clear text is readable, and encrypted at start; with another key it is left unchanged.
async fn assert_clear_is_sealed(url: &str, id: ProviderId) {
    let want = ProviderSpec { name: "with a secret".to_owned(), ..confidential("plain-text") };
    let key = EncryptionKey::from_secret(&Secret::new("another key"));
    let stranger = SqlStore::open(StoreConfig { key, ..config(url) }).await.expect("opens");
    let error = stranger.seal_clear_providers().await.expect_err("the key does not fit").to_string();
    assert!(error.contains("the key does not fit"), "{error}");
    stranger.close().await;
    let store = SqlStore::open(config(url)).await.expect("opens");
    let before = store.provider(id).await.expect("clear text is read");
    assert_eq!(before.spec, want);
    assert_eq!(store.seal_clear_providers().await, Ok(1));
    assert_eq!(store.seal_clear_providers().await, Ok(0), "once");
    assert_eq!(store.provider(id).await.expect("opens"), before);
    store.close().await;
}

#[tokio::test]
async fn clear_headers_of_an_earlier_version_are_sealed_on_sqlite() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    let store = SqlStore::open(config(&url)).await.expect("opens");
    let id = provider_with_secret(&store).await;
    store.close().await;
    let mut file = SqliteConnection::connect(&url).await.expect("the file");
    file.execute(CLEAR).await.expect("as before");
    file.close().await.expect("closed");
    assert!(folder_holds(folder.path(), "plain-text"), "the clear text is in the file");
    assert_clear_is_sealed(&url, id).await;
    assert!(folder_holds(folder.path(), "with a secret"));
    assert!(!folder_holds(folder.path(), "plain-text"), "no page of the file holds it any longer");
}

#[tokio::test]
async fn clear_headers_of_an_earlier_version_are_sealed_on_postgres() {
    let Some(server) = server("the suite of the store") else { return };
    let database = TestDatabase::create(&server).await;
    let store = SqlStore::open(config(&database.url)).await.expect("opens");
    let id = provider_with_secret(&store).await;
    store.close().await;
    let mut connection = PgConnection::connect(&database.url).await.expect("the database");
    connection.execute(CLEAR).await.expect("as before");
    assert_clear_is_sealed(&database.url, id).await;
    let row: String = sqlx::query_scalar("SELECT CAST(providers AS TEXT) FROM providers")
        .fetch_one(&mut connection)
        .await
        .expect("a row");
    connection.close().await.expect("closed");
    database.drop().await;
    assert!(row.contains("with a secret") && !row.contains("plain-text"), "{row}");
}

/// A running process of an earlier version writes clear text, which is newer.
#[tokio::test]
async fn what_an_earlier_version_wrote_last_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    let store = SqlStore::open(config(&url)).await.expect("opens");
    let id = provider_with_secret(&store).await;
    let mut file = SqliteConnection::connect(&url).await.expect("the file");
    file.execute(r#"UPDATE providers SET draft = '{"http_request_headers": {"X-Api-Key": "newer"}}'"#)
        .await
        .expect("written");
    file.close().await.expect("closed");
    let spec = store.provider(id).await.expect("opens").spec;
    assert_eq!(spec.http_request_headers["X-Api-Key"], "newer");
    assert_eq!(spec.eval_credentials, "plain-text");
    assert_eq!(store.seal_clear_providers().await, Ok(1));
    assert_eq!(store.provider(id).await.expect("opens").spec, spec);
    store.close().await;
}

#[tokio::test]
async fn a_secret_moved_to_another_record_does_not_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    let store = SqlStore::open(config(&url)).await.expect("opens");
    let id = provider_with_secret(&store).await;
    let spec = ProviderSpec { name: "thief".to_owned(), ..ProviderSpec::default() };
    let owner = store.provider(id).await.expect("there").owner;
    let thief = store.create_providers(vec![spec], owner, now()).await.expect("a provider")[0].id;
    let mut file = SqliteConnection::connect(&url).await.expect("the file");
    for column in ["credentials", "confidential"] {
        let set = |value: &str| {
            sqlx::AssertSqlSafe(format!("UPDATE providers SET {column} = {value} WHERE id = 2"))
        };
        file.execute(set(&format!("(SELECT {column} FROM providers WHERE id = 1)"))).await.expect("moved");
        let robbed = store.provider(thief).await.expect("read");
        assert!(robbed.unreadable.is_any() && robbed.credentials.is_empty(), "{column}: {robbed:?}");
        assert!(!robbed.spec.has_confidential(), "{column}: {robbed:?}");
        file.execute(set("''")).await.expect("taken back");
        assert!(!store.provider(thief).await.expect("read").unreadable.is_any());
    }
    file.close().await.expect("closed");
    assert!(store.provider(id).await.is_ok());
    store.close().await;
}

#[tokio::test]
async fn a_closed_store_is_not_reachable() {
    let store = SqlStore::open(config("sqlite::memory:")).await.expect("opens");
    store.ping().await.expect("answers");
    store.close().await;
    assert!(matches!(store.ping().await, Err(StoreError::Unreachable { .. })));
}

#[tokio::test]
async fn wrong_addresses_are_said_without_their_password() {
    for url in ["", "mysql://me:hush@host/db", "postgres://me:hush@host:port/db", "hush"] {
        let error = SqlStore::open(config(url)).await.err().expect("does not open");
        assert!(matches!(error, StoreError::Failed { .. }), "{error:?}");
        assert!(!error.to_string().contains("hush"), "{error}");
    }
    let cases = ["sqlite:///no/such/folder/store.db", "postgres://me:hush@127.0.0.1:1/db"];
    for url in cases {
        let error = SqlStore::open(config(url)).await.err().expect("does not open");
        assert!(matches!(error, StoreError::Unreachable { .. }), "{error:?}");
        assert!(!error.to_string().contains("hush"), "{error}");
    }
}

#[tokio::test]
async fn processes_may_start_together() {
    let Some(server) = server("the suite of the store") else { return };
    let database = TestDatabase::create(&server).await;
    let mut starts = JoinSet::new();
    for _ in 0..4 {
        let config = config(&database.url);
        starts.spawn(async move { SqlStore::open(config).await });
    }
    for store in starts.join_all().await {
        store.expect("opens").close().await;
    }
    database.drop().await;
}

#[tokio::test]
async fn postgres_holds_no_plain_secret() {
    let Some(server) = server("the suite of the store") else { return };
    let database = TestDatabase::create(&server).await;
    let store = SqlStore::open(config(&database.url)).await.expect("opens");
    provider_with_secret(&store).await;
    store.close().await;
    let mut connection = PgConnection::connect(&database.url).await.expect("the database");
    let row: String = sqlx::query_scalar("SELECT CAST(providers AS TEXT) FROM providers")
        .fetch_one(&mut connection)
        .await
        .expect("a row");
    let model: String = sqlx::query_scalar("SELECT CAST(ai_providers AS TEXT) FROM ai_providers")
        .fetch_one(&mut connection)
        .await
        .expect("a row");
    connection.close().await.expect("closed");
    database.drop().await;
    assert!(row.contains("with a secret") && row.contains("v1:") && !row.contains("plain-text"), "{row}");
    assert!(
        model.contains("with a secret") && model.contains("v1:") && !model.contains("plain-text"),
        "{model}"
    );
}
