//! Converts BigQuery rows to JSON objects by column name, including repeated fields and records.

use crate::shared::remote_sql::values;
use serde_json::{Map, Value};

/// Deepest nested record that is read; BigQuery allows fifteen levels.
const DEPTH_MAX: usize = 16;

/// All rows of a response as objects by column name.
pub fn objects(body: &Value) -> Vec<Value> {
    let fields = body.pointer("/schema/fields").and_then(Value::as_array).map(Vec::as_slice);
    let rows = body.get("rows").and_then(Value::as_array).map(Vec::as_slice);
    rows.unwrap_or_default().iter().map(|row| record(fields.unwrap_or_default(), row, 0)).collect()
}

fn record(fields: &[Value], row: &Value, depth: usize) -> Value {
    let cells = row.get("f").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut object = Map::new();
    for (field, cell) in fields.iter().zip(cells) {
        let name = field.get("name").and_then(Value::as_str).unwrap_or_default();
        object.insert(name.to_owned(), value(field, cell.get("v").unwrap_or(&Value::Null), depth));
    }
    Value::Object(object)
}

fn value(field: &Value, cell: &Value, depth: usize) -> Value {
    let is_list = field.get("mode").and_then(Value::as_str) == Some("REPEATED");
    match cell.as_array().filter(|_| is_list) {
        Some(list) => {
            list.iter().map(|one| single(field, one.get("v").unwrap_or(&Value::Null), depth)).collect()
        }
        None => single(field, cell, depth),
    }
}

fn single(field: &Value, cell: &Value, depth: usize) -> Value {
    let kind = field.get("type").and_then(Value::as_str).unwrap_or_default();
    if matches!(kind, "RECORD" | "STRUCT") {
        let fields = field.get("fields").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let is_there = cell.is_object() && depth < DEPTH_MAX;
        return if is_there { record(fields, cell, depth + 1) } else { Value::Null };
    }
    let Some(text) = cell.as_str() else { return cell.clone() };
    match kind {
        "INTEGER" | "INT64" | "FLOAT" | "FLOAT64" | "NUMERIC" | "BIGNUMERIC" => values::number(text),
        "BOOLEAN" | "BOOL" => values::boolean(text),
        "TIMESTAMP" => values::instant(text).map_or_else(|| text.to_owned(), |time| time.to_rfc3339()).into(),
        "JSON" => values::json(text),
        "BYTES" => Value::Null,
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cells_have_their_types() {
        let table = [
            (json!({"type": "STRING"}), json!("12"), json!("12")),
            (json!({"type": "INTEGER"}), json!("12"), json!(12)),
            (json!({"type": "FLOAT"}), json!("1.5"), json!(1.5)),
            (json!({"type": "NUMERIC"}), json!("2.50"), json!(2.5)),
            (json!({"type": "BOOLEAN"}), json!("true"), json!(true)),
            (json!({"type": "TIMESTAMP"}), json!("1.7040672E9"), json!("2024-01-01T00:00:00+00:00")),
            (json!({"type": "DATE"}), json!("2024-01-01"), json!("2024-01-01")),
            (json!({"type": "JSON"}), json!("{\"a\":1}"), json!({"a": 1})),
            (json!({"type": "BYTES"}), json!("AP8="), json!(null)),
            (json!({"type": "STRING"}), json!(null), json!(null)),
            (
                json!({"type": "STRING", "mode": "REPEATED"}),
                json!([{"v": "a"}, {"v": "b"}]),
                json!(["a", "b"]),
            ),
            (
                json!({"type": "RECORD", "fields": [{"name": "n", "type": "INTEGER"}, {"name": "t", "type": "STRING"}]}),
                json!({"f": [{"v": "1"}, {"v": "x"}]}),
                json!({"n": 1, "t": "x"}),
            ),
            (
                json!({"type": "RECORD", "mode": "REPEATED", "fields": [{"name": "n", "type": "INTEGER"}]}),
                json!([{"v": {"f": [{"v": "1"}]}}, {"v": {"f": [{"v": "2"}]}}]),
                json!([{"n": 1}, {"n": 2}]),
            ),
        ];
        for (mut field, cell, want) in table {
            field["name"] = "a".into();
            let body = json!({"schema": {"fields": [field]}, "rows": [{"f": [{"v": cell}]}]});
            assert_eq!(objects(&body), [json!({"a": want})], "{body}");
        }
        assert!(objects(&json!({"jobComplete": true})).is_empty());
    }

    #[test]
    fn depth_is_bounded() {
        let (mut field, mut cell) = (json!({"name": "a", "type": "INTEGER"}), json!({"v": "1"}));
        for _ in 0..DEPTH_MAX + 4 {
            field = json!({"name": "a", "type": "RECORD", "fields": [field]});
            cell = json!({"v": {"f": [cell]}});
        }
        let body = json!({"schema": {"fields": [field]}, "rows": [{"f": [cell]}]});
        let shown = objects(&body)[0].to_string();
        assert_eq!(shown.matches("\"a\"").count(), DEPTH_MAX + 1, "{shown}");
    }
}
