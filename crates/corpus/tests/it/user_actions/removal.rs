//! Removal: who may remove what, and that nothing is left behind.

use super::fixture::{Fixture, Kept};
use corpus::{IfPinned, RemovalError, RemovalTarget};
use domain::corpus::{NewPin, OwnedVisibility, PinAction, PinVia, Scope};
use domain::ids::{SignalId, UserId};
use domain::ports::{CanonicalStore, Clock, Corpus, ExistingPin, PinFilter, SignalStore, StoreError};
use domain::settings::Settings;

const URL: &str = "https://a.example/report";

async fn kept_by(fixture: &Fixture, people: &[UserId]) -> SignalId {
    let mut id = SignalId(0);
    for by in people {
        let kept =
            Kept { by: *by, from: None, url: URL, text: "The river rose.", version: "", is_supplied: false };
        id = fixture.keep(kept).await;
    }
    id
}

async fn is_there(fixture: &Fixture, id: SignalId) -> bool {
    match fixture.store.signal(id).await {
        Ok(_) => true,
        Err(StoreError::NotFound) => false,
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_person_gives_up_their_own_right_and_the_last_takes_the_document_along() {
    let fixture = Fixture::open(Settings::default()).await;
    let (ann, ben) = (fixture.person("ann").await, fixture.person("ben").await);
    let id = kept_by(&fixture, &[ann, ben]).await;
    let (as_ann, as_ben) = (fixture.principal(ann, false).await, fixture.principal(ben, false).await);

    let by_url = RemovalTarget::Url("HTTPS://A.example:443/report?utm_source=x#part".to_owned());
    let removed = fixture.cache.unindex(&as_ann, &by_url, IfPinned::Refuse).await.unwrap();
    assert_eq!((removed.signal_id, removed.is_whole), (id, false));
    assert!(fixture.cache.cache_statuses(ann, None, &[id]).await.unwrap().is_empty());
    assert_eq!(fixture.cache.cache_statuses(ben, None, &[id]).await.unwrap().len(), 1);
    let again = fixture.cache.unindex(&as_ann, &RemovalTarget::Id(id), IfPinned::Refuse).await;
    assert!(matches!(again, Err(RemovalError::NotFound)), "{again:?}");

    assert_eq!(fixture.bodies.keys(None, 10).await.unwrap().len(), 1);
    let removed = fixture.cache.unindex(&as_ben, &RemovalTarget::Id(id), IfPinned::Refuse).await.unwrap();
    assert!(removed.is_whole && !is_there(&fixture, id).await);
    assert_eq!(fixture.bodies.keys(None, 10).await.unwrap(), []);
    assert_eq!(fixture.store.grants(id).await.unwrap(), []);
    assert_eq!(fixture.store.corpus_counts().await.unwrap().chunks, 0);
}

#[tokio::test]
async fn an_administrator_removes_for_all_without_seeing_it() {
    let fixture = Fixture::open(Settings::default()).await;
    let (ann, ben) = (fixture.person("ann").await, fixture.person("ben").await);
    let id = kept_by(&fixture, &[ann]).await;
    let as_ben = fixture.principal(ben, false).await;
    for which in [
        RemovalTarget::Id(id),
        RemovalTarget::Url(URL.to_owned()),
        RemovalTarget::Id(SignalId(999)),
        RemovalTarget::Url("x".to_owned()),
    ] {
        let refused = fixture.cache.unindex(&as_ben, &which, IfPinned::Remove).await;
        assert!(matches!(refused, Err(RemovalError::NotFound)), "{which:?}: {refused:?}");
    }
    assert!(is_there(&fixture, id).await);
    let removed = fixture
        .cache
        .unindex(&fixture.principal(ben, true).await, &RemovalTarget::Id(id), IfPinned::Refuse)
        .await
        .unwrap();
    assert!(removed.is_whole && !is_there(&fixture, id).await);
}

/// A person who sees a document through a shared provider has no grant of their own to give up.
#[tokio::test]
async fn what_others_put_there_stays() {
    let fixture = Fixture::open(Settings::default()).await;
    let (ann, ben) = (fixture.person("ann").await, fixture.person("ben").await);
    let from = Some(fixture.provider(ann, "Rivers", "").await);
    let kept = Kept { by: ann, from, url: URL, text: "The river rose.", version: "", is_supplied: false };
    let id = fixture.keep(kept).await;
    assert_eq!(
        fixture.cache.cache_statuses(ben, None, &[id]).await.unwrap().len(),
        1,
        "everybody may see it"
    );
    let refused = fixture
        .cache
        .unindex(&fixture.principal(ben, false).await, &RemovalTarget::Id(id), IfPinned::Refuse)
        .await;
    assert!(matches!(refused, Err(RemovalError::NotOwn)), "{refused:?}");
    assert!(is_there(&fixture, id).await);
}

/// A pinned document is removed only with force; the history records it.
#[tokio::test]
async fn a_pinned_document_goes_by_force_alone() {
    let fixture = Fixture::open(Settings::default()).await;
    let (ann, ben) = (fixture.person("ann").await, fixture.person("ben").await);
    let id = kept_by(&fixture, &[ann, ben]).await;
    let wanted = NewPin {
        query: "river".to_owned(),
        scope: Scope::Firm,
        signal_id: id,
        pinned_by: ben,
        via: PinVia::Manual,
        run_id: None,
    };
    fixture.store.pin(wanted, ExistingPin::Keep, fixture.clock.now()).await.unwrap();
    let as_ann = fixture.principal(ann, false).await;
    let given_up = fixture.cache.unindex(&as_ann, &RemovalTarget::Id(id), IfPinned::Refuse).await.unwrap();
    assert!(!given_up.is_whole, "one's own right is one's own");
    for person in [fixture.principal(ben, false).await, fixture.principal(ann, true).await] {
        let refused = fixture.cache.unindex(&person, &RemovalTarget::Id(id), IfPinned::Refuse).await;
        assert!(matches!(refused, Err(RemovalError::Pinned)), "{refused:?}");
    }
    assert_eq!(fixture.store.pins_of(&[id]).await.unwrap().len(), 1);
    let removed = fixture
        .cache
        .unindex(&fixture.principal(ben, false).await, &RemovalTarget::Id(id), IfPinned::Remove)
        .await
        .unwrap();
    assert!(removed.is_whole && !is_there(&fixture, id).await);
    assert_eq!(fixture.store.pins_of(&[id]).await.unwrap(), []);
    let told = fixture
        .store
        .pin_history(&PinFilter::visible_to(OwnedVisibility::Unrestricted), 0, 9)
        .await
        .unwrap()
        .items;
    let actions: Vec<PinAction> = told.iter().map(|line| line.action).collect();
    assert_eq!(actions, [PinAction::Removed, PinAction::Pinned], "newest first");
}

/// A text shared by two documents is kept for the other.
#[tokio::test]
async fn a_shared_text_stays() {
    let fixture = Fixture::open(Settings::default()).await;
    let ann = fixture.person("ann").await;
    let id = kept_by(&fixture, &[ann]).await;
    let copy = "https://a.example/copy";
    let kept =
        Kept { by: ann, from: None, url: copy, text: "The river rose.", version: "", is_supplied: false };
    let other = fixture.keep(kept).await;
    assert_ne!(id, other);
    let as_ann = fixture.principal(ann, false).await;
    for (id, left) in [(id, 1), (other, 0)] {
        fixture.cache.unindex(&as_ann, &RemovalTarget::Id(id), IfPinned::Refuse).await.unwrap();
        assert_eq!(fixture.bodies.keys(None, 10).await.unwrap().len(), left);
    }
}

/// A request without a text can be withdrawn, with or without a license.
#[tokio::test]
async fn a_request_without_a_document_is_withdrawn() {
    let fixture = Fixture::with_license(Settings::default(), false).await;
    let (ann, ben) = (fixture.person("ann").await, fixture.person("ben").await);
    let id = fixture.note(ann, None, URL).await;
    let refused = fixture
        .cache
        .unindex(&fixture.principal(ben, false).await, &RemovalTarget::Id(id), IfPinned::Refuse)
        .await;
    assert!(matches!(refused, Err(RemovalError::NotFound)), "{refused:?}");
    fixture
        .cache
        .unindex(&fixture.principal(ann, false).await, &RemovalTarget::Id(id), IfPinned::Refuse)
        .await
        .unwrap();
    assert!(!is_there(&fixture, id).await);
}
