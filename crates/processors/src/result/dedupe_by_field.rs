//! DedupeByFieldResultProcessor: keeps the first of one provider's results with the same `result_grouping_field`. Works
//! on source items (before mapping) and on results (after it).

use super::shared::source_value::{is_populated, joined};
use domain::ports::{
    Outcome, ProcessorError, ResultBatch, ResultContext, ResultProcessor, ResultProcessorKind,
};
use domain::result::{DATE_UNKNOWN, ResultItem};
use serde_json::Value;
use std::collections::HashSet;
use syntax::json_path::JsonPath;

pub const KIND: ResultProcessorKind = ResultProcessorKind {
    name: "DedupeByFieldResultProcessor",
    summary: "Keeps the first of one provider's results with the same value in its result_grouping_field.",
    processor: &DedupeByField,
};

struct DedupeByField;

impl ResultProcessor for DedupeByField {
    fn process(&self, batch: &mut ResultBatch, cx: &ResultContext<'_>) -> Result<Outcome, ProcessorError> {
        Ok(dedupe(batch, cx.provider.spec.result_grouping_field.trim()))
    }
}

/// Without a field, nothing is done. Empty values are never duplicates.
fn dedupe(batch: &mut ResultBatch, field: &str) -> Outcome {
    if field.is_empty() {
        return Outcome::default();
    }
    // A plain name is looked up directly; only one with steps is a path.
    let path = if field.contains(['.', '[']) { JsonPath::parse(field).ok() } else { None };
    let before = batch.raw.len() + batch.items.len();
    let mut seen = HashSet::new();
    batch.raw.retain(|raw| record_new(&mut seen, value_in(raw, field, path.as_ref())));
    seen.clear();
    batch.items.retain_mut(|item| {
        let payload = Value::Object(std::mem::take(&mut item.payload));
        let own = own_field(item, field).trim();
        let value = if own.is_empty() { value_in(&payload, field, path.as_ref()) } else { own.to_owned() };
        if let Value::Object(payload) = payload {
            item.payload = payload;
        }
        record_new(&mut seen, value)
    });
    Outcome::deleted(before - batch.raw.len() - batch.items.len())
}

/// False if the value was seen before.
fn record_new(seen: &mut HashSet<String>, value: String) -> bool {
    value.is_empty() || seen.insert(value)
}

fn own_field<'a>(item: &'a ResultItem, field: &str) -> &'a str {
    match field {
        "title" => &item.title,
        "url" => &item.url,
        "body" => &item.body,
        "author" => &item.author,
        "date_published" if item.date_published != DATE_UNKNOWN => &item.date_published,
        "date_published_display" => &item.date_published_display,
        _ => "",
    }
}

/// The member of that name, or else the value at that path.
fn value_in(object: &Value, field: &str, path: Option<&JsonPath>) -> String {
    if let Some(value) = object.get(field).filter(|value| is_populated(value)) {
        return joined([value]).trim().to_owned();
    }
    path.map_or_else(String::new, |path| joined(path.find(object)).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn item(title: &str, payload: Value) -> ResultItem {
        let payload = payload.as_object().cloned().unwrap_or_default();
        ResultItem { title: title.to_owned(), payload, ..ResultItem::default() }
    }

    fn kept(field: &str, items: Vec<ResultItem>) -> Vec<String> {
        let mut batch = ResultBatch { items, ..ResultBatch::default() };
        dedupe(&mut batch, field);
        batch.items.into_iter().map(|item| item.title).collect()
    }

    #[test]
    fn the_first_of_each_value_stays() {
        let items = || {
            vec![
                item("a", json!({"thread": "1", "deep": {"id": 7}})),
                item("b", json!({"thread": 1, "deep": {"id": 7}})),
                item("c", json!({"thread": " "})),
                item("c", json!({"thread": null})),
                item("", json!({})),
                item("", json!({"thread": "2", "deep": {"id": 8}})),
            ]
        };
        let table: [(&str, &[&str]); 5] = [
            ("thread", &["a", "c", "c", "", ""]),
            ("title", &["a", "b", "c", "", ""]),
            ("deep.id", &["a", "c", "c", "", ""]),
            ("missing", &["a", "b", "c", "c", "", ""]),
            ("", &["a", "b", "c", "c", "", ""]),
        ];
        for (field, want) in table {
            assert_eq!(kept(field, items()), want, "{field}");
        }
        let dated =
            |title: &str| ResultItem { date_published: DATE_UNKNOWN.to_owned(), ..item(title, json!({})) };
        assert_eq!(kept("date_published", vec![dated("a"), dated("b")]), ["a", "b"], "unknown is no date");
    }

    #[test]
    fn works_before_mapping() {
        let raw = vec![json!({"id": 1}), json!({"id": 1}), json!("text"), json!("text"), json!({"id": 2})];
        let mut batch = ResultBatch { raw, ..ResultBatch::default() };
        assert_eq!(dedupe(&mut batch, "id"), Outcome::deleted(1));
        assert_eq!(batch.raw.len(), 4);
    }
}
