//! The vendors' machine-readable API descriptions, against which requests and responses are checked. `./test` extracts
//! them from the vendors' packages: `scripts/descriptions.sh`.

mod botocore;
mod discovery;
mod files;
mod recorder;
mod sample;
mod schema;
#[cfg(test)]
mod tests;
mod typescript;

pub use recorder::{Exchange, Recorder};
pub use schema::{Description, Route};
pub use typescript::TypeScript;

use files::{folder, read};
use serde_json::Value;
use std::collections::BTreeSet;

/// A Google discovery document, by its name and version.
pub fn discovery(name: &str) -> Option<Description> {
    Some(discovery::description(&read(&folder()?.join(format!("{name}.json")))))
}

/// An AWS service model.
pub fn botocore(name: &str) -> Option<Description> {
    Some(botocore::description(&read(&folder()?.join(format!("{name}.json")))))
}

/// The response members that the source of a connector names: its JSON pointers, and what it gets by name.
pub fn pointers(source: &str) -> BTreeSet<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let texts = |mark: &str| -> Vec<String> {
        let parts = code.split(mark).skip(1);
        parts.filter_map(|part| part.split_once('"')).map(|(text, _)| text.to_owned()).collect()
    };
    let is_plain = |text: &String| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "/_.".contains(c))
    };
    let whole = texts("\"/").into_iter().filter(is_plain);
    let named = texts(".get(\"").into_iter().filter(is_plain);
    whole.chain(named).map(|text| format!("/{text}")).collect()
}

/// `owned_by` as `ownedBy`.
pub fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        let mut signs = part.chars();
        let start = signs.next().map(|sign| sign.to_ascii_uppercase());
        name + &start.into_iter().chain(signs).collect::<String>()
    })
}

/// A value with its members in camel case, as some clients write them. The schema of a tool's parameters keeps its
/// names.
pub fn with_camel_case(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let renamed = |name: &str, value: &Value| match name {
                "parameters" => value.clone(),
                _ => with_camel_case(value),
            };
            members.iter().map(|(name, value)| (camel_case(name), renamed(name, value))).collect()
        }
        Value::Array(list) => list.iter().map(with_camel_case).collect(),
        other => other.clone(),
    }
}
