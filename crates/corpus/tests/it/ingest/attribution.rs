//! A document is attributed to a provider only when its bytes came from the provider's own origin (docs/decisions/0019).

use super::fixture::{Fixture, address, given, item, result, text_of};
use corpus::CachedPageReader;
use domain::corpus::{Signal, SourceKind};
use domain::ids::{ProviderId, UserId};
use domain::ports::{
    ByteOrigin, Corpus, DocumentRequest, NewTask, PageError, PageText, QueueName, ReadPages, SignalStore,
};
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use domain::settings::Settings;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// On the origin of the service's providers.
const OWN: &str = "https://a.example/river";
const FOREIGN: &str = "https://b.example/river";
/// Longer than a copy is fresh.
const LATER: Duration = Duration::from_secs(7_200);

/// Requests: provider (0: none) and URL.
fn asked(fixture: &Fixture) -> Vec<(i64, String)> {
    fixture.web.asked.lock().unwrap().drain(..).map(|(_, provider, url)| (provider, url)).collect()
}

/// The page at this URL comes from elsewhere, through a redirect.
fn redirects(fixture: &Fixture, url: &str, text: &str) {
    redirects_to(fixture, url, "A page", text);
}

fn redirects_to(fixture: &Fixture, url: &str, title: &str, text: &str) {
    let page = PageText {
        title: title.to_owned(),
        text: text.to_owned(),
        media_type: "text/html".to_owned(),
        origin: ByteOrigin::Other,
        ..PageText::default()
    };
    fixture.web.gives_page(url, page);
}

async fn read(
    fixture: &Fixture,
    user: UserId,
    provider: &SearchProvider,
    url: &str,
) -> Result<PageText, PageError> {
    let pages = CachedPageReader::new(fixture.web.clone(), Arc::clone(&fixture.cache));
    let item = given(provider, item(url));
    pages.read(&DocumentRequest::of_result(provider, &item, user, Duration::from_secs(5))).await
}

async fn account(fixture: &Fixture, signal: &Signal, user: UserId) -> Option<ProviderId> {
    let grants = fixture.store.grants(signal.signal_id).await.unwrap();
    grants.iter().find(|grant| grant.user_id == user).unwrap().account_provider_id
}

/// The title of a page has no markup any more: what looks like it stays, each time that the page is fetched.
#[tokio::test]
async fn a_page_about_html_keeps_its_title() {
    let fixture = Fixture::open().await;
    let title = "How <em> and &amp; are read";
    for text in ["river", "newer river"] {
        redirects_to(&fixture, FOREIGN, title, &text_of(text, 100));
        let accepted = fixture.request(fixture.ann, address(FOREIGN, None)).await.unwrap();
        fixture.work().await;
        assert_eq!(fixture.signal(accepted.signal.signal_id).await.title, title);
        fixture.clock.advance(LATER);
    }
}

#[tokio::test]
async fn a_foreign_page_of_a_shared_source_is_the_finders_alone() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Web", json!({})).await;
    fixture.web.gives(FOREIGN, Ok(&text_of("river", 100)));
    let accepted = fixture.request(fixture.ann, result(&provider, FOREIGN)).await.unwrap();
    assert!(accepted.message.contains("only you will see it"), "{}", accepted.message);
    fixture.work().await;
    assert_eq!(asked(&fixture), [(provider.id.0, FOREIGN.to_owned())], "by the rules of the provider");
    let signal = fixture.signal(accepted.signal.signal_id).await;
    assert_eq!((signal.source_provider_id, signal.source_provider.as_str()), (None, ""));
    assert_eq!((signal.title.as_str(), signal.source_kind), ("A page", SourceKind::Web), "as the page says");
    assert_eq!(fixture.finds(fixture.ann, "river").await, [signal.signal_id]);
    assert_eq!(fixture.finds(fixture.bob, "river").await, [], "the source did not give it");
    assert_eq!(fixture.store.corpus_counts().await.unwrap().grants, 1);
    // It is fetched again anonymously, and stays hers.
    fixture.clock.advance(LATER);
    fixture.web.gives(FOREIGN, Ok(&text_of("newer river", 100)));
    fixture.request(fixture.ann, address(FOREIGN, None)).await.unwrap();
    fixture.work().await;
    assert_eq!(asked(&fixture), [(0, FOREIGN.to_owned())]);
    assert_eq!(fixture.finds(fixture.ann, "newer river").await, [signal.signal_id]);
    assert_eq!(fixture.finds(fixture.bob, "newer river").await, []);
}

#[tokio::test]
async fn a_page_of_the_sources_own_origin_is_shared() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    let template =
        json!({"page_fetch_config_json": {"cache": "true", "content_url": "https://c.example/{id}"}});
    let files = fixture.provider("Files", template).await;
    for (provider, url, subject) in [(&provider, OWN, "river"), (&files, FOREIGN, "lake")] {
        fixture.web.gives(url, Ok(&text_of(subject, 100)));
        let signal = fixture.ingest(fixture.ann, provider, url).await;
        assert_eq!((signal.source_provider_id, signal.title.as_str()), (Some(provider.id), "The river"));
        assert_eq!(fixture.finds(fixture.bob, subject).await.first(), Some(&signal.signal_id));
        assert_eq!(account(&fixture, &signal, fixture.ann).await, None);
    }
}

#[tokio::test]
async fn a_redirect_to_a_foreign_host_attributes_nothing() {
    let fixture = Fixture::open().await;
    let provider =
        fixture.provider("Drive", json!({"config": {"swirl": {"cache": {"kind": "drive"}}}})).await;
    redirects(&fixture, OWN, &text_of("river", 100));
    let told =
        ResultItem { author: "Finance".to_owned(), date_published: "2030-01-01".to_owned(), ..item(OWN) };
    let document =
        corpus::ingest::Document::Result { provider: provider.clone(), item: given(&provider, told) };
    let request = fixture.request(fixture.ann, document).await.unwrap().signal;
    fixture.work().await;
    let id =
        fixture.store.led_to(request.signal_id, fixture.ann).await.unwrap().expect("the number leads there");
    let signal = fixture.signal(id).await;
    assert_eq!((signal.source_provider_id, signal.source_provider.as_str()), (None, ""));
    // What the provider said about it is not for others who get the same text.
    assert_eq!((signal.title.as_str(), signal.author.as_str()), ("A page", ""));
    assert_eq!((signal.date_published.as_str(), signal.source_kind), ("unknown", SourceKind::Web));
    assert_eq!(fixture.finds(fixture.ann, "river").await, [id]);
    assert_eq!(fixture.finds(fixture.bob, "river").await, []);
    // The same text again is the same record, and its request leaves nothing behind.
    fixture.clock.advance(LATER);
    assert_eq!(fixture.ingest(fixture.ann, &provider, OWN).await.signal_id, id);
    assert_eq!(fixture.store.signal_ids(None, 9).await.unwrap(), [id]);
}

#[tokio::test]
async fn a_redirected_text_does_not_replace_the_providers() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    fixture.web.gives(OWN, Ok(&text_of("river", 100)));
    let shared = fixture.ingest(fixture.ann, &provider, OWN).await;
    assert_eq!(fixture.finds(fixture.bob, "river").await, [shared.signal_id]);
    fixture.clock.advance(LATER);
    redirects(&fixture, OWN, &text_of("poison", 100));
    let own = fixture.ingest(fixture.ann, &provider, OWN).await;
    assert_ne!(own.signal_id, shared.signal_id);
    assert_eq!(own.source_provider_id, None);
    assert_eq!(fixture.finds(fixture.ann, "poison").await.first(), Some(&own.signal_id));
    assert_eq!(fixture.finds(fixture.bob, "poison").await, [], "he sees nothing of the new text");
    assert_eq!(fixture.finds(fixture.bob, "river").await, [shared.signal_id]);
    let kept = fixture.signal(shared.signal_id).await;
    assert_eq!((kept.content_hash, kept.source_provider_id), (shared.content_hash, Some(provider.id)));
}

#[tokio::test]
async fn pages_of_answers_are_attributed_by_where_they_came_from() {
    let eager = |settings| Settings { eager_federated_promote_enabled: true, ..settings };
    let fixture = Fixture::with(eager, |parts| parts).await;
    let provider = fixture.provider("Rivers", json!({})).await;
    fixture.web.gives(FOREIGN, Ok(&text_of("lake", 100)));
    redirects(&fixture, OWN, &text_of("river", 100));
    for (url, subject) in [(FOREIGN, "lake"), (OWN, "river")] {
        read(&fixture, fixture.ann, &provider, url).await.unwrap();
        fixture.work().await;
        let found = fixture.found(fixture.ann, subject).await.remove(0).signal;
        assert_eq!((found.url.as_str(), found.source_provider_id), (url, None));
        assert!(!fixture.finds(fixture.bob, subject).await.contains(&found.signal_id), "{url}");
        // She reads her copy; others ask the source themselves.
        asked(&fixture);
        assert!(read(&fixture, fixture.ann, &provider, url).await.unwrap().is_copy, "{url}");
        fixture.cache.promote(fixture.ann, &[], &[(provider.id, given(&provider, item(url)))]).await;
        fixture.work().await;
        assert_eq!(asked(&fixture), [], "{url}");
        assert!(!read(&fixture, fixture.bob, &provider, url).await.unwrap().is_copy, "{url}");
        fixture.work().await;
    }
}

/// Without credentials or template the URL may show a sign-in page, which must not replace the text.
#[tokio::test]
async fn what_came_with_rights_is_not_fetched_again_as_nobody() {
    let fixture = Fixture::open().await;
    let table: [(&str, Value, &str); 3] = [
        ("Credentials", json!({"credentials": "bearer=x"}), OWN),
        ("Link", json!({"page_fetch_config_json": {"cache": "", "content_url": "{link}"}}), FOREIGN),
        (
            "Redirecting content",
            json!({"page_fetch_config_json": {"cache": "", "content_url": "https://c.example/{id}"}}),
            "https://b.example/other",
        ),
    ];
    for (name, more, url) in table {
        let provider = fixture.provider(name, more).await;
        redirects(&fixture, url, &text_of(name, 100));
        let signal = fixture.ingest(fixture.ann, &provider, url).await;
        assert_eq!(signal.source_provider_id, None, "{name}");
        assert_eq!(account(&fixture, &signal, fixture.ann).await, Some(provider.id), "{name}");
        fixture.store.drop_body(signal.signal_id).await.unwrap();
        asked(&fixture);
        let mark = fixture.cache.mark(&signal);
        let cached = ResultItem { cache: Some(Box::new(mark)), ..item(url) };
        let pages = CachedPageReader::new(fixture.web.clone(), Arc::clone(&fixture.cache));
        let wanted = DocumentRequest::of_result(&provider, &cached, fixture.ann, Duration::from_secs(1));
        assert_eq!(pages.read(&wanted).await, Err(PageError::NoAddress), "{name}");
        assert_eq!(asked(&fixture), [], "{name}");
        // The result leads there again.
        fixture.clock.advance(LATER);
        assert_eq!(fixture.ingest(fixture.ann, &provider, url).await.signal_id, signal.signal_id, "{name}");
        assert_eq!(asked(&fixture), [(provider.id.0, url.to_owned())], "{name}");
    }
}

/// The provider denies the document, so access ends to what its redirect led to, for both kinds of request.
#[tokio::test]
async fn a_refusal_ends_the_right_to_a_redirected_text() {
    for is_answer in [true, false] {
        let fixture = Fixture::open().await;
        let provider = fixture.provider("Mails", json!({"authenticator": "microsoft"})).await;
        redirects(&fixture, OWN, &text_of("memo", 100));
        let signal = fixture.ingest(fixture.ann, &provider, OWN).await;
        assert_eq!(account(&fixture, &signal, fixture.ann).await, Some(provider.id));
        assert_eq!(fixture.finds(fixture.ann, "memo").await, [signal.signal_id]);
        fixture.clock.advance(LATER);
        fixture.web.gives(OWN, Err(PageError::Denied(403)));
        if is_answer {
            assert_eq!(read(&fixture, fixture.ann, &provider, OWN).await, Err(PageError::Denied(403)));
        } else {
            fixture.request(fixture.ann, result(&provider, OWN)).await.unwrap();
            fixture.work().await;
        }
        assert_eq!(fixture.finds(fixture.ann, "memo").await, [], "is_answer: {is_answer}");
    }
}

/// A task of an earlier version does not record the origin of its text.
#[tokio::test]
async fn a_held_text_that_does_not_say_where_it_came_from_is_not_believed() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    fixture.web.gives(OWN, Ok(&text_of("river", 100)));
    read(&fixture, fixture.ann, &provider, OWN).await.unwrap();
    let task = fixture.claim().await.unwrap();
    let mut payload = task.payload.clone();
    assert_eq!(payload["held"]["is_of_own_origin"], json!(true));
    payload["held"].as_object_mut().unwrap().remove("is_of_own_origin");
    fixture.parts.queue.finish(&task).await.unwrap();
    let name = task.name.clone();
    let again = NewTask { queue: QueueName::Corpus, name, payload, attempts_max: 100, owner: None };
    fixture.parts.queue.push(again).await.unwrap();
    fixture.work().await;
    assert_eq!(fixture.finds(fixture.ann, "river").await.len(), 1);
    assert_eq!(fixture.finds(fixture.bob, "river").await, []);
}
