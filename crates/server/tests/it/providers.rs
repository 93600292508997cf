//! SearchProviders: visibility and storage.

use crate::app_harness::AppHarness;
use domain::ids::ProviderId;
use serde_json::{Value, json};

fn provider(name: &str) -> Value {
    json!({"name": name, "connector": "Fixed", "credentials": "key=abc", "query_processors": [],
        "result_processors": ["Plain"]})
}

#[tokio::test]
async fn one_or_a_list_all_or_none() {
    let app = AppHarness::open().await;
    let (_, admin) = app.user("root", true).await;
    let one = app.call("POST", "/svc/searchproviders/", &admin, provider("One")).await;
    assert_eq!((one.status.as_u16(), one.json()["owner"].clone()), (201, json!("root")));
    assert_eq!(one.json()["credentials"], "key=••••");
    let two = json!([provider("Two"), provider("Three")]);
    let two = app.call("POST", "/svc/searchproviders/", &admin, two).await;
    assert_eq!(two.json().as_array().map(Vec::len), Some(2), "{}", two.text);
    let taken = json!([provider("Four"), provider("One")]);
    assert_eq!(app.call("POST", "/svc/searchproviders/", &admin, taken).await.status, 409);
    let wrong = json!([provider("Four"), {"name": "Five", "connector": "Fixxed"}]);
    let wrong = app.call("POST", "/svc/searchproviders/", &admin, wrong).await;
    assert_eq!(wrong.status, 400);
    assert!(
        wrong.json()["errors"]["1.connector"][0].as_str().expect("text").contains("'Fixed'"),
        "{}",
        wrong.text
    );
    let all = app.get("/svc/searchproviders/", &admin).await;
    assert_eq!(all.json().as_array().map(Vec::len), Some(3));
    let page = app.get("/svc/searchproviders/?page=2&items=2", &admin).await.json();
    assert_eq!((page["count"].clone(), page["results"][0]["name"].clone()), (json!(3), json!("Three")));
}

#[tokio::test]
async fn secrets_stay_inside_and_survive_edits() {
    let app = AppHarness::open().await;
    let (root, admin) = app.user("root", true).await;
    let (_, plain) = app.user("ann", false).await;
    let id = app.provider(&root, "News").await;
    let path = format!("/svc/searchproviders/{id}/");
    let secret =
        async || app.store.provider(ProviderId(id)).await.expect("it").credentials.expose().to_owned();

    let mut shown = app.get(&path, &admin).await.json();
    assert_eq!(shown["credentials"], "key=••••");
    assert!(app.get(&path, &plain).await.json().get("credentials").is_none());
    shown["description"] = json!("edited");
    assert_eq!(app.call("PUT", &path, &admin, shown.clone()).await.json()["description"], "edited");
    assert_eq!(secret().await, "key=abc", "the mask was sent back");
    assert_eq!(app.call("PATCH", &path, &admin, json!({"active": false})).await.json()["active"], false);
    assert_eq!(secret().await, "key=abc", "nothing was sent");
    let refused = app.call("PATCH", &path, &admin, json!({"credentials": "key=refused"})).await;
    assert_eq!(refused.status, 400, "the connector checks the new secret");
    assert_eq!(app.call("PATCH", &path, &admin, json!({"credentials": "key=new"})).await.status, 200);
    assert_eq!(secret().await, "key=new");
    assert_eq!(app.get(&path, &plain).await.json()["description"], "edited", "the rest stays");
}

#[tokio::test]
async fn only_administrators_write_and_the_hidden_is_unknown() {
    let app = AppHarness::open().await;
    let (root, admin) = app.user("root", true).await;
    let (_, plain) = app.user("ann", false).await;
    let id = app.provider(&root, "News").await;
    let path = format!("/svc/searchproviders/{id}/");
    assert_eq!(app.call("POST", "/svc/searchproviders/", &plain, provider("Mine")).await.status, 403);
    for (method, body) in [("PUT", provider("News")), ("PATCH", json!({})), ("DELETE", json!(null))] {
        assert_eq!(app.call(method, &path, &plain, body).await.status, 403, "{method}");
    }
    assert_eq!(app.get(&path, &plain).await.status, 200);
    assert_eq!(app.call("PATCH", &path, &admin, json!({"shared": false})).await.status, 200);
    assert_eq!(app.get(&path, &plain).await.status, 404);
    assert_eq!(app.get("/svc/searchproviders/", &plain).await.json(), json!([]));
    assert_eq!(app.call("DELETE", &path, &admin, json!(null)).await.status, 204);
    assert_eq!(app.get(&path, &admin).await.status, 404);
    let kinds = app.get("/svc/connectors/", &plain).await.json();
    assert_eq!(
        kinds[0],
        json!({
            "name": "Fixed", "kind": "connector", "summary": "Always the same two results.",
            "capability": {"page": false, "date_sort": false, "not": false},
        })
    );
}
