//! `get_search_results`: a page of an existing search.

use super::definition::{Row, ToolCall};
use super::search::page;
use crate::error::ToolError;
use crate::schema;
use crate::tool_context::{ToolContext, ToolOutput, arguments};
use crate::views::{FoundView, results_shown};
use async_trait::async_trait;
use domain::ids::ProviderId;
use federation::MixRequest;
use rmcp::model::JsonObject;
use rmcp::schemars;
use rmcp::schemars::JsonSchema;
use serde::Deserialize;

pub(crate) const ROW: Row = Row {
    name: "get_search_results",
    aliases: &["get_results"],
    title: "Results of a search",
    description: "A page of the merged list of one of your searches. Status not_ready means that it is still running: \
        ask again after retry_in_seconds.",
    is_read_only: true,
    is_open_world: false,
    input: schema::of::<Arguments>,
    output: schema::of::<FoundView>,
    tool: &GetSearchResults,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// From search or list_searches.
    search_id: i64,
    /// From 1.
    #[serde(default)]
    page: Option<u32>,
    /// Only the results of this provider; see list_providers.
    #[serde(default)]
    provider_id: Option<i64>,
    /// A mixer other than that of the search.
    #[serde(default)]
    result_mixer: Option<String>,
    /// Results per page, 1 to 50; default 10. Keep it constant from page to page.
    #[serde(default)]
    max_results: Option<u32>,
}

struct GetSearchResults;

#[async_trait]
impl ToolCall for GetSearchResults {
    async fn call(&self, context: &ToolContext<'_>, given: JsonObject) -> Result<ToolOutput, ToolError> {
        let given: Arguments = arguments(given)?;
        let mut search = context.own_search(given.search_id).await?;
        // The page size is the number of requested results.
        search.spec.results_requested = results_shown(given.max_results);
        let request = MixRequest {
            mixer: given.result_mixer,
            page: given.page.unwrap_or(1).max(1),
            provider: given.provider_id.map(ProviderId),
            explain: Some(false),
            ..MixRequest::default()
        };
        let view = page(context, &search, request).await?;
        ToolOutput::new(&view, view.markdown())
    }
}
