//! Addresses and titles that no client should get as their source gave them.

use crate::app_harness::AppHarness;
use domain::result::TITLE_CHARS_MAX;
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

/// Addresses that some program executes, in the spellings that browsers and feed readers of today or earlier accept.
const SCRIPTS: [&str; 40] = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " \tJava\nScript:alert(1)",
    "java\r\nscript:alert(1)",
    "javascript\t:alert(1)",
    "\u{1}\u{1f} javascript:alert(1)",
    "\u{a0}\u{3000}javascript:alert(1)",
    "\u{feff}javascript:alert(1)",
    "\u{200b}javascript:alert(1)",
    "\u{202e}javascript:alert(1)",
    "java\u{ad}script:alert(1)",
    "java\u{200d}script:alert(1)",
    "java\u{0}script:alert(1)",
    "java\u{b}script:alert(1)",
    "javascript\u{200b}:alert(1)",
    "javascript&colon;alert(1)",
    "javascript&#58;alert(1)",
    "javascript&#x3a;alert(1)",
    "&#106;avascript:alert(1)",
    "&#x6A;&#x61;vascript:alert(1)",
    "java&Tab;script:alert(1)",
    "&NewLine;javascript:alert(1)",
    "javascript&amp;colon;alert(1)",
    "javascript&#0000058alert(1)",
    "javascript://comment%0aalert(1)",
    "vbscript:alert(1)",
    "VBScript&colon;alert(1)",
    "vbs:alert(1)",
    "livescript:alert(1)",
    " LiveScript:alert(1)",
    "mocha:alert(1)",
    "jscript:alert(1)",
    "data:text/html,alert(1)",
    "DATA:text/html;base64,YWxlcnQoMSk=alert(1)",
    "data&colon;image/svg+xml,alert(1)",
    "view-source:javascript:alert(1)",
    "feed:javascript:alert(1)",
    "url: javascript:alert(1)",
    "jar:javascript:alert(1)",
    "mhtml:javascript:alert(1)",
];

fn rows(mixed: &Value) -> &Vec<Value> {
    mixed["results"].as_array().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_and_endless_titles_do_not_get_out() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    // Words of their own, so that none is grouped with another.
    let words = |number: usize| {
        let consonant = |place: usize| char::from(b"bcdfghklmnprstvw"[(number >> place) % 16]);
        format!("{}a{}o {}u{}i", consonant(0), consonant(4), consonant(2), consonant(1))
    };
    let odd = SCRIPTS.iter().enumerate().map(|(number, url)| {
        let words = words(number);
        json!({"title": format!("river {words} {number}"), "body": format!("{words} {number}"), "url": url})
    });
    let long = json!({"title": "river ".repeat(60_000), "body": "long", "url": "https://a.example/long"});
    let items: Vec<Value> = odd.chain([long]).collect();
    source.reply(Behavior::Json(json!({"total": items.len(), "items": items})));
    app.provider_with("Rivers", &source, json!({"results_per_query": 100})).await;
    let search = app.admin.search(&json!({"query_string": "river", "results_requested": 100})).await;
    let path = format!("/svc/results/?search_id={}", search["id"]);
    let mixed = app.admin.get(&path).await.body;
    let shown = rows(&mixed).iter().map(|item| 1 + item["duplicates"].as_array().map_or(0, Vec::len));
    assert_eq!(shown.sum::<usize>(), items.len());
    let left: Vec<&str> = rows(&mixed)
        .iter()
        .flat_map(|item| item["duplicates"].as_array().into_iter().flatten().chain([item]))
        .map(|item| item["url"].as_str().unwrap())
        .filter(|url| !url.is_empty() && *url != "https://a.example/long")
        .collect();
    assert_eq!(left, Vec::<&str>::new());
    for item in rows(&mixed) {
        let title = item["title"].as_str().unwrap().replace("<em>", "").replace("</em>", "");
        assert!(title.chars().count() <= TITLE_CHARS_MAX + 1, "{} characters", title.chars().count());
    }
    for format in ["csv", "json", "bibtex", "rss"] {
        let export = format!("/svc/results/export/?search_id={}&format={format}", search["id"]);
        let exported = app.admin.get(&export).await;
        assert_eq!(exported.status, 200, "{format}");
        assert!(!exported.body.to_string().contains("alert(1)"), "{format}: {}", exported.body);
        if format == "rss" {
            let text = exported.body.as_str().unwrap();
            let links: Vec<&str> =
                text.split("<item>").skip(1).filter_map(|item| item.split("<link>").nth(1)).collect();
            assert_eq!(links.len(), 1, "{links:?}");
            assert!(links[0].starts_with("https://a.example/long<"), "{links:?}");
        }
    }

    // Nor can a user write one.
    let path = format!("/svc/results/{}/", rows(&mixed)[0]["swirl_id"]);
    let written = SCRIPTS.map(|url| ("url", url.to_owned()));
    for (field, value) in written.into_iter().chain([("title", "x".repeat(TITLE_CHARS_MAX + 1))]) {
        let refused = app.admin.patch(&path, &json!({field: value})).await;
        assert_eq!(refused.status, 400, "{field}: {refused:?}");
        assert!(refused.body["errors"][field].is_array(), "{}", refused.body);
    }
    assert_eq!(app.admin.patch(&path, &json!({"url": "https://a.example/mine"})).await.status, 200);
    app.stop().await;
}
