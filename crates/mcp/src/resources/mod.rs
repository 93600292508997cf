//! The resources that a client can read without calling a tool.

mod health;
mod json;
mod license;
mod providers;
mod search;

use crate::error::ToolError;
use crate::tool_context::ToolContext;
use rmcp::ErrorData;
use rmcp::model::{Resource, ResourceTemplate};

pub(crate) const MEDIA_TYPE: &str = "application/json";
/// URI prefix of a search.
const SEARCH: &str = "svc://search/";

/// The resources with a fixed URI.
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
pub(crate) async fn read(context: &ToolContext<'_>, uri: &str) -> Result<String, ErrorData> {
    let found = match uri {
        "svc://providers" => providers::read(context).await,
        "svc://health" => health::read(context).await,
        "svc://license" => license::read(context),
        _ => match uri.strip_prefix(SEARCH).and_then(|id| id.parse().ok()) {
            Some(id) => search::read(context, id).await,
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
