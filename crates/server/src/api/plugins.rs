//! The plug-ins that a provider or a search can name: connectors, processors, mixers.

use crate::auth::Caller;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use domain::ports::{Capability, ConnectorKind};
use serde::Serialize;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(connectors)).routes(routes!(processors)).routes(routes!(mixers))
}

/// A plug-in.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = CatalogueRow)]
struct Row {
    /// Its name in a provider or a search.
    #[schema(example = "RequestsGet")]
    name: &'static str,
    /// `connector`, `query_processor`, `result_processor`, `post_result_processor` or `mixer`.
    #[schema(example = "connector")]
    kind: &'static str,
    summary: &'static str,
    /// What a connector supports; the mappings of a provider decide what is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    capability: Option<Capability>,
    /// The fields of a provider that a connector reads.
    #[serde(skip_serializing_if = "<[&str]>::is_empty")]
    settings: &'static [&'static str],
}

impl Row {
    fn plain(name: &'static str, kind: &'static str, summary: &'static str) -> Self {
        Self { name, kind, summary, capability: None, settings: &[] }
    }
}

/// The connectors.
#[utoipa::path(get, path = "/svc/connectors/", tag = "providers",
    responses((status = 200, description = "All connectors.", body = [Row])))]
async fn connectors(_caller: Caller, State(state): State<Arc<AppState>>) -> Json<Vec<Row>> {
    let rows = state.plugins.connectors.iter();
    let row = |kind: &ConnectorKind| Row {
        capability: Some(kind.capability),
        settings: kind.settings,
        ..Row::plain(kind.name, "connector", kind.summary)
    };
    Json(rows.map(row).collect())
}

/// The processors of queries, of one provider's results, and of all results.
#[utoipa::path(get, path = "/svc/processors/", tag = "providers",
    responses((status = 200, description = "All processors.", body = [Row])))]
async fn processors(_caller: Caller, State(state): State<Arc<AppState>>) -> Json<Vec<Row>> {
    let all = &state.plugins;
    let query = all.query_processors.iter().map(|kind| (kind.name, "query_processor", kind.summary));
    let result = all.result_processors.iter().map(|kind| (kind.name, "result_processor", kind.summary));
    let post =
        all.post_result_processors.iter().map(|kind| (kind.name, "post_result_processor", kind.summary));
    let rows = query.chain(result).chain(post);
    Json(rows.map(|(name, kind, summary)| Row::plain(name, kind, summary)).collect())
}

/// The mixers, which order the results.
#[utoipa::path(get, path = "/svc/mixers/", tag = "providers",
    responses((status = 200, description = "All mixers.", body = [Row])))]
async fn mixers(_caller: Caller, State(state): State<Arc<AppState>>) -> Json<Vec<Row>> {
    let rows = state.plugins.mixers.iter();
    Json(rows.map(|kind| Row::plain(kind.name, "mixer", kind.summary)).collect())
}
