//! `search`: asks the sources and gives the first page of the merged list.

use super::{Row, ToolCall};
use crate::call::{Call, NamedProvider, Said, arguments};
use crate::error::ToolError;
use crate::views::{FoundView, results_shown};
use crate::{running, schema};
use async_trait::async_trait;
use domain::search::{DEFAULT_MIXER, Search, SearchSpec, Sort};
use federation::{FederationError, MixRequest};
use rmcp::model::JsonObject;
use rmcp::schemars;
use rmcp::schemars::JsonSchema;
use serde::Deserialize;

pub(crate) const ROW: Row = Row {
    name: "search",
    aliases: &["create_search"],
    title: "Search the sources",
    description: "Asks many sources at once and merges what they find into one list, the best first. Gives search_id \
        for further pages and a swirl_id for each result, which read_document and search_rag take.",
    is_read_only: true,
    is_open_world: true,
    input: schema::of::<Arguments>,
    output: schema::of::<FoundView>,
    tool: &SearchTool,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// What to look for. AND, OR, NOT and "phrases" are understood; tag:word asks the sources of a tag.
    query: String,
    /// Ids, names or tags of the sources; without them the default ones are asked. See list_providers.
    #[serde(default)]
    providers: Option<Vec<NamedProvider>>,
    /// 1 to 50; 10 when it is not said.
    #[serde(default)]
    max_results: Option<u32>,
    /// relevancy (the default) or date.
    #[serde(default)]
    sort: Option<Order>,
    /// The mixer that orders the list; leave it out for the usual one.
    #[serde(default)]
    result_mixer: Option<String>,
    /// True: each result says why it stands where it does.
    #[serde(default)]
    explain: Option<bool>,
}

#[derive(Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(super) enum Order {
    Relevancy,
    Date,
}

struct SearchTool;

#[async_trait]
impl ToolCall for SearchTool {
    async fn call(&self, call: &Call<'_>, given: JsonObject) -> Result<Said, ToolError> {
        let given: Arguments = arguments(given)?;
        let sort = match given.sort {
            Some(Order::Date) => Sort::Date,
            Some(Order::Relevancy) | None => Sort::Relevancy,
        };
        let spec = SearchSpec {
            query_string: given.query,
            searchprovider_list: given.providers.into_iter().flatten().map(Into::into).collect(),
            results_requested: results_shown(given.max_results),
            result_mixer: given.result_mixer.unwrap_or_else(|| DEFAULT_MIXER.to_owned()),
            sort,
            ..SearchSpec::default()
        };
        let search = running::run(call, spec).await?;
        let view = page(call, &search, first_page(given.explain.unwrap_or(false))).await?;
        Said::new(&view, view.markdown())
    }
}

/// The first page of a search that was started before, for whoever reads it as a resource.
pub(crate) async fn first_results(call: &Call<'_>, mut search: Search) -> Result<FoundView, ToolError> {
    search.spec.results_requested = results_shown(None);
    page(call, &search, first_page(false)).await
}

/// The first page by the search's own mixer.
pub(super) fn first_page(explain: bool) -> MixRequest {
    MixRequest { explain: Some(explain), ..MixRequest::default() }
}

/// A page of a search that has ended; that it still runs is an answer too.
pub(super) async fn page(
    call: &Call<'_>,
    search: &Search,
    request: MixRequest,
) -> Result<FoundView, ToolError> {
    match call.mcp.federation.mix(search, &request).await {
        Ok(mixed) => Ok(FoundView::of(search, mixed, request.page)),
        Err(FederationError::NotReady(_)) => Ok(FoundView::not_ready(search)),
        Err(error) => Err(error.into()),
    }
}
