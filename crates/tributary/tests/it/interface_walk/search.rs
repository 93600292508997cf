//! Calls of searches, results, configuration and monitoring.

use super::call::Walk;
use crate::app_harness::items;
use serde_json::{Value, json};
use testkit::source::Behavior;

/// A finished search of Ann's.
async fn run_search(walk: &Walk) -> i64 {
    let spec = json!({"query_string": "river", "searchprovider_list": ["Rivers"]});
    walk.ann.search(&spec).await["id"].as_i64().unwrap()
}

/// The id of the first result of a search.
async fn first_result_id(walk: &Walk) -> i64 {
    let page = walk.get(&format!("/svc/results/?search_id={}", run_search(walk).await)).await;
    page.body["results"][0]["swirl_id"].as_i64().unwrap()
}

/// The path of the results of a search.
fn results_of(walk: &Walk, search: impl std::fmt::Display) -> String {
    format!("{}/results/?search_id={search}", walk.prefix)
}

pub async fn call(walk: &Walk, row: &str) {
    match row {
        "POST /svc/search/" => {
            let made = walk.post("/svc/search/", &json!({"query_string": "river", "sort": "date"})).await;
            let id = made.body["id"].as_i64().unwrap();
            assert_eq!((made.status.as_u16(), &made.body["status"]), (201, &json!("NEW_SEARCH")), "{made:?}");
            let ready = walk.ann.ready(id).await;
            assert_eq!(ready["status"], "FULL_RESULTS_READY", "{ready}");
            assert_eq!(ready["messages"][0], format!("Tributary {}", domain::VERSION));
            assert_eq!(walk.post("/svc/search/", &json!({})).await.status, 400, "query_string is required");
        }
        "GET /svc/search/?q=<url-encoded query>" => by_q(walk).await,
        "GET /svc/search/?qs=<query>" => by_qs(walk).await,
        "GET /svc/search/?rerun=<search_id>" => {
            let id = run_search(walk).await;
            let again = walk.get(&format!("/svc/search/?rerun={id}")).await;
            assert_eq!((again.status.as_u16(), again.header("location")), (302, &*results_of(walk, id)));
            assert_eq!(walk.ann.ready(id).await["status"], "FULL_RESULTS_READY");
        }
        "GET /svc/search/?update=<search_id>" => update(walk).await,
        "GET /svc/search/<search_id>/" => {
            let id = run_search(walk).await;
            let read = walk.get(&format!("/svc/search/{id}/")).await;
            assert_eq!((read.status.as_u16(), &read.body["id"]), (200, &json!(id)), "{read:?}");
            let url = read.body["result_url"].as_str().unwrap();
            let expected = format!("{}{}", walk.app.base, results_of(walk, id));
            assert!(url.starts_with(&expected), "{url}");
        }
        "PUT /svc/search/<search_id>/" => {
            let path = format!("/svc/search/{}/", run_search(walk).await);
            let put = walk.ask("PUT", &path, &json!({"query_string": "river", "retention": 1})).await;
            assert_eq!((put.status.as_u16(), &put.body["retention"]), (200, &json!(1)), "{put:?}");
        }
        "DELETE /svc/search/<search_id>/" => {
            let id = run_search(walk).await;
            assert_eq!(walk.ask("DELETE", &format!("/svc/search/{id}/"), &Value::Null).await.status, 204);
            assert_eq!(
                walk.get(&format!("/svc/results/?search_id={id}")).await.status,
                404,
                "with its results"
            );
        }
        "GET /svc/results/?search_id=<id>" => mixed(walk).await,
        "GET /svc/results/<result_id>/" => {
            let read = walk.get(&format!("/svc/results/{}/", first_result_id(walk).await)).await;
            assert_eq!(read.status, 200, "{read:?}");
        }
        "PUT /svc/results/<result_id>/" => {
            let path = format!("/svc/results/{}/", first_result_id(walk).await);
            let put = walk.ask("PUT", &path, &json!({"title": "Another"})).await;
            assert_eq!((put.status.as_u16(), &put.body["title"]), (200, &json!("Another")), "{put:?}");
        }
        "DELETE /svc/results/<result_id>/" => {
            let path = format!("/svc/results/{}/", first_result_id(walk).await);
            assert_eq!(walk.ask("DELETE", &path, &Value::Null).await.status, 204);
            assert_eq!(walk.get(&path).await.status, 404);
        }
        "POST /svc/rag-search/" => {
            let body = json!({"search_id": run_search(walk).await, "result_list": [1]});
            let answer = walk.post("/svc/rag-search/", &body).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            let author = &answer.body["ai_summary"][0]["author"];
            assert_eq!(author, "Tributary RAG AI Results Processor", "{answer:?}");
            assert_eq!(walk.post("/svc/rag-search/", &json!({})).await.status, 400, "search_id is required");
        }
        _ => panic!("the walk does not know {row}"),
    }
}

/// An update finds one more result and marks it as new; the existing ones are not duplicated.
async fn update(walk: &Walk) {
    let id = run_search(walk).await;
    walk.source.reply(Behavior::Json(items("river", 3)));
    let again = walk.get(&format!("/svc/search/?update={id}")).await;
    assert_eq!((again.status.as_u16(), again.header("location")), (302, &*results_of(walk, id)));
    let ready = walk.ann.ready(id).await;
    walk.source.reply(Behavior::Json(items("river", 2)));
    assert_eq!((&ready["status"], &ready["sort"]), (&json!("FULL_UPDATE_READY"), &json!("date")));
    let all = walk.get(&format!("/svc/results/?search_id={id}")).await.body;
    assert_eq!(all["results"].as_array().unwrap().len(), 3, "each address once: {all}");
    for mixer in ["RelevancyNewItemsMixer", "DateNewItemsMixer"] {
        let page = walk.get(&format!("/svc/results/?search_id={id}&result_mixer={mixer}")).await.body;
        let new: Vec<&Value> = page["results"].as_array().unwrap().iter().map(|row| &row["new"]).collect();
        assert_eq!(new, [&json!(1)], "{page}");
    }
}

async fn by_q(walk: &Walk) {
    for more in ["", "&providers=Rivers"] {
        let sent = walk.get(&format!("/svc/search/?q=deep%20river{more}")).await;
        assert_eq!(sent.status, 302, "{sent:?}");
        let place = sent.header("location");
        assert!(place.starts_with(&results_of(walk, "")), "{place}");
        let page = walk.ann.get(place).await;
        assert_eq!(page.status, 200, "{page:?}");
    }
}

async fn by_qs(walk: &Walk) {
    let more =
        format!("&providers={}&result_mixer=DateMixer&single_provider_results_requested=1", walk.rivers);
    let page = walk.get(&format!("/svc/search/?qs=river{more}")).await;
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.body["messages"].to_string().contains("DateMixer"), "{page:?}");
    assert_eq!(page.body["info"]["Rivers"]["retrieved"], 1, "{}", page.body["info"]);
    let answered = walk.get("/svc/search/?qs=river&providers=Rivers&rag=true&rag_timeout=20").await;
    assert_eq!(answered.body["info"]["ai"]["status"], "ok", "{answered:?}");
}

async fn mixed(walk: &Walk) {
    let id = run_search(walk).await;
    let page = walk.get(&format!("/svc/results/?search_id={id}")).await;
    assert_eq!(page.status, 200, "{page:?}");
    let last = page.body["messages"].as_array().unwrap().last().unwrap().to_string();
    assert!(last.contains("RelevancyConfidenceMixer"), "{last}");
    assert!(page.body["results"][0].get("explain").is_some(), "{page:?}");
    let more = format!("&result_mixer=Stack1Mixer&page=1&provider={}&explain=False", walk.rivers);
    let other = walk.get(&format!("/svc/results/?search_id={id}{more}")).await;
    assert_eq!(other.status, 200, "{other:?}");
    assert!(other.body["messages"].to_string().contains("Stack1Mixer"), "{other:?}");
    assert!(other.body["results"][0].get("explain").is_none(), "{other:?}");
    let all = walk.get("/svc/results/").await;
    assert!(
        all.body.as_array().is_some_and(|rows| !rows.is_empty()),
        "without search_id it lists all: {all:?}"
    );
}

/// Calls of configuration, as the administrator, and of monitoring.
pub async fn call_other(walk: &Walk, row: &str) {
    let admin = &walk.app.admin;
    match row {
        "GET /svc/searchproviders/" => {
            let list = walk.get("/svc/searchproviders/").await;
            let fields = ["id", "name", "connector", "active", "default"];
            assert!(fields.iter().all(|field| list.body[0].get(field).is_some()), "{list:?}");
        }
        "POST /svc/searchproviders/" => {
            let spec = |name: &str| json!({"name": name, "url": "https://l.example/", "response_mappings": "RESULTS=items", "active": false});
            let path = walk.at("/svc/searchproviders/");
            let one = admin.post(&path, &spec("Lakes")).await;
            assert_eq!((one.status.as_u16(), &one.body["name"]), (201, &json!("Lakes")), "{one:?}");
            let several = admin.post(&path, &json!([spec("Ponds"), spec("Seas")])).await;
            assert_eq!(
                (several.status.as_u16(), &several.body[1]["name"]),
                (201, &json!("Seas")),
                "{several:?}"
            );
        }
        "GET /svc/aiproviders/" => {
            let list = walk.get("/svc/aiproviders/").await;
            let one = &list.body[0];
            assert!(["id", "name", "model"].iter().all(|field| one.get(field).is_some()), "{list:?}");
            assert!(one["config"].get("roles").is_some(), "{list:?}");
        }
        "PATCH /svc/aiproviders/<id>/" => {
            let id = admin.get("/svc/aiproviders/").await.body[0]["id"].clone();
            let path = walk.at(&format!("/svc/aiproviders/{id}/"));
            let change = json!({"active": true, "api_key": "a key"});
            let changed = admin.patch(&path, &change).await;
            assert_eq!(
                (changed.status.as_u16(), &changed.body["active"]),
                (200, &json!(true)),
                "{changed:?}"
            );
            assert!(!changed.body.to_string().contains("a key"), "{changed:?}");
        }
        "GET /svc/health/tasks/" => {
            let told = walk.get("/svc/health/tasks/").await;
            assert_eq!((told.status.as_u16(), &told.body["status"]), (200, &json!("ok")), "{told:?}");
            assert!(told.body["message"].is_string(), "{told:?}");
        }
        "GET /svc/metrics/tasks/" => {
            let told = walk.get("/svc/metrics/tasks/").await;
            assert_eq!(told.status, 200, "{told:?}");
            assert!(told.header("content-type").starts_with("text/plain"), "{told:?}");
        }
        _ => panic!("the walk does not know {row}"),
    }
}
