//! One file or folder for each resource, each with its own router; the OpenAPI document grows with the routes.

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
mod listing;
mod lockouts;
mod login;
mod logs;
mod merge;
mod metrics;
mod oidc;
mod openapi;
mod owners;
mod pipelines;
mod plugins;
mod preferences;
mod prompts;
mod querytransforms;
mod rag_search;
mod readysources;
pub mod results;
pub mod sapi;
mod schedules;
pub mod search;
mod searchproviders;
mod settings;
mod swagger_ui;
mod tokens;
mod users;

pub use openapi::ApiDocument;

use crate::AppState;
use std::sync::Arc;
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

/// The routes of health and metrics alone, for a process without the web role.
pub fn monitoring_router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().merge(health::router()).merge(metrics::router())
}
