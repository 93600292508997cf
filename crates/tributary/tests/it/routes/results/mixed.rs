//! `GET /svc/results/?search_id=…`: pages, one provider, another mixer, wrong parameters.

use super::finished_search;
use serde_json::{Value, json};

fn sources(mixed: &Value) -> Vec<&str> {
    mixed["results"].as_array().unwrap().iter().map(|item| item["searchprovider"].as_str().unwrap()).collect()
}

fn messages(mixed: &Value) -> String {
    mixed["messages"].to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_follow_each_other() {
    let (app, _sources, _, id) = finished_search().await;
    let start = format!("{}/svc/results/?search_id={id}", app.base);
    let mut path = format!("/svc/results/?search_id={id}");
    let mut seen = std::collections::BTreeSet::new();
    for (page, count, has_next) in [(1, 10, true), (2, 10, false)] {
        let mixed = app.admin.get(&path).await.body;
        let info = &mixed["info"]["results"];
        assert_eq!((&info["retrieved"], &info["retrieved_total"]), (&json!(count), &json!(20)), "{page}");
        for (place, item) in mixed["results"].as_array().unwrap().iter().enumerate() {
            assert_eq!(item["swirl_rank"], (page - 1) * 10 + place + 1);
            assert!(seen.insert(item["swirl_id"].as_i64().unwrap()), "a result is on two pages");
        }
        let previous = (page > 1).then(|| format!("{start}&page={}", page - 1));
        assert_eq!(info["prev_page"].as_str(), previous.as_deref());
        assert_eq!(info.get("next_page").is_some(), has_next, "{info}");
        if let Some(next) = info["next_page"].as_str() {
            assert_eq!(next, format!("{start}&page={}", page + 1));
            path = next.replace(&app.base, "");
        }
    }
    assert_eq!(seen.len(), 20);
    // The page right after the last one is empty; only pages beyond it are reported as out of range.
    for (page, is_told) in [(3, false), (4, true), (4_000_000_000_u32, true)] {
        let past = app.admin.get(&format!("/svc/results/?search_id={id}&page={page}")).await;
        assert_eq!(past.status, 200, "{page}");
        assert_eq!(past.body["results"], json!([]), "{page}");
        assert_eq!(past.body["info"]["results"]["retrieved_total"], 20, "{page}");
        assert!(past.body["info"]["results"].get("next_page").is_none(), "{page}");
        let line = format!("Results exhausted for {id}");
        assert_eq!(messages(&past.body).contains(&line), is_told, "{page}: {}", messages(&past.body));
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_provider_alone() {
    let (app, _sources, [rivers, lakes], id) = finished_search().await;
    for (provider, name, count) in [(rivers, "Rivers", 12), (lakes, "Lakes", 8)] {
        let mixed = app.admin.get(&format!("/svc/results/?search_id={id}&provider={provider}")).await.body;
        assert!(sources(&mixed).iter().all(|source| *source == name), "{name}");
        assert_eq!(mixed["info"]["results"]["retrieved_total"], count);
        if count > 10 {
            let next = mixed["info"]["results"]["next_page"].as_str().unwrap();
            assert!(next.contains(&format!("provider={provider}")), "the filter stays: {next}");
            let second = app.admin.get(&next.replace(&app.base, "")).await.body;
            assert_eq!(sources(&second), vec![name; 2]);
        }
    }
    let link = app.admin.get(&format!("/svc/results/?search_id={id}")).await.body;
    let link = link["info"]["Lakes"]["filter_url"].as_str().unwrap().replace(&app.base, "");
    assert_eq!(app.admin.get(&link).await.body["info"]["results"]["retrieved_total"], 8);
    let none = app.admin.get(&format!("/svc/results/?search_id={id}&provider=999")).await;
    assert_eq!((none.status.as_u16(), &none.body["results"]), (200, &json!([])));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_mixer_and_no_explain() {
    let (app, _sources, _, id) = finished_search().await;
    let get = async |query: &str| app.admin.get(&format!("/svc/results/?search_id={id}&{query}")).await;
    let last =
        |mixed: &Value| mixed["messages"].as_array().unwrap().last().unwrap().as_str().unwrap().to_owned();

    let round = get("result_mixer=RoundRobinMixer").await.body;
    assert!(last(&round).ends_with("Results ordered by: RoundRobinMixer"));
    assert!(sources(&round).windows(2).all(|pair| pair[0] != pair[1]), "{:?}", sources(&round));
    let next = round["info"]["results"]["next_page"].as_str().unwrap();
    assert!(next.contains("result_mixer=RoundRobinMixer"), "the mixer stays: {next}");

    let unknown = get("result_mixer=RoundRobbinMixer").await;
    assert_eq!(unknown.status, 200, "{unknown:?}");
    assert!(messages(&unknown.body).contains("RoundRobbinMixer"), "{}", messages(&unknown.body));
    assert!(last(&unknown.body).ends_with("Results ordered by: RelevancyMixer"));
    assert_eq!(unknown.body["results"].as_array().unwrap().len(), 10);

    for (query, explained) in
        [("explain=True", true), ("explain=False", false), ("explain=false", false), ("page=1", true)]
    {
        for item in get(query).await.body["results"].as_array().unwrap() {
            assert_eq!(item.get("explain").is_some(), explained, "{query}");
            assert!(item["swirl_score"].is_number() && item["swirl_confidence_score"].is_number());
        }
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_parameters_are_named() {
    let (app, _sources, _, id) = finished_search().await;
    for (query, field) in [
        ("page=0", "page"),
        ("page=abc", "page"),
        ("page=-1", "page"),
        ("page=", "page"),
        ("page=99999999999999", "page"),
        ("provider=abc", "provider"),
        ("explain=perhaps", "explain"),
        ("result_mixer=", "result_mixer"),
        ("items=5", "items"),
    ] {
        let answer = app.admin.get(&format!("/svc/results/?search_id={id}&{query}")).await;
        assert_eq!(answer.status, 400, "{query}: {answer:?}");
        assert!(answer.body["errors"][field].is_array(), "{query}: {}", answer.body);
    }
    for query in ["search_id=abc", "search_id=", "page=0", "items=0", "items=101", "page=abc"] {
        let answer = app.admin.get(&format!("/svc/results/?{query}")).await;
        assert_eq!(answer.status, 400, "{query}: {answer:?}");
    }
    assert_eq!(app.admin.get("/svc/results/?search_id=999").await.status, 404);
    app.stop().await;
}
