//! `/svc/searchproviders/`.

mod create;
mod doctor;
mod edit;
mod list;
mod secrets;
mod states;
mod test;
mod validation;
mod visibility;

use serde_json::{Value, json};

/// The smallest provider that can be saved.
fn smallest(name: &str) -> Value {
    json!({"name": name, "url": "https://source.example/", "response_mappings": "RESULTS=items"})
}

/// The smallest provider with more fields.
fn with(name: &str, more: Value) -> Value {
    let mut spec = smallest(name);
    spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    spec
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect()
}
