//! `GET /svc/search/?q=…` and `?qs=…`: a search from URL parameters.

use crate::app_harness::{Answer, AppHarness, items};
use reqwest::Method;
use serde_json::json;
use testkit::source::{Behavior, Source};

#[tokio::test(flavor = "multi_thread")]
async fn q_redirects_and_qs_answers() {
    let app = AppHarness::start().await;
    let (rivers, lakes) = (Source::start().await, Source::start().await);
    rivers.reply(Behavior::Json(items("deep river", 12)));
    lakes.reply(Behavior::Json(items("deep lake", 12)));
    app.provider_with("Rivers", &rivers, json!({"tags": ["flowing"], "results_per_query": 20})).await;
    app.provider_with("Lakes", &lakes, json!({"results_per_query": 20})).await;

    let redirect = app.admin.get("/svc/search/?q=deep+river").await;
    assert_eq!(redirect.status, 302);
    let location = redirect.header("location");
    assert!(location.contains("/svc/results/?search_id="), "{location}");
    let redirect = app.admin.get("/api/svc/search?q=deep+river&explain=false").await;
    let location = redirect.header("location");
    assert!(location.starts_with("/api/svc/results/?search_id="), "{location}");
    assert!(location.ends_with("&explain=false"), "{location}");

    let direct = app.admin.get("/svc/search/?qs=deep+river").await;
    assert_eq!(direct.status, 200);
    assert_eq!(direct.body["results"].as_array().unwrap().len(), 10);
    assert_eq!(direct.body["info"]["results"]["retrieved_total"], 24);
    assert_eq!(direct.body["results"][0]["searchprovider"], "Rivers", "both words match there");

    let next = direct.body["info"]["results"]["next_page"].as_str().unwrap().replace(&app.base, "");
    let second = app.admin.get(&next).await;
    assert_eq!(second.body["results"][0]["swirl_rank"], 11);
    assert!(second.body["info"]["results"]["prev_page"].as_str().unwrap().ends_with("&page=1"));
    let third = second.body["info"]["results"]["next_page"].as_str().unwrap().replace(&app.base, "");
    let third = app.admin.get(&third).await;
    assert_eq!(third.body["results"].as_array().unwrap().len(), 4);
    assert!(third.body["info"]["results"].get("next_page").is_none());

    let one = app.admin.get("/svc/search/?qs=deep&providers=flowing").await;
    assert!(one.body["info"].get("Lakes").is_none());
    let mixer = app.admin.get("/svc/search/?qs=deep&result_mixer=RoundRobinMixer").await;
    let order: Vec<&str> = mixer.body["results"].as_array().unwrap()[..4]
        .iter()
        .map(|item| item["searchprovider"].as_str().unwrap())
        .collect();
    assert_ne!(order[0], order[1], "round robin alternates: {order:?}");
    let unexplained = app.admin.get("/svc/search/?qs=deep&explain=False").await;
    assert!(unexplained.body["results"][0].get("explain").is_none());
    assert!(unexplained.body["results"][0]["swirl_score"].is_number(), "explain off removes explain only");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn blank_and_wrong_parameters_are_400() {
    let app = AppHarness::start().await;
    for query in [
        "q=",
        "q=%20",
        "qs=%20",
        "qs=x&explain=perhaps",
        "qs=x&provider=abc",
        "qs=%00",
        "page=0",
        "page=x",
        "items=101",
    ] {
        let answer = app.admin.get(&format!("/svc/search/?{query}")).await;
        assert_eq!(answer.status, 400, "{query}: {answer:?}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prefetch_creates_nothing() {
    let app = AppHarness::start().await;
    for header in ["Sec-Purpose", "Purpose"] {
        for parameter in ["q", "qs"] {
            let request = app.admin.request(Method::GET, &format!("/svc/search/?{parameter}=river"));
            let answer = Answer::of(request.header(header, "prefetch;prerender")).await;
            assert_eq!(answer.status, 204, "{header} {parameter}");
        }
    }
    let head = app.admin.request(Method::HEAD, "/svc/search/?q=river");
    assert_eq!(Answer::of(head).await.status, 204);
    assert_eq!(app.admin.get("/svc/search/").await.body, json!([]));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_provider_by_id_may_be_asked_for_more() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 40)));
    let id = app.provider("Rivers", &source).await;
    let cases = [
        (format!("providers={id}&single_provider_results_requested=25"), 25),
        (format!("providers={id}"), 10),
        ("providers=Rivers&single_provider_results_requested=25".to_owned(), 10),
        ("single_provider_results_requested=25".to_owned(), 10),
    ];
    for (parameters, retrieved) in cases {
        let mixed = app.admin.get(&format!("/svc/search/?qs=river&{parameters}")).await;
        assert_eq!(mixed.body["info"]["results"]["retrieved_total"], retrieved, "{parameters}");
    }
    let wrong = app.admin.get("/svc/search/?qs=river&single_provider_results_requested=many").await;
    assert_eq!(wrong.status, 400);
    app.stop().await;
}
