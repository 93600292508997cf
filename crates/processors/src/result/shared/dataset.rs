//! `DATASET`: a columnar response as one result with the table and a suggested chart.

use super::chart::suggest;
use super::payload::PAYLOAD_BYTES_MAX;
use super::source_value::text_of;
use domain::result::ResultItem;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Most columns of a table; later ones are left out.
pub const COLUMNS_MAX: usize = 100;
/// Overhead of a cell beside its text.
const CELL_BYTES: usize = 8;

const TABLE: &str = "dataset";
const CHART: &str = "chart";
const ROWS_LEFT_OUT: &str = "dataset_rows_left_out";

/// Merges all results into the first: its title is the query, `payload.dataset` is a row of names and a row of values
/// per result. The columns are `fields` of the results, then the keys of their payloads. Results that are already a
/// dataset, are empty, or come from the semantic cache stay unchanged.
pub fn collapse(items: &mut Vec<ResultItem>, fields: &[&str], query: &str) {
    // Cached documents have their own permissions: one status must not cover several.
    if items.iter().any(|item| is_dataset(item) || item.cache.is_some()) {
        return;
    }
    let names = columns(items, fields);
    if names.is_empty() {
        return;
    }
    let mut bytes_left = PAYLOAD_BYTES_MAX;
    let mut rows: Vec<Vec<Value>> = Vec::new();
    let mut left_out = 0;
    for item in items.iter() {
        let row: Vec<Value> = names.iter().map(|name| cell(item, fields, name)).collect();
        let bytes: usize = row.iter().map(|cell| CELL_BYTES + cell.as_str().map_or(0, str::len)).sum();
        match bytes_left.checked_sub(bytes) {
            Some(left) => {
                bytes_left = left;
                rows.push(row);
            }
            None => left_out += 1,
        }
    }
    items.truncate(1);
    let Some(carrier) = items.first_mut() else { return };
    carrier.title = query.to_owned();
    carrier.payload = Map::new();
    carrier.payload.insert(CHART.to_owned(), suggest(&names, &rows));
    let header = names.into_iter().map(Value::String).collect();
    let table = std::iter::once(header).chain(rows).map(Value::Array).collect();
    carrier.payload.insert(TABLE.to_owned(), Value::Array(table));
    if left_out > 0 {
        carrier.payload.insert(ROWS_LEFT_OUT.to_owned(), left_out.into());
    }
}

pub fn is_dataset(item: &ResultItem) -> bool {
    item.payload.get(TABLE).is_some_and(Value::is_array)
}

/// A text field of a result by its name.
pub fn item_text<'a>(item: &'a ResultItem, field: &str) -> Option<&'a str> {
    Some(match field {
        "title" => &item.title,
        "url" => &item.url,
        "body" => &item.body,
        "author" => &item.author,
        "date_published" => &item.date_published,
        "date_published_display" => &item.date_published_display,
        _ => return None,
    })
}

/// Each name once, in order of appearance.
fn columns(items: &[ResultItem], fields: &[&str]) -> Vec<String> {
    let mut known: HashMap<&str, ()> = HashMap::new();
    let mut names = Vec::new();
    let in_payloads = items.iter().flat_map(|item| item.payload.keys().map(String::as_str));
    for name in fields.iter().copied().chain(in_payloads) {
        if names.len() < COLUMNS_MAX && known.insert(name, ()).is_none() {
            names.push(name.to_owned());
        }
    }
    names
}

/// Numbers, booleans and strings unchanged; lists and objects as text.
fn cell(item: &ResultItem, fields: &[&str], name: &str) -> Value {
    if fields.contains(&name) {
        let text = item_text(item, name).filter(|text| !text.is_empty());
        return text.map_or(Value::Null, |text| Value::String(text.to_owned()));
    }
    match item.payload.get(name) {
        None => Value::Null,
        Some(value @ (Value::Array(_) | Value::Object(_))) => Value::String(text_of(value)),
        Some(value) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn item(title: &str, payload: Value) -> ResultItem {
        let payload = payload.as_object().cloned().unwrap_or_default();
        ResultItem { title: title.to_owned(), payload, searchprovider_rank: 3, ..ResultItem::default() }
    }

    #[test]
    fn one_header_and_the_first_result_carries() {
        let mut items = vec![
            ResultItem { url: "https://first.example".to_owned(), ..item("a", json!({"x": 1, "y": "p"})) },
            item("b", json!({"y": {"k": 2}, "z": true})),
        ];
        collapse(&mut items, &[], "the query");
        assert_eq!(items.len(), 1);
        assert_eq!((items[0].title.as_str(), items[0].url.as_str()), ("the query", "https://first.example"));
        let want = json!([["x", "y", "z"], [1, "p", null], [null, r#"{"k":2}"#, true]]);
        assert_eq!(items[0].payload["dataset"], want);
        let before = items.clone();
        collapse(&mut items, &[], "again");
        assert_eq!(items, before, "a dataset stays as it is");
    }

    #[test]
    fn fields_come_first_and_nothing_stays_nothing() {
        let mut items = vec![item("a", json!({"x": 1})), item("", json!({"x": 2}))];
        collapse(&mut items, &["title"], "q");
        assert_eq!(items[0].payload["dataset"], json!([["title", "x"], ["a", 1], [null, 2]]));
        let mut empty = vec![item("a", json!({}))];
        collapse(&mut empty, &[], "q");
        assert_eq!(empty[0].title, "a");
        let mut none = Vec::new();
        collapse(&mut none, &["title"], "q");
        assert!(none.is_empty());
    }

    #[test]
    fn a_table_is_bounded() {
        let wide: Map<String, Value> = (0..COLUMNS_MAX + 5).map(|n| (format!("c{n}"), json!(n))).collect();
        let mut items = vec![item("a", Value::Object(wide))];
        collapse(&mut items, &[], "q");
        assert_eq!(items[0].payload["dataset"][0].as_array().map(Vec::len), Some(COLUMNS_MAX));
        let long = "x".repeat(PAYLOAD_BYTES_MAX / 2);
        let mut items: Vec<ResultItem> = (0..3).map(|_| item("a", json!({"t": long}))).collect();
        collapse(&mut items, &[], "q");
        assert_eq!(items[0].payload["dataset"].as_array().map(Vec::len), Some(2));
        assert_eq!(items[0].payload["dataset_rows_left_out"], json!(2));
    }
}
