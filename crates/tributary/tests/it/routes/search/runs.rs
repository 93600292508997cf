//! `GET /svc/search/{id}/runs/` and `/diff/`.

use super::update::{numbered, update};
use crate::app_harness::AppHarness;
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_listed_and_compared() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Sequence(vec![
        Behavior::Json(numbered(&[1, 2, 3])),
        Behavior::Json(numbered(&[2, 3, 4])),
        Behavior::status(500),
        Behavior::Json(numbered(&[4])),
    ]));
    app.provider("Rivers", &source).await;
    let id = app.admin.search(&json!({"query_string": "river"})).await["id"].as_i64().unwrap();
    for _ in 0..2 {
        update(&app.admin, id).await;
    }
    assert_eq!(app.admin.get(&format!("/svc/search/?rerun={id}")).await.status, 302);
    app.admin.ready(id).await;

    let runs = app.admin.get(&format!("/svc/search/{id}/runs/")).await.body;
    let told = |run: &Value| {
        let number = |key: &str| run[key].as_i64().unwrap();
        assert!(run["date"].as_str().unwrap().contains('T'), "{run}");
        (
            number("run"),
            run["status"].as_str().unwrap().to_owned(),
            number("retrieved"),
            number("added"),
            number("gone"),
        )
    };
    let told: Vec<_> = runs.as_array().unwrap().iter().map(told).collect();
    let run =
        |number, status: &str, retrieved, added, gone| (number, status.to_owned(), retrieved, added, gone);
    let expected = [
        run(4, "FULL_RESULTS_READY", 1, 0, 2),
        run(3, "PARTIAL_UPDATE_READY", 0, 0, 0),
        run(2, "FULL_UPDATE_READY", 3, 1, 1),
        run(1, "FULL_RESULTS_READY", 3, 0, 0),
    ];
    assert_eq!(told, expected);

    let diff = async |more: &str| app.admin.get(&format!("/svc/search/{id}/diff/{more}")).await;
    let titles = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|entry| entry["title"].as_str().unwrap().to_owned()).collect()
    };
    let second = diff("?from=1&to=2").await.body;
    assert_eq!(
        (titles(&second["added"]), titles(&second["gone"])),
        (vec!["river number 4".to_owned()], vec!["river number 1".to_owned()])
    );
    let entry = json!({
        "title": "river number 4", "url": "https://river.example/4", "searchprovider": "Rivers",
        "date_published": "2024-03-05 00:00:00",
    });
    assert_eq!(
        (&second["from"], &second["to"], &second["kept"], &second["added"][0]),
        (&json!(1), &json!(2), &json!(2), &entry)
    );
    let newest = diff("").await.body;
    assert_eq!((&newest["from"], &newest["to"], &newest["kept"]), (&json!(3), &json!(4), &json!(1)));
    assert_eq!(diff("?from=1&to=1").await.body["kept"], 3);
    for (more, field) in [("?from=9", "from"), ("?from=1&to=9", "to")] {
        let refused = diff(more).await;
        assert_eq!(refused.status, 400, "{more}");
        assert!(refused.body["errors"].get(field).is_some(), "{}", refused.body);
    }
    let other = app.user("other", &[]).await;
    for path in ["runs", "diff"] {
        assert_eq!(other.get(&format!("/svc/search/{id}/{path}/")).await.status, 404, "someone else's");
    }
    app.stop().await;
}
