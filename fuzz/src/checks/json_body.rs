//! A body template, mappings and a query, separated by line breaks. The body keeps its shape.

use connectors::json_body::{BODY_BYTES_MAX, bind};
use serde_json::{Map, Value};
use syntax::query_mappings::QueryMappings;
use syntax::query_template::{Binding, QueryEncoding};

pub fn check(bytes: &[u8]) {
    let mut lines = super::text(bytes).splitn(3, '\n');
    let Ok(template) = serde_json::from_str::<Map<String, Value>>(lines.next().unwrap_or_default()) else {
        return;
    };
    let Ok(mappings) = QueryMappings::parse(lines.next().unwrap_or_default()) else { return };
    let query = lines.next().unwrap_or("say \"{url}\"");
    for encoding in [QueryEncoding::Form, QueryEncoding::Raw] {
        let binding = Binding {
            url: "https://a.example/x",
            mappings: &mappings,
            credentials: &[],
            query,
            sort_snippet: None,
            page: 0,
        };
        let Ok(body) = bind(&template, &binding, encoding) else { continue };
        let template = Value::Object(template.clone());
        assert!(is_of_shape(&body, &template), "{template} became {body}");
        assert!(text_bytes(&body) <= BODY_BYTES_MAX);
        // A number of many digits may lose its last one when it is parsed again; the body is valid JSON nevertheless.
        assert!(serde_json::from_str::<Value>(&body.to_string()).is_ok());
    }
}

/// Texts stay texts and lists keep their length; two keys that are replaced by the same text become one.
fn is_of_shape(body: &Value, template: &Value) -> bool {
    match (body, template) {
        (Value::String(_), Value::String(text)) if text.contains('{') => true,
        (Value::Array(body), Value::Array(template)) => {
            body.len() == template.len()
                && body.iter().zip(template).all(|(one, other)| is_of_shape(one, other))
        }
        (Value::Object(body), Value::Object(template)) if body.len() == template.len() => {
            body.values().zip(template.values()).all(|(one, other)| is_of_shape(one, other))
        }
        (Value::Object(body), Value::Object(template)) => body.len() < template.len(),
        (body, template) => body == template,
    }
}

fn text_bytes(body: &Value) -> usize {
    match body {
        Value::String(text) => text.len(),
        Value::Array(list) => list.iter().map(text_bytes).sum(),
        Value::Object(object) => object.iter().map(|(name, item)| name.len() + text_bytes(item)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}
