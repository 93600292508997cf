//! The provider doctor over HTTP.

use crate::app_harness::{Answer, AppHarness, items};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

const PATH: &str = "/svc/searchproviders/doctor/";

/// The error message of the field.
fn field_error<'a>(answer: &'a Answer, field: &str) -> &'a str {
    assert_eq!((answer.status.as_u16(), answer.code()), (400, "invalid"), "{answer:?}");
    answer.body["errors"][field][0]
        .as_str()
        .unwrap_or_else(|| panic!("{field} is not named: {}", answer.body))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sample_becomes_a_provider_that_can_be_saved_and_used() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 3)));
    let request = format!("curl '{}?page=1&w=river' -H 'Accept: application/json'", source.url());
    let body = json!({"request": request, "sample": items("river", 3), "query": "river", "name": "Rivers"});
    let answer = app.admin.post(PATH, &body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let provider = &answer.body["provider"];
    assert_eq!(provider["query_template"], "{url}?w={query_string}");
    assert_eq!(provider["query_mappings"], "PAGE=page=RESULT_PAGE");
    assert_eq!(provider["response_mappings"], "RESULTS=items,FOUND=total");
    assert_eq!(
        provider["result_mappings"],
        "title=title,body=body,url=url,date_published=date,author=author"
    );
    assert_eq!((&answer.body["results_path"], &answer.body["results"]), (&json!("items"), &json!(3)));
    for proposal in answer.body["proposals"].as_array().unwrap() {
        let confidence = proposal["confidence"].as_f64().unwrap();
        assert!(
            (0.0..=1.0).contains(&confidence) && !proposal["why"].as_str().unwrap().is_empty(),
            "{proposal}"
        );
    }
    assert_eq!(source.connections(), 0, "a sample needs no request");

    let saved = app.admin.post("/svc/searchproviders/", provider).await;
    assert_eq!(saved.status, 201, "{saved:?}");
    let mixed = app.admin.get("/svc/search/?qs=river").await.body;
    assert_eq!(mixed["results"].as_array().unwrap().len(), 3, "{mixed}");
    assert_eq!(mixed["results"][0]["author"], "A. Writer");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn any_form_of_a_sample_is_read() {
    let app = AppHarness::start().await;
    let list = json!([{"name": "One day", "href": "https://h.example/1"}, {"name": "Two days", "href": "https://h.example/2"}]);
    let feed = "<feed><entry><title>One day</title><id>https://h.example/1</id></entry><entry><title>Two days</title><id>https://h.example/2</id></entry></feed>";
    let table = [
        (list.clone(), "$", "title=name,url=href"),
        (json!({"data": {"rows": list}}), "data.rows", "title=name,url=href"),
        (Value::String(list.to_string()), "$", "title=name,url=href"),
        (json!(feed), "feed.entry", "title=title,url=id"),
        (json!([["name", "href"], ["One day", "https://h.example/1"]]), "$", "title=name,url=href"),
    ];
    for (sample, path, mappings) in table {
        let answer = app.admin.post(PATH, &json!({ "sample": sample })).await;
        assert_eq!(answer.status, 200, "{sample}: {answer:?}");
        assert_eq!(answer.body["results_path"], path, "{sample}");
        assert_eq!(answer.body["provider"]["result_mappings"], mappings, "{sample}");
        assert_eq!(answer.body["provider"]["active"], false, "its address is not known");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_sent_as_it_was_pasted_and_its_secrets_are_not_shown() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)));
    let request =
        format!("curl '{}?api_key=canary-1&q=river' -H 'Authorization: Bearer canary-2'", source.url());
    let answer = app.admin.post(PATH, &json!({"request": request, "fetch": true})).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(!answer.body.to_string().contains("canary"), "{}", answer.body);
    let provider = &answer.body["provider"];
    assert_eq!(provider["credentials"], "api_key=YOUR_KEY");
    assert_eq!(provider["http_request_headers"], json!({"Authorization": "Bearer YOUR_TOKEN"}));
    assert_eq!(provider["query_template"], "{url}?api_key={api_key}&q={query_string}");
    assert_eq!(provider["active"], false);
    let sent = format!("{:?}", source.requests());
    assert!(sent.contains("canary-1") && sent.contains("canary-2"), "{sent}");
    assert_eq!(source.requests().len(), 1);

    let post = format!("curl {} --json '{{\"text\": \"river\"}}'", source.url());
    let answer = app.admin.post(PATH, &json!({"request": post, "query": "river", "fetch": true})).await;
    assert_eq!(answer.body["provider"]["connector"], "RequestsPost", "{answer:?}");
    assert_eq!(answer.body["provider"]["post_query_template"], json!({"text": "{query_string}"}));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_cannot_be_asked_is_explained() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    let asked = |request: String| json!({"request": request, "fetch": true});
    let url = source.url().to_string();
    let table = [
        (Behavior::status(401), "credentials"),
        (Behavior::status(403), "credentials"),
        (Behavior::status(404), "path"),
        (Behavior::status(500), "later"),
        (Behavior::text("text/html", "<html><body>Sign in</body></html>"), "web page"),
        (Behavior::text("application/json", "{\"a\":"), "not JSON"),
        (Behavior::Json(json!({"error": 7})), "No list of results"),
        (Behavior::Json(json!({"total": 0, "items": []})), "has results"),
        (Behavior::CloseAtOnce, "sample"),
    ];
    for (behavior, part) in table {
        source.reply(behavior.clone());
        let answer = app.admin.post(PATH, &asked(url.clone())).await;
        let sentence = field_error(&answer, "request");
        assert!(sentence.contains(part), "{behavior:?}: {sentence}");
    }
    for (request, part) in [
        ("http://127.0.0.1:1/?q=x".to_owned(), "refused"),
        ("http://nobody.invalid/?q=x".to_owned(), "DNS"),
        (url.replace("http://", "https://"), "certificate"),
    ] {
        let answer = app.admin.post(PATH, &asked(request.clone())).await;
        let sentence = field_error(&answer, "request");
        assert!(sentence.contains(part), "{request}: {sentence}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_input_is_named_by_field() {
    let app = AppHarness::start().await;
    let sample = json!([{"title": "On tea"}]);
    let table = [
        (json!({}), "sample", "Provide a sample"),
        (json!({"request": "https://h.example/?q=x"}), "sample", "fetch"),
        (json!({"fetch": true}), "request", "URL"),
        (json!({"sample": sample, "request": "curl 'https://h.example/"}), "request", "not closed"),
        (json!({"sample": sample, "request": "curl -X PUT https://h.example/"}), "request", "PUT"),
        (json!({"sample": sample, "request": "some words"}), "request", "neither"),
        (json!({"sample": sample, "request": "ftp://h.example/"}), "request", "http://"),
        (json!({"sample": sample, "request": 7}), "request", "A text is needed"),
        (json!({"sample": "<html><p>Hello</p></html>"}), "sample", "HTML page"),
        (json!({"sample": "not json"}), "sample", "cannot be parsed"),
        (json!({"sample": "<a><b></a>"}), "sample", "XML"),
        (json!({"sample": 7}), "sample", "No list of results"),
        (
            json!({"sample": {"pages": {"1": {"title": "On tea"}, "2": {"title": "On milk"}}}}),
            "sample",
            "'pages'",
        ),
        (json!({"sample": sample, "query": "x".repeat(1001)}), "query", "1000"),
        (json!({"sample": sample, "name": "x".repeat(201)}), "name", "200"),
        (json!({"request": "https://h.example/?q={query}", "fetch": true}), "query", "where the query goes"),
        (json!({"sample": sample, "fetch": "yes"}), "fetch", "True or false is needed"),
    ];
    for (body, field, part) in table {
        let answer = app.admin.post(PATH, &body).await;
        let sentence = field_error(&answer, field);
        assert!(sentence.contains(part), "{body}: {sentence}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_for_administrators() {
    let app = AppHarness::start().await;
    let otto = app.user("otto", &[]).await;
    let answer = otto.post(PATH, &json!({"sample": [{"title": "On tea"}]})).await;
    assert_eq!((answer.status.as_u16(), answer.code()), (403, "permission_denied"));
    app.stop().await;
}
