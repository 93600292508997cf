//! `GET /svc/searchproviders/` with filters.

use super::{names, with};
use crate::app_harness::AppHarness;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn filters_are_combined_and_kept_by_the_pages() {
    let app = AppHarness::start().await;
    for (name, more) in [
        ("Articles - arXiv", json!({"tags": ["Science", "NoKey"], "url": "https://export.arxiv.example/"})),
        ("Library", json!({"tags": ["Science"], "active": false})),
        ("News", json!({"tags": ["Daily"], "default": false, "connector": "RequestsPost"})),
    ] {
        let made = app.admin.post("/svc/searchproviders/", &with(name, more)).await;
        assert_eq!(made.status, 201, "{made:?}");
    }
    let all = ["Articles - arXiv", "Library", "News"];
    for (query, expected) in [
        ("", &all[..]),
        ("?text=ARXIV", &all[..1]),
        ("?text=nokey", &all[..1]),
        ("?text=export.arxiv.example", &all[..1]),
        ("?text=", &all[..]),
        ("?tag=science", &all[..2]),
        ("?tag=scien", &[]),
        ("?tag=science&active=true", &all[..1]),
        ("?active=false", &all[1..2]),
        ("?default=False", &all[2..]),
        ("?connector=RequestsPost", &all[2..]),
    ] {
        let answer = app.admin.get(&format!("/svc/searchproviders/{query}")).await;
        assert_eq!(names(&answer.body), expected, "{query}");
        assert_eq!(answer.header("x-total-count"), expected.len().to_string(), "{query}");
    }
    let page = app.admin.get("/svc/searchproviders/?tag=Science&items=1&page=1").await.body;
    assert_eq!((&page["count"], page["results"].as_array().unwrap().len()), (&json!(2), 1));
    let next = page["next"].as_str().unwrap();
    assert!(next.ends_with("/svc/searchproviders/?tag=Science&page=2&items=1"), "{next}");
    let second = app.admin.get(next.strip_prefix(&app.base).unwrap()).await.body;
    assert_eq!(names(&second["results"]), ["Library"]);
    let wrong = app.admin.get("/svc/searchproviders/?active=perhaps").await;
    assert_eq!((wrong.status.as_u16(), wrong.code()), (400, "invalid"));
    app.stop().await;
}
