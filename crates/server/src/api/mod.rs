//! The HTTP API: one file or folder for each resource, each with its own router and its part of the OpenAPI document.

mod activity;
mod agent;
mod aiproviders;
mod audit;
pub mod authenticators;
mod brandings;
mod cache;
mod canonical;
pub mod chat;
mod config;
mod docs;
mod egress;
mod groups;
mod health;
mod ingest;
mod license;
mod lockouts;
mod login;
mod logs;
mod merge_patch;
mod metrics;
mod oidc;
pub mod openapi;
mod owner_names;
mod pagination;
mod pipelines;
mod plugins;
mod preferences;
mod prompts;
mod querytransforms;
pub mod rag_search;
mod readysources;
pub mod results;
pub mod sapi;
mod schedules;
pub mod search;
mod searchproviders;
mod settings;
mod timings;
mod tokens;
mod users;

use openapi::ApiDocument;

use crate::state::AppState;
use std::sync::{Arc, LazyLock};
use utoipa_axum::router::OpenApiRouter;

/// All routes of the API under their declared paths, with their documentation.
pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::with_openapi(openapi::start())
        .merge(search::router())
        .merge(results::router())
        .merge(preferences::router())
        .merge(rag_search::router())
        .merge(sapi::router())
        .merge(chat::router())
        .merge(aiproviders::router())
        .merge(prompts::router())
        .merge(searchproviders::router())
        .merge(plugins::router())
        .merge(pipelines::router())
        .merge(querytransforms::router())
        .merge(users::router())
        .merge(groups::router())
        .merge(tokens::router())
        .merge(authenticators::router())
        .merge(login::router())
        .merge(oidc::router())
        .merge(health::router())
        .merge(metrics::router())
        .merge(schedules::router())
        .merge(audit::router())
        .merge(readysources::router())
        .merge(settings::router())
        .merge(logs::router())
        .merge(lockouts::router())
        .merge(activity::router())
        .merge(timings::router())
        .merge(brandings::router())
        .merge(ingest::router())
        .merge(cache::router())
        .merge(canonical::router())
        .merge(egress::router())
        .merge(agent::router())
        .merge(license::router())
        .merge(config::router())
        .merge(docs::router())
}

/// The document of all routes, which is built once.
#[expect(clippy::expect_used, reason = "the document is the same in every run and tests build it")]
pub fn document() -> ApiDocument {
    static DOCUMENT: LazyLock<ApiDocument> =
        LazyLock::new(|| build_document().expect("the document can be written as JSON"));
    DOCUMENT.clone()
}

pub fn build_document() -> Result<ApiDocument, serde_json::Error> {
    openapi::complete_document(router().into_openapi())
}

/// Only the routes of health and metrics, for a process without the web role.
pub fn monitoring_router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().merge(health::router()).merge(metrics::router())
}
