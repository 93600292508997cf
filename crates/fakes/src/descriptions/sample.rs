//! Responses generated from a description with every member of a type, so that a mapping to an unknown member stays
//! empty.

use super::schema::{Description, reference};
use serde_json::{Map, Value, json};

/// Types may be recursive.
const DEPTH_MAX: usize = 8;
const TIME: &str = "2024-03-05T10:00:00Z";

impl Description {
    /// A response of a named type with every possible member.
    pub fn sample(&self, name: &str) -> Value {
        of(self, &reference(name), name, 0)
    }
}

fn of(description: &Description, schema: &Value, name: &str, depth: usize) -> Value {
    let schema = description.resolve(schema);
    if depth > DEPTH_MAX {
        return Value::Null;
    }
    let first = schema["enum"].as_array().and_then(|names| names.first());
    match (schema["type"].as_str(), schema["format"].as_str()) {
        (Some("object"), _) => {
            let members = schema["properties"].as_object().into_iter().flatten();
            let full = members.map(|(name, schema)| (name.clone(), of(description, schema, name, depth + 1)));
            Value::Object(full.filter(|(_, value)| !value.is_null()).collect::<Map<String, Value>>())
        }
        (Some("array"), _) => match of(description, &schema["items"], name, depth + 1) {
            Value::Null => json!([]),
            one => json!([one]),
        },
        (Some("string"), Some("date-time")) => json!(TIME),
        (Some("string"), Some("date")) => json!("2024-03-05"),
        (Some("string"), Some("int64" | "uint64")) => json!("1709632800000"),
        (Some("string"), _) => first.cloned().unwrap_or_else(|| json!(format!("the {name}"))),
        (Some("integer"), _) => json!(3),
        (Some("number"), _) => json!(0.5),
        (Some("boolean"), _) => json!(true),
        _ => Value::Null,
    }
}
