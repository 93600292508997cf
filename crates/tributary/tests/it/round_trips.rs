//! Backups that go from one database to the other and back, in every order: all records and the audit log arrive.

use crate::app_harness::items;
use crate::backup::{admin, answers, command, searched, serve};
use crate::program::text;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use testkit::postgres::{TestDatabase, server};
use testkit::source::{Behaviour, Source};
use tributary::backup::{Backup, Part};

const KEY: (&str, &str) = ("SVC_SECRET_KEY", "one key for all");
/// Each makes an entry of the audit log. There are more than ten, so that 10 would come before 2 as text.
const PROVIDERS: usize = 14;

/// An installation with a database of its own.
struct Place {
    folder: tempfile::TempDir,
    database: Option<TestDatabase>,
}

impl Place {
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

    /// Runs a command that must succeed; what it said.
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

/// Every table of a backup. The databases have their columns and, where records have no number, their rows in other orders.
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

/// All records of the first backup are in the second. A backup and a restore write entries of the audit log themselves.
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

/// The search ids and their answers.
async fn filled(place: &Place, source: &Source) -> BTreeMap<i64, String> {
    let running = serve(place.folder.path(), &place.environment());
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
    let ids = searched(&client, 3).await;
    let found = answers(&running, &ids).await;
    assert_eq!(running.terminate(), Some(0));
    found
}

/// True: PostgreSQL.
async fn travel(order: [bool; 3]) {
    let Some(server) = server("backups in every order") else { return };
    let source = Source::start().await;
    source.reply(Behaviour::Json(items("river", 3)));
    let mut places = Vec::new();
    for is_postgres in order {
        places.push(Place::make(is_postgres.then_some(server.as_str())).await);
    }
    let before = filled(&places[0], &source).await;
    let first = places[0].back_up().await;
    let mut file = first.clone();
    for place in &places[1..] {
        place.restore(&file).await;
        file = place.back_up().await;
        assert_arrived(&first, &file);
    }
    let last = &places[2];
    let running = serve(last.folder.path(), &last.environment());
    let ids: Vec<i64> = before.keys().copied().collect();
    assert_eq!(answers(&running, &ids).await, before);
    let list = admin(&running).get("/svc/searchproviders/?items=100").await;
    assert!(!list.body.to_string().contains("unreadable_fields"), "{list:?}");
    assert_eq!(running.terminate(), Some(0));
    for database in places.into_iter().filter_map(|place| place.database) {
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn from_sqlite_to_postgresql_and_back() {
    travel([false, true, false]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_postgresql_to_sqlite_and_back() {
    travel([true, false, true]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_each_database_into_its_own_kind() {
    travel([false, false, true]).await;
    travel([true, true, false]).await;
}
