//! `svc://health`: status of the service and of the caller's sources in this process.

use super::json::shown;
use crate::error::ToolError;
use crate::tool_context::ToolContext;
use crate::tools::visible_providers;
use domain::ids::ProviderId;
use domain::ports::chain;
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
struct HealthView {
    /// ok, or error if the database is not reachable.
    status: &'static str,
    version: &'static str,
    sources: Vec<SourceView>,
}

#[derive(Serialize)]
struct SourceView {
    name: String,
    active: bool,
    connected: bool,
    /// ok (asked as usual), failing (not asked for a while), recovering (asked once, to see whether it works again),
    /// limited (it asked for fewer requests), or unknown if it was not asked yet.
    state: &'static str,
    /// Seconds until it is asked again.
    retry_in_s: u64,
}

pub(super) async fn read(context: &ToolContext<'_>) -> Result<Value, ToolError> {
    let version = domain::VERSION;
    if let Err(error) = context.mcp.store.ping().await {
        tracing::warn!("the records cannot be reached: {}", chain(&error));
        return shown(&HealthView { status: "error", version, sources: Vec::new() });
    }
    let sources = visible_providers(context).await?.into_iter().map(|provider| {
        let known = context.mcp.federation.prober.health(ProviderId(provider.id));
        SourceView {
            name: provider.name,
            active: provider.active,
            connected: provider.connected,
            state: known.as_ref().map_or("unknown", |known| state_for_people(known.state)),
            retry_in_s: known.map_or(0, |known| known.retry_in_s),
        }
    });
    shown(&HealthView { status: "ok", version, sources: sources.collect() })
}

/// Models and people read this: words of circuit breakers mean the opposite of what they say to them.
fn state_for_people(of_breaker: &str) -> &'static str {
    match of_breaker {
        "closed" => "ok",
        "open" => "failing",
        "half_open" => "recovering",
        "suspended" => "limited",
        _ => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use federation::HealthState;

    #[test]
    fn every_state_has_a_word_of_its_own() {
        let words = HealthState::ALL.map(state_for_people);
        assert_eq!(words, ["ok", "failing", "recovering", "limited"]);
    }
}
