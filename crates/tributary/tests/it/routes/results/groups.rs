//! Results for the same document: the best is listed, the others remain results of their own sources.

use crate::app_harness::{AppHarness, items};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

fn results(mixed: &Value) -> &Vec<Value> {
    mixed["results"].as_array().unwrap()
}

fn sources(mixed: &Value) -> Vec<&str> {
    results(mixed).iter().map(|item| item["searchprovider"].as_str().unwrap()).collect()
}

/// Two sources with the same three documents; `Lakes` also has one of its own.
async fn grouped() -> (AppHarness, [Source; 2], i64) {
    let app = AppHarness::start().await;
    let (rivers, lakes) = (Source::start().await, Source::start().await);
    rivers.reply(Behavior::Json(items("river", 3)));
    lakes.reply(Behavior::Json(items("river", 4)));
    app.provider("Rivers", &rivers).await;
    app.provider("Lakes", &lakes).await;
    let search = app.admin.search(&json!({"query_string": "river"})).await;
    assert_eq!(search["status"], "FULL_RESULTS_READY", "{search}");
    let id = search["id"].as_i64().unwrap();
    (app, [rivers, lakes], id)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_source_shows_its_grouped_results() {
    let (app, _sources, id) = grouped().await;
    let path = format!("/svc/results/?search_id={id}");
    let mixed = app.admin.get(&format!("{path}&facets=true")).await.body;
    assert_eq!((results(&mixed).len(), &mixed["info"]["results"]["retrieved_total"]), (4, &json!(4)));
    let facets = mixed["info"]["facets"]["sources"].as_array().unwrap();
    let counts: Vec<_> = facets.iter().map(|one| (one["name"].as_str().unwrap(), &one["count"])).collect();
    assert_eq!(counts, [("Lakes", &json!(4)), ("Rivers", &json!(3))]);
    for (name, count) in [("Rivers", 3), ("Lakes", 4)] {
        let info = &mixed["info"][name];
        assert_eq!(info["retrieved"], count, "{info}");
        let own =
            app.admin.get(info["filter_url"].as_str().unwrap().strip_prefix(&app.base).unwrap()).await.body;
        assert_eq!(
            (sources(&own), &own["info"]["results"]["retrieved_total"]),
            (vec![name; count], &json!(count))
        );
        let provider = info["filter_url"].as_str().unwrap().rsplit_once('=').unwrap().1.to_owned();
        let filtered = app.admin.get(&format!("{path}&providers={provider}")).await.body;
        assert_eq!(sources(&filtered), vec![name; count], "{filtered}");
        for item in results(&own) {
            let is_only = item["url"].as_str().unwrap().ends_with("/4");
            assert_eq!(item["duplicates"].as_array().map_or(0, Vec::len), usize::from(!is_only), "{item}");
        }
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grouped_result_is_a_saved_result() {
    let (app, _sources, id) = grouped().await;
    let path = format!("/svc/results/?search_id={id}");
    let mixed = app.admin.get(&path).await.body;
    let first = results(&mixed).iter().find(|item| item["duplicates"].is_array()).unwrap();
    let copy = &first["duplicates"][0];
    assert_ne!(copy["swirl_id"], first["swirl_id"]);
    let saved = app.admin.get(&format!("/svc/results/{}/", copy["swirl_id"])).await;
    assert_eq!(saved.status, 200, "{saved:?}");
    for field in ["swirl_id", "searchprovider", "url"] {
        assert_eq!(saved.body[field], copy[field], "{field}");
    }
    assert_eq!(saved.body["duplicates"][0]["swirl_id"], first["swirl_id"]);
    assert!(saved.body["explain"].is_object(), "it was scored: {}", saved.body);
    let all = app.admin.get("/svc/results/").await.body;
    assert_eq!(all.as_array().unwrap().len(), 7, "each is one of the saved results");

    // An edit keeps it in its group.
    let edited =
        app.admin.patch(&format!("/svc/results/{}/", copy["swirl_id"]), &json!({"title": "mine"})).await;
    assert_eq!((edited.status.as_u16(), &edited.body["title"]), (200, &json!("mine")));
    assert_eq!(edited.body["duplicates"].as_array().unwrap().len(), 1);
    let mixed = app.admin.get(&path).await.body;
    let again = results(&mixed).iter().find(|item| item["swirl_id"] == first["swirl_id"]).unwrap();
    assert_eq!((results(&mixed).len(), &again["duplicates"][0]["title"]), (4, &json!("mine")));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_first_of_a_group_the_next_one_is_first() {
    let (app, _sources, id) = grouped().await;
    let path = format!("/svc/results/?search_id={id}");
    let mixed = app.admin.get(&path).await.body;
    let first = results(&mixed).iter().find(|item| item["duplicates"].is_array()).unwrap().clone();
    let next = first["duplicates"][0].clone();
    let gone = app.admin.delete(&format!("/svc/results/{}/", first["swirl_id"])).await;
    assert_eq!(gone.status, 204);
    let mixed = app.admin.get(&path).await.body;
    assert_eq!(results(&mixed).len(), 4, "{mixed}");
    let now = results(&mixed).iter().find(|item| item["url"] == first["url"]).unwrap();
    assert_eq!((&now["swirl_id"], &now["searchprovider"]), (&next["swirl_id"], &next["searchprovider"]));
    assert_eq!(now.get("duplicates"), None, "{now}");

    // What an update brings again is grouped under it, and is not new.
    let updated = app.admin.get(&format!("/svc/search/?update={id}")).await;
    assert_eq!(updated.status, 302, "{updated:?}");
    app.admin.ready(id).await;
    let mixed = app.admin.get(&path).await.body;
    let now = results(&mixed).iter().find(|item| item["url"] == first["url"]).unwrap();
    assert_eq!((&now["swirl_id"], now.get("new")), (&next["swirl_id"], None));
    assert_eq!(now["duplicates"][0]["searchprovider"], first["searchprovider"]);
    assert_eq!(results(&mixed).len(), 4);
    app.stop().await;
}
