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
        Some(fault) if set.status.has_responded() => {
            format!("{name}: {retrieved} of {found} results, then: {}", fault.message)
        }
        Some(fault) => format!("{name}: {}", fault.message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::result::ProviderError;
    use domain::status::ProviderStatus;
    use testkit::builders::result_set;

    #[test]
    fn a_line_says_what_came_and_what_is_missing() {
        for (status, error, expected) in [
            (ProviderStatus::Ok, None, "3 of 40 results."),
            (ProviderStatus::Partial, Some("HTTP 500"), "3 of 40 results, then: HTTP 500"),
            (ProviderStatus::Error, Some("HTTP 500"), "HTTP 500"),
        ] {
            let error = error.map(|message| ProviderError { code: "http".into(), message: message.into() });
            let set = ResultSet { status, error, retrieved: 3, found: 40, ..result_set(1).build() };
            assert_eq!(line(&set), format!("{}: {expected}", set.provider_name));
        }
    }
}
