//! Transforms in a search, in a provider, and in a URL.

use super::create_transform;
use crate::app_harness::{AppHarness, items};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

async fn app_with_source() -> (AppHarness, Source) {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("mobile phone", 3)));
    (app, source)
}

/// The last query that the source received.
fn last_query(source: &Source) -> String {
    let requests = source.requests();
    let last = requests.last().expect("a request");
    last.query_value("q").expect("q").to_owned()
}

fn messages(of: &Value) -> String {
    of["messages"].to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn before_federation_in_the_given_order() {
    let (app, source) = app_with_source().await;
    app.provider_with("Phones", &source, json!({"query_processors": ["NoModQueryProcessor"]})).await;
    create_transform(&app.admin, "phones", "rewrite", "mobiles; ombile,mobile").await;
    create_transform(&app.admin, "words", "synonym", "mobile,cell phone").await;
    let names = json!(["phones.rewrite", " words . synonym "]);
    let search = app.admin.search(&json!({"query_string": "my ombile", "pre_query_processors": names})).await;
    assert_eq!(search["query_string_processed"], "my (mobile OR cell phone)", "{search}");
    let told = messages(&search);
    assert!(told.contains("phones.rewrite rewrote query to: my mobile"), "{told}");
    assert!(told.contains("rewrote query to: my (mobile OR cell phone)"), "{told}");
    assert_eq!(last_query(&source), "my (mobile OR cell phone)");

    // An edit takes effect with the next run.
    let first = app.admin.get("/svc/querytransforms/").await.body[0].clone();
    let path = format!("/svc/querytransforms/{}/", first["id"]);
    assert_eq!(app.admin.patch(&path, &json!({"config_content": "ombile,handset"})).await.status, 200);
    app.admin.get(&format!("/svc/search/?rerun={}", search["id"])).await;
    let again = app.admin.ready(search["id"].as_i64().unwrap()).await;
    assert_eq!(again["query_string_processed"], "my handset");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn in_the_url() {
    let (app, source) = app_with_source().await;
    app.provider_with("Phones", &source, json!({"query_processors": ["NoModQueryProcessor"]})).await;
    create_transform(&app.admin, "phones", "rewrite", "mobiles,mobile").await;
    create_transform(&app.admin, "cars", "bag", "car,automobile").await;
    let direct = app.admin.get("/svc/search/?qs=mobiles&pre_query_processor=phones.rewrite").await;
    assert_eq!(direct.status, 200, "{direct:?}");
    assert_eq!(last_query(&source), "mobile");
    let redirect = app.admin.get("/svc/search/?q=car&pre_query_processor=cars.synonym+bag").await;
    assert_eq!(redirect.status, 302, "{redirect:?}");
    assert_eq!(last_query(&source), "(car OR automobile)");
    for name in ["phones.synonym", "phnoes.rewrite", "phones"] {
        let answer = app.admin.get(&format!("/svc/search/?qs=a&pre_query_processor={name}")).await;
        assert_eq!(answer.status, 400, "{name}: {answer:?}");
        let sentence = answer.body["errors"]["pre_query_processors"][0].as_str().unwrap();
        assert!(sentence.contains("phones.rewrite"), "{sentence}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn phrases_and_tags_stay_whole() {
    let (app, source) = app_with_source().await;
    app.provider_with("Phones", &source, json!({"tags": ["shop"]})).await;
    create_transform(&app.admin, "words", "synonym", "mobile,cell phone").await;
    for (query, processed, expected) in [
        (
            "\"my mobile\" rocks",
            "(\"my mobile\" OR \"my cell phone\") rocks",
            "(\"my mobile\" OR \"my cell phone\") rocks",
        ),
        // The notation of the specification for a phrase that is a term.
        ("\"mobile\"", "\" (mobile OR cell phone) \"", "(mobile OR cell phone)"),
        ("shop:mobile case", "shop:(mobile OR cell phone) case", "(mobile OR cell phone) case"),
    ] {
        let spec = json!({"query_string": query, "pre_query_processors": ["words.synonym"]});
        let search = app.admin.search(&spec).await;
        assert_eq!(search["query_string_processed"], processed);
        assert_eq!(last_query(&source), expected, "{query}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_one_provider() {
    let (app, source) = app_with_source().await;
    let plain = Source::start().await;
    plain.reply(Behavior::Json(items("mobile", 1)));
    let transform = create_transform(&app.admin, "words", "synonym", "mobile,cell phone").await;
    let processors = json!({"query_processors": ["NoModQueryProcessor", "words.synonym"]});
    let id = app.provider_with("Phones", &source, processors).await;
    app.provider("Plain", &plain).await;
    let path = format!("/svc/searchproviders/{id}/");
    let wrong = app.admin.patch(&path, &json!({"query_processors": ["words.bag"]})).await;
    assert_eq!(wrong.status, 400, "{wrong:?}");
    assert!(wrong.body["errors"]["query_processors"].is_array(), "{}", wrong.body);

    let search = app.admin.search(&json!({"query_string": "mobile"})).await;
    assert_eq!(
        (last_query(&source).as_str(), last_query(&plain).as_str()),
        ("(mobile OR cell phone)", "mobile")
    );
    let mixed = app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await.body;
    assert_eq!(
        mixed["info"]["Phones"]["query_string_to_provider"], "(mobile OR cell phone)",
        "{}",
        mixed["info"]
    );
    assert!(messages(&mixed).contains("words.synonym rewrote Phones's query to"), "{}", mixed["messages"]);

    // A provider without its transform fails; the others respond.
    let gone = format!("/svc/querytransforms/{}/", transform["id"]);
    assert_eq!(app.admin.delete(&gone).await.status, 204);
    let before = source.requests().len();
    let search = app.admin.search(&json!({"query_string": "mobile"})).await;
    let mixed = app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await.body;
    assert_eq!(mixed["info"]["Phones"]["status"], "error", "{}", mixed["info"]);
    assert!(mixed["info"]["Phones"].to_string().contains("words.synonym"), "{}", mixed["info"]);
    assert_eq!(mixed["info"]["Plain"]["status"], "ok", "{}", mixed["info"]);
    assert_eq!(source.requests().len(), before, "it was not asked");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_leaves_nothing_is_left_out() {
    let (app, source) = app_with_source().await;
    app.provider("Phones", &source).await;
    create_transform(&app.admin, "stop", "rewrite", "the\nof").await;
    let search =
        app.admin.search(&json!({"query_string": "the of", "pre_query_processors": ["stop.rewrite"]})).await;
    assert_eq!(search["query_string_processed"], "the of");
    assert!(messages(&search).contains("the query would be empty"), "{search}");
    app.stop().await;
}
