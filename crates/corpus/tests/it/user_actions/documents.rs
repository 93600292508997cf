//! A person sees their own documents, and nothing of others.

use super::fixture::{Fixture, Kept};
use domain::corpus::{OwnedVisibility, SignalState};
use domain::ids::{SignalId, UserId};
use domain::ports::{Clock, SignalFilter, SignalStore, StoreError};
use domain::settings::Settings;
use testkit::builders::notice;

const URL: &str = "https://a.example/report";

async fn listed(fixture: &Fixture, user: UserId, words: &str) -> Vec<SignalId> {
    let filter =
        SignalFilter { words: words.to_owned(), ..SignalFilter::visible_to(OwnedVisibility::To(Vec::new())) };
    let page = fixture.cache.documents_of(user, filter, 0, 10).await.unwrap();
    assert_eq!(page.total as usize, page.items.len());
    page.items.into_iter().map(|signal| signal.signal_id).collect()
}

#[tokio::test]
async fn everybody_lists_what_they_may_see() {
    let fixture = Fixture::open(Settings::default()).await;
    let (ann, ben) = (fixture.person("ann").await, fixture.person("ben").await);
    let kept =
        |by, url| Kept { by, from: None, url, text: "The river rose.", version: "", is_supplied: false };
    let anns = fixture.keep(kept(ann, URL)).await;
    let bens = fixture.keep(kept(ben, "https://b.example/")).await;
    for (user, own, other) in [(ann, anns, bens), (ben, bens, anns)] {
        assert_eq!(listed(&fixture, user, "").await, [own]);
        assert_eq!(listed(&fixture, user, "document").await, [own]);
        assert_eq!(listed(&fixture, user, "elsewhere").await, []);
        assert_eq!(fixture.cache.document_of(user, own).await.unwrap().signal_id, own);
        for hidden in [other, SignalId(999)] {
            let refused = fixture.cache.document_of(user, hidden).await;
            assert!(matches!(refused, Err(StoreError::NotFound)), "{refused:?}");
        }
    }
    fixture.store.revoke_grant(anns, ann, fixture.clock.now()).await.unwrap();
    assert_eq!(listed(&fixture, ann, "").await, []);
    assert!(fixture.cache.document_of(ann, anns).await.is_err());
}

/// A person sees the status of their request, but not what others got from the same URL.
#[tokio::test]
async fn a_request_is_visible_to_the_user_who_made_it() {
    let fixture = Fixture::open(Settings::default()).await;
    let (ann, ben) = (fixture.person("ann").await, fixture.person("ben").await);
    let id = fixture.note(ann, None, URL).await;
    fixture.store.note_failure(id, ann, notice("no answer")).await.unwrap();
    let seen = fixture.cache.document_of(ann, id).await.unwrap();
    assert_eq!((seen.state, seen.title.as_str()), (SignalState::Known, ""));
    assert_eq!(seen.notices, [notice("no answer")]);
    assert!(fixture.cache.document_of(ben, id).await.is_err());

    // Ben requests the same URL: his request is his own, and he sees nothing else.
    let his = fixture.note(ben, None, URL).await;
    assert_ne!(his, id);
    let kept = Kept { by: ann, from: None, url: URL, text: "Ann's own.", version: "7", is_supplied: false };
    for is_indexed in [false, true] {
        if is_indexed {
            assert_eq!(fixture.keep(kept).await, id);
        }
        assert!(fixture.cache.document_of(ben, id).await.is_err());
        let seen = fixture.cache.document_of(ben, his).await.unwrap();
        assert_eq!((seen.signal_id, seen.url.as_str(), seen.state), (his, URL, SignalState::Known));
        assert_eq!((seen.source_provider.as_str(), seen.chunk_count, seen.size), ("", 0, 0));
        assert!(seen.notices.is_empty() && seen.indexed_at.is_none() && seen.last_verified.is_none());
        assert_eq!(listed(&fixture, ben, "").await, []);
    }
    assert_eq!(fixture.cache.document_of(ann, id).await.unwrap().state, SignalState::Indexed);
    // He gets the same text: the id of his request leads to it.
    assert_eq!(fixture.keep(Kept { by: ben, ..kept }).await, id);
    assert_eq!(fixture.cache.document_of(ben, his).await.unwrap().signal_id, id);
    assert!(fixture.cache.document_of(ann, his).await.is_err());
}
