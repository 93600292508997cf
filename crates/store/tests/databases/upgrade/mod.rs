//! A database of an older version, opened by this one.

mod accounts;
mod assistant;
mod attribution;
mod matter_tags;

use super::{config, now};
use chrono::TimeDelta;
use domain::corpus::{AclToken, IndexedContent, NewSignal, Signal, Visibility};
use domain::ids::{SearchId, SignalId, UserId};
use domain::pipeline::{PipelineSpec, SYSTEM_DEFAULT};
use domain::ports::{FinishedRun, PipelineEdits, PipelineStore, SearchStore, SignalStore, UserStore};
use domain::search::SearchSpec;
use domain::status::SearchStatus;
use domain::user::UserSpec;
use sqlx::{Connection, PgConnection, SqliteConnection};
use store::SqlStore;
use testkit::postgres::{TestDatabase, server};
use testkit::suites::store::signals;

/// Reverts migrations from the fifth on.
const DOWN_TO_4: &str = "ALTER TABLE searches DROP COLUMN assistant; ALTER TABLE searches DROP COLUMN notices; DROP TABLE source_budgets; DROP INDEX IF EXISTS searches_open; DROP TABLE idempotency_keys; DROP TABLE database_sizes; \
     DROP INDEX tasks_by_owner; ALTER TABLE tasks DROP COLUMN owner; \
     DROP INDEX searches_by_retention; DROP INDEX searches_subscribed; \
     ALTER TABLE searches DROP COLUMN retention; ALTER TABLE searches DROP COLUMN subscribe; \
     DROP TABLE query_transforms; DROP TABLE pipelines; DROP TABLE schedules; DROP TABLE pings; \
     DROP TABLE audit_entries; DROP TABLE audit_head; \
     DROP TABLE chat_messages; DROP TABLE chats; DROP TABLE answer_writers; DROP TABLE answers; \
     DROP TABLE prompts; DROP TABLE brought_ai_providers; DROP TABLE ai_providers; \
     DROP TABLE identities; DROP TABLE pending_flows; DROP TABLE connections; DROP TABLE authenticators; \
     ALTER TABLE providers DROP COLUMN confidential; ALTER TABLE providers DROP COLUMN version; \
     ALTER TABLE users DROP COLUMN version; ALTER TABLE user_groups DROP COLUMN version; \
     DROP TABLE brandings; DROP TABLE answer_ratings; DROP TABLE search_runs; DROP TABLE preferences; \
     ALTER TABLE searches DROP COLUMN saved; ALTER TABLE searches DROP COLUMN query_folded; \
     DROP TABLE canonical_run_askers; \
     DROP TABLE pins; DROP TABLE pin_history; DROP TABLE canonical_runs; DROP TABLE signal_rejections; \
     DROP TABLE egress_scans; DROP TABLE egress_events; \
     DROP TABLE signal_grant_tags; DROP TABLE signal_tags; DROP TABLE signal_grants; DROP TABLE signal_versions; DROP TABLE signal_chunks; \
     DROP TABLE signals; DROP TABLE corpus_changes; DROP TABLE corpus_values; \
     DELETE FROM _sqlx_migrations WHERE version >= 5";
/// Reverts migration 19.
const DOWN_TO_18: &str = "INSERT INTO signal_tags (signal_id, tag) SELECT DISTINCT signal_id, tag FROM signal_grant_tags; \
     DROP TABLE signal_grant_tags; DROP INDEX signal_grants_by_request; \
     ALTER TABLE signal_grants DROP COLUMN asked_as; DROP INDEX signals_by_address; UPDATE signals SET record_key = url_hash; \
     ALTER TABLE signals DROP COLUMN url_hash; ALTER TABLE signals DROP COLUMN given_at; \
     ALTER TABLE signals RENAME COLUMN record_key TO url_hash; \
     DELETE FROM _sqlx_migrations WHERE version = 19";
/// Reverts migrations from the twenty-fourth on.
const DOWN_TO_23: &str = "ALTER TABLE searches DROP COLUMN assistant; ALTER TABLE searches DROP COLUMN notices; ALTER TABLE signal_grants DROP COLUMN notices; \
     DROP TABLE source_budgets; DROP INDEX IF EXISTS searches_open; DROP TABLE idempotency_keys; DROP TABLE database_sizes; \
     ALTER TABLE signal_grants DROP COLUMN account_provider_id; \
     ALTER TABLE signal_grants DROP COLUMN messages; \
     DELETE FROM _sqlx_migrations WHERE version >= 24";
/// Reverts migrations 16 to 18.
const DOWN_TO_15: &str = "DROP INDEX tasks_by_owner; ALTER TABLE tasks DROP COLUMN owner; \
     DROP TABLE canonical_run_askers; DROP TABLE pins; DROP TABLE pin_history; DROP TABLE canonical_runs; \
     DROP TABLE signal_rejections; DROP TABLE egress_scans; DROP TABLE egress_events; \
     ALTER TABLE audit_head DROP COLUMN past_keys; \
     ALTER TABLE users DROP COLUMN version; ALTER TABLE user_groups DROP COLUMN version; \
     ALTER TABLE providers DROP COLUMN version; ALTER TABLE query_transforms DROP COLUMN version; \
     ALTER TABLE pipelines DROP COLUMN version; ALTER TABLE schedules DROP COLUMN version; \
     ALTER TABLE authenticators DROP COLUMN version; ALTER TABLE ai_providers DROP COLUMN version; \
     ALTER TABLE prompts DROP COLUMN version; ALTER TABLE chats DROP COLUMN version; \
     ALTER TABLE preferences DROP COLUMN version; ALTER TABLE brandings DROP COLUMN version; \
     ALTER TABLE signals DROP COLUMN file_bytes; DELETE FROM _sqlx_migrations WHERE version >= 16";
/// Reverts migration 6, which only changes a record.
const FORGET_6: &str = "DELETE FROM _sqlx_migrations WHERE version = 6";

/// The default pipeline as earlier versions stored it, and as it is now.
const FIRST: [&str; 2] = ["CosineRelevancyPostResultProcessor", "DedupeByFieldPostResultProcessor"];
const SECOND: [&str; 3] = [FIRST[0], FIRST[1], "DedupeBySimilarityPostResultProcessor"];
const NOW: [&str; 4] = [FIRST[0], FIRST[1], SECOND[2], "VersionClusteringPostResultProcessor"];

/// Stores finished searches, and returns those that expire and those that are subscribed.
async fn fill(url: &str) -> (Vec<SearchId>, Vec<SearchId>) {
    let store = SqlStore::open(config(url)).await.expect("opens");
    let spec = UserSpec { username: "owner".to_owned(), ..UserSpec::default() };
    let owner = store.create_user(spec, "hash".to_owned(), now()).await.expect("a user").id;
    let (mut expiring, mut subscribed) = (Vec::new(), Vec::new());
    for (retention, subscribe) in [(0, false), (4, false), (1, false), (0, true), (1, true)] {
        let spec = SearchSpec {
            retention: Some(retention),
            subscribe,
            // Texts that look like the fields, and one that PostgreSQL cannot parse.
            tags: vec![r#""retention":3,"subscribe":true"#.to_owned(), "NUL \0".to_owned()],
            ..SearchSpec::of_query(r#"","retention":3,"subscribe":true,""#)
        };
        let search = store.create_search(spec, owner, Vec::new(), now(), None).await.expect("a search");
        let finished = FinishedRun {
            search: search.id,
            run: search.run,
            status: SearchStatus::FullResultsReady,
            query_string_processed: String::new(),
            notices: Vec::new(),
            time_s: 0.1,
            sets: Vec::new(),
            found: None,
            now: now(),
        };
        store.finish_run(finished).await.expect("saved").expect("the newest run");
        if retention > 0 && !subscribe {
            expiring.push(search.id);
        }
        if subscribe {
            subscribed.push(search.id);
        }
    }
    store.close().await;
    (expiring, subscribed)
}

async fn assert_filled(url: &str, expiring: &[SearchId], subscribed: &[SearchId]) {
    let store = SqlStore::open(config(url)).await.expect("opens again");
    let late = now() + TimeDelta::days(1);
    assert_eq!(store.expired_searches(late, 10).await.expect("an answer"), expiring);
    let soon = now() + TimeDelta::minutes(5);
    assert_eq!(store.expired_searches(soon, 10).await.expect("an answer"), expiring[..1]);
    let found = store.subscribed_searches(SearchId(0), 10).await.expect("an answer");
    assert_eq!(found.iter().map(|search| search.id).collect::<Vec<_>>(), subscribed);
    store.close().await;
}

#[tokio::test]
async fn stored_searches_keep_retention_and_subscription_on_sqlite() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    let (expiring, subscribed) = fill(&url).await;
    let mut file = SqliteConnection::connect(&url).await.expect("the file");
    sqlx::raw_sql(DOWN_TO_4).execute(&mut file).await.expect("taken back");
    file.close().await.expect("closed");
    assert_filled(&url, &expiring, &subscribed).await;
}

#[tokio::test]
async fn stored_searches_keep_retention_and_subscription_on_postgres() {
    let Some(server) = server("the suite of the store") else { return };
    let database = TestDatabase::create(&server).await;
    let (expiring, subscribed) = fill(&database.url).await;
    let mut connection = PgConnection::connect(&database.url).await.expect("the database");
    sqlx::raw_sql(DOWN_TO_4).execute(&mut connection).await.expect("taken back");
    connection.close().await.expect("closed");
    assert_filled(&database.url, &expiring, &subscribed).await;
    database.drop().await;
}

/// Stores the default pipeline with these processors.
async fn store_pipeline(url: &str, processors: &[&str]) {
    let store = SqlStore::open(config(url)).await.expect("opens");
    store.ensure_pipeline(SYSTEM_DEFAULT, &[], now()).await.expect("stored");
    let id = store.pipeline_by_name(SYSTEM_DEFAULT).await.expect("a pipeline").id;
    let spec = PipelineSpec { processors: processors.iter().map(|name| (*name).to_owned()).collect() };
    store.replace_pipeline(id, spec, now()).await.expect("replaced");
    store.close().await;
}

async fn stored_pipeline(url: &str) -> Vec<String> {
    let store = SqlStore::open(config(url)).await.expect("opens again");
    let pipeline = store.pipeline_by_name(SYSTEM_DEFAULT).await.expect("a pipeline");
    store.close().await;
    pipeline.processors
}

/// The stored pipeline, the statements that make the database one of an earlier version, and the pipeline after the
/// start.
const PIPELINES: [(&[&str], &[&str], &[&str]); 8] = [
    (&FIRST, &[FORGET_6, DOWN_TO_23, DOWN_TO_18, DOWN_TO_15], &NOW),
    (&FIRST, &[FORGET_6], &SECOND),
    (&[FIRST[1], FIRST[0]], &[FORGET_6, DOWN_TO_23, DOWN_TO_18, DOWN_TO_15], &[FIRST[1], FIRST[0]]),
    (&[], &[FORGET_6, DOWN_TO_23, DOWN_TO_18, DOWN_TO_15], &[]),
    (&SECOND, &[DOWN_TO_23, DOWN_TO_18, DOWN_TO_15], &NOW),
    (&FIRST, &[DOWN_TO_23, DOWN_TO_18, DOWN_TO_15], &FIRST),
    // Removed by people, and not restored at the next start.
    (&FIRST, &[], &FIRST),
    (&SECOND, &[], &SECOND),
];

#[tokio::test]
async fn the_default_pipeline_gets_its_new_step_on_sqlite() {
    for (stored, older, expected) in PIPELINES {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite://{}/store.db", folder.path().display());
        store_pipeline(&url, stored).await;
        let mut file = SqliteConnection::connect(&url).await.expect("the file");
        for text in older {
            sqlx::raw_sql(*text).execute(&mut file).await.expect("taken back");
        }
        file.close().await.expect("closed");
        assert_eq!(stored_pipeline(&url).await, expected);
    }
}

#[tokio::test]
async fn the_default_pipeline_gets_its_new_step_on_postgres() {
    let Some(server) = server("the suite of the store") else { return };
    for (stored, older, expected) in PIPELINES {
        let database = TestDatabase::create(&server).await;
        store_pipeline(&database.url, stored).await;
        let mut connection = PgConnection::connect(&database.url).await.expect("the database");
        for text in older {
            sqlx::raw_sql(*text).execute(&mut connection).await.expect("taken back");
        }
        connection.close().await.expect("closed");
        assert_eq!(stored_pipeline(&database.url).await, expected);
        database.drop().await;
    }
}

/// Three documents: of a provider, supplied, and requested only. Ann has them, Ben has the first as well.
async fn cache(url: &str) -> (UserId, UserId, Vec<Signal>) {
    let store = SqlStore::open(config(url)).await.expect("opens");
    let mut people = Vec::new();
    for name in ["ann", "ben"] {
        let spec = UserSpec { username: name.to_owned(), ..UserSpec::default() };
        people.push(store.create_user(spec, "hash".to_owned(), now()).await.expect("a user").id);
    }
    let (ann, ben) = (people[0], people[1]);
    let note = async |name: &str, user: UserId, is_supplied: bool| {
        let seen = NewSignal { is_supplied, matter_tags: vec!["matter:a".to_owned()], ..signals::seen(name) };
        store.note_signal(seen, &signals::by(user, ""), now()).await.expect("noted").0.signal_id
    };
    let mut ids = Vec::new();
    for (name, user, is_supplied) in [("x", ann, false), ("x", ben, false), ("y", ann, true)] {
        let id = note(name, user, is_supplied).await;
        let content = IndexedContent { is_supplied, ..signals::content(name, 2) };
        let placed = store.index_signal(id, content, &signals::by(user, name), now()).await.expect("indexed");
        ids.push(placed.signal_id);
    }
    ids.push(note("z", ann, false).await);
    ids.dedup();
    let kept = store.signals(&ids, Visibility::Unrestricted).await.expect("kept");
    store.close().await;
    (ann, ben, kept)
}

/// Every record and grant is there, and the next text of each goes to the right record.
async fn assert_cached(url: &str, ann: UserId, ben: UserId, kept: &[Signal]) {
    let store = SqlStore::open(config(url)).await.expect("opens again");
    let ids: Vec<SignalId> = kept.iter().map(|signal| signal.signal_id).collect();
    assert_eq!(store.signals(&ids, Visibility::Unrestricted).await.expect("read"), kept);
    let seen_by = async |user: UserId| {
        let seen = store.signals(&ids, Visibility::To(&[AclToken::User(user)])).await.expect("read");
        seen.into_iter().map(|signal| (signal.signal_id, signal.matter_tags.join(","))).collect::<Vec<_>>()
    };
    let tagged = |id: SignalId| (id, "matter:a".to_owned());
    assert_eq!(seen_by(ann).await, [tagged(ids[0]), tagged(ids[1])]);
    assert_eq!(seen_by(ben).await, [tagged(ids[0])]);
    for (name, text, is_supplied, expected) in
        [("x", "x", false, ids[0]), ("y", "newer", true, ids[1]), ("z", "z", false, ids[2])]
    {
        let seen = NewSignal { is_supplied, ..signals::seen(name) };
        let (noted, is_new) = store.note_signal(seen, &signals::by(ann, ""), now()).await.expect("noted");
        assert_eq!((noted.signal_id, is_new), (expected, false), "{name}");
        let content = IndexedContent { is_supplied, ..signals::content(text, 1) };
        let placed = store.index_signal(expected, content, &signals::by(ann, text), now()).await;
        assert_eq!(placed.expect("indexed").signal_id, expected, "{name}");
    }
    store.close().await;
}

#[tokio::test]
async fn cached_documents_keep_records_and_rights_on_sqlite() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    let (ann, ben, kept) = cache(&url).await;
    let mut file = SqliteConnection::connect(&url).await.expect("the file");
    sqlx::raw_sql(DOWN_TO_18).execute(&mut file).await.expect("taken back");
    file.close().await.expect("closed");
    assert_cached(&url, ann, ben, &kept).await;
}

#[tokio::test]
async fn cached_documents_keep_records_and_rights_on_postgres() {
    let Some(server) = server("the suite of the store") else { return };
    let database = TestDatabase::create(&server).await;
    let (ann, ben, kept) = cache(&database.url).await;
    let mut connection = PgConnection::connect(&database.url).await.expect("the database");
    sqlx::raw_sql(DOWN_TO_18).execute(&mut connection).await.expect("taken back");
    connection.close().await.expect("closed");
    assert_cached(&database.url, ann, ben, &kept).await;
    database.drop().await;
}
