//! The wire stays as it is: operations, schemas and settings are held against `tests/wire`, without descriptions.
//! `SVC_TEST_WRITE=1` records a deliberate change.

use crate::architecture::root;
use domain::settings::Settings;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A schema without its descriptions. A property may have one of these names.
fn without_descriptions(value: &Value, parent: &str) -> Value {
    match value {
        Value::Object(members) => {
            let is_text =
                |name: &str, value: &Value| matches!(name, "description" | "summary") && value.is_string();
            let kept = members.iter().filter(|(name, value)| parent == "properties" || !is_text(name, value));
            let mut kept: Vec<_> = kept.collect();
            kept.sort_by_key(|(name, _)| name.as_str());
            let kept =
                kept.into_iter().map(|(name, value)| (name.clone(), without_descriptions(value, name)));
            Value::Object(kept.collect::<Map<_, _>>())
        }
        Value::Array(values) => values.iter().map(|value| without_descriptions(value, "")).collect(),
        other => other.clone(),
    }
}

fn operations() -> Vec<String> {
    let document: Value = serde_json::from_str(&server::openapi_json().unwrap()).unwrap();
    let mut lines = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let method = method.to_uppercase();
            lines.push(format!("{method} {path} {}", without_descriptions(operation, "")));
        }
    }
    for (kind, part) in [("schema", "schemas"), ("security", "securitySchemes")] {
        for (name, schema) in document["components"][part].as_object().unwrap() {
            lines.push(format!("{kind} {name} {}", without_descriptions(schema, "")));
        }
    }
    lines.sort();
    lines
}

fn settings() -> Vec<String> {
    let rows = Settings::TABLE.iter();
    rows.map(|row| format!("{} ({}) {}", row.name, row.kind, (row.default)()).trim_end().to_owned()).collect()
}

fn hold(file: &str, lines: &[String]) {
    let path: PathBuf = root().join("crates/tributary/tests/wire").join(file);
    let now = lines.join("\n") + "\n";
    if std::env::var_os("SVC_TEST_WRITE").is_some() {
        std::fs::write(path, now).unwrap();
        return;
    }
    let recorded = std::fs::read_to_string(path).unwrap();
    let (before, after): (BTreeSet<&str>, BTreeSet<&str>) =
        (recorded.lines().collect(), now.lines().collect());
    let gone: Vec<_> = before.difference(&after).collect();
    let new: Vec<_> = after.difference(&before).collect();
    assert!(gone.is_empty() && new.is_empty(), "the wire changed\nbefore: {gone:#?}\nnow: {new:#?}");
}

#[test]
fn operations_and_schemas_are_as_recorded() {
    hold("openapi.txt", &operations());
}

#[test]
fn settings_are_as_recorded() {
    hold("settings.txt", &settings());
}

#[test]
fn a_changed_field_is_seen_and_a_changed_description_is_not() {
    let schema = |field: &str, text: &str| {
        serde_json::json!({"description": text, "properties": {"description": {"type": "string"},
            field: {"type": "string", "description": text}}})
    };
    let [one, reworded, renamed] =
        [("a", "x"), ("a", "y"), ("b", "x")].map(|(field, text)| schema(field, text));
    assert_eq!(without_descriptions(&one, ""), without_descriptions(&reworded, ""));
    assert_ne!(without_descriptions(&one, ""), without_descriptions(&renamed, ""));
}
