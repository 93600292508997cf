//! Starts a search and reports each provider as it finishes.

use crate::QuotaClass;
use crate::error::ToolError;
use crate::tool_context::ToolContext;
use domain::ids::ProviderId;
use domain::result::ResultSet;
use domain::search::{Search, SearchSpec};
use federation::{FederationError, SearchEvent};
use std::collections::BTreeSet;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;

/// Extra time beyond that of query processors and providers.
const GRACE: Duration = Duration::from_secs(5);

/// Starts a search and waits for it. Returns the unfinished search if it takes too long.
pub(crate) async fn run(context: &ToolContext<'_>, spec: SearchSpec) -> Result<Search, ToolError> {
    context.charge_quota(QuotaClass::Search)?;
    let search = context.mcp.federation.create(context.principal.user, spec).await?;
    let (id, owner) = (search.id, search.owner);
    tracing::info!(
        user.id = owner.0,
        search.id = id.0,
        way = "mcp",
        "mcp: search {id} of user {owner} was started"
    );
    context.progress.report(format!("Search {id} has begun.")).await;
    follow(context, search).await
}

async fn follow(context: &ToolContext<'_>, search: Search) -> Result<Search, ToolError> {
    let federation = &context.mcp.federation;
    let mut events = federation.progress().subscribe(search.id);
    federation.progress().follow(&search);
    let mut reported = BTreeSet::new();
    for set in federation.progress().snapshot(search.id, search.run) {
        report(context, &mut reported, &set).await;
    }
    let at_most = federation.time_max(&search) + GRACE;
    let mut end = pin!(federation.wait(search.id, at_most));
    let mut is_open = true;
    let ended = loop {
        tokio::select! {
            ended = &mut end => break ended,
            event = events.recv(), if is_open => match event {
                Ok(SearchEvent::Provider(run, set)) if run == search.run => report(context, &mut reported, &set).await,
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => is_open = false,
            },
        }
    };
    // Events just before the end.
    while let Ok(event) = events.try_recv() {
        if let SearchEvent::Provider(run, set) = event
            && run == search.run
        {
            report(context, &mut reported, &set).await;
        }
    }
    match ended {
        Ok(search) => Ok(search),
        Err(FederationError::NotReady(_)) => Ok(context.mcp.store.search(search.id).await?),
        Err(error) => Err(error.into()),
    }
}

/// Reports each provider once.
async fn report(context: &ToolContext<'_>, reported: &mut BTreeSet<ProviderId>, set: &ResultSet) {
    if reported.insert(set.provider) {
        context.progress.report(line(set)).await;
    }
}

fn line(set: &ResultSet) -> String {
    let ResultSet { provider_name: name, retrieved, found, .. } = set;
    match &set.error {
        None => format!("{name}: {retrieved} of {found} results."),
        Some(fault) => format!("{name}: {}", fault.message),
    }
}
