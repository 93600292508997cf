//! The resources: what a client may read without calling a tool. Each is made of named fields.

mod health;
mod license;
mod providers;
mod search;

use crate::call::Call;
use crate::error::ToolError;
use rmcp::ErrorData;
use rmcp::model::{Resource, ResourceTemplate};
use serde_json::Value;

pub(crate) const MEDIA_TYPE: &str = "application/json";
/// What stands before the id of a search.
const SEARCH: &str = "svc://search/";

/// The resources with a fixed address.
const TABLE: [(&str, &str, &str); 3] = [
    ("svc://providers", "providers", "The sources that you may search."),
    ("svc://health", "health", "Whether the service can work, and how its sources stand."),
    ("svc://license", "license", "What this installation may do, and until when."),
];

pub(crate) fn listed() -> Vec<Resource> {
    let described = |(uri, name, description)| {
        Resource::new(uri, name).with_description(description).with_mime_type(MEDIA_TYPE)
    };
    TABLE.map(described).to_vec()
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let search = ResourceTemplate::new("svc://search/{id}", "search")
        .with_description("One of your searches: how it ended, and its first results.")
        .with_mime_type(MEDIA_TYPE);
    vec![search]
}

/// The text of a resource.
pub(crate) async fn read(call: &Call<'_>, uri: &str) -> Result<String, ErrorData> {
    let found = match uri {
        "svc://providers" => providers::read(call).await,
        "svc://health" => health::read(call).await,
        "svc://license" => license::read(call),
        _ => match uri.strip_prefix(SEARCH).and_then(|id| id.parse().ok()) {
            Some(id) => search::read(call, id).await,
            None => return Err(unknown(uri)),
        },
    };
    found.map(|value| format!("{value:#}")).map_err(|error| missing(uri, &error))
}

fn unknown(uri: &str) -> ErrorData {
    ErrorData::resource_not_found(format!("There is no resource {uri}."), None)
}

fn missing(uri: &str, error: &ToolError) -> ErrorData {
    ErrorData::resource_not_found(format!("{uri}: {error}"), None)
}

fn shown(view: &impl serde::Serialize) -> Result<Value, ToolError> {
    serde_json::to_value(view).map_err(ToolError::internal)
}
