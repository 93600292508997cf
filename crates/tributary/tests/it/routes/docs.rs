//! `/svc/api/schema/` and `/svc/api/docs/`: the API documentation, which loads nothing from other hosts.

use crate::app_harness::AppHarness;
use serde_json::Value;

#[tokio::test(flavor = "multi_thread")]
async fn the_schema_is_an_openapi_document() {
    let app = AppHarness::start().await;
    let answer = app.admin.get("/svc/api/schema/").await;
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("vary"), "accept-encoding");
    let document = answer.body;
    assert!(document["openapi"].as_str().unwrap().starts_with("3."), "{}", document["openapi"]);
    assert_eq!(document["info"]["title"], "Tributary");
    assert_eq!(document["info"]["version"], domain::VERSION);
    let schemes = document["components"]["securitySchemes"].as_object().unwrap();
    assert_eq!(schemes.keys().collect::<Vec<_>>(), ["basic", "bearer", "token"]);
    let mut references = 0;
    each_reference(&document, &mut |reference| {
        let pointer = reference.strip_prefix('#').expect("it stays inside the document");
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
        references += 1;
    });
    assert!(references > 20, "{references}");
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let what = format!("{method} {path}");
            assert!(operation["summary"].as_str().is_some_and(|text| !text.is_empty()), "{what}");
            let named: Vec<&str> = operation["parameters"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|parameter| parameter["in"] == "path")
                .map(|parameter| parameter["name"].as_str().unwrap())
                .collect();
            let placed: Vec<&str> =
                path.split('{').skip(1).map(|rest| rest.split('}').next().unwrap()).collect();
            assert_eq!(named, placed, "{what}");
        }
    }
    app.stop().await;
}

fn each_reference(value: &Value, found: &mut impl FnMut(&str)) {
    match value {
        Value::Object(map) => {
            if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
                found(reference);
            }
            map.values().for_each(|inner| each_reference(inner, found));
        }
        Value::Array(list) => list.iter().for_each(|inner| each_reference(inner, found)),
        _ => {}
    }
}

/// Every value of an attribute in a page.
fn attributes(html: &str, name: &str) -> Vec<String> {
    let start = format!("{name}=\"");
    let values = html.split(start.as_str()).skip(1).map(|rest| rest.split('"').next().unwrap());
    values.map(|value| value.replace("&#x2f;", "/")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_loads_nothing_from_another_host() {
    let app = AppHarness::start().await;
    for (path, api) in
        [("/svc/api/docs/", "/svc"), ("/svc/api/docs", "/svc"), ("/api/svc/api/docs/", "/api/svc")]
    {
        let page = app.admin.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(page.header("content-type").starts_with("text/html"), "{path}");
        let policy = page.header("content-security-policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self';"), "{policy}");
        for part in ["http", "*", "unsafe", "data:"] {
            assert!(!policy.contains(part), "{part}: {policy}");
        }
        let html = page.body.as_str().unwrap();
        assert!(!html.contains("http://") && !html.contains("https://"), "{html}");
        let inline = html.split("<script").skip(1).any(|tag| !tag.starts_with(" type=\"module\" src="));
        assert!(!inline && !html.contains(" style="), "the policy allows files only: {html}");
        assert!(attributes(html, "name=\"api\" content").contains(&api.to_owned()), "{html}");

        let mut files = attributes(html, "src");
        files.extend(attributes(html, "link rel=\"stylesheet\" href"));
        assert!(files.iter().any(|file| file.ends_with("/js/api_docs/main.js")), "{files:?}");
        assert!(files.iter().any(|file| file.ends_with("/api_docs.css")), "{files:?}");
        for file in files {
            assert!(file.starts_with("/static/"), "{file}");
            let answer = app.admin.get(&file).await;
            assert_eq!(answer.status, 200, "{file}");
            assert_eq!(answer.header("x-content-type-options"), "nosniff");
            let kind = if file.ends_with(".css") { "text/css" } else { "javascript" };
            assert!(
                answer.header("content-type").contains(kind),
                "{file}: {}",
                answer.header("content-type")
            );
        }
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn there_is_nothing_below_the_page() {
    let app = AppHarness::start().await;
    for file in ["nothing.js", "..%2F..%2Fetc%2Fpasswd", "%2e%2e%2fschema", "a%00b"] {
        let answer = app.admin.get(&format!("/svc/api/docs/{file}")).await;
        assert_eq!(answer.status, 404, "{file}: {:?}", answer.status);
    }
    app.stop().await;
}
