//! The limits in the OpenAPI document are those of the service: a value at a limit is accepted, one beyond it is refused.

use crate::app_harness::{AppHarness, licensed};
use domain::settings::{Settings, Throttle};
use reqwest::Method;
use serde_json::{Map, Value, json};

/// Limits behind a record that does not exist here.
const BEHIND_A_RECORD: [&str; 8] = [
    "/svc/rag-search/{id}/rating/ rating",
    "/svc/rag-search/{id}/rating/ reasons",
    "/svc/rag-search/{id}/rating/ comment",
    "/svc/chat/{id}/messages/ content",
    "/svc/chat/{id}/messages/ attach",
    "/svc/chat/{id}/messages/{message}/rating/ rating",
    "/svc/chat/{id}/messages/{message}/rating/ reasons",
    "/svc/chat/{id}/messages/{message}/rating/ comment",
];

struct Document(Value);

impl Document {
    fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str() {
            Some(path) => self.0.pointer(path.trim_start_matches('#')).unwrap(),
            None => schema,
        }
    }

    /// A simple value of this schema.
    fn sample(&self, schema: &Value) -> Value {
        let schema = self.resolved(schema);
        if let Some(first) = schema["enum"].as_array().and_then(|values| values.first()) {
            return first.clone();
        }
        if let Some(first) = schema["oneOf"].as_array().and_then(|parts| parts.first()) {
            return self.sample(first);
        }
        let kind = schema["type"].as_array().map_or(&schema["type"], |kinds| &kinds[0]);
        match kind.as_str().unwrap_or_default() {
            "integer" | "number" => schema.get("minimum").cloned().unwrap_or(json!(1)),
            "boolean" => json!(false),
            "array" => json!([self.sample(&schema["items"])]),
            "object" => Value::Object(self.required(schema)),
            _ => json!("x"),
        }
    }

    /// The required fields of an object.
    fn required(&self, schema: &Value) -> Map<String, Value> {
        let names = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        names.map(|name| (name.to_owned(), self.sample(&schema["properties"][name]))).collect()
    }

    /// Values at the limits of a field, and values beyond them.
    fn around_limits(&self, field: &Value) -> (Vec<Value>, Vec<Value>) {
        let (mut at, mut beyond) = (Vec::new(), Vec::new());
        let size = |keyword: &str| field[keyword].as_u64().map(|size| usize::try_from(size).unwrap());
        if let Some(most) = size("maxLength") {
            at.push(json!("a".repeat(most)));
            beyond.push(json!("a".repeat(most + 1)));
        }
        if let Some(least) = size("minLength") {
            at.push(json!("x".repeat(least)));
            beyond.push(json!("x".repeat(least - 1)));
        }
        if let Some(most) = size("maxItems") {
            let item = self.sample(&field["items"]);
            at.push(json!(vec![item.clone(); most]));
            beyond.push(json!(vec![item; most + 1]));
        }
        if size("minItems").is_some() {
            beyond.push(json!([]));
        }
        if let Some(most) = field["items"]["maxLength"].as_u64() {
            let text = |chars| "a".repeat(usize::try_from(chars).unwrap());
            at.push(json!([text(most)]));
            beyond.push(json!([text(most + 1)]));
        }
        if let Some(most) = size("maxProperties") {
            let members =
                |count| Value::Object((0..count).map(|number| (format!("k{number}"), json!("v"))).collect());
            at.push(members(most));
            beyond.push(members(most + 1));
        }
        if let Some(most) = field["maximum"].as_u64() {
            at.push(json!(most));
            beyond.push(json!(most + 1));
        }
        if let Some(least) = field["minimum"].as_u64().filter(|least| *least > 0) {
            at.push(json!(least));
            beyond.push(json!(least - 1));
        }
        if let Some(values) = field["enum"].as_array() {
            at.extend(values.iter().cloned());
            beyond.push(if values[0].is_string() { json!("neither") } else { json!(9) });
        }
        (at, beyond)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_are_those_of_the_service() {
    let app =
        AppHarness::with(|settings| licensed(Settings { throttle_chat: Throttle(None), ..settings })).await;
    let document = Document(serde_json::from_str(&server::openapi_json().unwrap()).unwrap());
    let (mut tried, mut behind) = (0, Vec::new());
    for (path, method, schema) in bodies(&document) {
        let url = path.replace("{id}", "999").replace("{message}", "1");
        for (field, limits) in schema["properties"].as_object().unwrap() {
            let (at, beyond) = document.around_limits(limits);
            let all = at
                .into_iter()
                .map(|value| (value, true))
                .chain(beyond.into_iter().map(|value| (value, false)));
            for (value, is_allowed) in all {
                let mut body = document.required(&schema);
                body.insert(field.clone(), value);
                let answer = app.admin.send(method.clone(), &url, &Value::Object(body)).await;
                let what = format!("{method} {path} {field} {is_allowed}: {answer:?}");
                let sentences = answer.body["errors"][field].as_array().cloned().unwrap_or_default();
                let sentences = sentences.iter().filter_map(Value::as_str);
                if is_allowed {
                    // Another rule may refuse it, such as that of an address.
                    let is_limit = |text: &str| text.starts_with("At most") || text.starts_with("Use 1 to");
                    assert!(!sentences.clone().any(is_limit), "{what}");
                } else if answer.status == 404 {
                    behind.push(format!("{path} {field}"));
                    continue;
                } else {
                    assert_eq!(answer.status, 400, "{what}");
                    assert!(sentences.count() > 0, "{what}");
                }
                tried += 1;
            }
        }
    }
    behind.dedup();
    assert_eq!(behind, BEHIND_A_RECORD);
    assert!(tried > 250, "{tried}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn required_fields_are_those_of_the_service() {
    let app = AppHarness::with(licensed).await;
    let document = Document(serde_json::from_str(&server::openapi_json().unwrap()).unwrap());
    let mut tried = 0;
    for (path, method, schema) in bodies(&document) {
        let url = path.replace("{id}", "999").replace("{message}", "1");
        let complete = document.required(&schema);
        for field in complete.keys() {
            let mut body = complete.clone();
            body.shift_remove(field);
            let answer = app.admin.send(method.clone(), &url, &Value::Object(body)).await;
            let what = format!("{method} {path} without {field}: {answer:?}");
            assert_eq!(answer.status, 400, "{what}");
            let is_named = answer.body["detail"].as_str().unwrap().contains(field.as_str());
            assert!(is_named || answer.body["errors"].get(field).is_some(), "{what}");
            tried += 1;
        }
        let answer = app.admin.send(method, &url, &json!({})).await;
        if complete.is_empty() {
            let errors = answer.body["errors"].to_string();
            assert!(!errors.contains("needed"), "nothing is required: {path} {errors}");
        } else {
            assert_eq!(answer.status, 400, "{path}");
        }
    }
    assert!(tried > 20, "{tried}");
    app.stop().await;
}

/// The schemas of all bodies that create something, or replace the only one of its kind.
fn bodies(document: &Document) -> Vec<(String, Method, Value)> {
    let mut found = Vec::new();
    for (path, item) in document.0["paths"].as_object().unwrap() {
        for (name, method) in [("post", Method::POST), ("put", Method::PUT)] {
            let schema = &item[name]["requestBody"]["content"]["application/json"]["schema"];
            let is_one_of_many = method == Method::PUT && path.contains('{');
            if schema.is_null() || is_one_of_many {
                continue;
            }
            let schema = document.resolved(schema);
            let schema = document.resolved(schema["oneOf"].get(0).unwrap_or(schema));
            found.push((path.clone(), method, schema.clone()));
        }
    }
    found
}
