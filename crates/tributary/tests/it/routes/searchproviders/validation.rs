//! Validation when a provider is saved: errors name the field and the remedy.

use super::{smallest, with};
use crate::app_harness::AppHarness;
use serde_json::{Value, json};

/// A spec, the faulty field, and a part of its error message.
fn cases() -> Vec<(Value, &'static str, &'static str)> {
    let one = |more: Value| with("Wrong", more);
    vec![
        (json!({}), "name", "A name is needed"),
        (with("  ", json!({})), "name", "A name is needed"),
        (with(&"n".repeat(201), json!({})), "name", "200"),
        (with("results", json!({})), "name", "This name is reserved"),
        (one(json!({"name": 7})), "name", "A text is needed"),
        (one(json!({"connector": "RequestGet"})), "connector", "Did you mean 'RequestsGet'?"),
        (one(json!({"connector": ""})), "connector", ""),
        (
            one(json!({"query_processors": ["AdaptivQueryProcessor"]})),
            "query_processors",
            "Did you mean 'AdaptiveQueryProcessor'?",
        ),
        (
            one(json!({"result_processors": ["MappingResultProcesor"]})),
            "result_processors",
            "Did you mean 'MappingResultProcessor'?",
        ),
        (
            one(json!({"result_processors": "MappingResultProcessor"})),
            "result_processors",
            "A list is needed",
        ),
        (one(json!({"response_mappings": "RESULTS"})), "response_mappings", ""),
        (one(json!({"response_mappings": "RESULT=items,RESLTS=items"})), "response_mappings", "RESULTS"),
        (one(json!({"response_mappings": "RESULTS=items[["})), "response_mappings", ""),
        (one(json!({"response_mappings": "FOUND=total"})), "response_mappings", "RESULTS=<path> is required"),
        (one(json!({"response_mappings": "RESULTS=items,ERROR_IF=ok"})), "response_mappings", "ERROR_IF"),
        (one(json!({"result_mappings": "title=sw_urlencod(name)"})), "result_mappings", "sw_urlencode"),
        (one(json!({"result_mappings": "title="})), "result_mappings", "source"),
        (one(json!({"result_mappings": "title=name,NO_PAYLOD"})), "result_mappings", "NO_PAYLOAD"),
        (one(json!({"query_mappings": "=en"})), "query_mappings", "no key"),
        (one(json!({"query_mappings": "PAGE=start=1"})), "query_mappings", "RESULT_INDEX"),
        (one(json!({"query_template": "{url}?q={query_sting}"})), "query_template", "query_sting"),
        (one(json!({"query_template": "https://{query_string}/"})), "query_template", "host"),
        (one(json!({"url": "no address"})), "url", ""),
        (one(json!({"url": "ftp://source.example/"})), "url", "http"),
        (one(json!({"url": "https://me:pass@source.example/"})), "url", "credentials"),
        (one(json!({"credentials": "HTTPBasicAuth('me'"})), "credentials", "HTTPBasicAuth"),
        (one(json!({"credentials": "HTTPBasikAuth('me','x')"})), "credentials", "HTTPBasicAuth"),
        (one(json!({"credentials": "X-Api-Key="})), "credentials", "key"),
        (one(json!({"credentials": "key=••••"})), "credentials", "masked"),
        (one(json!({"credentials": "x".repeat(4097)})), "credentials", "4096"),
        (one(json!({"results_per_query": 0})), "results_per_query", "1 to 1000"),
        (one(json!({"results_per_query": 1001})), "results_per_query", "1 to 1000"),
        (one(json!({"results_per_query": -1})), "results_per_query", ""),
        (one(json!({"groups": "research"})), "groups", ""),
        (one(json!({"tags": [1]})), "tags[0]", ""),
        (one(json!({"http_request_headers": {"Bad Name": "x"}})), "http_request_headers", "Bad Name"),
        (one(json!({"http_request_headers": {"X-A": "a\r\nb"}})), "http_request_headers", "X-A"),
        (one(json!({"config": []})), "config", ""),
        (
            one(json!({"config": {"swirl": {"google_calendar": {"calendar_lookback_days": "x"}}}})),
            "config",
            "calendar_lookback_days",
        ),
        (one(json!({"config": {"swirl": {"rag": []}}})), "config", "swirl.rag: an object is needed"),
        (one(json!({"active": null})), "active", ""),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_named_by_field_and_nothing_is_stored() {
    let app = AppHarness::start().await;
    let good = app.admin.post("/svc/searchproviders/", &smallest("Good")).await.body;
    let path = format!("/svc/searchproviders/{}/", good["id"]);
    for (spec, field, part) in cases() {
        let answer = app.admin.post("/svc/searchproviders/", &spec).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (400, "invalid"), "{spec}: {answer:?}");
        let sentence = answer.body["errors"][field][0].as_str().unwrap_or_default();
        assert!(!sentence.is_empty() && sentence.contains(part), "{spec}: {}", answer.body);
        let replaced = app.admin.put(&path, &spec).await;
        assert_eq!(replaced.status, 400, "PUT {spec}: {replaced:?}");
    }
    let all = app.admin.get("/svc/searchproviders/").await.body;
    assert_eq!(all.as_array().unwrap().len(), 1);
    assert_eq!(all[0]["name"], "Good");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_errors_are_reported_at_once() {
    let app = AppHarness::start().await;
    let spec = with("", json!({"connector": "Nobody", "results_per_query": 0, "query_processors": ["None"]}));
    let answer = app.admin.post("/svc/searchproviders/", &spec).await;
    let fields: Vec<&String> = answer.body["errors"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["connector", "name", "query_processors", "results_per_query"]);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_in_credentials_does_not_reveal_them() {
    let app = AppHarness::start().await;
    for secret in
        ["HTTPBasicAuth('me','canary-1'", "HTTPBasikAuth('me','canary-1')", "bearer=canary-1,verify=x"]
    {
        let spec = with("Secretive", json!({"credentials": secret}));
        let answer = app.admin.post("/svc/searchproviders/", &spec).await;
        assert!(!answer.body.to_string().contains("canary-1"), "{secret}: {}", answer.body);
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_used_once() {
    let app = AppHarness::start().await;
    let first = app.admin.post("/svc/searchproviders/", &smallest("Rivers")).await.body;
    let second = app.admin.post("/svc/searchproviders/", &smallest("Lakes")).await.body;
    let path = format!("/svc/searchproviders/{}/", second["id"]);
    for answer in [
        app.admin.post("/svc/searchproviders/", &smallest("Rivers")).await,
        app.admin.put(&path, &smallest("Rivers")).await,
        app.admin.patch(&path, &json!({"name": "Rivers"})).await,
    ] {
        assert_eq!((answer.status.as_u16(), answer.code()), (409, "conflict"), "{answer:?}");
        assert!(answer.body["errors"]["name"][0].as_str().unwrap().contains("taken"), "{}", answer.body);
    }
    let own = app.admin.put(&format!("/svc/searchproviders/{}/", first["id"]), &smallest("Rivers")).await;
    assert_eq!(own.status, 200, "its own name is free: {own:?}");
    app.stop().await;
}
