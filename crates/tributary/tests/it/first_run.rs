//! The first steps of a new installation, on the start page and the dashboard.

use crate::app_harness::{ADMIN_PASSWORD, Answer, AppHarness};
use crate::browser::Browser;
use serde_json::json;
use testkit::source::Source;

const CARD: &str = "Set up your search";
const SENTENCE: &str = "Ask your administrator to add sources.";

/// Whether the start page has the card, or the sentence for others.
async fn on_start_page(browser: &mut Browser) -> (bool, bool) {
    let page = browser.get("/").await;
    (has(&page, CARD), has(&page, SENTENCE))
}

fn has(page: &Answer, text: &str) -> bool {
    page.body.as_str().unwrap().contains(text)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_card_is_there_until_there_is_a_source() {
    let app = AppHarness::start().await;
    app.user("ann", &[]).await;
    let mut admin = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let mut ann = Browser::signed_in(&app.base, "ann", "password of ann").await;
    let start = admin.get("/").await;
    for slug in ["wikipedia", "arxiv", "crossref", "open-library", "hacker-news-stories"] {
        assert!(has(&start, &format!("data-source=\"{slug}\"")), "{slug}");
    }
    assert!(has(&admin.get("/admin/").await, CARD));
    assert_eq!(on_start_page(&mut ann).await, (false, true));

    let source = Source::start().await;
    app.provider_with("Off", &source, json!({"active": false})).await;
    let model = json!({"name": "Model", "connector": "GenAI", "active": true});
    let _may_need_a_model = app.admin.post("/svc/searchproviders/", &model).await;
    assert_eq!(on_start_page(&mut admin).await, (true, false), "neither is a source to search");

    app.provider_with("Own", &source, json!({"shared": false})).await;
    assert_eq!(on_start_page(&mut admin).await, (false, false));
    assert!(!has(&admin.get("/admin/").await, CARD));
    assert_eq!(on_start_page(&mut ann).await, (false, true), "she may not see it");

    app.provider("Shared", &source).await;
    assert_eq!(on_start_page(&mut ann).await, (false, false));
    app.stop().await;
}
