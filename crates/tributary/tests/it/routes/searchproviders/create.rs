//! `POST /svc/searchproviders/`: one or a list, all or none; and listing them.

use super::{names, smallest, with};
use crate::app_harness::AppHarness;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn the_smallest_provider_gets_the_defaults() {
    let app = AppHarness::start().await;
    let made = app.admin.post("/svc/searchproviders/", &smallest("Small")).await;
    assert_eq!(made.status, 201, "{made:?}");
    insta::assert_json_snapshot!(made.body, {
        ".id" => "[id]", ".date_created" => "[time]", ".date_updated" => "[time]",
    }, @r#"
    {
      "id": "[id]",
      "owner": "admin",
      "name": "Small",
      "description": "",
      "active": true,
      "default": true,
      "shared": true,
      "groups": [],
      "connector": "RequestsGet",
      "authenticator": "",
      "url": "https://source.example/",
      "query_template": "{url}?q={query_string}",
      "query_template_json": {},
      "post_query_template": {},
      "http_request_headers": {},
      "page_fetch_config_json": {},
      "query_processors": [
        "AdaptiveQueryProcessor"
      ],
      "query_mappings": "",
      "result_grouping_field": "",
      "result_processors": [
        "MappingResultProcessor",
        "DateFinderResultProcessor",
        "CosineRelevancyResultProcessor"
      ],
      "response_mappings": "RESULTS=items",
      "result_mappings": "",
      "results_per_query": 10,
      "credentials": "",
      "eval_credentials": "",
      "tags": [],
      "config": {},
      "capability": {
        "page": false,
        "date_sort": false,
        "not": false
      },
      "date_created": "[time]",
      "date_updated": "[time]"
    }
    "#);
    let read = app.admin.get(&format!("/svc/searchproviders/{}/", made.body["id"])).await;
    assert_eq!(read.body, made.body);
    app.stop().await;
}

fn full() -> Value {
    json!({
        "name": "Full",
        "description": "Every field is used.",
        "active": false,
        "default": false,
        "shared": false,
        "groups": ["research", "archive"],
        "connector": "RequestsGet",
        "authenticator": "Someone",
        "url": "https://source.example/find",
        "query_template": "{url}?q={query_string}&lang={lang}",
        "query_template_json": {"highlight": {"fields": {"body": {}}}},
        "post_query_template": {"query": "{query_string}"},
        "http_request_headers": {"X-Client": "tributary"},
        "page_fetch_config_json": {"cache": false},
        "query_processors": [],
        "query_mappings": "lang=en,DATE_SORT=sort=date,PAGE=start=RESULT_INDEX",
        "result_grouping_field": "doc",
        "result_processors": ["MappingResultProcessor"],
        "response_mappings": "FOUND=total,RESULTS=items",
        "result_mappings": "title=name,body=text|summary,NO_PAYLOAD",
        "results_per_query": 50,
        "eval_credentials": "session['token']",
        "tags": ["News", "English"],
        "config": {"swirl": {"connector_use": {"single_provider_results_requested": 100}}},
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn all_fields_come_back_as_they_were_sent() {
    let app = AppHarness::start().await;
    let full = full();
    let made = app.admin.post("/svc/searchproviders/", &full).await;
    assert_eq!(made.status, 201, "{made:?}");
    let read = app.admin.get(&format!("/svc/searchproviders/{}/", made.body["id"])).await.body;
    for (field, value) in full.as_object().unwrap() {
        assert_eq!(&read[field], value, "{field}");
    }
    let own: Vec<&String> =
        read.as_object().unwrap().keys().filter(|key| full.get(key.as_str()).is_none()).collect();
    assert_eq!(own, ["id", "owner", "credentials", "capability", "date_created", "date_updated"]);
    let can = json!({"page": true, "date_sort": true, "not": false});
    assert_eq!(read["capability"], can, "what the source can do by these mappings");
    assert_eq!(read["owner"], "admin");

    let fields = app.admin.post("/svc/searchproviders/", &smallest("Small")).await.body;
    let keys = |value: &Value| {
        value.as_object().unwrap().keys().cloned().collect::<std::collections::BTreeSet<String>>()
    };
    assert_eq!(keys(&fields), keys(&read), "the test above names every field there is");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_service_sets_itself_is_not_taken_from_the_body() {
    let app = AppHarness::start().await;
    let given = json!({"id": 77, "owner": "otto", "date_created": "2001-01-01T00:00:00Z", "unknown": 1});
    let made = app.admin.post("/svc/searchproviders/", &with("Own", given)).await;
    assert_eq!(made.status, 201, "{made:?}");
    assert_ne!(made.body["id"], 77);
    assert_eq!(made.body["owner"], "admin");
    assert!(!made.body["date_created"].as_str().unwrap().starts_with("2001"));
    assert!(made.body.get("unknown").is_none());
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_stored_whole_or_not_at_all() {
    let app = AppHarness::start().await;
    let made = app.admin.post("/svc/searchproviders/", &json!([smallest("One"), smallest("Two")])).await;
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(names(&made.body), ["One", "Two"]);
    assert!(made.body[0]["id"].as_i64() < made.body[1]["id"].as_i64());

    let bad = [
        (json!([smallest("Three"), with("Four", json!({"connector": "RequestGet"}))]), 400, "1.connector"),
        (json!([smallest("Three"), with("", json!({}))]), 400, "1.name"),
        (json!([smallest("Three"), with("Four", json!({"active": "yes"}))]), 400, "1.active"),
        (json!([smallest("Three"), 4]), 400, "1.body"),
        (json!([smallest("Three"), smallest("One")]), 409, "name"),
        (json!([smallest("Three"), smallest("Three")]), 409, "name"),
    ];
    for (list, status, field) in bad {
        let answer = app.admin.post("/svc/searchproviders/", &list).await;
        assert_eq!(answer.status, status, "{answer:?}");
        assert!(answer.body["errors"][field].is_array(), "{field}: {}", answer.body);
        let all = app.admin.get("/svc/searchproviders/").await;
        assert_eq!(names(&all.body), ["One", "Two"], "nothing of the list was stored");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_have_a_size() {
    let app = AppHarness::start().await;
    let many: Vec<Value> = (0..501).map(|number| smallest(&format!("Source {number}"))).collect();
    for list in [json!([]), json!(many)] {
        let answer = app.admin.post("/svc/searchproviders/", &list).await;
        assert_eq!(answer.status, 400);
        assert!(answer.body["detail"].as_str().unwrap().contains("1 to 500"), "{}", answer.body);
    }
    let most = app.admin.post("/svc/searchproviders/", &json!(many[..500])).await;
    assert_eq!(most.status, 201);
    let all = app.admin.get("/svc/searchproviders/").await;
    assert_eq!((all.body.as_array().unwrap().len(), all.header("x-total-count")), (500, "500"));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_comes_in_pages_when_asked() {
    let app = AppHarness::start().await;
    let five: Vec<Value> = (1..=5).map(|number| smallest(&format!("S{number}"))).collect();
    assert_eq!(app.admin.post("/svc/searchproviders/", &json!(five)).await.status, 201);
    let url = |query: &str| json!(format!("{}/svc/searchproviders/?{query}", app.base));
    let cases = [
        ("page=1&items=2", vec!["S1", "S2"], url("page=2&items=2"), Value::Null),
        ("page=3&items=2", vec!["S5"], Value::Null, url("page=2&items=2")),
        ("page=9&items=2", vec![], Value::Null, url("page=8&items=2")),
        ("items=5", vec!["S1", "S2", "S3", "S4", "S5"], Value::Null, Value::Null),
        ("page=1", vec!["S1", "S2", "S3", "S4", "S5"], Value::Null, Value::Null),
    ];
    for (query, expected, next, previous) in cases {
        let page = app.admin.get(&format!("/svc/searchproviders/?{query}")).await;
        assert_eq!(page.status, 200, "{query}");
        assert_eq!(page.body["count"], 5, "{query}");
        assert_eq!(names(&page.body["results"]), expected, "{query}");
        assert_eq!((&page.body["next"], &page.body["previous"]), (&next, &previous), "{query}");
    }
    for query in ["page=0", "page=-1", "page=abc", "page=", "items=0", "items=101", "items=x"] {
        let answer = app.admin.get(&format!("/svc/searchproviders/?{query}")).await;
        assert_eq!(answer.status, 400, "{query}");
        let field = query.split('=').next().unwrap();
        assert!(answer.body["errors"][field].is_array(), "{query}: {}", answer.body);
    }
    app.stop().await;
}
