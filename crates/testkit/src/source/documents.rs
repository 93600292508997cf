//! A small search over documents: one matches if it contains every word of the query.

use super::recorded::Recorded;
use serde_json::{Value, json};

const COUNT_DEFAULT: usize = 10;

pub(super) fn search(documents: &[Value], request: &Recorded) -> Value {
    let number = |name: &str| request.query_value(name).and_then(|value| value.parse::<usize>().ok());
    let count = number("count").unwrap_or(COUNT_DEFAULT);
    let page = number("page").unwrap_or(1).max(1);
    let wanted = words(request.query_value("q").unwrap_or_default());
    let found: Vec<&Value> = documents.iter().filter(|document| holds(document, &wanted)).collect();
    let items: Vec<&Value> = found.iter().skip((page - 1) * count).take(count).copied().collect();
    json!({"total": found.len(), "items": items})
}

fn holds(document: &Value, wanted: &[String]) -> bool {
    let mut known = Vec::new();
    collect_words(document, &mut known);
    wanted.iter().all(|word| known.contains(word))
}

fn collect_words(value: &Value, known: &mut Vec<String>) {
    match value {
        Value::String(text) => known.extend(words(text)),
        Value::Array(items) => items.iter().for_each(|item| collect_words(item, known)),
        Value::Object(fields) => fields.values().for_each(|field| collect_words(field, known)),
        Value::Number(number) => known.push(number.to_string()),
        Value::Bool(_) | Value::Null => {}
    }
}

fn words(text: &str) -> Vec<String> {
    let pieces = text.split(|c: char| !c.is_alphanumeric()).filter(|piece| !piece.is_empty());
    pieces.map(str::to_lowercase).collect()
}
