//! A folder as a source over HTTP: which folders may be saved, and what a search finds in files of several formats.

use crate::app_harness::AppHarness;
use serde_json::{Value, json};

fn spec(name: &str, folder: &std::path::Path) -> Value {
    json!({
        "name": name,
        "connector": "FileSystem",
        "url": folder.display().to_string(),
        "query_mappings": "NOT_CHAR=-",
        "result_mappings": "FILE_SYSTEM",
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn only_allowed_folders_are_searched() {
    let (allowed, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(allowed.path().join("floods.md"), "# Floods of spring\n\nThe river rose by two metres.")
        .unwrap();
    std::fs::write(
        allowed.path().join("page.html"),
        "<title>River walks</title><main><p>Along the river, dry.",
    )
    .unwrap();
    std::fs::write(allowed.path().join("broken.pdf"), "%PDF-1.7 the river").unwrap();
    let allow = allowed.path().display().to_string();
    let app = AppHarness::with(|mut settings| {
        settings.filesystem_allow = vec![allow];
        settings
    })
    .await;
    let refused = app.admin.post("/svc/searchproviders/", &spec("Other", other.path())).await;
    assert_eq!(refused.status, 400, "{refused:?}");
    let sentence = refused.body["errors"]["url"].to_string();
    assert!(sentence.contains("SVC_FILESYSTEM_ALLOW"), "{refused:?}");
    let saved = app.admin.post("/svc/searchproviders/", &spec("Files", allowed.path())).await;
    assert_eq!(saved.status, 201, "{saved:?}");
    let id = saved.body["id"].as_i64().unwrap();
    let moved = json!({"url": other.path().display().to_string()});
    let refused = app.admin.patch(&format!("/svc/searchproviders/{id}/"), &moved).await;
    assert_eq!(refused.status, 400, "{refused:?}");
    // An inactive provider may be saved.
    let mut prepared = spec("Prepared", other.path());
    prepared["active"] = json!(false);
    assert_eq!(app.admin.post("/svc/searchproviders/", &prepared).await.status, 201);

    let search = app.admin.search(&json!({"query_string": "river -dry"})).await;
    let found = app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await.body;
    let results = found["results"].as_array().unwrap();
    assert_eq!(results.len(), 1, "{found}");
    assert_eq!(
        results[0]["title"].as_str().unwrap().replace("<em>", "").replace("</em>", ""),
        "Floods of spring"
    );
    assert!(results[0]["body"].to_string().contains("metres"), "{found}");
    assert_eq!(results[0]["payload"]["path"], "floods.md");
    assert!(results[0]["url"].as_str().unwrap().starts_with("file:///"), "{found}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn old_formats_are_read_by_tika_where_one_is_set() {
    let old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0The river rose by two metres\0\0";
    let tika = fakes::tika::Tika::start().await;
    for (address, count) in [(tika.listener.url.clone(), 1), (String::new(), 0)] {
        // Extracted texts are cached by the path of the file.
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("floods.doc"), old).unwrap();
        let allow = folder.path().display().to_string();
        let app = AppHarness::with(|mut settings| {
            settings.filesystem_allow = vec![allow];
            settings.tika_url = address.clone();
            settings
        })
        .await;
        let saved = app.admin.post("/svc/searchproviders/", &spec("Files", folder.path())).await;
        assert_eq!(saved.status, 201, "{saved:?}");
        let found = app.admin.get("/svc/search/?qs=metres").await.body;
        assert_eq!(found["results"].as_array().unwrap().len(), count, "{address}: {found}");
        app.stop().await;
    }
    assert_eq!(tika.seen().len(), 1);
}
