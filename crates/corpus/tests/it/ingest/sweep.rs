//! Expired texts, and texts without a document.

use super::fixture::{Fixture, text_of};
use bytes::Bytes;
use corpus::Swept;
use domain::corpus::SignalState;
use domain::ports::BodyKey;
use serde_json::json;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3_600);

#[tokio::test]
async fn texts_expire_and_their_documents_are_found_still() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    let mut urls = Vec::new();
    for (number, text) in
        [text_of("river", 100), text_of("river", 100), text_of("parliament", 100)].iter().enumerate()
    {
        let url = format!("https://a.example/{number}");
        fixture.web.gives(&url, Ok(text));
        fixture.ingest(fixture.ann, &provider, &url).await;
        fixture.clock.advance(30 * DAY);
        urls.push(url);
    }
    assert_eq!(fixture.bodies().await, 2);
    fixture.clock.advance(DAY);
    // The first has expired; the second has the same text.
    assert_eq!(fixture.cache.sweep_bodies().await.unwrap(), Swept { expired: 1, unneeded: 0 });
    assert_eq!(fixture.bodies().await, 2);
    fixture.clock.advance(60 * DAY);
    assert_eq!(fixture.cache.sweep_bodies().await.unwrap(), Swept { expired: 2, unneeded: 0 });
    assert_eq!(fixture.bodies().await, 0);
    let mut hits = fixture.found(fixture.ann, "river").await;
    hits.retain(|hit| hit.passages[0].contains("river"));
    assert!(hits.len() == 2 && hits.iter().all(|hit| hit.signal.state == SignalState::Indexed));
    assert!(hits[0].signal.body_key.is_none());
    assert_eq!(fixture.cache.sweep_bodies().await.unwrap(), Swept::default());
}

#[tokio::test]
async fn a_text_without_a_document_has_a_day_to_find_one() {
    let fixture = Fixture::open().await;
    let key = |digit: &str| BodyKey::of_hash(&digit.repeat(64)).unwrap();
    for digit in ["0", "a"] {
        fixture.parts.bodies.put(&key(digit), Bytes::from_static(b"left behind")).await.unwrap();
    }
    assert_eq!(fixture.cache.sweep_bodies().await.unwrap().unneeded, 0);
    fixture.parts.bodies.put(&key("f"), Bytes::from_static(b"new")).await.unwrap();
    assert_eq!(fixture.cache.sweep_bodies().await.unwrap().unneeded, 2);
    assert!(fixture.parts.bodies.get(&key("f")).await.unwrap().is_some());
    assert_eq!(fixture.cache.sweep_bodies().await.unwrap().unneeded, 1);
    assert_eq!(fixture.bodies().await, 0);
}
