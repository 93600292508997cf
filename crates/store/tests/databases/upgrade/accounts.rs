//! Personal data that versions before migration 24 stored on the record: documents fetched with a person's account,
//! and failures.

use super::super::{config, now};
use super::DOWN_TO_23;

/// A failure of a request, as it was stored.
const FAILURE: &str = "UPDATE signals SET messages = '[\"no answer\"]'";
use domain::corpus::{AclToken, IndexedContent, NewSignal, Signal, Visibility};
use domain::ids::{ProviderId, SignalId, UserId};
use domain::notice;
use domain::ports::{Retrieval, SignalStore, UserStore};
use domain::user::UserSpec;
use sqlx::{Connection, PgConnection, SqliteConnection};
use store::SqlStore;
use testkit::postgres::{TestDatabase, server};
use testkit::suites::store::signals;

const PROVIDER: ProviderId = ProviderId(7);

/// The records: typed with an account, the same text fetched anonymously, returned by the provider with its id,
/// returned by a provider without accounts, and a typed request without a text.
struct Kept {
    ann: UserId,
    ids: Vec<SignalId>,
}

async fn cache(url: &str) -> Kept {
    let store = SqlStore::open(config(url)).await.expect("opens");
    let spec = UserSpec { username: "ann".to_owned(), ..UserSpec::default() };
    let ann = store.create_user(spec, "hash".to_owned(), now()).await.expect("a user").id;
    let mut ids = Vec::new();
    for (name, source, idp, external_id) in [
        ("typed", Some(PROVIDER), "hub", ""),
        ("typed", None, "", ""),
        ("given", Some(PROVIDER), "hub", "42"),
        ("public", Some(PROVIDER), "", ""),
    ] {
        let by = Retrieval { idp: idp.to_owned(), ..signals::by(ann, "") };
        let external_id = external_id.to_owned();
        let seen = NewSignal { source_provider_id: source, external_id, ..signals::seen(name) };
        let noted = store.note_signal(seen, &by, now()).await.expect("noted").0;
        let content = IndexedContent { source_provider_id: source, ..signals::content(name, 1) };
        let placed = store.index_signal(noted.signal_id, content, &by, now()).await.expect("indexed");
        ids.push(placed.signal_id);
    }
    let by = Retrieval { idp: "hub".to_owned(), ..signals::by(ann, "") };
    ids.push(store.note_signal(signals::seen("request"), &by, now()).await.expect("noted").0.signal_id);
    store.close().await;
    Kept { ann, ids }
}

/// What may have been typed belongs to the person, and is still fetched with the account; the rest is unchanged.
async fn assert_attributed(url: &str, Kept { ann, ids }: Kept) {
    let store = SqlStore::open(config(url)).await.expect("opens again");
    let all: Vec<Signal> = store.signals(&ids, Visibility::Unrestricted).await.expect("read");
    let sources: Vec<_> = all.iter().map(|signal| signal.source_provider_id).collect();
    assert_eq!(sources, [None, None, Some(PROVIDER), Some(PROVIDER), None]);
    assert_eq!(all[0].source_provider, "");
    let mut accounts = Vec::new();
    for id in &ids {
        accounts.push(store.grants(*id).await.expect("read")[0].account_provider_id);
    }
    assert_eq!(accounts, [Some(PROVIDER), None, None, None, Some(PROVIDER)]);
    let lines: Vec<Vec<String>> = all.iter().map(|signal| notice::lines(&signal.notices)).collect();
    assert_eq!(lines[..4], [const { Vec::<String>::new() }; 4], "whose failure it was is not known");
    assert_eq!(lines[4], ["no answer"], "her own request");
    let by_provider =
        store.signals(&ids, Visibility::To(&[AclToken::Provider(PROVIDER)])).await.expect("read");
    assert_eq!(by_provider.iter().map(|one| one.signal_id).collect::<Vec<_>>(), ids[2..4]);
    let own = store.signals(&ids, Visibility::To(&[AclToken::User(ann)])).await.expect("read");
    assert_eq!(own.len(), 3, "two records of one text count once");
    let newest = store.corpus_sequence().await.expect("read");
    let changes = store.corpus_changes(newest - 2, 9).await.expect("read").expect("kept");
    assert_eq!(changes.iter().map(|one| one.signal_id).collect::<Vec<_>>(), [ids[0], ids[4]]);
    // The next request for each URL leads to the existing record.
    for (name, expected) in [("typed", ids[1]), ("request", ids[4])] {
        let seen = NewSignal { source_provider_id: None, ..signals::seen(name) };
        let (noted, is_new) = store.note_signal(seen, &signals::by(ann, ""), now()).await.expect("noted");
        assert_eq!((noted.signal_id, is_new), (expected, false), "{name}");
    }
    store.close().await;
}

#[tokio::test]
async fn documents_of_an_account_are_no_longer_the_providers_on_sqlite() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    let kept = cache(&url).await;
    let mut file = SqliteConnection::connect(&url).await.expect("the file");
    for text in [DOWN_TO_23, FAILURE] {
        sqlx::raw_sql(text).execute(&mut file).await.expect("taken back");
    }
    file.close().await.expect("closed");
    assert_attributed(&url, kept).await;
}

#[tokio::test]
async fn documents_of_an_account_are_no_longer_the_providers_on_postgres() {
    let Some(server) = server("the suite of the store") else { return };
    let database = TestDatabase::create(&server).await;
    let kept = cache(&database.url).await;
    let mut connection = PgConnection::connect(&database.url).await.expect("the database");
    for text in [DOWN_TO_23, FAILURE] {
        sqlx::raw_sql(text).execute(&mut connection).await.expect("taken back");
    }
    connection.close().await.expect("closed");
    assert_attributed(&database.url, kept).await;
    database.drop().await;
}
