//! Who steps in, when, and what is told of it.

use crate::fixture::{AMPLE, Told, prompt, wanted, writers};
use crate::rows::ROWS;
use ai::AiWriters;
use domain::contracts::{ModelErrorKind, Writers};
use serde_json::json;
use std::time::Duration;
use testkit::vendors::models::anthropic::Anthropic;
use testkit::vendors::models::openai::OpenAi;
use testkit::vendors::models::{Manner, ModelServer, Refusal, TEXT};

/// Two services of one family: OpenAI first, Anthropic after it.
async fn family() -> (ModelServer, ModelServer, AiWriters) {
    let (one, other) = (ModelServer::start(OpenAi).await, ModelServer::start(Anthropic).await);
    let mut first = ROWS[0].provider(1, one.url());
    let anthropic = ROWS.iter().find(|row| row.name == "anthropic").expect("a row");
    let mut second = anthropic.provider(2, other.url());
    for provider in [&mut first, &mut second] {
        provider.spec.config.insert("family".to_owned(), json!("writers"));
    }
    (one, other, writers(vec![first, second]))
}

#[tokio::test]
async fn another_steps_in_before_the_first_piece() {
    let refuses = |status| Manner::Refuses(Refusal::new(status, "no"));
    for manner in [
        refuses(400),
        refuses(401),
        refuses(500),
        refuses(529),
        Manner::Throttles(Some(60)),
        Manner::Garbage,
        Manner::EndsEarly(0),
        Manner::EndsEarly(1),
        Manner::BreaksOff(1),
        Manner::Stumbles(1),
    ] {
        let (one, other, writers) = family().await;
        one.behaves(manner.clone());
        let writing = writers
            .write(&wanted(), &prompt(AMPLE))
            .await
            .unwrap_or_else(|error| panic!("{manner:?}: {error}"));
        assert_eq!((writing.provider.id.0, writing.fallback_engaged), (2, true), "{manner:?}");
        assert_eq!(writing.requested_model, "gpt-4o");
        assert_eq!(Told::of(writing).await.text, TEXT);
        assert_eq!((one.requests().len(), other.requests().len()), (1, 1), "{manner:?}");
    }
}

#[tokio::test]
async fn one_that_hangs_leaves_time_for_the_next() {
    for manner in [Manner::Hangs, Manner::Slow(Duration::from_secs(60))] {
        let (one, _other, writers) = family().await;
        one.behaves(manner);
        let writing = writers.write(&wanted(), &prompt(Duration::from_secs(4))).await.unwrap();
        assert!(writing.fallback_engaged);
        assert_eq!(Told::of(writing).await.text, TEXT);
    }
}

/// A text that has begun is not written twice.
#[tokio::test]
async fn nobody_steps_in_after_the_first_piece() {
    let (one, other, writers) = family().await;
    one.behaves(Manner::BreaksOff(6));
    let told = Told::of(writers.write(&wanted(), &prompt(AMPLE)).await.unwrap()).await;
    assert!(!told.text.is_empty());
    assert_eq!(told.error.map(|error| error.kind), Some(ModelErrorKind::Unreadable));
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn when_all_fail_the_first_one_s_reason_is_told() {
    let (one, other, writers) = family().await;
    one.behaves(Manner::Throttles(Some(9)));
    other.behaves(Manner::Refuses(Refusal::new(500, "no")));
    let error = writers.write(&wanted(), &prompt(AMPLE)).await.err().unwrap();
    assert_eq!((error.kind, error.retry_after), (ModelErrorKind::RateLimited, Some(Duration::from_secs(9))));
    assert_eq!(other.requests().len(), 1);
}

#[tokio::test]
async fn one_alone_can_be_asked() {
    let (one, other, writers) = family().await;
    one.behaves(Manner::Refuses(Refusal::new(500, "no")));
    let mut provider = ROWS[0].provider(1, one.url());
    provider.spec.active = false;
    let error = writers.ask(&provider, &prompt(AMPLE)).await.err().unwrap();
    assert_eq!(error.kind, ModelErrorKind::Unavailable);
    one.behaves(Manner::Fine);
    assert_eq!(Told::of(writers.ask(&provider, &prompt(AMPLE)).await.unwrap()).await.text, TEXT);
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn nobody_is_a_reason_of_its_own() {
    let error = writers(Vec::new()).write(&wanted(), &prompt(AMPLE)).await.err().unwrap();
    assert_eq!(error.kind, ModelErrorKind::NoProvider);
    assert!(error.message.contains("rag"), "{error}");
}

/// A field that a model does not take is left out, once; the same refusal twice is an error.
#[tokio::test]
async fn a_request_is_made_plainer_once() {
    let server = ModelServer::start(Anthropic).await;
    let row = ROWS.iter().find(|row| row.name == "anthropic").expect("a row");
    let writers = writers(vec![row.provider(1, server.url())]);
    let refusal = || Manner::Refuses(Refusal::new(400, "`temperature` is deprecated for this model."));
    server.behaves_once(refusal());
    assert_eq!(Told::of(writers.write(&wanted(), &prompt(AMPLE)).await.unwrap()).await.text, TEXT);
    let temperatures: Vec<bool> =
        server.requests().iter().map(|request| request.body.get("temperature").is_some()).collect();
    assert_eq!(temperatures, [true, false]);
    server.behaves(refusal());
    let error = writers.write(&wanted(), &prompt(AMPLE)).await.err().unwrap();
    assert_eq!((error.kind, server.requests().len()), (ModelErrorKind::ConfigInvalid, 4));
}
