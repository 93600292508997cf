//! Ready sources that put the query into a string of their own language: no query leaves the string.

use crate::fixture::{answer, connector, context, kind, provider, query, request};
use domain::ports::Connector;
use domain::provider::ProviderSpec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use syntax::query_filter::FILTERS;

/// A source, the parameter with its language, and what is before the string. Nothing is after it.
const SOURCES: [(&str, &str, &str); 2] =
    [("jira", "jql", "text ~ "), ("confluence", "cql", "type in (page,blogpost) and siteSearch ~ ")];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The ready source, with its placeholders filled in.
fn ready(slug: &str) -> Box<dyn Connector> {
    let file = repository().join(format!("config/providers/{slug}.json"));
    let mut spec: ProviderSpec =
        serde_json::from_slice(&std::fs::read(file).expect("a ready source")).expect("a provider");
    spec.url = spec.url.replace("<your-domain>", "mine");
    connector(spec, &context(answer("application/json", "{}")))
}

/// The parameter of the request for a query.
fn asked(source: &dyn Connector, parameter: &str, text: &str) -> String {
    let request = request(source.prepare(&query(text)).expect("a request"));
    let mut found = request.url.query_pairs().filter(|(name, _)| name == parameter);
    let value = found.next().expect("the parameter").1.into_owned();
    assert!(found.next().is_none(), "{}", request.url);
    value
}

/// The strings of a text in JQL or CQL, and the text outside of them.
fn strings(text: &str) -> (Vec<String>, String) {
    let (mut strings, mut outside) = (Vec::new(), String::new());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if !matches!(c, '"' | '\'') {
            outside.push(c);
            continue;
        }
        let mut value = String::new();
        loop {
            match chars.next().unwrap_or_else(|| panic!("a string of {text} has no end")) {
                '\\' => match chars.next() {
                    Some(escaped @ ('"' | '\\')) => value.push(escaped),
                    other => panic!("{other:?} is no escape that we write: {text}"),
                },
                end if end == c => break,
                control if control.is_control() => panic!("{control:?} in {text}"),
                plain => value.push(plain),
            }
        }
        strings.push(value);
    }
    (strings, outside)
}

#[test]
fn phrases_and_quotation_marks_stay_in_the_string() {
    let table = [
        ("solid state", "\"solid state\""),
        // A phrase of the text search is a phrase in the string.
        ("error \"file not found\"", "\"error \\\"file not found\\\"\""),
        ("\"", "\"\\\"\""),
        ("C:\\temp\\", "\"C:\\\\temp\\\\\""),
        ("\\\"", "\"\\\\\\\"\""),
        ("a\nb\tc", "\"a b c\""),
        (
            "a\" OR project in (SECRET) OR status was \"open",
            "\"a\\\" OR project in (SECRET) OR status was \\\"open\"",
        ),
        ("it's + 100% & {url}", "\"it's + 100% & {url}\""),
    ];
    for (slug, parameter, before) in SOURCES {
        let source = ready(slug);
        for (text, string) in table {
            assert_eq!(asked(&*source, parameter, text), format!("{before}{string}"), "{slug}: {text}");
        }
    }
}

#[test]
fn any_query_is_one_string() {
    for (slug, parameter, before) in SOURCES {
        let source = ready(slug);
        proptest!(|(text in "[\"'\\\\() a~=\n]{0,24}|(\"| OR |project|=|\\\\){0,12}|.{0,60}")| {
            let (strings, outside) = strings(&asked(&*source, parameter, &text));
            let expected: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            prop_assert_eq!(strings, [expected]);
            prop_assert_eq!(outside, before);
        });
    }
}

/// A quotation mark in the query would end the string.
#[test]
fn no_ready_source_quotes_the_query_without_a_filter() {
    let files = std::fs::read_dir(repository().join("config/providers")).expect("the ready sources");
    let mut read = 0;
    for file in files {
        let path = file.expect("a file").path();
        let spec: Value =
            serde_json::from_slice(&std::fs::read(&path).expect("a ready source")).expect("JSON");
        let template = spec["query_template"].as_str().unwrap_or_default();
        for mark in ["%22", "%27", "\""] {
            let quoted = format!("{mark}{{query_string}}{mark}");
            assert!(!template.contains(&quoted), "{}: {template}", path.display());
        }
        read += 1;
    }
    assert!(read >= 45, "{read} ready sources");
}

fn body(text: &str) -> Map<String, Value> {
    json!({"jql": text, "fields": ["summary"]}).as_object().expect("an object").clone()
}

/// The body of a POST request takes filters, too, with and without form encoding.
#[test]
fn a_body_takes_filters() {
    let posted = |mappings: &str| {
        let spec = ProviderSpec {
            connector: "RequestsPost".into(),
            url: "https://mine.atlassian.net/rest/api/3/search/jql".into(),
            query_template: "{url}".into(),
            post_query_template: body("text ~ \"{query_string|jql}\""),
            query_mappings: mappings.into(),
            response_mappings: "RESULTS=issues".into(),
            ..ProviderSpec::default()
        };
        let source = connector(spec, &context(answer("application/json", "{}")));
        let request = request(source.prepare(&query("a \"b c\"")).expect("a request"));
        let body: Value = serde_json::from_slice(&request.body.expect("a body")).expect("JSON");
        body["jql"].as_str().expect("a text").to_owned()
    };
    assert_eq!(posted("NO_URL_ENCODE"), "text ~ \"a \\\"b c\\\"\"");
    assert_eq!(posted(""), "text ~ \"a+%5C%22b+c%5C%22\"");
}

#[test]
fn an_unknown_filter_is_refused_when_it_is_saved() {
    let base = |name: &str| ProviderSpec {
        connector: name.into(),
        url: "https://h.example/search".into(),
        query_template: "{url}".into(),
        response_mappings: "RESULTS=items".into(),
        ..ProviderSpec::default()
    };
    let table = [
        (
            "query_template",
            ProviderSpec { query_template: "{url}?q={query_string|sql}".into(), ..base("RequestsGet") },
        ),
        (
            "url",
            ProviderSpec { url: "https://h.example/?q={query_string|sql}".into(), ..base("RequestsGet") },
        ),
        (
            "query_template",
            ProviderSpec { query_template: "{url}?q={query_string|sql}".into(), ..base("RequestsPost") },
        ),
        (
            "post_query_template",
            ProviderSpec { post_query_template: body("{query_string|sql}"), ..base("RequestsPost") },
        ),
        (
            "query_template_json",
            ProviderSpec { query_template_json: body("{query_string|sql}"), ..base("RequestsPost") },
        ),
    ];
    for (field, spec) in table {
        let shown = format!("{} {field}", spec.connector);
        let errors = (kind(&spec.connector).check)(&provider(spec));
        let fields: Vec<&str> = errors.iter().map(|(field, _)| field).collect();
        assert_eq!(fields, [field], "{shown}: {errors}");
        assert!(errors.to_string().contains("Filters: jql, cql."), "{shown}: {errors}");
    }
}

/// The page of the connector lists every filter.
#[test]
fn filters_are_documented() {
    let page = std::fs::read_to_string(repository().join("docs/connectors/RequestsGet.md")).expect("a page");
    for filter in FILTERS {
        let row = format!("| `{}` | {} |", filter.name, filter.place);
        assert!(page.contains(&row), "{row}");
    }
}
