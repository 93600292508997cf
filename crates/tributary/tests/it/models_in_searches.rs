//! Models at work in searches: one reads for ranking, ranks again, rewrites the query and answers as a source.

use crate::answering::documents;
use crate::house::TestHouse;
use serde_json::{Value, json};
use testkit::source::{Behaviour, Source};
use testkit::vendors::models::cohere::Cohere;
use testkit::vendors::models::{KEY, Manner, ModelServer};

/// A house with a source about mills and a model with these roles, the default one of each.
async fn house(roles: &[&str]) -> (TestHouse, ModelServer, Source) {
    let house = TestHouse::start().await;
    let source = Source::start().await;
    source.reply(Behaviour::Json(documents()));
    house.provider("Mills", &source).await;
    let model = ModelServer::start(Cohere).await;
    // The built-in reader is the default one until somebody says otherwise.
    let records = house.admin.get("/svc/aiproviders/").await;
    let all = records.body.as_array().or_else(|| records.body["results"].as_array()).unwrap();
    let local = all.iter().find(|record| record["name"] == "local").unwrap()["id"].clone();
    let answer = house.admin.patch(&format!("/svc/aiproviders/{local}/"), &json!({"defaults": []})).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let draft = json!({
        "name": "All of it", "model": "cohere/any", "api_key": KEY, "active": true, "tags": roles, "defaults": roles,
        "config": {"api_base": model.url()},
    });
    let answer = house.admin.post("/svc/aiproviders/", &draft).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    (house, model, source)
}

async fn found(house: &TestHouse, draft: &Value) -> Value {
    let search = house.admin.search(draft).await;
    let id = &search["id"];
    let answer = house.admin.get(&format!("/svc/results/?search_id={id}&explain=true")).await;
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
async fn a_service_reads_and_ranks_and_its_failure_is_told() {
    let (house, model, source) = house(&["reader", "reranker"]).await;
    let processors = ["CosineRelevancyPostResultProcessor", "RerankPostResultProcessor"];
    let draft = |query: &str| json!({"query_string": query, "post_result_processors": processors});
    let body = found(&house, &draft("river mill")).await;
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
    source.reply(Behaviour::Json(json!({"total": 1, "items": [
        {"title": "A new mill", "url": "https://mills.example/3", "body": "It has no wheel.", "date": "2024-01-01"},
    ]})));
    let body = found(&house, &draft("new mill")).await;
    assert!(says(&body, "CosineRelevancyPostResultProcessor used the built-in reader model"), "{body}");
    assert!(says(&body, "RerankPostResultProcessor failed and was left out"), "{body}");
    assert!(says(&body, "status 429") && !body.to_string().contains(KEY), "{body}");
    assert_eq!(body["results"].as_array().unwrap().len(), 1, "no result is lost");
    assert!(body["results"][0]["swirl_confidence_score"].as_f64().unwrap() > 0.0, "{body}");
    house.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_rewrites_the_query_and_answers_as_a_source() {
    let (house, model, _source) = house(&["query", "connector"]).await;
    model.says("river mill");
    let answers = json!({
        "name": "Answers", "connector": "GenAI", "query_mappings": "PROMPT=Tell me about: {query_to_provider}",
    });
    assert_eq!(house.admin.post("/svc/searchproviders/", &answers).await.status, 201);
    let draft = json!({"query_string": "the river mill", "pre_query_processors": ["GenAIQueryProcessor"]});
    let body = found(&house, &draft).await;
    assert!(says(&body, "GenAIQueryProcessor rewrote query to: river mill"), "{body}");
    let sent: Vec<String> = model.requests().iter().map(|request| request.body.to_string()).collect();
    assert!(sent.iter().any(|body| body.contains("Tell me about: river mill")), "{sent:?}");
    let all = body["results"].as_array().unwrap();
    let written: Vec<&Value> = all.iter().filter(|result| result["searchprovider"] == "Answers").collect();
    assert_eq!(written.len(), 1, "{body}");
    assert_eq!((&written[0]["author"], &written[0]["url"]), (&json!("All of it"), &json!("")));

    model.behaves(Manner::Throttles(None));
    let body = found(&house, &draft).await;
    assert!(says(&body, "GenAIQueryProcessor failed and was left out: ERR_PROMPT_FAILED"), "{body}");
    assert!(says(&body, "Error: Answers: ERR_PROMPT_FAILED"), "{body}");
    assert_eq!(body["results"].as_array().unwrap().len(), 2, "the other source's results are there: {body}");
    house.stop().await;
}
