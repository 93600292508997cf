//! The data of every earlier release, opened by the current program: the same responses, also after a backup and a
//! restore elsewhere, and the stored credential can be decrypted.

use crate::app_harness::{Client, items};
use crate::program::{Running, program, run};
use domain::corpus::PROVIDER_NAME;
use domain::user::CURATORS;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use sqlx::{Connection, SqliteConnection};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use testkit::source::{Behavior, Source};

const RELEASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/releases");
/// The maximum size of a release's data: every clone of the repository contains it.
const FOLDER_BYTES_MAX: u64 = 200_000;

/// Intended changes of a later version: release, caller, place in the responses, and reason.
const INTENDED_CHANGES: &[(&str, &str, &str, &str)] = &[
    (
        "0.1.0-schema-5",
        "admin",
        "/svc/pipelines/[0] processors",
        "migrations 6 and 16 added a step each to the default that nobody had changed",
    ),
    ("0.1.0-schema-8", "admin", "/svc/pipelines/[0] processors", "migration 16 added its step"),
    ("0.1.0-schema-5", "user", PAGE_FETCH, "it may hold secrets, so only who may edit the provider sees it"),
    ("0.1.0-schema-8", "user", PAGE_FETCH, "the same"),
    ("0.1.0-schema-5", "admin", MESSAGES, "the messages of a search are those of its sources as well"),
    ("0.1.0-schema-8", "admin", MESSAGES, "the same"),
    ("0.1.0-schema-5", "user", MESSAGES, "the same"),
    ("0.1.0-schema-8", "user", MESSAGES, "the same"),
];
const MESSAGES: &str = " messages: [\"Tributary";
const PAGE_FETCH: &str = "page_fetch_config_json: {} became null";

/// The data that a program of that release wrote, and its responses.
struct Release {
    name: String,
    folder: PathBuf,
    responses: Value,
}

/// Removes the source and the group that a newer version adds.
fn without_new_records(mut responses: Value) -> Value {
    let is_new = |row: &Value| row["name"] == PROVIDER_NAME || row["name"] == CURATORS;
    if let Some(rows) = responses.as_array_mut() {
        rows.retain(|row| !is_new(row));
    }
    responses
}

impl Release {
    fn all() -> Vec<Self> {
        let entries = std::fs::read_dir(RELEASES).unwrap().map(|entry| entry.unwrap().path());
        let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
        folders.sort();
        folders.into_iter().map(Self::read).collect()
    }

    fn read(folder: PathBuf) -> Self {
        let responses = serde_json::from_slice(&decompress(&folder.join("answers.json.gz"))).unwrap();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        Self { name, folder, responses }
    }

    fn text(&self, field: &str) -> &str {
        self.responses[field].as_str().unwrap()
    }

    /// Copies its data into the data folder below `folder`.
    fn put(&self, folder: &Path) {
        let data = folder.join("data");
        std::fs::create_dir(&data).unwrap();
        std::fs::write(data.join("tributary.db"), decompress(&self.folder.join("tributary.db.gz"))).unwrap();
        std::fs::copy(self.folder.join("secret.txt"), data.join("secret.key")).unwrap();
    }

    fn is_intended_change(&self, who: &str, said: &str) -> bool {
        let is_it =
            |row: &&(&str, &str, &str, &str)| (row.0, row.1) == (&self.name, who) && said.contains(row.2);
        INTENDED_CHANGES.iter().any(|row| is_it(&row))
    }

    fn admin(&self, running: &Running) -> Client {
        running.client(Some(crate::demo::basic("admin", self.text("admin_password"))))
    }

    /// The current program gives every recorded response. It runs only the web role, so that nothing changes.
    async fn assert_same_responses(&self, folder: &Path) {
        let running = serve(folder, "web");
        let by_token = running.client(Some(format!("Token {}", self.text("user_token"))));
        let by_password = running.client(Some(crate::demo::basic("anna", self.text("user_password"))));
        let mut count = 0;
        for (who, client) in [("admin", self.admin(&running)), ("user", by_token), ("user", by_password)] {
            for (path, then) in self.responses[who].as_object().unwrap() {
                let now = client.get(path).await;
                assert_eq!(now.status, 200, "{}: {who} {path}: {now:?}", self.name);
                let now = serde_json::from_str(&now.body.to_string().replace(&running.base, "")).unwrap();
                let now = without_new_records(now);
                let mut lost = Vec::new();
                compare(path, &without_times(then.clone()), &without_times(now), &mut lost);
                lost.retain(|said| !self.is_intended_change(who, said));
                assert!(lost.is_empty(), "{}: {who}: {}", self.name, lost.join("\n"));
                count += 1;
            }
        }
        assert!(count > 25, "{count} answers");
        assert_eq!(running.terminate(), Some(0));
    }

    /// A provider of that release is queried with its encrypted credential, and a search with it finishes.
    async fn assert_secret_decrypts(&self, folder: &Path) {
        let source = Source::start().await;
        source.reply(Behavior::Json(items("river", 2)));
        let id = &self.responses["sealed_provider"];
        // The API would not keep a stored secret for another address.
        move_provider(folder, id.as_i64().unwrap(), source.url().as_str()).await;
        let running = serve(folder, "web,search");
        let client = self.admin(&running);
        let tested = client.get(&format!("/svc/searchproviders/{id}/test/?q=river")).await;
        assert_eq!(tested.status, 200, "{}: {tested:?}", self.name);
        let search = json!({"query_string": "river", "searchprovider_list": [id]});
        assert_eq!(client.search(&search).await["status"], "FULL_RESULTS_READY");
        let asked = source.requests();
        assert!(asked.len() >= 2, "{}: {asked:?}", self.name);
        for request in asked {
            assert_eq!(request.header("x-api-key"), Some(self.text("api_key")), "{}", self.name);
        }
        assert_eq!(running.terminate(), Some(0));
    }
}

/// Writes another URL into a provider's record.
async fn move_provider(folder: &Path, id: i64, url: &str) {
    let address = format!("sqlite://{}", folder.join("data/tributary.db").display());
    let mut file = SqliteConnection::connect(&address).await.unwrap();
    let set = "UPDATE providers SET draft = json_set(draft, '$.url', $1) WHERE id = $2";
    let moved = sqlx::query(set).bind(url).bind(id).execute(&mut file).await.unwrap();
    assert_eq!(moved.rows_affected(), 1);
    file.close().await.unwrap();
}

fn decompress(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
    bytes
}

fn serve(folder: &Path, roles: &str) -> Running {
    let mut command = program(folder, &["serve", "--port", "0", "--roles", roles]);
    command.stderr(Stdio::null());
    Running::start(command)
}

/// A backup of this folder, restored in a new one.
fn restore_backup(here: &Path) -> tempfile::TempDir {
    let there = tempfile::tempdir().unwrap();
    let file = there.path().join("backup");
    let file = file.to_str().unwrap();
    let made = run(here, &["backup", file, "--with-key"]);
    assert!(made.status.success(), "{made:?}");
    let restored = run(there.path(), &["restore", file]);
    assert!(restored.status.success(), "{restored:?}");
    there
}

/// The response without the parts that depend on the time of the request: the time of the mixer's message, and the last
/// use of a token.
fn without_times(mut answer: Value) -> Value {
    for line in answer.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten() {
        let text = line.as_str().unwrap();
        if let Some((_, said)) = text.split_once("] ").filter(|(_, said)| said.contains("Mixer")) {
            *line = Value::String(said.to_owned());
        }
    }
    for row in answer.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        row.remove("last_used");
    }
    answer
}

/// Lists what the old response has and the new one lacks. Additions are allowed.
fn compare(place: &str, then: &Value, now: &Value, lost: &mut Vec<String>) {
    match (then, now) {
        (Value::Object(then), Value::Object(now)) => {
            for (key, value) in then {
                compare(&format!("{place} {key}"), value, now.get(key).unwrap_or(&Value::Null), lost);
            }
        }
        (Value::Array(then), Value::Array(now)) if then.len() == now.len() => {
            for (index, (then, now)) in then.iter().zip(now).enumerate() {
                compare(&format!("{place}[{index}]"), then, now, lost);
            }
        }
        _ if then == now => {}
        _ => lost.push(format!("{place}: {then} became {now}")),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_data_of_every_release_is_opened_backed_up_and_restored() {
    let releases = Release::all();
    assert!(releases.len() >= 2, "there are releases");
    for release in releases {
        let here = tempfile::tempdir().unwrap();
        release.put(here.path());
        // A backup of data that the current program has not opened yet.
        let untouched = restore_backup(here.path());
        release.assert_same_responses(untouched.path()).await;
        release.assert_same_responses(here.path()).await;
        let there = restore_backup(here.path());
        release.assert_same_responses(there.path()).await;
        release.assert_secret_decrypts(there.path()).await;
    }
}

#[test]
fn the_data_of_a_release_is_small_and_described() {
    let readme = std::fs::read_to_string(Path::new(RELEASES).join("README.md")).unwrap();
    for release in Release::all() {
        let files = std::fs::read_dir(&release.folder).unwrap();
        let bytes: u64 = files.map(|file| file.unwrap().metadata().unwrap().len()).sum();
        assert!(bytes <= FOLDER_BYTES_MAX, "{}: {bytes} bytes", release.name);
        assert!(readme.contains(&format!("| `{}` |", release.name)), "{} is not in the README", release.name);
    }
}

#[test]
fn what_is_lost_is_named_and_what_is_new_is_not() {
    let then = json!({"a": [1, {"b": null}], "c": "d"});
    let cases = [
        (json!({"a": [1, {"b": null, "new": 1}], "c": "d", "e": 2}), vec![]),
        (json!({"a": [1, {"b": 2}], "c": "d"}), vec!["x a[1] b: null became 2"]),
        (json!({"a": [1], "c": "d"}), vec!["x a: [1,{\"b\":null}] became [1]"]),
        (json!({"a": [1, {"b": null}]}), vec!["x c: \"d\" became null"]),
    ];
    for (now, expected) in cases {
        let mut lost = Vec::new();
        compare("x", &then, &now, &mut lost);
        assert_eq!(lost, expected);
    }
}
