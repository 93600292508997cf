//! `list_searches`: the caller's searches, newest first.

use super::definition::{Row, ToolCall};
use crate::error::ToolError;
use crate::markdown::inline;
use crate::schema;
use crate::tool_context::{ToolContext, ToolOutput, arguments};
use crate::views::{TITLE_CHARS_MAX, results_shown};
use async_trait::async_trait;
use domain::owner_scope::OwnerScope;
use domain::search::Search;
use rmcp::model::JsonObject;
use rmcp::schemars;
use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) const ROW: Row = Row {
    name: "list_searches",
    aliases: &[],
    title: "Recent searches",
    description: "Your recent searches with their ids, the newest first.",
    is_read_only: true,
    is_open_world: false,
    input: schema::of::<Arguments>,
    output: schema::of::<SearchesView>,
    tool: &ListSearches,
};

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Arguments {
    /// 1 to 50; default 10.
    limit: Option<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SearchesView {
    /// Number of your searches.
    total: u64,
    searches: Vec<SearchView>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SearchView {
    search_id: i64,
    query: String,
    status: String,
    /// Start time.
    date: String,
    /// Duration in seconds.
    took: f64,
}

struct ListSearches;

#[async_trait]
impl ToolCall for ListSearches {
    async fn call(&self, context: &ToolContext<'_>, given: JsonObject) -> Result<ToolOutput, ToolError> {
        let given: Arguments = arguments(given)?;
        let limit = u64::from(results_shown(given.limit));
        let page = context.mcp.store.searches(OwnerScope::Only(context.principal.user), 0, limit).await?;
        let searches = page.items.iter().map(SearchView::of).collect();
        let view = SearchesView { total: page.total, searches };
        ToolOutput::new(&view, view.markdown())
    }
}

impl SearchView {
    fn of(search: &Search) -> Self {
        Self {
            search_id: search.id.0,
            query: search.spec.query_string.clone(),
            status: search.status.as_str().to_owned(),
            date: search.date_created.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
            took: search.time_s,
        }
    }
}

impl SearchesView {
    fn markdown(&self) -> String {
        let mut out = format!("**{} of {} searches**\n\n", self.searches.len(), self.total);
        for search in &self.searches {
            let query = inline(&search.query, TITLE_CHARS_MAX);
            let _ = writeln!(out, "- {}: {query} ({}, {})", search.search_id, search.status, search.date);
        }
        out
    }
}
