//! One API under several paths: both prefixes, aliases, with and without a trailing slash.

use super::table::{EXPORT, NOW, RAG_DETAIL, Row, TABLE, TIMINGS};
use super::{Scenario, assert_refused};
use crate::app_harness::{Answer, AppHarness, licensed};
use domain::settings::Settings;
use serde_json::{Value, json};

const PREFIXES: [&str; 4] = ["/svc", "/api/svc", "/find", "/api/find"];

async fn with_alias() -> AppHarness {
    AppHarness::with(|settings| Settings { api_aliases: vec!["find".to_owned()], ..licensed(settings) }).await
}

/// The body as text, without the parts that differ between calls, and with all links under `/svc`.
fn comparable(answer: &Answer, base: &str, prefix: &str) -> String {
    if let Some(stream) = answer.body.as_str().filter(|text| text.starts_with("event: ")) {
        let names: Vec<&str> = stream.lines().filter(|line| line.starts_with("event: ")).collect();
        assert!(stream.contains(&format!("{base}{prefix}/results/")), "{stream}");
        return names.join(",");
    }
    if let Some(figures) = answer.body.as_str().filter(|text| text.starts_with("# HELP ")) {
        let heads: Vec<&str> = figures.lines().filter(|line| line.starts_with("# ")).collect();
        return heads.join("\n"); // the figures themselves move
    }
    let mut body = answer.body.clone();
    let rows = match &mut body {
        Value::Array(rows) => rows.iter_mut().collect(),
        other => vec![other],
    };
    for row in rows.into_iter().filter_map(Value::as_object_mut) {
        row.remove("last_used");
        row.remove("time");
        row.get_mut("sample").and_then(Value::as_object_mut).map(|sample| sample.remove("date_retrieved"));
    }
    if let Some(storage) = body.pointer_mut("/totals/storage") {
        storage.take(); // sizes of a disk that others use as well
    }
    // Pages escape slashes.
    let attribute = |prefix: &str| format!("=\\\"{}", prefix.replace('/', "&#x2f;"));
    let text = body.to_string();
    text.replace(&format!("{base}{prefix}/"), &format!("{base}/svc/"))
        .replace(&attribute(prefix), &attribute("/svc"))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_form_of_a_path_answers_the_same() {
    let scenario = Scenario::of(with_alias().await).await;
    let base = &scenario.app.base;
    let others = [EXPORT, RAG_DETAIL, NOW, TIMINGS];
    let is_readable = |row: &&Row| row.is_api() && row.method == "GET" && !others.contains(&row.path);
    let readable: Vec<&Row> = TABLE.iter().filter(is_readable).collect();
    assert!(readable.len() > 15);
    for row in readable {
        let path = scenario.path(row);
        let client = scenario.allowed_client(row);
        let first = client.get(&path).await;
        assert_eq!(first.status, 200, "{path}");
        let expected = comparable(&first, base, "/svc");
        for prefix in PREFIXES {
            let whole = path.replacen("/svc", prefix, 1);
            let bare = whole.trim_end_matches('/').to_owned();
            for form in [whole, bare] {
                let answer = client.get(&form).await;
                assert_eq!(answer.status, 200, "{form}: {answer:?}");
                assert_eq!(comparable(&answer, base, prefix), expected, "{form}");
            }
        }
    }
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_use_the_prefix_that_was_called() {
    let scenario = Scenario::of(with_alias().await).await;
    let base = &scenario.app.base;
    for prefix in PREFIXES {
        let start = format!("{base}{prefix}/");
        for slash in ["", "/"] {
            let created = scenario
                .ann
                .post(&format!("{prefix}/search{slash}"), &json!({"query_string": "river"}))
                .await;
            assert_eq!(created.status, 201, "{prefix} {slash}: {created:?}");
            let search = scenario.ann.ready(created.body["id"].as_i64().unwrap()).await;
            let found =
                scenario.ann.get(&format!("{prefix}/results{slash}?search_id={}", search["id"])).await;
            let list = scenario.ann.get(&format!("{prefix}/search{slash}?page=1&items=1")).await;
            for link in [
                &created.body["result_url"],
                &created.body["new_result_url"],
                &found.body["info"]["Rivers"]["filter_url"],
                &found.body["info"]["search"]["rerun_url"],
                &list.body["next"],
            ] {
                let link = link.as_str().unwrap();
                assert!(link.starts_with(&start), "{prefix}: {link}");
                let path = link.strip_prefix(base.as_str()).unwrap();
                let status = scenario.ann.get(path).await.status.as_u16();
                assert!([200, 302].contains(&status), "{link} leads to {status}");
            }
        }
        let redirect = scenario.ann.get(&format!("{prefix}/search?q=river")).await;
        let expected = format!("{prefix}/results/?search_id=");
        assert!(redirect.header("location").starts_with(&expected), "{prefix}: {redirect:?}");
    }
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn writing_works_under_every_form() {
    let app = with_alias().await;
    for (number, prefix) in PREFIXES.iter().enumerate() {
        let made = app.admin.post(&format!("{prefix}/groups"), &json!({"name": format!("g{number}")})).await;
        assert_eq!(made.status, 201, "{prefix}: {made:?}");
        let path = format!("{prefix}/groups/{}", made.body["id"]);
        assert_eq!(app.admin.patch(&path, &json!({"name": format!("h{number}")})).await.status, 200);
        assert_eq!(app.admin.delete(&path).await.status, 204);
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unconfigured_alias_is_not_found() {
    let app = AppHarness::start().await;
    for path in [
        "/find/search/",
        "/api/find/search/",
        "/api/search/",
        "/svcs/search/",
        "/SVC/search/",
        "/api/api/svc/search/",
    ] {
        assert_refused(&app.admin.get(path).await, 404, "not_found", path);
        let nobody = app.anonymous().get(path).await;
        assert_refused(&nobody, 401, "not_authenticated", path);
    }
    app.stop().await;
}

/// The configured public address takes precedence over the `Host` header.
#[tokio::test(flavor = "multi_thread")]
async fn links_name_the_public_address_if_there_is_one() {
    let app =
        AppHarness::with(|settings| Settings { public_url: "https://find.example/".to_owned(), ..settings })
            .await;
    let created = app.admin.post("/api/svc/search/", &json!({"query_string": "river"})).await;
    let link = created.body["result_url"].as_str().unwrap();
    assert!(link.starts_with("https://find.example/api/svc/results/?"), "{link}");
    app.stop().await;

    let app = AppHarness::start().await;
    let request = app.admin.request(reqwest::Method::GET, "/svc/search/").header("Host", "evil<b>");
    assert_refused(&Answer::of(request).await, 400, "invalid_host", "a host that is none");
    app.stop().await;
}
