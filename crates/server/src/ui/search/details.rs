//! Other fields of a result: its payload as a list of names and values, or as a table.

use serde::Serialize;
use serde_json::{Map, Value};

/// Most fields shown.
const FIELDS_MAX: usize = 60;
/// Length at which a field is cut, in characters.
const TEXT_CHARS_MAX: usize = 1000;
/// Most rows of a table.
const ROWS_MAX: usize = 500;
/// Most columns of a table.
const COLUMNS_MAX: usize = 30;
/// Length at which a cell is cut, in characters.
const CELL_CHARS_MAX: usize = 200;

const DATASET: &str = "dataset";
const CHART: &str = "chart";

#[derive(Debug, Default, PartialEq, Serialize)]
pub struct Details {
    fields: Vec<Field>,
    pub dataset: Option<Dataset>,
    /// Number of fields not shown.
    left_out: usize,
}

#[derive(Debug, PartialEq, Serialize)]
struct Field {
    name: String,
    text: String,
}

#[derive(Debug, PartialEq, Serialize)]
pub struct Dataset {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Number of rows not shown.
    left_out: usize,
    /// Suggested chart, as JSON.
    chart: String,
}

impl Details {
    pub fn of(payload: &Map<String, Value>) -> Self {
        let dataset = Dataset::of(payload);
        let is_shown = |name: &str| dataset.is_none() || !matches!(name, DATASET | CHART);
        let filled = payload.iter().filter(|(name, value)| is_shown(name) && !is_empty(value));
        let fields: Vec<Field> = filled
            .clone()
            .take(FIELDS_MAX)
            .map(|(name, value)| Field { name: cut(name, CELL_CHARS_MAX), text: text(value, TEXT_CHARS_MAX) })
            .collect();
        Self { left_out: filled.count() - fields.len(), fields, dataset }
    }
}

impl Dataset {
    fn of(payload: &Map<String, Value>) -> Option<Self> {
        let mut rows = payload.get(DATASET)?.as_array()?.iter().filter_map(Value::as_array);
        let row = |cells: &Vec<Value>| {
            cells.iter().take(COLUMNS_MAX).map(|cell| text(cell, CELL_CHARS_MAX)).collect()
        };
        let columns: Vec<String> = row(rows.next()?);
        let count = rows.clone().count();
        let rows: Vec<Vec<String>> = rows.take(ROWS_MAX).map(row).collect();
        let chart = payload.get(CHART).map(Value::to_string).unwrap_or_default();
        Some(Self { left_out: count - rows.len(), columns, rows, chart })
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn text(value: &Value, chars_max: usize) -> String {
    cut(&readable(value), chars_max)
}

/// Lists separated by commas, objects line by line; no quotes or braces.
fn readable(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(list) => list.iter().map(readable).collect::<Vec<_>>().join(", "),
        Value::Object(map) => {
            let lines = map.iter().map(|(name, value)| format!("{name}: {}", readable(value)));
            lines.collect::<Vec<_>>().join("\n")
        }
    }
}

fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn details(payload: Value) -> Details {
        Details::of(payload.as_object().expect("an object"))
    }

    #[test]
    fn fields_are_rendered_as_text_and_bounded() {
        let shown = details(
            json!({"a": "x", "b": ["p", "q"], "c": {"k": 1, "l": [2, "\"x\""]}, "d": "", "e": null, "f": 3}),
        );
        let texts: Vec<&str> = shown.fields.iter().map(|field| field.text.as_str()).collect();
        assert_eq!(texts, ["x", "p, q", "k: 1\nl: 2, \"x\"", "3"]);
        let many: Map<String, Value> =
            (0..FIELDS_MAX + 5).map(|n| (format!("f{n}"), json!("é".repeat(2000)))).collect();
        let shown = Details::of(&many);
        assert_eq!((shown.fields.len(), shown.left_out), (FIELDS_MAX, 5));
        assert_eq!(shown.fields[0].text.chars().count(), TEXT_CHARS_MAX + 1);
    }

    #[test]
    fn a_dataset_is_a_table() {
        let mut rows = vec![json!(["name", "sold"])];
        rows.extend((0..ROWS_MAX + 2).map(|n| json!([format!("n{n}"), n])));
        let shown = details(json!({"dataset": rows, "chart": {"kind": "bar"}, "note": "x"}));
        let table = shown.dataset.expect("a table");
        assert_eq!((table.rows.len(), table.left_out), (ROWS_MAX, 2));
        assert_eq!(
            (table.columns, table.rows[1].clone()),
            (vec!["name".into(), "sold".into()], vec!["n1".into(), "1".into()])
        );
        assert_eq!((table.chart.as_str(), shown.fields.len()), ("{\"kind\":\"bar\"}", 1));
        for strange in [json!({"dataset": 1}), json!({"dataset": []}), json!({"dataset": ["x"]})] {
            assert_eq!(details(strange).dataset, None);
        }
    }
}
