//! Pinning a document before its text is cached.

use super::fixture::{Fixture, result, text_of};
use corpus::canonical::{CanonicalError, PinRequest};
use domain::corpus::{Scope, SignalState};
use domain::ids::SignalId;
use domain::ports::{ExistingPin, PageError};
use domain::user::{CURATORS, Principal};
use serde_json::json;
use std::time::Duration;

const HERE: &str = "https://a.example/here";
const GONE: &str = "https://a.example/gone";
const CLOSED: &str = "https://a.example/closed";

#[tokio::test]
async fn the_text_is_fetched_first() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    fixture.web.gives(HERE, Ok(&text_of("river", 100)));
    fixture.web.gives(GONE, Err(PageError::Gone(404)));
    let known = async |provider, url| {
        fixture.request(fixture.ann, result(provider, url)).await.unwrap().signal.signal_id
    };
    let (here, gone) = (known(&provider, HERE).await, known(&provider, GONE).await);
    // A deleted provider returns nothing.
    let other = fixture.provider("Bakers", json!({})).await;
    let closed = known(&other, CLOSED).await;
    domain::ports::ProviderEdits::delete_provider(&*fixture.store, other.id).await.unwrap();
    let ann = Principal {
        user: fixture.ann,
        username: "ann".to_owned(),
        is_admin: false,
        groups: vec![CURATORS.to_owned()],
    };
    let bob = Principal { user: fixture.bob, ..ann.clone() };
    let pin = async |who: &Principal, signal_id: SignalId| {
        let request = PinRequest {
            signal_id,
            query: "river".to_owned(),
            scope: Scope::Firm,
            existing: ExistingPin::Replace,
        };
        fixture.cache.pin(who, request).await
    };
    let worker = async {
        loop {
            tokio::time::sleep(Duration::from_millis(20)).await;
            fixture.work().await;
        }
    };
    tokio::select! {
        () = worker => {}
        () = async {
            assert_eq!(pin(&bob, here).await, Err(CanonicalError::NotFound), "he never asked for it");
            assert!(pin(&ann, here).await.unwrap().is_new);
            assert_eq!(fixture.signal(here).await.state, SignalState::Pinned);
            assert_eq!(pin(&ann, gone).await, Err(CanonicalError::NotIndexed));
            assert_eq!(pin(&ann, closed).await, Err(CanonicalError::NotIndexed));
        } => {}
    }
    assert_eq!(fixture.signal(gone).await.state, SignalState::Known);
}
