//! Tests of templates.

use super::*;
use crate::request::curl::parse;
use proptest::prelude::*;
use serde_json::json;
use syntax::query_filter::QueryPlace;
use syntax::query_template::placeholders;

fn template_of(text: &str, query: &str) -> RequestTemplate {
    let request = parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).expect("a request");
    build_template(&request, query)
}

#[test]
fn requests_become_templates() {
    for (text, query, url, template, mappings) in requests() {
        let spec = template_of(text, query).spec;
        assert_eq!((spec.url.as_str(), spec.query_template.as_str()), (url, template), "{text}");
        assert_eq!(spec.query_mappings, mappings, "{text}");
        assert!(!json!(spec).to_string().contains("hush"), "{text}");
    }
}

/// Request, query, and the expected url, template and mappings.
fn requests() -> Vec<(&'static str, &'static str, &'static str, &'static str, &'static str)> {
    vec![
        (
            "https://h.example/s?q=tea&fmt=json",
            "",
            "https://h.example/s",
            "{url}?fmt=json&q={query_string}",
            "",
        ),
        (
            "https://h.example/s?search_query=all:tea&start=0&max_results=10",
            "",
            "https://h.example/s",
            "{url}?max_results=10&search_query=all:{query_string}",
            "PAGE=start=RESULT_ZERO_INDEX",
        ),
        (
            "https://h.example/s?filter=name~%22green+tea%22&page=2",
            "green tea",
            "https://h.example/s",
            "{url}?filter=name~%22{query_string}%22",
            "PAGE=page=RESULT_PAGE",
        ),
        ("https://h.example/s?w=Tea", "tea", "https://h.example/s", "{url}?w={query_string}", ""),
        (
            "https://h.example/v1/find/tea/all?n=5",
            "tea",
            "https://h.example/v1/find",
            "{url}/{query_string}/all?n=5",
            "",
        ),
        (
            "https://h.example/s?a={searchTerms}&b=1",
            "",
            "https://h.example/s",
            "{url}?b=1&a={query_string}",
            "",
        ),
        (
            "https://h.example/s?x=%7B1%7D&q=t",
            "",
            "https://h.example/s",
            "{url}?x=%7B1%7D&q={query_string}",
            "",
        ),
        (
            "https://h.example/s?apikey=hush&q=t",
            "",
            "https://h.example/s",
            "{url}?apikey={apikey}&q={query_string}",
            "",
        ),
        (
            "https://h.example/s?q=t&offset=11",
            "",
            "https://h.example/s",
            "{url}?q={query_string}",
            "PAGE=offset=RESULT_INDEX",
        ),
        ("https://h.example/s?q=t&page=0", "", "https://h.example/s", "{url}?page=0&q={query_string}", ""),
        ("https://h.example/s", "", "https://h.example/s", "{url}?q={query_string}", ""),
        ("http://h.example:8080/", "", "http://h.example:8080/", "{url}?q={query_string}", ""),
        // The query is in the path and in a parameter: the parameter wins.
        ("https://h.example/tea?q=tea", "tea", "https://h.example/tea", "{url}?q={query_string}", ""),
    ]
}

#[test]
fn a_placeholder_is_filled_before_sending() {
    let sent = |text: &str, query: &str| {
        let request = parse(text).unwrap_or_else(|error| panic!("{error}")).expect("a request");
        fill_query(request, query).map(|request| request.url.to_string())
    };
    assert_eq!(
        sent("https://h.example/s?q={searchTerms}", "a b"),
        Ok("https://h.example/s?q=a%20b".to_owned())
    );
    assert_eq!(sent("https://h.example/{query}/x", "tea"), Ok("https://h.example/tea/x".to_owned()));
    assert_eq!(sent("https://h.example/s?q=tea", ""), Ok("https://h.example/s?q=tea".to_owned()));
    assert!(sent("https://h.example/s?q={query}", "").is_err());
}

#[test]
fn sizes_are_read_and_the_query_is_no_name() {
    assert_eq!(template_of("https://api.h.example/s?q=t&limit=25", "").spec.results_per_query, 25);
    for (pages, mapping) in [
        ("page=1", "page=RESULT_PAGE"),
        ("from=50", "from=RESULT_ZERO_INDEX"),
        ("from=26", "from=RESULT_INDEX"),
    ] {
        let spec = template_of(&format!("https://h.example/s?q=t&limit=25&{pages}"), "").spec;
        assert_eq!(spec.query_template, "{url}?limit=25&q={query_string}");
        assert_eq!(spec.query_mappings, format!("PAGE_SIZE=25,PAGE={mapping}").as_str());
        assert_eq!(spec.results_per_query, 25);
    }
    let too_large = template_of("https://h.example/s?q=t&limit=5000&page=1", "");
    assert_eq!(too_large.spec.query_template, "{url}?limit=10&q={query_string}");
    assert_eq!(too_large.spec.results_per_query, 10);
    assert!(
        too_large.remarks.iter().any(|remark| remark.contains("limit was 5000")),
        "{:?}",
        too_large.remarks
    );
    assert_eq!(template_of("https://h.example/books/tea/x", "tea").spec.name, "h.example/books");
}

proptest! {
    #[test]
    fn any_url_becomes_a_template_with_known_placeholders(
        tail in "[a-z0-9/?&=%{}<>+:'\"é.-]{0,50}|.{0,40}",
        query in "[a-z]{0,2}|.{0,6}",
    ) {
        if let Ok(Some(request)) = parse(&format!("https://h.example/{tail}")) {
            let spec = build_template(&request, &query).spec;
            prop_assert!(spec.query_mappings.parsed().is_ok(), "{}", spec.query_mappings);
            for name in placeholders(&spec.query_template) {
                let is_secret = spec.credentials.contains(&format!("{name}="));
                let is_known = name == "url" || matches!(QueryPlace::of(name), Some(Ok(_)));
                prop_assert!(is_known || is_secret, "{}", spec.query_template);
            }
            prop_assert!(placeholders(&spec.url).is_empty(), "{}", spec.url);
            let _ = fill_query(request, &query);
        }
    }
}
