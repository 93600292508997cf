//! The service's own data cannot be used as a source: neither its database under any name, nor its data folder, nor a
//! file that the server's administrator did not allow. Every test of a source is in the audit log.

use crate::app_harness::{Answer, AppHarness, Client, items};
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use std::path::Path;
use testkit::source::{Behavior, Source};

const EVERYTHING: &str = "select {fields} from users where 1=1 or 1={query_string}";

fn spec(name: &str, file: &Path) -> Value {
    json!({
        "name": name, "connector": "Sqlite3", "url": file, "query_template": EVERYTHING, "query_mappings": "fields=*",
    })
}

async fn test_source(client: &Client, file: &Path) -> Answer {
    client.post("/svc/searchproviders/test/?q=x", &spec("own", file)).await
}

async fn users_file(path: &Path) {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
    let mut connection = options.connect().await.unwrap();
    sqlx::raw_sql("create table users (title text); insert into users values ('A list of people')")
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_cannot_open_the_services_own_database() {
    let allowed = tempfile::tempdir().unwrap();
    let allow = allowed.path().display().to_string();
    let app = AppHarness::with(|mut settings| {
        // The data folder stays forbidden even if it is allowed explicitly.
        settings.sqlite_allow = vec![allow, settings.data_dir.clone()];
        settings
    })
    .await;
    let own = app.folder().join("tributary.db");
    if !own.exists() {
        users_file(&own).await;
    }
    users_file(&allowed.path().join("list.db")).await;
    std::os::unix::fs::symlink(&own, allowed.path().join("link.db")).unwrap();
    std::fs::hard_link(&own, allowed.path().join("hard.db")).unwrap();
    for file in [own, allowed.path().join("link.db"), allowed.path().join("hard.db")] {
        let answer = test_source(&app.admin, &file).await;
        let text = answer.body.to_string();
        assert!(!text.contains("argon2") && !text.contains("password_hash"), "{}: {text}", file.display());
        assert!(text.contains("belongs to this service"), "{}: {text}", file.display());
    }
    let outside = tempfile::tempdir().unwrap();
    users_file(&outside.path().join("list.db")).await;
    std::os::unix::fs::symlink(outside.path().join("list.db"), allowed.path().join("out.db")).unwrap();
    for (file, reason) in [
        ("link.db", "belongs to this service"),
        ("hard.db", "belongs to this service"),
        ("out.db", "outside of the folders in SVC_SQLITE_ALLOW"),
    ] {
        let saved =
            app.admin.post("/svc/searchproviders/", &spec("Linked", &allowed.path().join(file))).await;
        assert_eq!(saved.status, 400, "{file}: {saved:?}");
        assert!(saved.body["errors"]["url"].to_string().contains(reason), "{file}: {saved:?}");
    }
    let answer = test_source(&app.admin, &allowed.path().join("list.db")).await;
    assert!(answer.body.to_string().contains("A list of people"), "{answer:?}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_files_of_allowed_folders_are_opened() {
    let other = tempfile::tempdir().unwrap();
    users_file(&other.path().join("list.db")).await;
    let app = AppHarness::start().await;
    let refused = app.admin.post("/svc/searchproviders/", &spec("List", &other.path().join("list.db"))).await;
    assert_eq!(refused.status, 400, "{refused:?}");
    assert!(refused.body["errors"]["url"].to_string().contains("SVC_SQLITE_ALLOW"), "{refused:?}");
    let tried = test_source(&app.admin, &other.path().join("list.db")).await;
    assert!(tried.body.to_string().contains("SVC_SQLITE_ALLOW"), "{tried:?}");
    assert!(!tried.body.to_string().contains("A list of people"), "{tried:?}");
    // A source that was saved before the rule existed reports at search time what to do.
    let mut prepared = spec("Before", &other.path().join("list.db"));
    prepared["active"] = json!(false);
    assert_eq!(app.admin.post("/svc/searchproviders/", &prepared).await.status, 201);
    let relative = app.admin.post("/svc/searchproviders/", &spec("Near", Path::new("list.db"))).await;
    assert!(relative.body["errors"]["url"].to_string().contains("SVC_SQLITE_ALLOW"), "{relative:?}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_data_folder_is_not_searched_for_files() {
    let app = AppHarness::with(|mut settings| {
        let around = Path::new(&settings.data_dir).parent().unwrap().display().to_string();
        settings.filesystem_allow = vec![around];
        settings
    })
    .await;
    std::fs::write(app.folder().join("canary.txt"), "a canary sings").unwrap();
    let spec = json!({
        "name": "Own folder", "connector": "FileSystem", "url": app.folder(), "result_mappings": "FILE_SYSTEM",
    });
    let tried = app.admin.post("/svc/searchproviders/test/?q=canary", &spec).await;
    assert!(tried.body.to_string().contains("belongs to this service"), "{tried:?}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_tries_a_source_leaves_an_entry_in_the_audit_log() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("tea", 1)));
    let id = app.provider_with("News", &source, json!({"shared": true})).await;
    let entries =
        || async { app.admin.get("/svc/audit/?action=tested").await.body.as_array().unwrap().clone() };
    app.admin.get(&format!("/svc/searchproviders/{id}/test/?q=x")).await;
    assert_eq!((&entries().await[0]["record_id"], entries().await.len()), (&json!(id), 1));

    let mut other = app.admin.get(&format!("/svc/searchproviders/{id}/")).await.body;
    other["query_template"] = json!("{url}?q={query_string}&n=3");
    let tried = app.admin.post("/svc/searchproviders/test/?q=x", &other).await;
    assert_eq!(tried.status, 200, "{tried:?}");
    let noted = entries().await;
    assert_eq!((noted.len(), &noted[0]["record_id"]), (2, &json!(id)));
    assert_eq!(noted[0]["changes"]["query_template"]["to"], "{url}?q={query_string}&n=3");

    let ann = app.user("ann", &[]).await;
    assert_eq!(ann.get(&format!("/svc/searchproviders/{id}/test/?q=x")).await.status, 200);
    assert_eq!(entries().await.len(), 2, "people who search fill no log");

    let model = json!({"name": "Model", "model": "local/extractive", "tags": ["rag"]});
    let model = app.admin.post("/svc/aiproviders/", &model).await.body["id"].as_i64().unwrap();
    app.admin.post(&format!("/svc/aiproviders/{model}/test/"), &json!({})).await;
    assert_eq!(entries().await[0]["kind"], "aiprovider");
    app.stop().await;
}
