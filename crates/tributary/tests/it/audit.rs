//! The audit log over the API and the CLI: each kind of change leaves an entry, no entry contains a secret, and edits
//! of the log in the database or in a backup are detected.

use crate::app_harness::{AppHarness, Client, items};
use crate::program::{program, run, text};
use domain::settings::{Settings, Throttle};
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection, SqliteConnection};
use std::path::Path;
use std::time::Duration;
use store::dump::DumpSink;
use syntax::rate::Rate;
use testkit::source::{Behavior, Source};
use tributary::backup::{Backup, BackupWriter};

async fn entries(admin: &Client, query: &str) -> Vec<Value> {
    let answer = admin.get(&format!("/svc/audit/{query}")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body.as_array().unwrap().clone()
}

async fn last_entry(admin: &Client) -> Value {
    entries(admin, "").await[0].clone()
}

fn summary(entry: &Value) -> String {
    let word = |name: &str| entry[name].as_str().unwrap().to_owned();
    format!("{} {} {}", word("action"), word("kind"), word("record_name"))
}

/// Sends a request with its own request id and returns the audit entry, after checking its author, address and request
/// id.
async fn change(app: &AppHarness, method: Method, path: &str, body: Value) -> Value {
    let id = format!("test-{:08x}", rand::random::<u32>());
    let request = app.admin.request(method.clone(), path).header("X-Request-ID", &id);
    let request = request.header("Content-Type", "application/json").body(body.to_string());
    let answer = crate::app_harness::Answer::of(request).await;
    assert!(answer.status.is_success(), "{method} {path}: {answer:?}");
    let entry = last_entry(&app.admin).await;
    assert_eq!(entry["request_id"], id, "{method} {path} left no entry: {entry}");
    assert_eq!((&entry["actor"], &entry["client_address"]), (&json!("admin"), &json!("127.0.0.1")));
    assert!(entry["actor_id"].is_i64() && entry["hash"].as_str().unwrap().len() == 64, "{entry}");
    entry
}

async fn people_and_rules(app: &AppHarness) {
    let (post, put, patch, delete) = (Method::POST, Method::PUT, Method::PATCH, Method::DELETE);
    let rules = json!({"name": "phones", "config_content": "a,b"});
    let made = change(app, post.clone(), "/svc/querytransforms/", rules).await;
    assert_eq!(summary(&made), "created querytransform phones.rewrite");
    let path = format!("/svc/querytransforms/{}/", made["record_id"]);
    let edited = change(app, patch.clone(), &path, json!({"config_content": "a,c"})).await;
    assert_eq!(edited["changes"], json!({"config_content": {"from": "a,b", "to": "a,c"}}));
    change(app, delete.clone(), &path, json!({})).await;

    let person = json!({"username": "otto", "password": "hush-password-1"});
    let made = change(app, post.clone(), "/svc/users/", person).await;
    assert_eq!(summary(&made), "created user otto");
    let path = format!("/svc/users/{}/", made["record_id"]);
    let edited =
        change(app, patch.clone(), &path, json!({"is_admin": true, "password": "hush-password-2"})).await;
    let expected = json!({
        "is_admin": {"from": false, "to": true},
        "password": {"from": "••••", "to": "••••"},
    });
    assert_eq!(edited["changes"], expected);
    assert_eq!(summary(&change(app, delete.clone(), &path, json!({})).await), "deleted user otto");

    let made = change(app, post.clone(), "/svc/groups/", json!({"name": "research"})).await;
    let path = format!("/svc/groups/{}/", made["record_id"]);
    let edited = change(app, put.clone(), &path, json!({"name": "studies"})).await;
    assert_eq!(edited["changes"], json!({"name": {"from": "research", "to": "studies"}}));
    assert_eq!(summary(&change(app, delete.clone(), &path, json!({})).await), "deleted group studies");

    let made = change(app, post.clone(), "/svc/tokens/", json!({"label": "laptop"})).await;
    assert_eq!(
        (summary(&made), &made["changes"]["user"]["to"]),
        ("created token laptop".into(), &json!("admin"))
    );
    let path = format!("/svc/tokens/{}/", made["record_id"]);
    assert_eq!(summary(&change(app, delete.clone(), &path, json!({})).await), "deleted token laptop");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_kind_of_change_leaves_an_entry() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    let provider = |name: &str, key: &str| {
        json!({"name": name, "url": source.url(), "response_mappings": "RESULTS=items",
            "credentials": format!("key={key}"), "http_request_headers": {"X-Odd": "hush-header"},
            "query_template": "{url}?q={query_string}&api_key=hush-template"})
    };
    let (post, put, patch, delete) = (Method::POST, Method::PUT, Method::PATCH, Method::DELETE);
    let made = change(&app, post.clone(), "/svc/searchproviders/", provider("One", "hush-one")).await;
    assert_eq!(summary(&made), "created searchprovider One");
    assert_eq!(made["changes"]["credentials"], json!({"from": null, "to": "key=••••"}));
    let path = format!("/svc/searchproviders/{}/", made["record_id"]);
    let edited =
        change(&app, patch.clone(), &path, json!({"active": false, "credentials": "key=hush-2"})).await;
    assert_eq!(summary(&edited), "changed searchprovider One");
    let expected = json!({
        "active": {"from": true, "to": false},
        "credentials": {"from": "key=••••", "to": "key=••••"},
    });
    assert_eq!(edited["changes"], expected);
    let replaced = change(&app, put.clone(), &path, provider("New", "hush-3")).await;
    assert_eq!(summary(&replaced), "replaced searchprovider One");
    assert_eq!(replaced["changes"]["name"], json!({"from": "One", "to": "New"}));
    let reset = change(&app, delete.clone(), &format!("{path}state/"), json!({})).await;
    assert_eq!(summary(&reset), "reset searchprovider New");
    let gone = change(&app, delete.clone(), &path, json!({})).await;
    assert_eq!(summary(&gone), "deleted searchprovider New");
    assert_eq!(gone["changes"]["active"], json!({"from": true, "to": null}));
    let list = json!([provider("A", "hush-a"), provider("B", "hush-b")]);
    change(&app, post.clone(), "/svc/searchproviders/", list).await;
    let both: Vec<String> = entries(&app.admin, "").await.iter().take(2).map(summary).collect();
    assert_eq!(both, ["created searchprovider B", "created searchprovider A"], "each of a list");

    people_and_rules(&app).await;
    let pipeline = app.admin.get("/svc/pipelines/").await.body[0].clone();
    let path = format!("/svc/pipelines/{}/", pipeline["id"]);
    let edited = change(&app, put, &path, json!({"processors": []})).await;
    assert_eq!(edited["changes"], json!({"processors": {"from": pipeline["processors"], "to": []}}));
    let edited = change(&app, patch, "/svc/schedules/subscribe/", json!({"enabled": false})).await;
    assert_eq!(summary(&edited), "changed schedule subscribe");
    assert_eq!(edited["changes"], json!({"enabled": {"from": true, "to": false}}));

    let before = last_entry(&app.admin).await["id"].clone();
    app.admin.search(&json!({"query_string": "river"})).await;
    assert_eq!(app.admin.patch(&path, &json!({"processors": []})).await.status, 200);
    assert_eq!(last_entry(&app.admin).await["id"], before, "searches and what changes nothing leave none");
    let all = entries(&app.admin, "").await;
    assert!(!json!(all).to_string().contains("hush"), "{all:?}");
    assert_eq!(
        summary(all.last().unwrap()),
        "created user admin",
        "the first of all, by the program's start"
    );
    assert_eq!(all.last().unwrap()["actor"], "command line");
    let report = app.admin.get("/svc/audit/verify/").await.body;
    assert_eq!(
        (&report["ok"], report["entries"].as_u64()),
        (&json!(true), Some(all.len() as u64)),
        "{report}"
    );
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_is_filtered_paged_and_for_administrators() {
    let app = AppHarness::start().await;
    for name in ["a", "b", "c"] {
        app.admin.post("/svc/groups/", &json!({"name": name})).await;
    }
    let ann = app.user("ann", &[]).await;
    for path in ["/svc/audit/", "/svc/audit/verify/"] {
        let answer = ann.get(path).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (403, "permission_denied"), "{path}");
        assert_eq!(app.anonymous().get(path).await.status, 401);
    }
    let page = app.admin.get("/svc/audit/?kind=group&page=1&items=2").await.body;
    assert_eq!(
        (page["count"].as_u64(), summary(&page["results"][0])),
        (Some(3), "created group c".to_owned())
    );
    let next = page["next"].as_str().unwrap();
    assert!(next.ends_with("/svc/audit/?kind=group&page=2&items=2"), "{next}");
    let second = next.replace(&app.base, "");
    let rest = app.admin.get(&second);
    assert_eq!(summary(&rest.await.body["results"][0]), "created group a");
    let cases = [
        ("?record=b", 1),
        ("?kind=group&actor=admin&action=created", 3),
        ("?actor=command%20line", 1),
        ("?kind=token", 0),
        ("?since=2999-01-01T00:00:00Z", 0),
        ("?until=2999-01-01T00:00:00Z", 4),
    ];
    for (query, count) in cases {
        assert_eq!(entries(&app.admin, query).await.len(), count, "{query}");
    }
    for query in ["?items=101", "?page=0", "?since=yesterday"] {
        let answer = app.admin.get(&format!("/svc/audit/{query}")).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (400, "invalid"), "{query}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_ins_and_lockouts_are_noted() {
    let rate = Throttle(Some(Rate { count: 3, per: Duration::from_secs(3600) }));
    let app = AppHarness::with(|settings| Settings { throttle_login: rate, ..settings }).await;
    let right = json!({"username": "admin", "password": crate::app_harness::ADMIN_PASSWORD});
    let token = app.anonymous().post("/svc/login/", &right).await.body["token"].as_str().unwrap().to_owned();
    let made = last_entry(&app.admin).await;
    assert_eq!((summary(&made), &made["actor"]), ("created token login".into(), &json!("admin")));
    app.with_header(&format!("Token {token}")).post("/svc/swirl-logout/", &json!({})).await;
    assert_eq!(summary(&last_entry(&app.admin).await), "deleted token login");
    let wrong = json!({"username": "admin", "password": "hush-guess"});
    let mut refused = 0;
    for _ in 0..10 {
        refused += usize::from(app.anonymous().post("/svc/login/", &wrong).await.status == 429);
    }
    assert!(refused > 1, "{refused}");
    let noted = entries(&app.admin, "?kind=sign-in").await;
    assert_eq!(noted.len(), 1, "once, not {refused} times: {noted:?}");
    assert_eq!(
        (summary(&noted[0]), &noted[0]["actor"]),
        ("refused sign-in /svc/login/".into(), &json!("not signed in"))
    );
    assert_eq!((&noted[0]["client_address"], &noted[0]["actor_id"]), (&json!("127.0.0.1"), &Value::Null));
    assert!(!json!(noted).to_string().contains("hush"), "{noted:?}");
    app.stop().await;
}

/// The entries of commands, oldest first.
fn command_entries(folder: &Path) -> Vec<Value> {
    let listed = run(folder, &["audit", "list", "--json"]);
    assert!(listed.status.success(), "{listed:?}");
    let mut entries: Vec<Value> = serde_json::from_slice(&listed.stdout).unwrap();
    entries.reverse();
    entries
}

#[test]
fn commands_are_noted_too() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let source = json!({"name": "Mine", "url": "https://a.example/", "response_mappings": "RESULTS=items",
        "credentials": "key=hush-file"});
    std::fs::write(here.join("mine.json"), source.to_string()).unwrap();
    std::fs::write(here.join("other.json"), source.to_string().replace("a.example", "b.example")).unwrap();
    let commands: [&[&str]; 9] = [
        &["setup", "wikipedia"],
        &["user", "add", "anna", "--group", "research"],
        &["user", "password", "anna"],
        &["token", "add", "anna", "--label", "laptop"],
        &["token", "revoke", "1"],
        &["load-providers", "mine.json"],
        &["load-providers", "other.json", "--replace"],
        &["backup", "monday"],
        &["user", "delete", "anna"],
    ];
    for arguments in commands {
        let done = run(here, arguments);
        assert!(done.status.success(), "{arguments:?}: {done:?}");
    }
    let restored = run(here, &["restore", "monday", "--force"]);
    assert!(restored.status.success(), "{restored:?}");
    let entries = command_entries(here);
    let sentences: Vec<String> = entries.iter().map(summary).collect();
    let wikipedia = entries[1]["record_name"].as_str().unwrap().to_owned();
    assert!(wikipedia.contains("Wikipedia"), "{wikipedia}");
    // The entries written after the backup were lost with the database that the restore replaced.
    let expected = [
        "created user admin",
        &format!("created searchprovider {wikipedia}"),
        "created group research",
        "created user anna",
        "changed user anna",
        "created token laptop",
        "deleted token laptop",
        "created searchprovider Mine",
        "replaced searchprovider Mine",
        "restored database monday",
    ];
    assert_eq!(sentences, expected);
    assert!(entries.iter().all(|entry| entry["actor"] == "command line" && entry["actor_id"].is_null()));
    assert!(!json!(entries).to_string().contains("hush"), "{entries:?}");
    assert_eq!(
        entries[8]["changes"]["url"],
        json!({"from": "https://a.example/", "to": "https://b.example/"})
    );
    let verified = run(here, &["audit", "verify"]);
    assert!(verified.status.success() && text(&verified.stdout).contains("10 entries"), "{verified:?}");
    run(here, &["backup", "tuesday"]);
    assert_eq!(summary(command_entries(here).last().unwrap()), "backed up database tuesday");
    let shown = run(here, &["audit", "list", "--kind", "user", "--record", "anna"]);
    let shown = text(&shown.stdout);
    assert!(shown.contains("changed user") && shown.contains("2 of 2 entries"), "{shown}");
    assert!(shown.contains("password: \"••••\" -> \"••••\""), "{shown}");
}

async fn edit(folder: &Path, statement: &str) {
    let url = format!("sqlite://{}", folder.join("data/tributary.db").display());
    let mut file = SqliteConnection::connect(&url).await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(statement.to_owned())).execute(&mut file).await.unwrap();
    file.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_row_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    assert!(run(here, &["setup", "wikipedia"]).status.success());
    for name in ["anna", "otto"] {
        assert!(run(here, &["user", "add", name]).status.success());
    }
    let sound = run(here, &["doctor", "--offline"]);
    assert!(text(&sound.stdout).contains("4 entries are as they were written"), "{sound:?}");
    edit(here, "UPDATE audit_entries SET record_name = 'ann' || char(98) WHERE id = 3").await;
    let broken = run(here, &["audit", "verify"]);
    assert_eq!(broken.status.code(), Some(4), "{broken:?}");
    assert!(text(&broken.stdout).contains("Entry 3 of the audit log"), "{broken:?}");
    let doctor = run(here, &["doctor", "--offline"]);
    assert_eq!(doctor.status.code(), Some(1), "{doctor:?}");
    assert!(text(&doctor.stdout).contains("Entry 3 of the audit log"), "{doctor:?}");
    edit(here, "UPDATE audit_entries SET record_name = 'anna' WHERE id = 3").await;
    assert_eq!(run(here, &["audit", "verify"]).status.code(), Some(0), "as it was written");
    edit(here, "DELETE FROM audit_entries WHERE id = 4").await;
    let json = run(here, &["audit", "verify", "--json"]);
    let report: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&report["ok"], &report["broken_at"]), (&json!(false), &json!(4)), "{report}");
}

/// Rewrites the backup with one value changed and with correct checksums.
fn forge(from: &Path, to: &Path, table: &str, old: &str, new: &str) {
    let backup = Backup::open(from).unwrap();
    let mut writer = BackupWriter::create(to).unwrap();
    for part in &backup.manifest.parts {
        let Some(columns) = &part.table else {
            writer.add(&part.name, &backup.content(part).unwrap()).unwrap();
            continue;
        };
        writer.begin(columns).unwrap();
        let mut rows = backup.rows(part).unwrap();
        while let Some((mut row, _)) = rows.next_row().unwrap() {
            if columns.name == table {
                row.iter_mut().flatten().filter(|text| *text == old).for_each(|text| *text = new.to_owned());
            }
            writer.row(&row).unwrap();
        }
        writer.end().unwrap();
    }
    writer.finish(backup.manifest.clone()).unwrap();
}

#[test]
fn an_edited_backup_is_named_and_not_restored() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for arguments in [&["setup"][..], &["user", "add", "anna"], &["user", "add", "otto"]] {
        assert!(run(here.path(), arguments).status.success());
    }
    assert!(run(here.path(), &["backup", "sound", "--with-key"]).status.success());
    let verified = run(here.path(), &["backup", "--verify", "sound"]);
    assert!(
        verified.status.success() && text(&verified.stdout).contains("Audit log: 3 entries"),
        "{verified:?}"
    );
    forge(&here.path().join("sound"), &here.path().join("forged"), "audit_entries", "anna", "ann");
    let verified = run(here.path(), &["backup", "--verify", "forged"]);
    assert_eq!(verified.status.code(), Some(1), "{verified:?}");
    assert!(text(&verified.stderr).contains("Entry 2 of the audit log"), "{verified:?}");
    let file = here.path().join("forged").display().to_string();
    let refused = run(there.path(), &["restore", &file]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(text(&refused.stderr).contains("Entry 2 of the audit log"), "{refused:?}");
    assert_eq!(std::fs::read_dir(there.path()).unwrap().count(), 0, "nothing was made there");
    let forced = program(there.path(), &["restore", &file, "--force"]).output().unwrap();
    assert!(forced.status.success() && text(&forced.stderr).contains("Warning: Entry 2"), "{forced:?}");
    assert_eq!(run(there.path(), &["audit", "verify"]).status.code(), Some(4), "the fault stays to be seen");
}
