//! Box and Dropbox connectors.

use super::{kind, refused, spec, subject, subject_of, tells_refusals, title};
use crate::fixture::{Script, answer, provider, query};
use domain::ports::{ConnectorErrorKind, ProviderQuery};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::search::Sort;
use domain::secret::Secret;
use fakes::access_tokens::NARROW_TOKEN;
use fakes::box_storage::BoxStorage;
use fakes::dropbox::Dropbox;
use serde_json::json;
use testkit::suites::connector::Literal;

#[tokio::test]
async fn box_keeps_the_contract() {
    let service = BoxStorage::start().await;
    let subject = subject("BoxStorage", &service.listener.url, Literal::Words(title));
    subject.check().await;
    tells_refusals(&subject, &service.state).await;
    // Operators of the query are no words, and a source that cannot negate is asked without what is excluded.
    for (text, seen) in
        [("river OR snow", "river snow"), ("river AND NOT 3", "river"), ("\"river bed\" or", "river bed or")]
    {
        subject.ask(text, Sort::Relevancy, 5).await.expect(text);
        assert_eq!(service.state.seen()().as_deref(), Some(seen), "{text}");
    }
    let error = subject.ask("NOT river", Sort::Relevancy, 5).await.expect_err("nothing is wanted");
    assert_eq!(error.kind, ConnectorErrorKind::QueryInvalid);
    let spec = ProviderSpec { query_mappings: "NOT=true".into(), ..subject.spec.clone() };
    let all = subject.ask("river", Sort::Relevancy, 250).await.expect("an answer");
    let some = subject_of(&subject, spec).ask("river NOT 3", Sort::Relevancy, 250).await.expect("an answer");
    assert_eq!(some.found, all.found.map(|found| found - 1));
    assert_eq!(all.items[0]["folder"], "All Files");
}

#[tokio::test]
async fn dropbox_keeps_the_contract() {
    let service = Dropbox::start().await;
    let mut subject =
        subject("Dropbox", &service.listener.url, Literal::Seen(Box::new(service.state.seen())));
    subject.check().await;
    tells_refusals(&subject, &service.state).await;
    let page = subject.ask("river", Sort::Relevancy, 100).await.expect("an answer");
    assert!(page.items.len() > 30 && page.items.iter().all(|item| item["title"] != "river folder"));
    assert_eq!(page.items[0]["body"], "about it");
    subject.user_token = Some(Secret::new(NARROW_TOKEN));
    assert!(refused(&subject).await.message.contains("files.metadata.read"));
    let error = subject.ask(&"x".repeat(1001), Sort::Relevancy, 5).await.expect_err("too long");
    assert_eq!(error.kind, ConnectorErrorKind::QueryInvalid);
}

/// A service with endless pages gets a bounded number of requests.
#[tokio::test]
async fn a_circle_of_cursors_ends() {
    let found = json!({"metadata": {"metadata": {".tag": "file", "name": "a"}}});
    let page = json!({"matches": [found], "has_more": true, "cursor": "c"}).to_string();
    let script = Script::of((0..30).map(|_| answer("application/json", page.clone())));
    let provider = SearchProvider { user_token: Some(Secret::new("a-token")), ..provider(spec("Dropbox")) };
    let dropbox = (kind("Dropbox").build)(&provider, &script.context()).expect("a connector");
    let built = dropbox.prepare(&ProviderQuery { results_wanted: 500, ..query("x") }).expect("a question");
    let page = built.execute().await.expect("an answer").normalize().expect("a page");
    assert_eq!((page.items.len(), script.asked.lock().expect("a list").len()), (20, 20));
}
