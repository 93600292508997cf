//! `/svc/preferences/`: stored per person, and their effect on results.

use crate::app_harness::{AppHarness, Client, items};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

/// A service with two sources of four results each, at `deep-river.example` and `deep-lake.example`.
async fn app_with_two_sources() -> (AppHarness, [Source; 2], [i64; 2]) {
    let app = AppHarness::start().await;
    let (rivers, lakes) = (Source::start().await, Source::start().await);
    rivers.reply(Behavior::Json(items("deep river", 4)));
    lakes.reply(Behavior::Json(items("deep lake", 4)));
    let ids = [app.provider("Rivers", &rivers).await, app.provider("Lakes", &lakes).await];
    (app, [rivers, lakes], ids)
}

async fn run_search(client: &Client, spec: Value) -> i64 {
    client.search(&spec).await["id"].as_i64().unwrap()
}

async fn mixed(client: &Client, id: i64) -> Value {
    let answer = client.get(&format!("/svc/results/?search_id={id}")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body
}

async fn set_preferences(client: &Client, preferences: &Value) {
    let answer = client.put("/svc/preferences/", preferences).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

fn of_host<'a>(mixed: &'a Value, host: &str) -> Vec<&'a Value> {
    let results = mixed["results"].as_array().unwrap().iter();
    results.filter(|item| item["url"].as_str().unwrap().contains(host)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn preferences_are_kept_for_each_person() {
    let (app, _sources, [rivers, _]) = app_with_two_sources().await;
    let other = app.user("other", &[]).await;
    assert_eq!(app.admin.get("/svc/preferences/").await.body, json!({"domains": [], "sources": []}));
    let saved = app
        .admin
        .put(
            "/svc/preferences/",
            &json!({
                "domains": [{"domain": " Example.ORG ", "wish": "raise"}],
                "sources": [{"provider_id": rivers, "wish": "lower"}],
            }),
        )
        .await;
    let expected = json!({
        "domains": [{"domain": "example.org", "wish": "raise"}],
        "sources": [{"provider_id": rivers, "name": "Rivers", "wish": "lower"}],
    });
    assert_eq!((saved.status.as_u16(), &saved.body), (200, &expected));
    assert_eq!(app.admin.get("/svc/preferences/").await.body, expected);
    assert_eq!(app.admin.put("/svc/preferences/", &expected).await.status, 200, "it takes what it gives");
    assert_eq!(other.get("/svc/preferences/").await.body, json!({"domains": [], "sources": []}));
    for (preferences, field) in [
        (json!({"domains": [{"domain": "two words", "wish": "raise"}]}), "domains[0].domain"),
        (json!({"domains": [{"domain": "a.example", "wish": "adore"}]}), "domains[0].wish"),
        (json!({"sources": [{"provider_id": 999, "wish": "block"}]}), "sources[0].provider_id"),
        (
            json!({"sources": vec![json!({"provider_id": rivers, "wish": "block"}); 2]}),
            "sources[1].provider_id",
        ),
        (json!({"sources": vec![json!({"provider_id": rivers, "wish": "block"}); 501]}), "sources"),
    ] {
        let refused = app.admin.put("/svc/preferences/", &preferences).await;
        assert_eq!(refused.status, 400, "{field}");
        assert!(refused.body["errors"].get(field).is_some(), "{field}: {}", refused.body);
    }
    assert_eq!(app.admin.get("/svc/preferences/").await.body, expected, "nothing of it was kept");
    app.admin.delete(&format!("/svc/searchproviders/{rivers}/")).await;
    assert_eq!(app.admin.get("/svc/preferences/").await.body["sources"], json!([]), "it is gone");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn raising_lowering_and_hiding_change_the_list() {
    let (app, _sources, [rivers, _]) = app_with_two_sources().await;
    let id = run_search(&app.admin, json!({"query_string": "deep river"})).await;
    let before = mixed(&app.admin, id).await;
    let score = |mixed: &Value, host: &str| of_host(mixed, host)[0]["swirl_score"].as_f64().unwrap();
    set_preferences(
        &app.admin,
        &json!({
            "domains": [{"domain": "deep-lake.example", "wish": "raise"}],
            "sources": [{"provider_id": rivers, "wish": "lower"}],
        }),
    )
    .await;
    let after = mixed(&app.admin, id).await;
    let ratio = |host: &str| (score(&after, host) / score(&before, host) * 100.0).round();
    assert_eq!((ratio("deep-lake"), ratio("deep-river")), (125.0, 75.0));
    let explained = &of_host(&after, "deep-lake")[0]["explain"]["personal"];
    assert_eq!(explained, &json!([{"domain": "deep-lake.example", "wish": "raise", "factor": 1.25}]));
    let explained = &of_host(&after, "deep-river")[0]["explain"]["personal"];
    assert_eq!(explained, &json!([{"source": "Rivers", "wish": "lower", "factor": 0.75}]));
    for item in after["results"].as_array().unwrap() {
        assert!(item["swirl_confidence_score"].as_f64().unwrap() <= 1.0, "{item}");
    }

    set_preferences(&app.admin, &json!({"domains": [{"domain": "deep-lake.example", "wish": "block"}]}))
        .await;
    let hidden = mixed(&app.admin, id).await;
    assert_eq!((of_host(&hidden, "deep-lake").len(), of_host(&hidden, "deep-river").len()), (0, 4));
    assert_eq!(hidden["info"]["results"]["retrieved_total"], 4);
    assert!(
        hidden["messages"].to_string().contains("Your preferences hid 4 results"),
        "{}",
        hidden["messages"]
    );
    set_preferences(&app.admin, &json!({})).await;
    let again = mixed(&app.admin, id).await;
    assert_eq!(again["results"], before["results"], "preferences change what is shown, not what is stored");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blocked_source_is_asked_only_when_it_is_named() {
    let (app, _sources, [_, lakes]) = app_with_two_sources().await;
    set_preferences(&app.admin, &json!({"sources": [{"provider_id": lakes, "wish": "block"}]})).await;
    let id = run_search(&app.admin, json!({"query_string": "deep river"})).await;
    let by_default = mixed(&app.admin, id).await;
    assert_eq!(by_default["info"]["completeness"]["asked"], 1, "{}", by_default["info"]);
    assert!(by_default["messages"].to_string().contains("Not queried because of your preferences: Lakes"));
    let named = json!({"query_string": "deep river", "searchprovider_list": ["lakes"]});
    let id = run_search(&app.admin, named).await;
    assert_eq!(of_host(&mixed(&app.admin, id).await, "deep-lake").len(), 4, "it was named");
    app.stop().await;
}
