//! What others fetch at an address neither takes a person's document away nor reveals it.

use super::fixture::{Fixture, GROUP, address, given, item, request, text_of};
use corpus::canonical::{PinQuery, PinRequest};
use corpus::ingest::{Document, IngestError, IngestRequest, WORDS_MIN};
use domain::corpus::{Badge, MatterTag, Scope, Signal, SignalState, Topic};
use domain::ids::UserId;
use domain::ports::{Clock, Corpus, CorpusQuery, ExistingPin, PageError};
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use domain::user::{CURATORS, Principal};
use serde_json::json;
use std::time::Duration;

const URL: &str = "https://a.example/doc/si";
const OTHER: &str = "https://a.example/doc/none";
const QUERY: &str = "river settlement";
const MATTER: &str = "project-hera";

fn curator(user: UserId, username: &str) -> Principal {
    Principal { user, username: username.to_owned(), is_admin: false, groups: vec![CURATORS.to_owned()] }
}

/// Ann's document, from a result of a provider that is queried with accounts.
async fn document_of_ann(fixture: &Fixture, provider: &SearchProvider) -> Signal {
    fixture.web.gives_to(fixture.ann, URL, Ok(&text_of(QUERY, 200)));
    let item = ResultItem { date_published: "2023-07-07".to_owned(), ..item(URL) };
    let document = Document::Result { provider: provider.clone(), item: given(provider, item) };
    let asked = IngestRequest {
        matter_tags: MatterTag::parse(MATTER).into_iter().collect(),
        ..request(fixture.ann, document)
    };
    let accepted = fixture.cache.ingest(asked).await.unwrap();
    fixture.work().await;
    let own = fixture.cache.document_of(fixture.ann, accepted.signal.signal_id).await.unwrap();
    assert_eq!(
        (own.matter_tags.as_slice(), own.date_published.as_str()),
        ([MATTER.to_owned()].as_slice(), "2023-07-07")
    );
    own
}

/// Bob requests the address in each way that he can: as a result of the provider, and typed.
fn requests_of_bob(provider: &SearchProvider) -> [Document; 3] {
    let typed =
        |provider| Document::Address { provider, url: URL.to_owned(), title: String::new(), body: None };
    [
        Document::Result { provider: provider.clone(), item: given(provider, item(URL)) },
        typed(Some(provider.clone())),
        typed(None),
    ]
}

#[tokio::test]
async fn a_sign_in_page_that_another_person_gets_changes_nothing_for_the_owner() {
    for way in 0..3 {
        let fixture = Fixture::open().await;
        let provider = fixture.provider("Mails", json!({"authenticator": "microsoft"})).await;
        let own = document_of_ann(&fixture, &provider).await;
        let (ann, bob) = (curator(fixture.ann, "ann"), curator(fixture.bob, "bob"));
        let pin = PinRequest {
            signal_id: own.signal_id,
            query: QUERY.to_owned(),
            scope: Scope::Firm,
            existing: ExistingPin::Keep,
        };
        fixture.cache.pin(&ann, pin).await.unwrap();
        let own = fixture.cache.document_of(fixture.ann, own.signal_id).await.unwrap();
        assert_eq!(own.state, SignalState::Pinned);

        fixture.clock.advance(Duration::from_secs(7_200));
        let since = fixture.clock.now();
        fixture.web.gives_to(fixture.bob, URL, Ok(&text_of("sign-in", WORDS_MIN + 20)));
        let document = requests_of_bob(&provider).into_iter().nth(way).unwrap();
        let accepted =
            fixture.cache.ingest(IngestRequest { matter_tags: Vec::new(), ..request(fixture.bob, document) });
        let accepted = accepted.await.unwrap();
        assert_ne!(accepted.signal.signal_id, own.signal_id, "{way}");
        fixture.work().await;

        // He has a record of his own, which says nothing of hers.
        let his = fixture.cache.document_of(fixture.bob, accepted.signal.signal_id).await.unwrap();
        assert_ne!(his.signal_id, own.signal_id, "{way}");
        assert_eq!(
            (his.state, his.matter_tags.len(), his.first_seen),
            (SignalState::Indexed, 0, since),
            "{way}"
        );
        assert_ne!(his.date_published, own.date_published, "{way}");
        assert!(fixture.cache.document_of(fixture.bob, own.signal_id).await.is_err(), "{way}");
        let asking = |asker| CorpusQuery {
            asker,
            words: QUERY,
            topic: Topic { query: QUERY, tags: &[] },
            results_max: 10,
        };
        let found = fixture.cache.search(asking(fixture.bob)).await.unwrap().hits;
        assert!(
            found
                .iter()
                .all(|hit| hit.signal.signal_id == his.signal_id && hit.status.badge == Badge::Cached),
            "{way}"
        );
        let all = PinQuery { limit: 10, ..PinQuery::default() };
        assert_eq!(fixture.cache.pins(&bob, &all).await.unwrap().total, 0, "{way}");

        // She has everything as before: the record, the pin, the place in the search and the text.
        assert_eq!(fixture.cache.document_of(fixture.ann, own.signal_id).await.unwrap(), own, "{way}");
        assert_eq!(fixture.cache.pins(&ann, &all).await.unwrap().total, 1, "{way}");
        let found = fixture.cache.search(asking(fixture.ann)).await.unwrap().hits.remove(0);
        assert_eq!((found.signal.signal_id, found.status.badge), (own.signal_id, Badge::Pinned), "{way}");
        let (_, text) = fixture.cache.cached_text(fixture.ann, own.signal_id).await.unwrap().unwrap();
        assert!(text.is_some_and(|page| page.text.contains(QUERY)), "{way}");
    }
}

/// A source of a group whose pages anybody may fetch.
#[tokio::test]
async fn the_same_text_reveals_nothing_of_a_group_that_has_it() {
    let fixture = Fixture::open().await;
    let more = json!({"shared": false, "groups": [GROUP]});
    let provider = fixture.provider("Group", more).await;
    fixture.web.gives(URL, Ok(&text_of(QUERY, 200)));
    let own = document_of_ann(&fixture, &provider).await;
    assert_eq!(own.source_provider, "Group");
    let fay = domain::ports::UserStore::create_user(
        &*fixture.store,
        crate::ground::named("fay"),
        "hash".to_owned(),
        fixture.clock.now(),
    );
    let fay = fay.await.unwrap().id;
    fixture.clock.advance(Duration::from_secs(7_200));
    let asked = IngestRequest { matter_tags: Vec::new(), ..request(fay, address(URL, None)) };
    let accepted = fixture.cache.ingest(asked).await.unwrap();
    fixture.work().await;
    let hers = fixture.cache.document_of(fay, accepted.signal.signal_id).await.unwrap();
    assert_eq!(hers.content_hash, own.content_hash, "the same text");
    assert_ne!(hers.signal_id, own.signal_id);
    assert_eq!((hers.source_provider.as_str(), hers.source_provider_id), ("", None));
    assert_eq!((hers.matter_tags.as_slice(), hers.first_seen), ([].as_slice(), fixture.clock.now()));
    let found = fixture.found(fay, QUERY).await;
    assert!(found.iter().all(|hit| hit.signal.signal_id == hers.signal_id), "{found:?}");
    assert_eq!(fixture.cache.document_of(fixture.ann, own.signal_id).await.unwrap(), own);
}

/// Ann's account gets the page; Bob has none, or the source refuses him.
#[tokio::test]
async fn a_failed_request_does_not_tell_whether_others_have_the_document() {
    for refusal in [PageError::failed("Mails is not connected"), PageError::Denied(401)] {
        let fixture = Fixture::open().await;
        let provider = fixture.provider("Mails", json!({"authenticator": "microsoft"})).await;
        let own = document_of_ann(&fixture, &provider).await;
        let mut answers = Vec::new();
        for url in [URL, OTHER] {
            fixture.web.gives_to(fixture.bob, url, Err(refusal.clone()));
            let asked = request(fixture.bob, address(url, None));
            let waiting = fixture.cache.ingest_and_wait(asked.clone(), Duration::from_secs(20));
            let (failed, ()) = tokio::join!(waiting, async {
                tokio::time::sleep(Duration::from_millis(50)).await;
                fixture.work().await;
            });
            let Err(IngestError::NoText(reason)) = failed else { panic!("{url}: {failed:?}") };
            let accepted = fixture.cache.ingest(asked).await.unwrap();
            assert_ne!(accepted.signal.signal_id, own.signal_id, "{url}");
            let by: Vec<i64> = fixture
                .web
                .asked
                .lock()
                .unwrap()
                .iter()
                .filter(|(user, ..)| *user == fixture.bob)
                .map(|(_, by, _)| *by)
                .collect();
            answers.push((
                reason,
                accepted.message,
                accepted.upgraded,
                accepted.signal.state,
                by.into_iter().all(|by| by == 0),
            ));
            fixture.work().await;
            // A text of his own is kept, whoever else has the document.
            let supplied = request(fixture.bob, address(url, Some(text_of("own", 200))));
            let supplied = fixture.cache.ingest(supplied).await.unwrap();
            fixture.work().await;
            let his = fixture.signal(supplied.signal.signal_id).await;
            assert!(his.is_supplied && his.state == SignalState::Indexed, "{url}: {his:?}");
        }
        assert_eq!(answers[0], answers[1]);
        assert_eq!(fixture.cache.document_of(fixture.ann, own.signal_id).await.unwrap(), own);
    }
}
