//! Attribution: a provider's result belongs to the provider, a typed URL to the person.

use super::fixture::{Fixture, GROUP, given, item, text_of};
use corpus::ingest::Document;
use domain::corpus::Signal;
use domain::ids::UserId;
use domain::ports::{
    Clock, DocumentRequest, FinishedRun, NewTask, PageError, ProviderEdits, QueueName, ReadPages,
    ResultEdits, SearchStore, SignalStore,
};
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use domain::search::SearchSpec;
use domain::status::SearchStatus;
use serde_json::json;
use testkit::builders::result_set;

const URL: &str = "https://a.example/river";
const TYPED: &str = "https://a.example/admin";

fn typed(provider: &SearchProvider, url: &str) -> Document {
    let title = "Official".to_owned();
    Document::Address { provider: Some(provider.clone()), url: url.to_owned(), title, body: None }
}

async fn kept(fixture: &Fixture, user: UserId, document: Document) -> Signal {
    let accepted = fixture.request(user, document).await.unwrap();
    fixture.work().await;
    let id = accepted.signal.signal_id;
    fixture.signal(fixture.store.led_to(id, user).await.unwrap().unwrap_or(id)).await
}

/// Requests: provider (0: none) and URL.
fn asked(fixture: &Fixture) -> Vec<(i64, String)> {
    fixture.web.asked.lock().unwrap().drain(..).map(|(_, provider, url)| (provider, url)).collect()
}

/// A search of this person with this result of the provider; returns the saved result.
async fn found(fixture: &Fixture, user: UserId, provider: &SearchProvider, item: ResultItem) -> ResultItem {
    let (store, now) = (&fixture.store, fixture.clock.now());
    let spec = SearchSpec::of_query("river");
    let search = store.create_search(spec, user, Vec::new(), now, None).await.unwrap();
    let set = result_set(provider.id.0).query("river").item(item).build();
    let finished = FinishedRun {
        search: search.id,
        run: search.run,
        status: SearchStatus::FullResultsReady,
        query_string_processed: String::new(),
        notices: Vec::new(),
        time_s: 0.0,
        sets: vec![set],
        found: None,
        now,
    };
    store.finish_run(finished).await.unwrap().unwrap().sets.remove(0).items.remove(0)
}

#[tokio::test]
async fn an_edited_result_is_kept_as_its_provider_gave_it() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    fixture.web.gives(URL, Ok(&text_of("river", 100)));
    fixture.web.gives(TYPED, Ok(&text_of("secret", 100)));
    let given = given(&provider, item(URL));
    let edited = ResultItem { title: "Official".to_owned(), author: "Me".to_owned(), ..item(TYPED) };
    let edited = edited.in_place_of(&given);
    let signal =
        kept(&fixture, fixture.ann, Document::Result { provider: provider.clone(), item: edited }).await;
    assert_eq!(asked(&fixture), [(provider.id.0, URL.to_owned())]);
    assert_eq!(
        (signal.url.as_str(), signal.title.as_str(), signal.author.as_str()),
        (URL, "The river", "Ada")
    );
    assert_eq!(signal.source_provider_id, Some(provider.id));
}

/// A provider that links to other hosts does not vouch for what it says about the page.
#[tokio::test]
async fn a_page_of_another_host_is_called_as_it_calls_itself() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Web", json!({"url": "https://search.example/?q={query_string}"})).await;
    fixture.web.gives(URL, Ok(&text_of("river", 100)));
    let echo = ResultItem { title: "Official river policy".to_owned(), ..item(URL) };
    let document = Document::Result { provider: provider.clone(), item: given(&provider, echo) };
    let signal = kept(&fixture, fixture.ann, document).await;
    assert_eq!((signal.title.as_str(), signal.author.as_str()), ("A page", "Ada"));
    assert_eq!((signal.source_provider_id, signal.external_id.as_str()), (None, ""), "docs/decisions/0019");
    assert_eq!(fixture.finds(fixture.bob, "river").await, []);
}

#[tokio::test]
async fn a_result_of_unknown_provenance_is_its_owners() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    fixture.web.gives(TYPED, Ok(&text_of("river", 100)));
    let document = Document::Result { provider: provider.clone(), item: item(TYPED) };
    let signal = kept(&fixture, fixture.ann, document).await;
    assert_eq!(asked(&fixture), [(0, TYPED.to_owned())]);
    assert_eq!((signal.source_provider_id, signal.source_provider.as_str()), (None, ""));
    assert_eq!(signal.title, "A page", "not what may have been edited");
    assert_eq!(fixture.finds(fixture.ann, "river").await, [signal.signal_id]);
    assert_eq!(fixture.finds(fixture.bob, "river").await, []);
}

#[tokio::test]
async fn a_named_provider_counts_for_what_it_gave_to_this_person() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    let other = fixture.provider("Lakes", json!({})).await;
    for url in [URL, TYPED] {
        fixture.web.gives(url, Ok(&text_of("river", 100)));
    }
    let saved = found(&fixture, fixture.ann, &provider, given(&provider, item(URL))).await;
    for (user, provider, url) in [
        (fixture.ann, &provider, TYPED),
        (fixture.ann, &other, URL),
        (fixture.bob, &provider, URL),
        (fixture.ann, &provider, "https://a.example/river?x=1"),
    ] {
        fixture.request(user, typed(provider, url)).await.unwrap();
        let is_told = fixture.request(user, typed(provider, url)).await.unwrap().message.contains("only you");
        assert!(is_told, "{url}");
        fixture.work().await;
        assert!(asked(&fixture).iter().all(|(provider, _)| *provider == 0), "{url}");
    }
    fixture.clock.advance(std::time::Duration::from_secs(7_200));
    kept(&fixture, fixture.ann, typed(&provider, URL)).await;
    assert_eq!(asked(&fixture), [(provider.id.0, URL.to_owned())]);
    // An edit removes the attribution of both URLs.
    fixture.store.replace_result(saved.swirl_id, item(TYPED), fixture.clock.now()).await.unwrap();
    fixture.clock.advance(std::time::Duration::from_secs(7_200));
    for url in [URL, TYPED] {
        kept(&fixture, fixture.ann, typed(&provider, url)).await;
        assert_eq!(asked(&fixture), [(0, url.to_owned())]);
    }
}

#[tokio::test]
async fn an_account_of_ones_own_opens_the_providers_origin() {
    let fixture = Fixture::open().await;
    let more = json!({"authenticator": "microsoft", "url": "https://a.example/api"});
    let provider = fixture.provider("Mails", more).await;
    for (url, by) in [(TYPED, provider.id.0), ("https://b.example/x", 0)] {
        fixture.web.gives(url, Ok(&text_of("memo", 100)));
        let signal = kept(&fixture, fixture.ann, typed(&provider, url)).await;
        assert_eq!(asked(&fixture), [(by, url.to_owned())]);
        assert_eq!((signal.source_provider_id, signal.source_provider.as_str()), (None, ""));
        assert_eq!(signal.title, "A page");
        assert_eq!(fixture.finds(fixture.bob, "memo").await, [], "an account is one person's");
    }
}

/// A provider of Ann's and Bob's group, whose members see what any of them retrieved.
async fn shared_among_members(fixture: &Fixture) -> SearchProvider {
    let more = json!({
        "authenticator": "microsoft", "url": "https://a.example/api", "groups": [GROUP],
        "config": {"swirl": {"cache": {"acl": "provider"}}},
    });
    fixture.provider("Mails", more).await
}

#[tokio::test]
async fn a_typed_page_of_an_account_is_not_published_to_the_members() {
    let fixture = Fixture::open().await;
    let provider = shared_among_members(&fixture).await;
    fixture.web.gives(TYPED, Ok(&text_of("secret", 100)));
    let accepted = fixture.request(fixture.ann, typed(&provider, TYPED)).await.unwrap();
    assert!(accepted.message.contains("with your account, and only you"), "{}", accepted.message);
    fixture.work().await;
    assert_eq!(asked(&fixture), [(provider.id.0, TYPED.to_owned())]);
    assert_eq!(fixture.finds(fixture.ann, "secret").await, [accepted.signal.signal_id]);
    assert_eq!(fixture.finds(fixture.bob, "secret").await, [], "nobody but her typed the address");
    // The provider's own documents are for all of them.
    fixture.web.gives(URL, Ok(&text_of("river", 100)));
    let given = fixture.ingest(fixture.ann, &provider, URL).await;
    assert_eq!(fixture.finds(fixture.bob, "river").await, [given.signal_id]);
}

/// The account is stored with the person's grant, so that the page is always fetched with it.
#[tokio::test]
async fn a_typed_page_of_an_account_is_renewed_with_the_account() {
    let fixture = Fixture::open().await;
    let provider = shared_among_members(&fixture).await;
    fixture.web.gives(TYPED, Ok(&text_of("secret", 100)));
    let signal = kept(&fixture, fixture.ann, typed(&provider, TYPED)).await;
    let account = |grants: Vec<domain::corpus::Grant>| grants[0].account_provider_id;
    assert_eq!(account(fixture.store.grants(signal.signal_id).await.unwrap()), Some(provider.id));
    fixture.clock.advance(std::time::Duration::from_secs(7_200));
    asked(&fixture);
    fixture.web.gives(TYPED, Ok(&text_of("newer secret", 100)));
    let renewed = kept(&fixture, fixture.ann, super::fixture::address(TYPED, None)).await;
    assert_eq!(asked(&fixture), [(provider.id.0, TYPED.to_owned())]);
    assert_eq!((renewed.signal_id, renewed.source_provider_id), (signal.signal_id, None));
    assert_ne!(renewed.content_hash, signal.content_hash);
    assert_eq!(fixture.finds(fixture.bob, "newer secret").await, []);
    // Without the account, the copy is not replaced by the anonymous page.
    let mut spec = provider.spec.clone();
    spec.authenticator = String::new();
    fixture.store.replace_provider(provider.id, spec, fixture.clock.now()).await.unwrap();
    let pages = corpus::CachedPageReader::new(fixture.web.clone(), std::sync::Arc::clone(&fixture.cache));
    fixture.store.drop_body(signal.signal_id).await.unwrap();
    let mark = fixture.cache.mark(&renewed);
    let result = ResultItem { cache: Some(Box::new(mark)), ..item(TYPED) };
    let wanted =
        DocumentRequest::of_result(&provider, &result, fixture.ann, std::time::Duration::from_secs(1));
    assert_eq!(pages.read(&wanted).await, Err(PageError::NoAddress));
    assert_eq!(asked(&fixture), []);
}

/// Bob's account at another provider, or none, says nothing about what Ann's account got.
#[tokio::test]
async fn a_refusal_without_the_account_does_not_end_the_right_that_came_with_it() {
    let fixture = Fixture::open().await;
    let provider = shared_among_members(&fixture).await;
    let other = fixture.provider("Lakes", json!({})).await;
    fixture.web.gives(TYPED, Ok(&text_of("secret", 100)));
    let signal = kept(&fixture, fixture.ann, typed(&provider, TYPED)).await;
    fixture.web.gives(TYPED, Err(PageError::Denied(401)));
    fixture.clock.advance(std::time::Duration::from_secs(7_200));
    kept(&fixture, fixture.ann, typed(&other, TYPED)).await;
    assert_eq!(fixture.finds(fixture.ann, "secret").await, [signal.signal_id]);
    kept(&fixture, fixture.ann, typed(&provider, TYPED)).await;
    assert_eq!(fixture.finds(fixture.ann, "secret").await, [], "her account was refused");
}

/// A task of an earlier version does not record who returned its document.
#[tokio::test]
async fn a_task_that_does_not_say_who_gave_its_document_is_not_believed() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    fixture.web.gives(URL, Ok(&text_of("river", 100)));
    let document = Document::Result { provider: provider.clone(), item: given(&provider, item(URL)) };
    fixture.request(fixture.ann, document).await.unwrap();
    let task = fixture.claim().await.unwrap();
    let mut payload = task.payload.clone();
    payload.as_object_mut().unwrap().remove("is_given");
    fixture.parts.queue.finish(&task).await.unwrap();
    let name = task.name.clone();
    let again = NewTask { queue: QueueName::Corpus, name, payload, attempts_max: 100, owner: None };
    fixture.parts.queue.push(again).await.unwrap();
    fixture.work().await;
    assert_eq!(asked(&fixture), [(0, URL.to_owned())]);
    assert_eq!(fixture.finds(fixture.bob, "river").await, [], "it is not the source's");
    let found = fixture.found(fixture.ann, "river").await;
    assert_eq!(found.iter().map(|hit| hit.signal.source_provider_id).collect::<Vec<_>>(), [None]);
}
