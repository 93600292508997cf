//! Documents that versions before migration 31 attributed to the provider that linked to them.

use super::super::{config, now};
use domain::corpus::{AclToken, DocumentAddress, IndexedContent, NewSignal, Signal, Visibility};
use domain::ids::{ProviderId, SignalId, UserId};
use domain::ports::{ProviderStore, Retrieval, SignalStore, UserStore};
use domain::provider::ProviderSpec;
use domain::user::UserSpec;
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection, SqliteConnection};
use store::SqlStore;
use testkit::postgres::{TestDatabase, server};
use testkit::suites::store::signals;

/// Reverts migration 31, which only changes records.
const DOWN_TO_30: &str = "ALTER TABLE searches DROP COLUMN notices; ALTER TABLE signal_grants DROP COLUMN notices; \
     ALTER TABLE searches DROP COLUMN assistant; DROP TABLE source_budgets; DELETE FROM _sqlx_migrations WHERE version >= 31";

/// The providers: one with pages on its own host, one with an encrypted template of a fixed host, one with a template
/// whose host comes from the result.
fn providers() -> [Value; 3] {
    let url = "https://own.example/api?q={query_string}";
    let with_template = |name: &str, template: &str| json!({"name": name, "url": url, "page_fetch_config_json": {"content_url": template}});
    [
        json!({"name": "Pages", "url": url}),
        with_template("Files", "https://files.example/{id}"),
        with_template("Links", "{link}"),
    ]
}

struct Kept {
    ann: UserId,
    ben: UserId,
    providers: Vec<ProviderId>,
    ids: Vec<SignalId>,
}

/// A document as stored by an earlier version: its URL, text, provider and grantee.
async fn keep(
    store: &SqlStore,
    (url, text): (&str, &str),
    source: Option<ProviderId>,
    user: UserId,
) -> SignalId {
    let by = Retrieval { user, ..signals::by(user, "") };
    let address = DocumentAddress::of(url).expect("an address");
    let external_id = "42".to_owned();
    let seen = NewSignal { address, source_provider_id: source, external_id, ..signals::seen("x") };
    let noted = store.note_signal(seen, &by, now()).await.expect("noted").0;
    let content = IndexedContent { source_provider_id: source, ..signals::content(text, 1) };
    store.index_signal(noted.signal_id, content, &by, now()).await.expect("indexed").signal_id
}

async fn cache(url: &str) -> Kept {
    let store = SqlStore::open(config(url)).await.expect("opens");
    let mut people = Vec::new();
    for name in ["ann", "ben"] {
        let spec = UserSpec { username: name.to_owned(), ..UserSpec::default() };
        people.push(store.create_user(spec, "hash".to_owned(), now()).await.expect("a user").id);
    }
    let (ann, ben) = (people[0], people[1]);
    let specs: Vec<ProviderSpec> =
        providers().into_iter().map(|spec| serde_json::from_value(spec).expect("a spec")).collect();
    let saved = store.create_providers(specs, ann, now()).await.expect("saved");
    let providers: Vec<ProviderId> = saved.iter().map(|provider| provider.id).collect();
    let [pages, files, links] = providers[..] else { panic!("three providers") };
    let foreign = "https://foreign.example/1";
    let mut ids = Vec::new();
    for (place, source, user) in [
        (("https://own.example/1", "own"), Some(pages), ann),
        ((foreign, "foreign"), Some(pages), ann),
        (("https://foreign.example/2", "file"), Some(files), ann),
        ((foreign, "link"), Some(links), ann),
        // One text, from two providers and from its URL alone.
        (("https://foreign.example/3", "same"), Some(pages), ann),
        (("https://foreign.example/3", "same"), Some(links), ann),
        (("https://foreign.example/3", "same"), None, ben),
        (("https://foreign.example/4", "lonely"), Some(pages), ben),
    ] {
        ids.push(keep(&store, place, source, user).await);
    }
    assert!(store.remove_grant(ids[7], ben, now()).await.expect("removed"));
    store.close().await;
    Kept { ann, ben, providers, ids }
}

async fn assert_withdrawn(url: &str, Kept { ann, ben, providers, ids }: Kept) {
    let store = SqlStore::open(config(url)).await.expect("opens again");
    let [pages, files, links] = providers[..] else { panic!("three providers") };
    let all: Vec<Signal> = store.signals(&ids, Visibility::Unrestricted).await.expect("read");
    let sources: Vec<_> = all.iter().map(|one| (one.signal_id, one.source_provider_id)).collect();
    let expected = [
        (ids[0], Some(pages)),
        (ids[1], None),
        (ids[2], Some(files)),
        (ids[3], None),
        (ids[6], None),
        (ids[7], None),
    ];
    assert_eq!(sources, expected, "one record for one text; a start removes nothing");
    assert_eq!((all[1].source_provider.as_str(), all[1].external_id.as_str()), ("", ""));
    assert_eq!(all[0].external_id, "42");
    let seen = async |token| {
        let found = store.signals(&ids, Visibility::To(&[token])).await.expect("read");
        found.iter().map(|one| one.signal_id).collect::<Vec<_>>()
    };
    assert_eq!(
        seen(AclToken::Provider(pages)).await,
        [ids[0]],
        "its users see what came from its own origin"
    );
    assert_eq!(seen(AclToken::Provider(files)).await, [ids[2]]);
    assert_eq!(seen(AclToken::Provider(links)).await, []);
    // Of two texts of one URL the newer one counts for a person with grants to both.
    assert_eq!(
        seen(AclToken::User(ann)).await,
        [ids[0], ids[2], ids[3], ids[6]],
        "nobody loses a right of their own"
    );
    assert_eq!(seen(AclToken::User(ben)).await, [ids[6]]);
    for (id, account) in [(ids[0], None), (ids[1], None), (ids[2], None), (ids[3], Some(links))] {
        assert_eq!(store.grants(id).await.expect("read")[0].account_provider_id, account, "{id}");
    }
    assert_eq!(store.led_to(ids[5], ann).await.expect("read"), Some(ids[6]), "the old number leads there");
    let newest = store.corpus_sequence().await.expect("read");
    let changes = store.corpus_changes(newest - 7, 9).await.expect("read").expect("kept");
    let changed: Vec<SignalId> = changes.iter().map(|one| one.signal_id).collect();
    assert!(ids[1..].iter().all(|id| *id == ids[2] || changed.contains(id)), "indexes follow: {changed:?}");
    assert!(!changed.contains(&ids[0]) && !changed.contains(&ids[2]), "{changed:?}");
    // The next retrieval of the URL leads to the existing record.
    let address = DocumentAddress::of("https://foreign.example/1").expect("an address");
    let again = NewSignal { address, source_provider_id: None, ..signals::seen("x") };
    let (noted, is_new) = store.note_signal(again, &signals::by(ann, ""), now()).await.expect("noted");
    assert_eq!((noted.signal_id, is_new), (ids[3], false));
    store.close().await;
    // It runs once: later attributions are not checked again.
    let store = SqlStore::open(config(url)).await.expect("opens once more");
    assert_eq!(store.corpus_sequence().await.expect("read"), newest);
    store.close().await;
}

#[tokio::test]
async fn documents_of_foreign_hosts_are_no_longer_the_providers_on_sqlite() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    let kept = cache(&url).await;
    let mut file = SqliteConnection::connect(&url).await.expect("the file");
    sqlx::raw_sql(DOWN_TO_30).execute(&mut file).await.expect("taken back");
    file.close().await.expect("closed");
    assert_withdrawn(&url, kept).await;
}

#[tokio::test]
async fn documents_of_foreign_hosts_are_no_longer_the_providers_on_postgres() {
    let Some(server) = server("the suite of the store") else { return };
    let database = TestDatabase::create(&server).await;
    let kept = cache(&database.url).await;
    let mut connection = PgConnection::connect(&database.url).await.expect("the database");
    sqlx::raw_sql(DOWN_TO_30).execute(&mut connection).await.expect("taken back");
    connection.close().await.expect("closed");
    assert_withdrawn(&database.url, kept).await;
    database.drop().await;
}
