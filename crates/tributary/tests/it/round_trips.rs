//! Backups from one database to the other and back, in every order: all records and the audit log arrive.

use crate::app_harness::items;
use crate::backup::{admin, answers, command, run_searches, serve};
use crate::program::text;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use testkit::postgres::{TestDatabase, server};
use testkit::source::{Behavior, Source};
use tributary::backup::{Backup, Part};

const KEY: (&str, &str) = ("SVC_SECRET_KEY", "one key for all");
/// Each creates an audit entry. There are more than ten, so that an order by text (10 before 2) would be noticed.
const PROVIDERS: usize = 14;

/// An installation with its own database.
struct Installation {
    folder: tempfile::TempDir,
    database: Option<TestDatabase>,
}

impl Installation {
    async fn make(postgres: Option<&str>) -> Self {
        let database = match postgres {
            Some(server) => Some(TestDatabase::create(server).await),
            None => None,
        };
        Self { folder: tempfile::tempdir().unwrap(), database }
    }

    fn environment(&self) -> Vec<(&str, &str)> {
        let database = self.database.as_ref().map(|database| ("SVC_DATABASE_URL", database.url.as_str()));
        [KEY].into_iter().chain(database).collect()
    }

    /// Runs a command that must succeed. Returns its output.
    async fn succeed(&self, arguments: &[&str]) -> String {
        let output = command(self.folder.path(), arguments, &self.environment()).await;
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        text(&output.stdout)
    }

    /// Writes a backup and verifies it, with its audit log.
    async fn back_up(&self) -> PathBuf {
        let file = self.folder.path().join("b");
        let path = file.to_str().unwrap();
        self.succeed(&["backup", path]).await;
        let verified = self.succeed(&["backup", "--verify", path]).await;
        assert!(verified.contains("Audit log: "), "{verified}");
        file
    }

    async fn restore(&self, file: &Path) {
        self.succeed(&["restore", file.to_str().unwrap()]).await;
        self.succeed(&["audit", "verify"]).await;
    }
}

type Rows = BTreeSet<BTreeMap<String, Option<String>>>;

/// Every table of a backup. The databases differ in the order of columns and, for records without an id, of rows.
fn tables(file: &Path) -> BTreeMap<String, Rows> {
    let backup = Backup::open(file).unwrap();
    let rows_of = |part: &Part| {
        let columns = &part.table.as_ref().unwrap().columns;
        let mut rows = backup.rows(part).unwrap();
        let mut found = Rows::new();
        while let Some((row, _)) = rows.next_row().unwrap() {
            found.insert(columns.iter().map(|column| column.name.clone()).zip(row).collect());
        }
        found
    };
    let parts = backup.manifest.parts.iter().filter(|part| part.table.is_some());
    parts.map(|part| (part.name.clone(), rows_of(part))).collect()
}

/// All records of the first backup are in the second. Backups and restores add audit entries themselves.
fn assert_arrived(first: &Path, second: &Path) {
    let (before, after) = (tables(first), tables(second));
    assert!(before["table audit_entries"].len() >= 12, "{} entries", before["table audit_entries"].len());
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    for (name, rows) in &before {
        match name.as_str() {
            "table audit_entries" => assert!(rows.is_subset(&after[name]), "{name}"),
            "table audit_head" => {}
            _ => assert_eq!(rows, &after[name], "{name}"),
        }
    }
}

/// Fills an installation. Returns the ids of its searches and their results.
async fn fill(installation: &Installation, source: &Source) -> BTreeMap<i64, String> {
    let running = serve(installation.folder.path(), &installation.environment());
    let client = admin(&running);
    for number in 0..PROVIDERS {
        let provider = json!({
            "name": format!("Source {number}"),
            "url": source.url(),
            "credentials": "X-Api-Key=canary",
            "active": number == 0,
            "response_mappings": "FOUND=total,RESULTS=items",
            "result_mappings": "title=title,body=body,url=url,date_published=date,author=author",
        });
        let answer = client.post("/svc/searchproviders/", &provider).await;
        assert_eq!(answer.status, 201, "{answer:?}");
    }
    let ids = run_searches(&client, 3).await;
    let found = answers(&running, &ids).await;
    assert_eq!(running.terminate(), Some(0));
    found
}

/// `true` is PostgreSQL.
async fn round_trip(order: [bool; 3]) {
    let Some(server) = server("backups in every order") else { return };
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 3)));
    let mut installations = Vec::new();
    for is_postgres in order {
        installations.push(Installation::make(is_postgres.then_some(server.as_str())).await);
    }
    let before = fill(&installations[0], &source).await;
    let first = installations[0].back_up().await;
    let mut file = first.clone();
    for installation in &installations[1..] {
        installation.restore(&file).await;
        file = installation.back_up().await;
        assert_arrived(&first, &file);
    }
    let last = &installations[2];
    let running = serve(last.folder.path(), &last.environment());
    let ids: Vec<i64> = before.keys().copied().collect();
    assert_eq!(answers(&running, &ids).await, before);
    let list = admin(&running).get("/svc/searchproviders/?items=100").await;
    assert!(!list.body.to_string().contains("unreadable_fields"), "{list:?}");
    assert_eq!(running.terminate(), Some(0));
    for database in installations.into_iter().filter_map(|installation| installation.database) {
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn from_sqlite_to_postgresql_and_back() {
    round_trip([false, true, false]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_postgresql_to_sqlite_and_back() {
    round_trip([true, false, true]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_each_database_into_its_own_kind() {
    round_trip([false, false, true]).await;
    round_trip([true, true, false]).await;
}
