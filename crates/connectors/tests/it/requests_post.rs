//! Requests that RequestsPost builds: the address, the body and its type.

use crate::fixture::{answer, connector, context, provider, query, request};
use domain::ports::{HttpMethod, HttpRequest, ProviderQuery};
use domain::provider::ProviderSpec;
use domain::search::Sort;
use serde_json::{Map, Value, json};

fn object(value: Value) -> Map<String, Value> {
    value.as_object().expect("an object").clone()
}

fn spec(mappings: &str, post: Value, json_template: Value) -> ProviderSpec {
    ProviderSpec {
        connector: "RequestsPost".into(),
        url: "https://api.example/search".into(),
        query_template: "{url}".into(),
        query_mappings: mappings.into(),
        post_query_template: object(post),
        query_template_json: object(json_template),
        ..ProviderSpec::default()
    }
}

fn built(spec: ProviderSpec, text: &str) -> HttpRequest {
    let connector = connector(spec, &context(answer("application/json", "[]")));
    request(connector.prepare(&query(text)).expect("a query"))
}

fn body(request: &HttpRequest) -> Value {
    serde_json::from_slice(request.body.as_ref().expect("a body")).expect("JSON")
}

#[test]
fn worked_examples() {
    let (none, one) = (json!({}), json!({"query": "{query_string}"}));
    let other = json!({"q": ["{query_string}"]});
    let table = [
        ("", one.clone(), none.clone(), "solid state", json!({"query": "solid+state"})),
        ("NO_URL_ENCODE", one.clone(), none.clone(), "solid state", json!({"query": "solid state"})),
        ("NO_URL_ENCODE=true", one.clone(), none.clone(), "solid state", json!({"query": "solid state"})),
        ("", one.clone(), other.clone(), "x", json!({"query": "x"})),
        ("", none.clone(), other, "x y", json!({"q": ["x+y"]})),
        ("", none.clone(), none.clone(), "solid \"state\"", json!("solid \"state\"")),
        (
            "NO_URL_ENCODE",
            one,
            none,
            "a \"b\" {query_string} \\ }",
            json!({"query": "a \"b\" {query_string} \\ }"}),
        ),
        (
            "field=title,n=10",
            json!({"where": {"{field}": "*{query_string}*"}, "limit": "{n}", "deep": [{"at": "{url}"}]}),
            json!({}),
            "x",
            json!({"where": {"title": "*x*"}, "limit": "10", "deep": [{"at": "https://api.example/search"}]}),
        ),
    ];
    for (mappings, post, json_template, text, want) in table {
        let request = built(spec(mappings, post.clone(), json_template), text);
        assert_eq!((request.method, body(&request)), (HttpMethod::Post, want), "{mappings} {post}");
        assert_eq!(request.url.as_str(), "https://api.example/search");
    }
}

#[test]
fn the_address_is_bound_as_in_a_get() {
    let spec = ProviderSpec {
        query_template: "{url}?key={key}&q={query_string}".into(),
        credentials: "key=s3cret".into(),
        ..spec(
            "DATE_SORT=by=date,PAGE=p=RESULT_PAGE",
            json!({"k": "{key}", "q": "{query_string}"}),
            json!({}),
        )
    };
    let connector = connector(spec, &context(answer("application/json", "[]")));
    assert_eq!(connector.pages(30), 3);
    let asked = ProviderQuery { sort: Sort::Date, page: 1, ..query("a b") };
    let request = request(connector.prepare(&asked).expect("a query"));
    assert_eq!(request.url.as_str(), "https://api.example/search?key=s3cret&by=date&p=2&q=a+b");
    assert_eq!(body(&request), json!({"k": "{key}", "q": "a+b"}), "credentials stay out of the body");
    assert!(!request.shown_url().contains("s3cret"));
}

#[test]
fn the_body_is_json_unless_the_provider_says_otherwise() {
    let types = |request: &HttpRequest| -> Vec<String> {
        let named = request.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        named.map(|(_, value)| value.clone()).collect()
    };
    assert_eq!(types(&built(spec("", json!({}), json!({})), "x")), ["application/json"]);
    let own = ProviderSpec {
        http_request_headers: [("content-type".to_owned(), "application/x-q+json".to_owned())].into(),
        ..spec("", json!({}), json!({}))
    };
    assert_eq!(types(&built(own, "x")), ["application/x-q+json"]);
}

#[test]
fn a_body_that_grows_is_refused_when_it_is_saved() {
    let many: Vec<Value> = (0..800).map(|_| json!("{v}")).collect();
    let mappings = format!("v={}", "x".repeat(1500));
    let kind = connectors::CATALOGUE.iter().find(|kind| kind.name == "RequestsPost").expect("a kind");
    for (field, post, json_template) in [
        ("post_query_template", json!({"a": many}), json!({})),
        ("query_template_json", json!({}), json!({"a": many})),
    ] {
        let errors = (kind.check)(&provider(spec(&mappings, post, json_template))).into_map();
        assert_eq!(errors.into_keys().collect::<Vec<_>>(), [field]);
    }
}
