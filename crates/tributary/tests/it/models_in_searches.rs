//! Models in searches: as embedder, as re-ranker, for rewriting the query, and as a source.

use crate::app_harness::AppHarness;
use crate::rag_fixture::{EventRequest, documents, events};
use fakes::models::cohere::Cohere;
use fakes::models::{KEY, Manner, ModelServer};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::source::{Behavior, Source};

/// A service with a source about mills, and a model that is the default for these roles.
async fn app(roles: &[&str]) -> (AppHarness, ModelServer, Source) {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(documents()));
    app.provider("Mills", &source).await;
    let model = ModelServer::start(Cohere).await;
    // The built-in embedder is the default until another one is chosen.
    let records = app.admin.get("/svc/aiproviders/").await;
    let all = records.body.as_array().or_else(|| records.body["results"].as_array()).unwrap();
    let local = all.iter().find(|record| record["name"] == "local").unwrap()["id"].clone();
    let answer = app.admin.patch(&format!("/svc/aiproviders/{local}/"), &json!({"defaults": []})).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let spec = json!({
        "name": "All of it", "model": "cohere/any", "api_key": KEY, "active": true, "tags": roles, "defaults": roles,
        "config": {"api_base": model.url()},
    });
    let answer = app.admin.post("/svc/aiproviders/", &spec).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    (app, model, source)
}

async fn search_results(app: &AppHarness, spec: &Value) -> Value {
    let search = app.admin.search(spec).await;
    let id = &search["id"];
    let answer = app.admin.get(&format!("/svc/results/?search_id={id}&explain=true")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body
}

fn says(body: &Value, words: &str) -> bool {
    let lines = body["messages"].as_array().unwrap();
    lines.iter().any(|line| line.as_str().is_some_and(|line| line.contains(words)))
}

fn paths(model: &ModelServer) -> Vec<String> {
    let mut paths: Vec<String> = model.requests().into_iter().map(|request| request.path).collect();
    paths.sort();
    paths
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_embeds_and_reranks_and_its_failure_is_reported() {
    let (app, model, source) = app(&["reader", "reranker"]).await;
    let processors = ["CosineRelevancyPostResultProcessor", "RerankPostResultProcessor"];
    let spec = |query: &str| json!({"query_string": query, "post_result_processors": processors});
    let body = search_results(&app, &spec("river mill")).await;
    assert_eq!(paths(&model), ["/v2/embed", "/v2/embed", "/v2/rerank"], "the query, the results, the ranks");
    assert!(says(&body, "RerankPostResultProcessor updated 2 results"), "{body}");
    assert!(!says(&body, "built-in reader model"), "{body}");
    for result in body["results"].as_array().unwrap() {
        let explain = &result["explain"];
        assert_eq!(explain["evidence"]["reranker"], 1.0, "{result}");
        let parts = explain["confidence"].as_object().unwrap();
        let sum: f64 =
            parts.iter().filter(|(name, _)| *name != "total").map(|(_, part)| part.as_f64().unwrap()).sum();
        let total = result["swirl_confidence_score"].as_f64().unwrap();
        assert_eq!(format!("{sum:.6}"), format!("{total:.6}"), "{result}");
    }

    model.behaves(Manner::Throttles(None));
    source.reply(Behavior::Json(json!({"total": 1, "items": [
        {"title": "A new mill", "url": "https://mills.example/3", "body": "It has no wheel.", "date": "2024-01-01"},
    ]})));
    let body = search_results(&app, &spec("new mill")).await;
    assert!(says(&body, "CosineRelevancyPostResultProcessor used the built-in reader model"), "{body}");
    assert!(says(&body, "RerankPostResultProcessor failed and was skipped"), "{body}");
    assert!(says(&body, "status 429") && !body.to_string().contains(KEY), "{body}");
    assert_eq!(body["results"].as_array().unwrap().len(), 1, "no result is lost");
    assert!(body["results"][0]["swirl_confidence_score"].as_f64().unwrap() > 0.0, "{body}");
    app.stop().await;
}

/// Each partial page is ranked again for each listener; an outside model would be paid for each of them.
#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_called_once_per_run_however_many_follow_it() {
    const SOURCES: u32 = 9;
    const APART: Duration = Duration::from_millis(150);
    let (app, model, _mills) = app(&["reader", "reranker"]).await;
    let mut sources = Vec::new();
    for number in 1..=SOURCES {
        let source = Source::start().await;
        let item = json!({
            "title": format!("Mill {number}"), "url": format!("https://mills.example/{number}/wheel"),
            "body": format!("The wheel of river mill number {number}."), "date": "2024-01-01",
        });
        let page = Behavior::Json(json!({"total": 1, "items": [item]}));
        source.reply(Behavior::Delay(APART * number, Box::new(page)));
        app.provider(&format!("Source {number}"), &source).await;
        sources.push(source);
    }
    let processors = ["CosineRelevancyPostResultProcessor", "RerankPostResultProcessor"];
    let spec = json!({"query_string": "river mill", "post_result_processors": processors});
    let created = app.admin.post("/svc/search/", &spec).await;
    assert_eq!(created.status, 201, "{created:?}");
    let path = format!("/svc/search/{}/events/", created.body["id"]);
    let listen = || events(&app.admin, EventRequest::Get(&path));
    let (first, second) = tokio::join!(listen(), listen());
    for followed in [&first, &second] {
        let pages = followed.iter().filter(|(name, _)| name == "results").count();
        assert!(pages > 1, "partial pages and the last one: {followed:?}");
    }
    assert_eq!(paths(&model), ["/v2/embed", "/v2/embed", "/v2/rerank"], "the query, the results, the ranks");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_rewrites_the_query_and_answers_as_a_source() {
    let (app, model, _source) = app(&["query", "connector"]).await;
    model.says("river mill");
    let answers = json!({
        "name": "Answers", "connector": "GenAI", "query_mappings": "PROMPT=Tell me about: {query_to_provider}",
    });
    assert_eq!(app.admin.post("/svc/searchproviders/", &answers).await.status, 201);
    let spec = json!({"query_string": "the river mill", "pre_query_processors": ["GenAIQueryProcessor"]});
    let body = search_results(&app, &spec).await;
    assert!(says(&body, "GenAIQueryProcessor rewrote query to: river mill"), "{body}");
    let sent: Vec<String> = model.requests().iter().map(|request| request.body.to_string()).collect();
    assert!(sent.iter().any(|body| body.contains("Tell me about: river mill")), "{sent:?}");
    let all = body["results"].as_array().unwrap();
    let written: Vec<&Value> = all.iter().filter(|result| result["searchprovider"] == "Answers").collect();
    assert_eq!(written.len(), 1, "{body}");
    assert_eq!((&written[0]["author"], &written[0]["url"]), (&json!("All of it"), &json!("")));

    model.behaves(Manner::Throttles(None));
    let body = search_results(&app, &spec).await;
    assert!(says(&body, "GenAIQueryProcessor failed and was skipped: ERR_PROMPT_FAILED"), "{body}");
    assert!(says(&body, "Error: Answers: ERR_PROMPT_FAILED"), "{body}");
    assert_eq!(body["results"].as_array().unwrap().len(), 2, "the other source's results are there: {body}");
    app.stop().await;
}
