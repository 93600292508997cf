//! `GET /svc/results/export/`.

use crate::app_harness::{Answer, AppHarness, Client};
use serde_json::json;
use testkit::source::{Behavior, Source};

/// A service with a hostile source and a finished search. Returns the search's id.
async fn finished_search() -> (AppHarness, Source, i64) {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    let item = |title: &str, url: &str| json!({"title": title, "body": format!("river {title}"), "url": url, "date": "2024-03-05", "author": "Ann"});
    source.reply(Behavior::Json(json!({"items": [
        item("=HYPERLINK(\"https://evil.example\") river", "https://a.example/?a=1&b=2"),
        item("River <script>alert(1)</script> & \"more\" {braces} 50%", "javascript:alert(1)"),
        item("A plain river", "https://a.example/plain"),
    ]})));
    app.provider("Rivers", &source).await;
    let spec = json!({"query_string": "river \"levels\"\r\n", "results_requested": 1});
    let id = app.admin.search(&spec).await["id"].as_i64().unwrap();
    (app, source, id)
}

async fn export(client: &Client, id: i64, more: &str) -> (Answer, String) {
    let path = format!("/svc/results/export/?search_id={id}&{more}");
    let response = client.request(reqwest::Method::GET, &path).send().await.unwrap();
    let (status, headers) = (response.status(), response.headers().clone());
    let text = response.text().await.unwrap();
    (Answer { status, headers, body: serde_json::from_str(&text).unwrap_or_default() }, text)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_whole_list_is_a_file_in_each_form() {
    let (app, _source, id) = finished_search().await;
    let kinds = [
        ("csv", "text/csv; charset=utf-8", "csv"),
        ("json", "application/json", "json"),
        ("bibtex", "text/x-bibtex; charset=utf-8", "bib"),
        ("rss", "application/rss+xml; charset=utf-8", "rss"),
    ];
    let mut texts = Vec::new();
    for (format, kind, ending) in kinds {
        let (answer, text) = export(&app.admin, id, &format!("format={format}")).await;
        assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, kind), "{text}");
        let name = format!("attachment; filename=\"results-river-levels-{id}.{ending}\"");
        assert_eq!(answer.header("content-disposition"), name);
        assert_eq!(answer.header("x-total-count"), "3");
        assert!(text.contains("plain"), "{format}: {text}");
        texts.push(text);
    }
    let [csv, json, bibtex, rss] = &texts[..] else { panic!("four texts") };
    assert_eq!(csv.matches("\r\n").count(), 4, "a header and three rows: {csv}");
    assert!(csv.contains(",\"'=HYPERLINK(\"\"https://evil.example\"\") river\","), "{csv}");
    let json: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!((json["results"].as_array().unwrap().len(), &json["search_id"]), (3, &json!(id)));
    assert_eq!(bibtex.matches("@misc{").count(), 3);
    assert!(bibtex.contains("\\{braces\\} 50\\%") && !bibtex.contains("javascript:"), "{bibtex}");
    assert_eq!((rss.matches("<item>").count(), rss.matches("<link>").count()), (3, 3), "{rss}");
    assert!(!rss.contains("javascript:") && !rss.contains("<script"), "{rss}");
    assert!(rss.contains("<link>https://a.example/?a=1&amp;b=2</link>"), "{rss}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_count_and_what_is_wrong_is_named() {
    let (app, _source, id) = finished_search().await;
    for (more, total) in
        [("date=older", "3"), ("date=undated", "0"), ("providers=999", "0"), ("result_mixer=DateMixer", "3")]
    {
        let (answer, _) = export(&app.admin, id, &format!("format=json&{more}")).await;
        assert_eq!((answer.status.as_u16(), answer.header("x-total-count")), (200, total), "{more}");
        assert_eq!(answer.body["results"].as_array().unwrap().len().to_string(), total, "{more}");
    }
    for (path, status, word) in [
        (format!("/svc/results/export/?search_id={id}"), 400, "format"),
        (format!("/svc/results/export/?search_id={id}&format=pdf"), 400, "format"),
        ("/svc/results/export/?format=csv".to_owned(), 400, "search_id"),
        (format!("/svc/results/export/?search_id={id}&format=csv&date=x"), 400, "date"),
        ("/svc/results/export/?search_id=999&format=csv".to_owned(), 404, ""),
    ] {
        let answer = app.admin.get(&path).await;
        assert_eq!(answer.status, status, "{path}");
        assert!(answer.body["detail"].as_str().unwrap().contains(word), "{path}: {}", answer.body);
    }
    let other = app.user("other", &[]).await;
    let (answer, _) = export(&other, id, "format=csv").await;
    assert_eq!(answer.status, 404, "someone else's");
    app.stop().await;
}
