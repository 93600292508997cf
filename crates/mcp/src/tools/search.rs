//! `search`: queries the sources and returns the first page of the merged list.

use super::definition::{Row, ToolCall};
use crate::error::ToolError;
use crate::tool_context::{NamedProvider, ToolContext, ToolOutput, arguments};
use crate::views::{FoundView, SECOND_READER, results_shown};
use crate::{run_search, schema};
use async_trait::async_trait;
use domain::mixed::MixedResponse;
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
    description: "Searches many sources at once and merges the results into one ranked list. Returns a search_id for \
        further pages and a swirl_id for each result, which read_document and search_rag accept.",
    is_read_only: true,
    is_open_world: true,
    input: schema::of::<Arguments>,
    output: schema::of::<FoundView>,
    tool: &SearchTool,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// What to search for. AND, OR, NOT and "phrases" are supported; tag:word searches the sources with a tag.
    query: String,
    /// Ids, names or tags of the sources; omit to search the default ones. See list_providers.
    #[serde(default)]
    providers: Option<Vec<NamedProvider>>,
    /// 1 to 50; default 10.
    #[serde(default)]
    max_results: Option<u32>,
    /// relevancy (the default) or date.
    #[serde(default)]
    sort: Option<Order>,
    /// The mixer that orders the list; omit for the default.
    #[serde(default)]
    result_mixer: Option<String>,
    /// True to explain the rank of each result.
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
    async fn call(&self, context: &ToolContext<'_>, given: JsonObject) -> Result<ToolOutput, ToolError> {
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
        let search = run_search::run(context, spec).await?;
        let explain = Some(given.explain.unwrap_or(false));
        let request = MixRequest { explain, ..MixRequest::default() };
        let view = match mixed(context, &search, &request).await? {
            Some(mixed) => read_again(context, &search, mixed).await,
            None => FoundView::not_ready(&search),
        };
        ToolOutput::new(&view, view.markdown())
    }
}

/// The page with its best results in the order of the second reader, if it is on and reads them in time.
async fn read_again(context: &ToolContext<'_>, search: &Search, mut mixed: MixedResponse) -> FoundView {
    let mut order = None;
    if let Some(orders) = context.mcp.summaries.better_orders()
        && let Some(results) = orders.reordered(search, &mixed.results).await
    {
        mixed.results = results;
        order = Some(SECOND_READER);
    }
    FoundView { order, ..FoundView::of(search, mixed, 1) }
}

/// The first page of an existing search, for the resource.
pub(crate) async fn first_results(
    context: &ToolContext<'_>,
    mut search: Search,
) -> Result<FoundView, ToolError> {
    search.spec.results_requested = results_shown(None);
    page(context, &search, MixRequest { explain: Some(false), ..MixRequest::default() }).await
}

/// A page of a search; a running search gives a view that says so.
pub(super) async fn page(
    context: &ToolContext<'_>,
    search: &Search,
    request: MixRequest,
) -> Result<FoundView, ToolError> {
    let mixed = mixed(context, search, &request).await?;
    let view = mixed.map(|mixed| FoundView::of(search, mixed, request.page));
    Ok(view.unwrap_or_else(|| FoundView::not_ready(search)))
}

/// The mixed results; `None` while the search runs.
async fn mixed(
    context: &ToolContext<'_>,
    search: &Search,
    request: &MixRequest,
) -> Result<Option<MixedResponse>, ToolError> {
    match context.mcp.federation.mixer.mix(search, request).await {
        Ok(mixed) => Ok(Some(mixed)),
        Err(FederationError::NotReady(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
