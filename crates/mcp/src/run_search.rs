//! Starts a search and reports each provider as it finishes.

use crate::QuotaClass;
use crate::error::ToolError;
use crate::tool_context::ToolContext;
use domain::result::ResultSet;
use domain::search::{Search, SearchSpec};

/// Starts a search and waits for it. Returns the unfinished search if it takes too long.
pub(crate) async fn run(context: &ToolContext<'_>, spec: SearchSpec) -> Result<Search, ToolError> {
    context.charge_quota(QuotaClass::Search)?;
    let federation = &context.mcp.federation;
    let search = federation.searches.create(context.principal.user, spec).await?;
    federation::log_start(&search, "mcp");
    context.progress.report(format!("Search {} has begun.", search.id)).await;
    let mut running = federation.waiter.follow_to_end(search);
    while let Some(set) = running.next_provider().await {
        context.progress.report(line(&set)).await;
    }
    Ok(running.end().await?.search)
}

fn line(set: &ResultSet) -> String {
    let ResultSet { provider_name: name, retrieved, found, .. } = set;
    match &set.error {
        None => format!("{name}: {retrieved} of {found} results."),
        Some(fault) => format!("{name}: {}", fault.message),
    }
}
