//! `GET /svc/results/` without a search, and `GET`, `PUT`, `PATCH`, `DELETE /svc/results/<id>/`.

use super::finished_search;
use crate::app_harness::Client;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn the_list_holds_ones_own_results_of_all_searches() {
    let (app, _sources, _, id) = finished_search().await;
    let second = app.admin.search(&json!({"query_string": "lake"})).await["id"].clone();
    let all = app.admin.get("/svc/results/").await;
    assert_eq!(all.header("x-total-count"), "40");
    let of = |search: &Value| {
        all.body.as_array().unwrap().iter().filter(|row| row["search_id"] == *search).count()
    };
    assert_eq!((of(&json!(id)), of(&second)), (20, 20));
    let page = app.admin.get("/svc/results/?page=2&items=15").await.body;
    assert_eq!(page["count"], 40);
    let ids = |list: &Value| {
        list.as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&page["results"]), ids(&all.body)[15..30]);
    assert_eq!(page["next"], format!("{}/svc/results/?page=3&items=15", app.base));
    let otto = app.user("otto", &[]).await;
    assert_eq!(otto.get("/svc/results/").await.body, json!([]));
    app.stop().await;
}

async fn first(client: &Client, id: i64) -> Value {
    client.get(&format!("/svc/results/?search_id={id}")).await.body["results"][0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_result_is_read_replaced_changed_and_deleted() {
    let (app, _sources, [rivers, _], id) = finished_search().await;
    let item = first(&app.admin, id).await;
    let path = format!("/svc/results/{}/", item["swirl_id"]);
    let read = app.admin.get(&path).await.body;
    assert_eq!((&read["id"], &read["search_id"]), (&item["swirl_id"], &json!(id)));
    assert_eq!(read["provider_id"], rivers);
    for field in ["title", "body", "url", "author", "searchprovider", "searchprovider_rank", "payload"] {
        assert_eq!(read[field], item[field], "{field}");
    }
    for field in ["date_created", "date_updated"] {
        assert!(read[field].is_string(), "{field}");
    }
    assert!(read["messages"].to_string().contains("Retrieved 12 of 12 results from: Rivers"), "{read}");

    let mut better = read.clone();
    better["title"] = json!("deep river, better");
    better["swirl_id"] = json!(999_999);
    better["searchprovider"] = json!("Somebody");
    let put = app.admin.put(&path, &better).await;
    assert_eq!(put.status, 200, "{put:?}");
    assert_eq!(put.body["title"], "deep river, better");
    assert_eq!((&put.body["id"], &put.body["searchprovider"]), (&read["id"], &json!("Rivers")));
    let odd = app.admin.patch(&path, &json!({"result_block": "info", "new": 7})).await.body;
    assert_eq!((odd.get("result_block"), &odd["new"]), (None, &json!(1)), "it stays in the list: {odd}");
    let patched = app.admin.patch(&path, &json!({"author": "B. Writer"})).await.body;
    assert_eq!((&patched["author"], &patched["title"]), (&json!("B. Writer"), &json!("deep river, better")));
    assert_eq!(app.admin.get(&path).await.body, patched);
    let mixed = app.admin.get(&format!("/svc/results/?search_id={id}&explain=false")).await.body;
    assert!(
        mixed["results"].to_string().contains("deep river, better"),
        "the mixed list reads what is saved"
    );
    let wrong = app.admin.put(&path, &json!({"title": 7})).await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.body["errors"]["title"].is_array(), "{}", wrong.body);

    assert_eq!(app.admin.delete(&path).await.status, 204);
    assert_eq!(app.admin.get(&path).await.status, 404);
    assert_eq!(app.admin.delete(&path).await.status, 404);
    assert_eq!(app.admin.get(&format!("/svc/search/{id}/")).await.status, 200, "the search stays");
    let mixed = app.admin.get(&format!("/svc/results/?search_id={id}")).await.body;
    assert_eq!(mixed["info"]["results"]["retrieved_total"], 19);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn results_go_with_their_search_and_belong_to_its_owner() {
    let (app, _sources, _, id) = finished_search().await;
    let item = first(&app.admin, id).await;
    let path = format!("/svc/results/{}/", item["swirl_id"]);
    let otto = app.user("otto", &[]).await;
    for answer in [
        otto.get(&path).await,
        otto.put(&path, &json!({"title": "mine"})).await,
        otto.patch(&path, &json!({"title": "mine"})).await,
        otto.delete(&path).await,
        otto.get(&format!("/svc/results/?search_id={id}")).await,
    ] {
        assert_eq!((answer.status.as_u16(), answer.code()), (404, "not_found"), "{answer:?}");
    }
    assert_eq!(app.admin.get(&path).await.body["title"], item["title"]);
    assert_eq!(app.admin.delete(&format!("/svc/search/{id}/")).await.status, 204);
    assert_eq!(app.admin.get(&path).await.status, 404);
    assert_eq!(app.admin.get("/svc/results/").await.body, json!([]));
    app.stop().await;
}
