//! Other fields of a result: its payload as a list of names and values, or as a table.

use super::chart::Chart;
use super::time_text::time_text;
use crate::ui::i18n::Language;
use crate::ui::truncate::truncate;
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
/// Items of a list that are longer each have a line.
const LINE_CHARS_MIN: usize = 80;
/// Fields of cached documents that explain the search in the cache, or that the result shows elsewhere.
const OF_CACHE: [&str; 3] = ["cache_debug", "similarity", "source_provider"];
/// Words of field names that are written in capitals.
const ABBREVIATIONS: [&str; 6] = ["doi", "id", "isbn", "issn", "uri", "url"];
/// Fields of cached documents for which the page has names of its own.
const NAMED_BY_PAGE: [&str; 2] = ["passages", "version_label"];

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
    chart: Option<Chart>,
}

impl Details {
    pub fn of(payload: &Map<String, Value>, is_cached: bool, language: &Language) -> Self {
        let dataset = Dataset::of(payload);
        let is_shown = |name: &str| {
            (dataset.is_none() || !matches!(name, DATASET | CHART))
                && !(is_cached && OF_CACHE.contains(&name))
        };
        let filled = payload.iter().filter(|(name, value)| is_shown(name) && !is_empty(value));
        let field = |(name, value): (&String, &Value)| {
            let is_named_by_page = is_cached && NAMED_BY_PAGE.contains(&name.as_str());
            let name = if is_named_by_page { name.clone() } else { label(name) };
            let text = truncate(&readable(value, Some(language)), TEXT_CHARS_MAX);
            Field { name: truncate(&name, CELL_CHARS_MAX), text }
        };
        let fields: Vec<Field> = filled.clone().take(FIELDS_MAX).map(field).collect();
        Self { left_out: filled.count() - fields.len(), fields, dataset }
    }
}

impl Dataset {
    fn of(payload: &Map<String, Value>) -> Option<Self> {
        let mut rows = payload.get(DATASET)?.as_array()?.iter().filter_map(Value::as_array);
        let row = |cells: &Vec<Value>| {
            // Charts are drawn from the cells, so dates remain as they are.
            cells
                .iter()
                .take(COLUMNS_MAX)
                .map(|cell| truncate(&readable(cell, None), CELL_CHARS_MAX))
                .collect()
        };
        let columns: Vec<String> = row(rows.next()?);
        let count = rows.clone().count();
        let rows: Vec<Vec<String>> = rows.take(ROWS_MAX).map(row).collect();
        let chart = Chart::of(&columns, &rows, payload.get(CHART));
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

/// A field name such as `page_count` as `Page count`; other names remain as they are.
fn label(name: &str) -> String {
    let is_identifier = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !is_identifier {
        return name.to_owned();
    }
    let word =
        |word: &str| if ABBREVIATIONS.contains(&word) { word.to_ascii_uppercase() } else { word.to_owned() };
    let words: Vec<String> = name.split('_').filter(|part| !part.is_empty()).map(word).collect();
    let words = words.join(" ");
    format!("{}{}", words[..1].to_ascii_uppercase(), &words[1..])
}

/// Lists separated by commas, long texts and objects line by line; no quotes or braces. With a language, dates and times
/// have its format.
fn readable(value: &Value, language: Option<&Language>) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => {
            language.and_then(|language| time_text(text, language)).unwrap_or_else(|| text.clone())
        }
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(|item| readable(item, language)).collect();
            let has_lines = items.iter().any(|item| item.chars().nth(LINE_CHARS_MIN).is_some());
            items.join(if has_lines { "\n" } else { ", " })
        }
        Value::Object(map) => {
            let lines = map.iter().map(|(name, value)| format!("{name}: {}", readable(value, language)));
            lines.collect::<Vec<_>>().join("\n")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn details(payload: Value) -> Details {
        Details::of(payload.as_object().expect("an object"), false, &Language::default())
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
        let shown = Details::of(&many, false, &Language::default());
        assert_eq!((shown.fields.len(), shown.left_out), (FIELDS_MAX, 5));
        assert_eq!(shown.fields[0].text.chars().count(), TEXT_CHARS_MAX + 1);
    }

    #[test]
    fn a_cached_document_is_shown_without_the_search_in_the_cache() {
        let payload = json!({"cache_debug": {"x": 1}, "passages": ["p"], "similarity": 0.67,
            "source_provider": "S", "version_label": "v2"});
        let payload = payload.as_object().expect("an object");
        let names = |is_cached| {
            let shown = Details::of(payload, is_cached, &Language::default());
            shown.fields.into_iter().map(|field| field.name).collect::<Vec<_>>()
        };
        assert_eq!(names(true), ["passages", "version_label"]);
        let all = ["Cache debug", "Passages", "Similarity", "Source provider", "Version label"];
        assert_eq!(names(false), all);
    }

    #[test]
    fn names_and_dates_are_written_for_people() {
        let table = [
            ("page_count", "Page count"),
            ("doi", "DOI"),
            ("parent_id_", "Parent ID"),
            ("pageCount", "pageCount"),
            ("_", "_"),
        ];
        for (name, expected) in table {
            assert_eq!(label(name), expected);
        }
        let long = "x".repeat(LINE_CHARS_MIN + 1);
        let lines = format!("{long}\ny");
        let shown = details(json!({"added_on": "2026-11-16", "dataset": [["day"], ["2026-11-16"]],
            "parts": [long, "y"], "seen": ["2026-11-16T05:54:35Z", "x"]}));
        let texts: Vec<&str> = shown.fields.iter().map(|field| field.text.as_str()).collect();
        assert_eq!(texts, ["16 Nov 2026", lines.as_str(), "16 Nov 2026, 05:54 UTC, x"]);
        assert_eq!(shown.dataset.expect("a table").rows, [["2026-11-16"]]);
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
        assert_eq!((table.chart.is_some(), shown.fields.len()), (true, 1));
        for strange in [json!({"dataset": 1}), json!({"dataset": []}), json!({"dataset": ["x"]})] {
            assert_eq!(details(strange).dataset, None);
        }
    }
}
