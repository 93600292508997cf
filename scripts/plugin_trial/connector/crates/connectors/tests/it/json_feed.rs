//! JsonFeed connector: which items it keeps, and when two searches may share a request.

use crate::fixture::{answer, connector, context, provider_spec, query};
use domain::ports::Connector;
use serde_json::json;

fn feed() -> Box<dyn Connector> {
    let feed = json!({"version": "https://jsonfeed.org/version/1.1", "title": "Notes", "items": [
        {"id": "1", "title": "Solid ground", "content_text": "On the state of a road."},
        {"id": "2", "title": "Liquids", "content_text": "On water."},
        {"id": "3", "summary": "Solid-state disks"},
    ]});
    let spec = provider_spec("JsonFeed", "https://site.example/feed.json", "", "");
    connector(spec, &context(answer("application/feed+json", feed.to_string())))
}

#[tokio::test]
async fn items_with_every_word_are_kept() {
    let request = feed().prepare(&query("solid STATE")).expect("a request");
    let page = request.execute().await.expect("a response").normalize().expect("a page");
    let ids: Vec<&str> = page.items.iter().filter_map(|item| item["id"].as_str()).collect();
    assert_eq!((page.found, ids), (Some(2), vec!["1", "3"]));
}

#[test]
fn requests_for_other_words_are_not_shared() {
    let shown = |words: &str| feed().prepare(&query(words)).expect("a request").shown();
    assert_eq!(shown("solid"), shown("Solid"));
    assert_ne!(shown("solid"), shown("water"));
}
