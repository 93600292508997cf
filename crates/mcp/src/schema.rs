//! JSON schemas of tool arguments and outputs, derived from their types.

use rmcp::handler::server::common::schema_for_type;
use rmcp::model::JsonObject;
use rmcp::schemars::JsonSchema;
use serde_json::Value;
use std::sync::Arc;

/// The schema without type names and number widths.
pub(crate) fn of<T: JsonSchema + 'static>() -> Arc<JsonObject> {
    let mut schema = Arc::unwrap_or_clone(schema_for_type::<T>());
    for key in ["$schema", "title", "description"] {
        schema.remove(key);
    }
    schema.values_mut().for_each(tidy);
    Arc::new(schema)
}

fn tidy(value: &mut Value) {
    match value {
        Value::Object(object) => {
            // `format` is a keyword only if it is a string; it may also be a property.
            if object.get("format").is_some_and(Value::is_string) {
                object.remove("format");
            }
            object.values_mut().for_each(tidy);
        }
        Value::Array(list) => list.iter_mut().for_each(tidy),
        _ => {}
    }
}
