//! Fallback to other providers.

use crate::fixture::{AMPLE, CollectedReply, model_request, models, prompt};
use crate::rows::ROWS;
use ai::AiGenerativeModels;
use domain::ports::{GenerativeModels, ModelErrorKind};
use fakes::models::anthropic::Anthropic;
use fakes::models::openai::OpenAi;
use fakes::models::{Manner, ModelServer, Refusal, TEXT};
use serde_json::json;
use std::time::Duration;

/// Two services of one family: OpenAI first, Anthropic after it.
async fn family() -> (ModelServer, ModelServer, AiGenerativeModels) {
    let (one, other) = (ModelServer::start(OpenAi).await, ModelServer::start(Anthropic).await);
    let mut first = ROWS[0].provider(1, one.url());
    let anthropic = ROWS.iter().find(|row| row.name == "anthropic").expect("a row");
    let mut second = anthropic.provider(2, other.url());
    for provider in [&mut first, &mut second] {
        provider.spec.config.insert("family".to_owned(), json!("writers"));
    }
    (one, other, models(vec![first, second]))
}

#[tokio::test]
async fn fallback_before_the_first_chunk() {
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
        let (one, other, models) = family().await;
        one.behaves(manner.clone());
        let completion = models
            .complete(&model_request(), &prompt(AMPLE))
            .await
            .unwrap_or_else(|error| panic!("{manner:?}: {error}"));
        assert_eq!((completion.provider.id.0, completion.fallback_engaged), (2, true), "{manner:?}");
        assert_eq!(completion.requested_model, "gpt-4o");
        assert_eq!(CollectedReply::of(completion).await.text, TEXT);
        assert_eq!((one.requests().len(), other.requests().len()), (1, 1), "{manner:?}");
    }
}

#[tokio::test]
async fn one_that_hangs_leaves_time_for_the_next() {
    for manner in [Manner::Hangs, Manner::Slow(Duration::from_secs(60))] {
        let (one, _other, models) = family().await;
        one.behaves(manner);
        let completion = models.complete(&model_request(), &prompt(Duration::from_secs(4))).await.unwrap();
        assert!(completion.fallback_engaged);
        assert_eq!(CollectedReply::of(completion).await.text, TEXT);
    }
}

/// There is no fallback once text was received.
#[tokio::test]
async fn no_fallback_after_the_first_chunk() {
    let (one, other, models) = family().await;
    one.behaves(Manner::BreaksOff(6));
    let reply = CollectedReply::of(models.complete(&model_request(), &prompt(AMPLE)).await.unwrap()).await;
    assert!(!reply.text.is_empty());
    assert_eq!(reply.error.map(|error| error.kind), Some(ModelErrorKind::Unreadable));
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn when_all_fail_the_first_error_is_reported() {
    let (one, other, models) = family().await;
    one.behaves(Manner::Throttles(Some(9)));
    other.behaves(Manner::Refuses(Refusal::new(500, "no")));
    let error = models.complete(&model_request(), &prompt(AMPLE)).await.err().unwrap();
    assert_eq!((error.kind, error.retry_after), (ModelErrorKind::RateLimited, Some(Duration::from_secs(9))));
    assert_eq!(other.requests().len(), 1);
}

#[tokio::test]
async fn a_single_provider_can_be_asked_directly() {
    let (one, other, models) = family().await;
    one.behaves(Manner::Refuses(Refusal::new(500, "no")));
    let mut provider = ROWS[0].provider(1, one.url());
    provider.spec.active = false;
    let error = models.complete_with(&provider, &prompt(AMPLE)).await.err().unwrap();
    assert_eq!(error.kind, ModelErrorKind::Unavailable);
    one.behaves(Manner::Fine);
    assert_eq!(
        CollectedReply::of(models.complete_with(&provider, &prompt(AMPLE)).await.unwrap()).await.text,
        TEXT
    );
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn a_missing_provider_is_its_own_error_kind() {
    let error = models(Vec::new()).complete(&model_request(), &prompt(AMPLE)).await.err().unwrap();
    assert_eq!(error.kind, ModelErrorKind::NoProvider);
    assert!(error.message.contains("rag"), "{error}");
}

/// An unsupported field is removed once; the same error again is final.
#[tokio::test]
async fn unsupported_parameters_are_removed_once() {
    let server = ModelServer::start(Anthropic).await;
    let row = ROWS.iter().find(|row| row.name == "anthropic").expect("a row");
    let models = models(vec![row.provider(1, server.url())]);
    let refusal = || Manner::Refuses(Refusal::new(400, "`temperature` is deprecated for this model."));
    server.behaves_once(refusal());
    assert_eq!(
        CollectedReply::of(models.complete(&model_request(), &prompt(AMPLE)).await.unwrap()).await.text,
        TEXT
    );
    let temperatures: Vec<bool> =
        server.requests().iter().map(|request| request.body.get("temperature").is_some()).collect();
    assert_eq!(temperatures, [true, false]);
    server.behaves(refusal());
    let error = models.complete(&model_request(), &prompt(AMPLE)).await.err().unwrap();
    assert_eq!((error.kind, server.requests().len()), (ModelErrorKind::ConfigInvalid, 4));
}
