//! Records that somebody changed directly in the database: an unknown processor, or a mapping that cannot be parsed.
//! Each is reported by name, nothing replaces it silently, and everything else works.

use crate::app_harness::{AppHarness, items};
use domain::secret::Secret;
use domain::settings::Settings;
use serde_json::{Value, json};
use sqlx::{Connection, SqliteConnection};
use testkit::source::{Behavior, Source};

/// The field of the provider, its new value, and the word that names it in the message.
const TAMPERED: [(&str, &str, &str); 5] = [
    ("connector", "\"NoSuchConnector\"", "NoSuchConnector"),
    ("query_processors", "[\"NoSuchQueryProcessor\"]", "NoSuchQueryProcessor"),
    ("result_processors", "[\"NoSuchResultProcessor\"]", "NoSuchResultProcessor"),
    ("response_mappings", "\"RESULTS=items[\"", "response_mappings"),
    ("result_mappings", "\"title=title[,url=url\"", "result_mappings"),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_tampered_provider_is_named_and_breaks_nothing_else() {
    let app = AppHarness::with(|settings| Settings { database_url: Secret::default(), ..settings }).await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 3)));
    app.provider("Whole", &source).await;
    let address = format!("sqlite://{}", app.folder().join("tributary.db").display());
    let mut file = SqliteConnection::connect(&address).await.unwrap();
    for (field, value, _) in TAMPERED {
        app.provider(field, &source).await;
        let set = "UPDATE providers SET draft = json_set(draft, $1, json($2)) WHERE name = $3";
        let changed = sqlx::query(set).bind(format!("$.{field}")).bind(value).bind(field);
        assert_eq!(changed.execute(&mut file).await.unwrap().rows_affected(), 1);
    }
    file.close().await.unwrap();

    let search = app.admin.search(&json!({"query_string": "river"})).await;
    assert_eq!(search["status"], "PARTIAL_RESULTS_READY", "not all of them answered: {search}");
    let page = app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await;
    assert_eq!(page.status, 200, "{page:?}");
    assert_eq!(page.body["info"]["Whole"]["retrieved"], 3, "{}", page.body["info"]);
    let messages = search["messages"].to_string() + &page.body["messages"].to_string();
    for (field, _, word) in TAMPERED {
        let told = page.body["info"][field].to_string() + &messages;
        assert!(told.contains(word), "{field}: {told}");
        let shown = page.body["results"].as_array().unwrap().iter();
        let of_it = shown.filter(|item| item["searchprovider"] == field).count();
        assert_eq!(of_it, 0, "{field}: nothing takes the place of what is not known");
    }
    // The record can be read and corrected.
    let list = app.admin.get("/svc/searchproviders/").await;
    assert_eq!(list.status, 200);
    let id = |name: &str| {
        let all = list.body.as_array().or_else(|| list.body["results"].as_array()).unwrap();
        all.iter().find(|one| one["name"] == name).map(|one| one["id"].clone()).unwrap_or(Value::Null)
    };
    let put_right = json!({"result_processors": ["MappingResultProcessor"]});
    let path = format!("/svc/searchproviders/{}/", id("result_processors"));
    let answer = app.admin.patch(&path, &put_right).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tampered_search_names_what_it_skips_and_asks_everyone() {
    let app = AppHarness::with(|settings| Settings { database_url: Secret::default(), ..settings }).await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 3)));
    app.provider("Whole", &source).await;
    let id = app.admin.search(&json!({"query_string": "river"})).await["id"].as_i64().unwrap();
    let address = format!("sqlite://{}", app.folder().join("tributary.db").display());
    let mut file = SqliteConnection::connect(&address).await.unwrap();
    for field in ["pre_query_processors", "query_processors", "result_processors", "post_result_processors"] {
        let set = "UPDATE searches SET draft = json_set(draft, $1, json($2)) WHERE id = $3";
        let changed = sqlx::query(set).bind(format!("$.{field}")).bind(r#"["NoSuchProcessor"]"#).bind(id);
        assert_eq!(changed.execute(&mut file).await.unwrap().rows_affected(), 1, "{field}");
        app.admin.get(&format!("/svc/search/?rerun={id}")).await;
        let search = app.admin.ready(id).await;
        assert_eq!(search["status"], "FULL_RESULTS_READY", "{field}: {search}");
        // Notices of a provider's run are among the messages of the results.
        let page = app.admin.get(&format!("/svc/results/?search_id={id}")).await;
        let messages = page.body["messages"].to_string();
        let notice = "NoSuchProcessor failed and was skipped: it no longer exists";
        assert!(messages.contains(notice), "{field}: {messages}");
        assert_eq!(page.body["info"]["Whole"]["retrieved"], 3, "{field}: {}", page.body["info"]);
        let restore = sqlx::query(set).bind(format!("$.{field}")).bind("[]").bind(id);
        assert_eq!(restore.execute(&mut file).await.unwrap().rows_affected(), 1, "{field}");
    }
    file.close().await.unwrap();
    app.stop().await;
}
