//! `svc://health`: whether the service can work, and how the caller's sources stand in this process.

use super::shown;
use crate::call::Call;
use crate::error::ToolError;
use crate::tools::visible_providers;
use domain::ids::ProviderId;
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
struct HealthView {
    /// ok, or error when the records cannot be reached.
    status: &'static str,
    version: &'static str,
    sources: Vec<SourceView>,
}

#[derive(Serialize)]
struct SourceView {
    name: String,
    active: bool,
    connected: bool,
    /// closed (asked as usual), open (left alone), half_open, suspended, or unknown when it was not asked yet.
    state: &'static str,
    /// Seconds until it is asked again.
    retry_in_s: u64,
}

pub(super) async fn read(call: &Call<'_>) -> Result<Value, ToolError> {
    let version = domain::VERSION;
    if let Err(error) = call.mcp.store.ping().await {
        tracing::warn!("the records cannot be reached: {error}");
        return shown(&HealthView { status: "error", version, sources: Vec::new() });
    }
    let sources = visible_providers(call).await?.into_iter().map(|provider| {
        let known = call.mcp.federation.source_state(ProviderId(provider.id));
        SourceView {
            name: provider.name,
            active: provider.active,
            connected: provider.connected,
            state: known.as_ref().map_or("unknown", |known| known.state),
            retry_in_s: known.map_or(0, |known| known.retry_in_s),
        }
    });
    shown(&HealthView { status: "ok", version, sources: sources.collect() })
}
