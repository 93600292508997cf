//! Vertex AI with the key of a service account, which is exchanged for an access token.

use crate::fixture::{AMPLE, CollectedReply, Fixture, model_request, models, prompt};
use crate::rows::{ROWS, Row};
use ai::AiEmbeddingModels;
use domain::ai_provider::AiProvider;
use domain::ports::{EmbeddingInput, EmbeddingModels, GenerativeModels, ModelErrorKind};
use domain::settings::PluginSettings;
use fakes::models::gemini::ACCOUNT;
use fakes::models::{Manner, Refusal, TEXT};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::clock::FixedClock;
use testkit::keys;

fn row() -> &'static Row {
    ROWS.iter().find(|row| row.name == "gemini at Vertex AI").unwrap()
}

fn key(url: &str, private_pem: &str) -> Value {
    json!({"type": "service_account", "client_email": ACCOUNT, "private_key": private_pem,
        "token_uri": format!("{url}/token"), "project_id": "mill-project"})
}

fn with_key(fixture: &Fixture, key: Value) -> AiProvider {
    let mut provider = fixture.provider.clone();
    provider.spec.api_key = String::new();
    provider.spec.config.insert("GOOGLE_APPLICATION_CREDENTIALS".to_owned(), key);
    provider
}

/// The paths of the received requests.
fn paths(fixture: &Fixture) -> Vec<String> {
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    fixture.server.requests().iter().map(|request| last(&request.path)).collect()
}

#[tokio::test]
async fn a_token_is_requested_once_and_used() {
    let fixture = Fixture::of(row()).await;
    let key = key(fixture.server.url(), keys::PRIVATE_PEM);
    for shown in [key.clone(), Value::from(key.to_string())] {
        let models = models(vec![with_key(&fixture, shown)]);
        for _ in 0..2 {
            let reply =
                CollectedReply::of(models.complete(&model_request(), &prompt(AMPLE)).await.unwrap()).await;
            assert_eq!((reply.error, reply.text.as_str()), (None, TEXT));
        }
    }
    let completion = "gemini-2.5-pro:streamGenerateContent";
    assert_eq!(paths(&fixture), ["token", completion, completion, completion, completion]);
    for request in &fixture.server.requests()[1..] {
        assert_eq!(request.header("x-goog-api-key"), None);
    }
    // A token that is rejected is requested again the next time.
    fixture.server.behaves_once(Manner::Refuses(Refusal::new(401, "expired")));
    let models = models(vec![with_key(&fixture, key)]);
    let error = models.complete(&model_request(), &prompt(AMPLE)).await.err().unwrap();
    assert_eq!(error.kind, ModelErrorKind::Denied);
    assert!(models.complete(&model_request(), &prompt(AMPLE)).await.is_ok());
    assert_eq!(paths(&fixture)[5..], [completion, "token", completion]);
}

/// Completions, and the requests of one embedding, need their first token at the same time.
#[tokio::test]
async fn concurrent_requests_share_their_first_token() {
    let fixture = Fixture::of(row()).await;
    let mut provider = with_key(&fixture, key(fixture.server.url(), keys::PRIVATE_PEM));
    let models = models(vec![provider.clone()]);
    let (request, asked) = (model_request(), prompt(AMPLE));
    let complete = || async {
        let completion = models.complete(&request, &asked).await.unwrap();
        CollectedReply::of(completion).await.text
    };
    let texts = tokio::join!(complete(), complete(), complete(), complete());
    assert_eq!(texts, (TEXT.to_owned(), TEXT.to_owned(), TEXT.to_owned(), TEXT.to_owned()));
    let tokens = || paths(&fixture).iter().filter(|path| *path == "token").count();
    assert_eq!((tokens(), fixture.server.requests().len()), (1, 5), "{:?}", paths(&fixture));

    // Another key has another token.
    provider.spec.config["GOOGLE_APPLICATION_CREDENTIALS"]["private_key_id"] = "k2".into();
    let store = Arc::new(crate::fixture::Records(vec![provider]));
    let settings = Arc::new(PluginSettings::default());
    let clock = Arc::new(FixedClock::default());
    let embedding = AiEmbeddingModels::new(store, crate::fixture::client(), clock, settings);
    let texts = ["mill", "river", "wheel"].map(str::to_owned);
    let vectors = embedding.embed_many("P1", EmbeddingInput::Passage, &texts).await.unwrap();
    assert_eq!((vectors.len(), tokens()), (3, 2), "{:?}", paths(&fixture));
}

#[tokio::test]
async fn embeddings_use_the_token_too() {
    let fixture = Fixture::of(row()).await;
    let provider = with_key(&fixture, key(fixture.server.url(), keys::PRIVATE_PEM));
    let store = Arc::new(crate::fixture::Records(vec![provider]));
    let clock = Arc::new(FixedClock::default());
    let embedding =
        AiEmbeddingModels::new(store, crate::fixture::client(), clock, Arc::new(PluginSettings::default()));
    let vectors =
        embedding.embed_many("P1", EmbeddingInput::Passage, &["the mill".to_owned()]).await.unwrap();
    assert_eq!(vectors.len(), 1);
    assert_eq!(paths(&fixture), ["token", "gemini-2.5-pro:predict"]);
}

#[tokio::test]
async fn a_wrong_key_is_refused_and_not_shown() {
    let fixture = Fixture::of(row()).await;
    let url = fixture.server.url();
    for (key, kind, says) in [
        (key(url, keys::OTHER_PRIVATE_PEM), ModelErrorKind::Denied, "the token request was rejected"),
        (
            key("https://oauth2.googleapis.com", keys::PRIVATE_PEM),
            ModelErrorKind::ConfigInvalid,
            "on the same host",
        ),
        (key(url, "hush"), ModelErrorKind::ConfigInvalid, "PEM"),
        (json!("{hush"), ModelErrorKind::ConfigInvalid, "not readable as JSON"),
        (json!("/nowhere/hush.json"), ModelErrorKind::ConfigInvalid, "The key file cannot be read"),
        (json!(7), ModelErrorKind::ConfigInvalid, "is not a key"),
    ] {
        let error = models(vec![with_key(&fixture, key)]).complete(&model_request(), &prompt(AMPLE)).await;
        let error = error.err().unwrap();
        assert_eq!(error.kind, kind, "{error}");
        let shown = format!("{error} {error:?}");
        assert!(shown.contains(says) && shown.contains("'P1'"), "{shown}");
        assert!(!shown.contains("hush") && !shown.contains("MII"), "{shown}");
    }
}
