//! Manipulation of the audit log in the database is detected and named, on both databases.

use super::{config, now};
use domain::audit::{Action, AuditEvent, AuditReport, Author, Kind};
use domain::ports::{AuditStore, StoreError};
use domain::secret::Secret;
use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection};
use store::{EncryptionKey, SqlStore, StoreConfig};
use testkit::postgres::{TestDatabase, server};

/// What is done to a log of five entries, the entry that is named, and a part of the message.
const DEEDS: &[(&str, Option<u64>, &str)] = &[
    ("UPDATE audit_entries SET actor = 'nobody' WHERE id = 3", Some(3), "Entry 3 "),
    ("UPDATE audit_entries SET changes = '{\"x\":1}' WHERE id = 1", Some(1), "not as it was written"),
    ("UPDATE audit_entries SET hash = 'a' || substr(hash, 2) WHERE id = 5", Some(5), "Entry 5 "),
    ("DELETE FROM audit_entries WHERE id = 2", Some(2), "Entry 2 of the audit log is missing"),
    ("DELETE FROM audit_entries WHERE id = 5", Some(5), "Entry 5 of the audit log is missing"),
    ("DELETE FROM audit_entries", Some(1), "Entry 1 of the audit log is missing"),
    (
        "DELETE FROM audit_entries WHERE id = 5; UPDATE audit_head SET entries = 4, \
         hash = (SELECT hash FROM audit_entries WHERE id = 4)",
        None,
        "head",
    ),
    ("DELETE FROM audit_entries; UPDATE audit_head SET entries = 0, hash = 'x', seal = ''", None, "head"),
    ("DELETE FROM audit_head", None, "head of the audit log is missing"),
    (
        "INSERT INTO audit_entries SELECT 6, at, actor_id, actor, client_address, request_id, action, kind, \
         record_id, record_name, changes, hash FROM audit_entries WHERE id = 5",
        Some(6),
        "does not belong",
    ),
    (
        "UPDATE audit_entries SET id = -1 WHERE id = 4; UPDATE audit_entries SET id = 4 WHERE id = 3; \
         UPDATE audit_entries SET id = 3 WHERE id = -1",
        Some(3),
        "Entry 3 ",
    ),
];

async fn fill(store: &SqlStore) {
    for number in 1..=5 {
        let event = AuditEvent::of(Action::Reset, Kind::SearchProvider, Some(number), "source");
        store.note(&Author::command_line(now()), event).await.expect("noted");
    }
    assert!(store.verify_audit().await.expect("verified").ok);
}

fn check(report: &AuditReport, deed: &(&str, Option<u64>, &str)) {
    let (statement, entry, said) = deed;
    assert!(!report.ok, "{statement}");
    assert_eq!(report.broken_at, *entry, "{statement}: {report:?}");
    assert!(report.detail.contains(said), "{statement}: {report:?}");
}

#[tokio::test]
async fn a_changed_log_is_named_on_sqlite() {
    for deed in DEEDS {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite://{}/store.db", folder.path().display());
        let store = SqlStore::open(config(&url)).await.expect("opens");
        fill(&store).await;
        let mut file = SqliteConnection::connect(&url).await.expect("the file");
        sqlx::raw_sql(deed.0).execute(&mut file).await.expect("done");
        check(&store.verify_audit().await.expect("verified"), deed);
        store.close().await;
    }
}

#[tokio::test]
async fn a_changed_log_is_named_on_postgres() {
    let Some(server) = server("the audit log") else { return };
    for deed in DEEDS {
        let database = TestDatabase::create(&server).await;
        let store = SqlStore::open(config(&database.url)).await.expect("opens");
        fill(&store).await;
        let mut connection = PgConnection::connect(&database.url).await.expect("the database");
        sqlx::raw_sql(deed.0).execute(&mut connection).await.expect("done");
        check(&store.verify_audit().await.expect("verified"), deed);
        store.close().await;
        database.drop().await;
    }
}

/// Flips every byte of an entry's texts.
#[tokio::test]
async fn a_flipped_byte_in_the_file_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    let store = SqlStore::open(config(&url)).await.expect("opens");
    fill(&store).await;
    let event = AuditEvent::of(Action::Deleted, Kind::User, Some(1), "a name to look for");
    store.note(&Author::command_line(now()), event).await.expect("noted");
    store.close().await;
    let path = folder.path().join("store.db");
    let whole = std::fs::read(&path).expect("the file");
    let place = whole.windows(18).position(|part| part == b"a name to look for").expect("in the file");
    for offset in 0..18 {
        // Also to a byte that is not valid text.
        for mask in [0x01, 0x80] {
            let mut bytes = whole.clone();
            bytes[place + offset] ^= mask;
            std::fs::write(&path, bytes).expect("written");
            let store = SqlStore::open(config(&url)).await.expect("opens");
            let report = store.verify_audit().await.expect("verified");
            assert_eq!((report.ok, report.broken_at), (false, Some(6)), "{offset}: {report:?}");
            store.close().await;
        }
    }
}

/// A hidden entry is detected forever: an invalid head is not authenticated again.
#[tokio::test]
async fn a_broken_head_is_not_mended_by_later_entries() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    let store = SqlStore::open(config(&url)).await.expect("opens");
    fill(&store).await;
    let hidden = "DELETE FROM audit_entries WHERE id = 5; UPDATE audit_head SET entries = 4, \
                  hash = (SELECT hash FROM audit_entries WHERE id = 4)";
    let mut file = SqliteConnection::connect(&url).await.expect("the file");
    sqlx::raw_sql(hidden).execute(&mut file).await.expect("hidden");
    for _ in 0..3 {
        let event = AuditEvent::of(Action::Reset, Kind::SearchProvider, None, "later");
        store.note(&Author::command_line(now()), event).await.expect("work goes on");
        let report = store.verify_audit().await.expect("verified");
        assert!(!report.ok && report.detail.contains("head"), "{report:?}");
    }
    // An entry in the place of the next one is not overwritten.
    let forged = "UPDATE audit_entries SET id = 8 WHERE id = 2";
    sqlx::raw_sql(AssertSqlSafe(forged)).execute(&mut file).await.expect("forged");
    let event = AuditEvent::of(Action::Reset, Kind::SearchProvider, None, "later");
    let refused = store.note(&Author::command_line(now()), event).await;
    assert!(matches!(refused, Err(StoreError::Failed { message, .. }) if message.contains("entry 8")));
    store.close().await;
}

#[tokio::test]
async fn another_key_does_not_fit() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    let store = SqlStore::open(config(&url)).await.expect("opens");
    fill(&store).await;
    store.close().await;
    let key = EncryptionKey::from_secret(&Secret::new("another key"));
    let stranger = SqlStore::open(StoreConfig { key, ..config(&url) }).await.expect("opens");
    let report = stranger.verify_audit().await.expect("verified");
    assert_eq!((report.ok, report.broken_at), (false, Some(1)), "{report:?}");
    assert!(report.detail.contains("another key"), "{report:?}");
    stranger.close().await;
}

/// Two processes with their own connections write at once.
async fn two_processes(url: &str) {
    let first = SqlStore::open(config(url)).await.expect("opens");
    let second = SqlStore::open(config(url)).await.expect("opens");
    let event = || AuditEvent::of(Action::Reset, Kind::SearchProvider, None, "source");
    let author = Author::command_line(now());
    let notes = (0..40).map(|number| if number % 2 == 0 { &first } else { &second }.note(&author, event()));
    for noted in futures_util::future::join_all(notes).await {
        noted.expect("noted");
    }
    let report = second.verify_audit().await.expect("verified");
    assert!(report.ok && report.entries == 40, "{report:?}");
    first.close().await;
    second.close().await;
}

#[tokio::test]
async fn two_processes_leave_one_chain_on_sqlite() {
    let folder = tempfile::tempdir().expect("a folder");
    two_processes(&format!("sqlite://{}/store.db", folder.path().display())).await;
}

#[tokio::test]
async fn two_processes_leave_one_chain_on_postgres() {
    let Some(server) = server("the audit log") else { return };
    let database = TestDatabase::create(&server).await;
    two_processes(&database.url).await;
    database.drop().await;
}
