//! A search that a tool starts: each provider's end is told as it happens.

use crate::Costly;
use crate::call::Call;
use crate::error::ToolError;
use domain::ids::ProviderId;
use domain::result::ResultSet;
use domain::search::{Search, SearchSpec};
use federation::{FederationError, SearchEvent};
use std::collections::BTreeSet;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;

/// How much longer than its query processors and sources a search may take.
const GRACE: Duration = Duration::from_secs(5);

/// Starts the search and follows it. It is returned as it stands when that takes too long.
pub(crate) async fn run(call: &Call<'_>, spec: SearchSpec) -> Result<Search, ToolError> {
    call.pay(Costly::Search)?;
    let search = call.mcp.federation.create(call.principal.user, spec).await?;
    let (id, owner) = (search.id, search.owner);
    tracing::info!(
        user.id = owner.0,
        search.id = id.0,
        way = "mcp",
        "mcp: search {id} of user {owner} was started"
    );
    call.progress.tell(format!("Search {id} has begun.")).await;
    follow(call, search).await
}

async fn follow(call: &Call<'_>, search: Search) -> Result<Search, ToolError> {
    let federation = &call.mcp.federation;
    let mut events = federation.events().subscribe(search.id);
    federation.events().follow(&search);
    let mut told = BTreeSet::new();
    for set in federation.events().so_far(search.id, search.run) {
        tell(call, &mut told, &set).await;
    }
    let at_most = federation.time_max(&search) + GRACE;
    let mut end = pin!(federation.wait(search.id, at_most));
    let mut is_open = true;
    let ended = loop {
        tokio::select! {
            ended = &mut end => break ended,
            event = events.recv(), if is_open => match event {
                Ok(SearchEvent::Provider(run, set)) if run == search.run => tell(call, &mut told, &set).await,
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => is_open = false,
            },
        }
    };
    // What was said just before the end.
    while let Ok(event) = events.try_recv() {
        if let SearchEvent::Provider(run, set) = event
            && run == search.run
        {
            tell(call, &mut told, &set).await;
        }
    }
    match ended {
        Ok(search) => Ok(search),
        Err(FederationError::NotReady(_)) => Ok(call.mcp.store.search(search.id).await?),
        Err(error) => Err(error.into()),
    }
}

/// Each provider once, also when its end is heard twice.
async fn tell(call: &Call<'_>, told: &mut BTreeSet<ProviderId>, set: &ResultSet) {
    if told.insert(set.provider) {
        call.progress.tell(line(set)).await;
    }
}

fn line(set: &ResultSet) -> String {
    let ResultSet { provider_name: name, retrieved, found, .. } = set;
    match &set.error {
        None => format!("{name}: {retrieved} of {found} results."),
        Some(fault) => format!("{name}: {}", fault.message),
    }
}
