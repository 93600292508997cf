//! `/svc/logs/`: only the known log files.

use crate::app_harness::AppHarness;
use serde_json::json;
use std::fs;

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_known_file_is_shown() {
    let app = AppHarness::start().await;
    assert_eq!(app.admin.get("/svc/logs/").await.body, json!([]), "nothing was written yet");
    let folder = app.folder().join("logs");
    fs::create_dir_all(&folder).unwrap();
    let text: String = (0..6000).map(|number| format!("2026-11-01 line {number}\n")).collect();
    fs::write(folder.join("django.log"), &text).unwrap();
    fs::write(folder.join("secret.log"), "not for you").unwrap();
    let listed = app.admin.get("/svc/logs/").await.body;
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["name"]), (1, &json!("django.log")));
    assert_eq!(listed[0]["size"], text.len());
    assert!(listed[0]["modified"].is_string());
    for (path, count, last_is_cut) in [
        ("/svc/logs/django.log/", 500, true),
        ("/svc/logs/django/?lines=50", 50, true),
        ("/svc/logs/django.log/?lines=5000", 5000, true),
    ] {
        let read = app.admin.get(path).await.body;
        let lines = read["lines"].as_array().unwrap();
        assert_eq!((lines.len(), &read["is_cut"]), (count, &json!(last_is_cut)), "{path}");
        assert_eq!(lines[count - 1], "2026-11-01 line 5999");
    }
    for (path, status) in [
        ("/svc/logs/django.log/?lines=49", 400),
        ("/svc/logs/django.log/?lines=5001", 400),
        ("/svc/logs/secret.log/", 404),
        ("/svc/logs/..%2Fsecret.key/", 404),
        ("/svc/logs/%2Fetc%2Fhostname/", 404),
    ] {
        assert_eq!(app.admin.get(path).await.status, status, "{path}");
    }
    let kept = app.admin.get("/svc/logs/django.log/?download=true").await;
    assert_eq!(kept.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(kept.header("content-disposition"), "attachment; filename=\"django.log\"");
    assert_eq!(kept.body.as_str().unwrap(), text);
    app.stop().await;
}
