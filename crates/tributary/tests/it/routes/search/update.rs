//! `GET /svc/search/?update=<id>`: runs again, keeps the existing results, and marks new ones.

use crate::app_harness::{Answer, AppHarness, Client, items};
use crate::program::{Running, program};
use reqwest::Method;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use testkit::source::{Behavior, Source};

/// Items of a source by their numbers.
pub(super) fn numbered(numbers: &[usize]) -> Value {
    let all = items("river", 20);
    let picked: Vec<Value> = numbers.iter().map(|number| all["items"][number - 1].clone()).collect();
    json!({ "total": picked.len(), "items": picked })
}

pub(super) async fn update(client: &Client, id: i64) -> Value {
    let answer = client.get(&format!("/svc/search/?update={id}")).await;
    assert_eq!(answer.status, 302, "{answer:?}");
    assert!(answer.header("location").ends_with(&format!("/svc/results/?search_id={id}")));
    client.ready(id).await
}

async fn mixed(client: &Client, id: i64, more: &str) -> Value {
    let answer = client.get(&format!("/svc/results/?search_id={id}{more}")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body
}

/// (`swirl_id`, `url`, `new`) of each result, by id.
fn rows(mixed: &Value) -> Vec<(i64, String, Option<i64>)> {
    let row = |item: &Value| {
        let url = item["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        (item["swirl_id"].as_i64().unwrap(), url, item.get("new").map(|new| new.as_i64().unwrap()))
    };
    let mut rows: Vec<_> = mixed["results"].as_array().unwrap().iter().map(row).collect();
    rows.sort();
    rows
}

/// The numbers in the URLs, with a star for new results.
fn listed_numbers(mixed: &Value) -> Vec<String> {
    rows(mixed).into_iter().map(|(_, url, new)| url + if new == Some(1) { "*" } else { "" }).collect()
}

fn says(messages: &Value, line: &str) -> bool {
    messages.as_array().unwrap().iter().any(|one| one.as_str().unwrap().ends_with(line))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_keeps_what_is_there_and_marks_what_is_new() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Sequence(vec![
        Behavior::Json(numbered(&[1, 2, 3])),
        Behavior::Json(numbered(&[4, 2, 5])),
        Behavior::Json(numbered(&[6, 1])),
    ]));
    app.provider("Rivers", &source).await;
    let search = app.admin.search(&json!({"query_string": "river"})).await;
    let id = search["id"].as_i64().unwrap();
    let before = mixed(&app.admin, id, "").await;
    assert_eq!(listed_numbers(&before), ["1", "2", "3"]);

    let updated = update(&app.admin, id).await;
    assert_eq!((&updated["status"], &updated["sort"]), (&json!("FULL_UPDATE_READY"), &json!("date")));
    assert!(says(&updated["messages"], "] Update requested"), "{}", updated["messages"]);
    assert!(!says(&updated["messages"], "Requested sort_by_date from all providers"));
    let after = mixed(&app.admin, id, "").await;
    assert_eq!(listed_numbers(&after), ["1", "2", "3", "4*", "5*"]);
    let old: Vec<_> = rows(&after).into_iter().filter(|row| row.2.is_none()).collect();
    assert_eq!(old, rows(&before), "what was there keeps its ids");
    let info = &after["info"]["Rivers"];
    assert_eq!((&info["found"], &info["retrieved"], &info["status"]), (&json!(3), &json!(5), &json!("ok")));
    assert!(says(&after["messages"], "] Retrieved 2 new results from: Rivers"), "{}", after["messages"]);
    assert!(after["results"].as_array().unwrap().iter().all(|item| item["explain"].is_object()));

    update(&app.admin, id).await;
    let again = mixed(&app.admin, id, "").await;
    assert_eq!(listed_numbers(&again), ["1", "2", "3", "4*", "5*", "6*"], "new until somebody reads");
    assert_eq!(source.requests().len(), 3);

    let rerun = app.admin.get(&format!("/svc/search/?rerun={id}")).await;
    assert_eq!(rerun.status, 302);
    assert_eq!(app.admin.ready(id).await["status"], "FULL_RESULTS_READY");
    assert_eq!(listed_numbers(&mixed(&app.admin, id, "").await), ["6", "1"], "a rerun starts from nothing");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_fails_now_keeps_what_it_gave() {
    let app = AppHarness::start().await;
    let (rivers, lakes) = (Source::start().await, Source::start().await);
    rivers.reply(Behavior::Sequence(vec![Behavior::Json(numbered(&[1, 2])), Behavior::status(404)]));
    lakes.reply(Behavior::Sequence(vec![
        Behavior::Json(numbered(&[11])),
        Behavior::Json(numbered(&[11, 12, 1])),
    ]));
    app.provider("Rivers", &rivers).await;
    app.provider("Lakes", &lakes).await;
    let search = app.admin.search(&json!({"query_string": "river"})).await;
    let id = search["id"].as_i64().unwrap();
    let before = rows(&mixed(&app.admin, id, "").await);

    assert_eq!(update(&app.admin, id).await["status"], "PARTIAL_UPDATE_READY");
    let after = mixed(&app.admin, id, "").await;
    assert_eq!(
        listed_numbers(&after),
        ["1", "2", "11", "12*"],
        "the same address of another source is no new result"
    );
    assert!(before.iter().all(|row| rows(&after).contains(row)), "nothing was replaced by a copy: {after}");
    let info = &after["info"]["Rivers"];
    assert_eq!((&info["status"], &info["retrieved"]), (&json!("error"), &json!(2)));
    assert!(info["error"]["code"].is_string(), "{info}");
    assert_eq!(after["info"]["completeness"]["failed"], 1);
    assert!(after["messages"].to_string().contains("Error: Rivers: "), "{}", after["messages"]);
    let copies = after["results"].as_array().unwrap().iter().find(|item| !item["duplicates"].is_null());
    assert_eq!(copies.unwrap()["duplicates"][0]["searchprovider"], "Lakes");

    assert_eq!(update(&app.admin, id).await["status"], "PARTIAL_UPDATE_READY");
    let again = mixed(&app.admin, id, "").await;
    assert_eq!(listed_numbers(&again), ["1", "2", "11", "12*"], "a known copy does not come again");
    assert_eq!(again["info"]["Lakes"]["retrieved"], after["info"]["Lakes"]["retrieved"]);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn providers_may_come_and_go_between_updates() {
    let app = AppHarness::start().await;
    let (rivers, lakes) = (Source::start().await, Source::start().await);
    rivers.reply(Behavior::Json(numbered(&[1])));
    lakes.reply(Behavior::Json(numbered(&[11])));
    let first = app.provider("Rivers", &rivers).await;
    let search = app.admin.search(&json!({"query_string": "river"})).await;
    let id = search["id"].as_i64().unwrap();
    app.admin.patch(&format!("/svc/searchproviders/{first}/"), &json!({"active": false})).await;
    let none = update(&app.admin, id).await;
    assert_eq!(none["status"], "ERR_NO_SEARCHPROVIDERS");
    assert_eq!(
        listed_numbers(&mixed(&app.admin, id, "").await),
        ["1"],
        "an update that cannot run takes nothing"
    );

    app.provider("Lakes", &lakes).await;
    assert_eq!(update(&app.admin, id).await["status"], "FULL_UPDATE_READY");
    let after = mixed(&app.admin, id, "").await;
    assert_eq!(listed_numbers(&after), ["1", "11*"]);
    assert_eq!(after["info"]["Rivers"]["retrieved"], 1, "what it gave stays");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn new_results_are_shown_and_marked_as_read() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Sequence(vec![
        Behavior::Json(numbered(&[1, 2])),
        Behavior::Json(numbered(&[3, 4, 1])),
    ]));
    app.provider("Rivers", &source).await;
    let search = app.admin.search(&json!({"query_string": "river"})).await;
    let id = search["id"].as_i64().unwrap();
    let updated = update(&app.admin, id).await;
    let url = updated["new_result_url"].as_str().unwrap();
    assert!(url.ends_with("&result_mixer=RelevancyNewItemsMixer"), "{url}");
    let dated = app.admin.patch(&format!("/svc/search/{id}/"), &json!({"result_mixer": "DateMixer"})).await;
    let url = dated.body["new_result_url"].as_str().unwrap();
    assert!(url.ends_with("&result_mixer=DateNewItemsMixer"), "{url}");
    assert_eq!(dated.body["status"], "FULL_UPDATE_READY", "another mixer runs nothing");

    let new = "&result_mixer=RelevancyNewItemsMixer";
    let shown = mixed(&app.admin, id, new).await;
    assert_eq!(listed_numbers(&shown), ["3*", "4*"]);
    assert!(says(&shown["messages"], "hid 2 old results"), "{}", shown["messages"]);
    // None of these marks results as read: another mixer, an empty value, a prefetch.
    mixed(&app.admin, id, "&result_mixer=RelevancyMixer&mark_all_read=1").await;
    mixed(&app.admin, id, &format!("{new}&mark_all_read=")).await;
    let path = format!("/svc/results/?search_id={id}{new}&mark_all_read=1");
    let prefetch = app.admin.request(Method::GET, &path).header("Sec-Purpose", "prefetch");
    assert_eq!(listed_numbers(&Answer::of(prefetch).await.body), ["3*", "4*"]);

    let marked = mixed(&app.admin, id, &format!("{new}&mark_all_read=true")).await;
    assert_eq!(listed_numbers(&marked), ["3*", "4*"], "selected first, marked afterwards");
    let lines = marked["messages"].as_array().unwrap();
    assert!(lines[lines.len() - 2].as_str().unwrap().ends_with("] marked 2 results as read"), "{lines:?}");
    assert!(lines[lines.len() - 1].as_str().unwrap().ends_with("RelevancyNewItemsMixer"), "{lines:?}");
    let read = mixed(&app.admin, id, new).await;
    assert_eq!(read["results"], json!([]));
    assert!(says(&read["messages"], "found 0 new results"), "{}", read["messages"]);
    assert_eq!(listed_numbers(&mixed(&app.admin, id, "").await), ["1", "2", "3", "4"]);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_owner_updates_and_a_prefetch_does_not() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(numbered(&[1])));
    app.provider("Rivers", &source).await;
    let search = app.admin.search(&json!({"query_string": "river"})).await;
    let path = format!("/svc/search/?update={}", search["id"]);
    let otto = app.user("otto", &[]).await;
    assert_eq!(otto.get(&path).await.status, 404);
    assert_eq!(app.admin.get("/svc/search/?update=999999").await.status, 404);
    for wrong in ["", "one"] {
        let answer = app.admin.get(&format!("/svc/search/?update={wrong}")).await;
        assert_eq!(answer.status, 400, "{wrong}: {answer:?}");
    }
    let prefetch = app.admin.request(Method::GET, &path).header("Sec-Purpose", "prefetch");
    assert_eq!(Answer::of(prefetch).await.status, 204);
    assert_eq!(Answer::of(app.admin.request(Method::HEAD, &path)).await.status, 204);
    assert_eq!(source.requests().len(), 1);
    app.stop().await;
}

/// An interrupted update has the status FEDERATING, like a first run; only its task says that it is an update.
#[tokio::test(flavor = "multi_thread")]
async fn an_update_survives_kill_nine() {
    const PASSWORD: &str = "a password for tests";
    let serve = |folder: &Path| {
        let mut command = program(folder, &["serve", "--port", "0"]);
        command.env("SVC_ADMIN_PASSWORD", PASSWORD);
        Running::start(command)
    };
    let folder = tempfile::tempdir().unwrap();
    let source = Source::start().await;
    let slow = Behavior::Json(numbered(&[2, 1])).delayed(Duration::from_millis(700));
    source.reply(Behavior::Sequence(vec![Behavior::Json(numbered(&[1])), slow]));
    let running = serve(folder.path());
    let client = running.client(Some(crate::demo::basic("admin", PASSWORD)));
    let provider = json!({"name": "Rivers", "url": source.url(), "response_mappings": "RESULTS=items"});
    assert_eq!(client.post("/svc/searchproviders/", &provider).await.status, 201);
    let search = client.search(&json!({"query_string": "river"})).await;
    let id = search["id"].as_i64().unwrap();
    let before = rows(&mixed(&client, id, "").await);

    let path = format!("/svc/search/?update={id}");
    let _no_answer_yet = tokio::time::timeout(Duration::from_millis(350), client.get(&path)).await;
    let row = client.get(&format!("/svc/search/{id}/")).await.body;
    assert_eq!(row["status"], "FEDERATING", "{row}");
    running.kill();
    let running = serve(folder.path());
    let client = running.client(Some(crate::demo::basic("admin", PASSWORD)));
    assert_eq!(client.ready(id).await["status"], "FULL_UPDATE_READY");
    let after = mixed(&client, id, "").await;
    assert_eq!(listed_numbers(&after), ["1", "2*"]);
    assert_eq!(rows(&after)[..1], before);
}
