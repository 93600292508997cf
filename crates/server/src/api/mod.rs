//! One file or folder for each resource, each with its own router; the OpenAPI document grows with the routes.

mod aiproviders;
mod audit;
pub mod authenticators;
mod catalogues;
mod chat;
mod docs;
mod groups;
mod health;
mod listing;
mod login;
mod merge;
mod metrics;
mod oidc;
mod openapi;
mod owners;
mod pipelines;
mod prompts;
mod querytransforms;
mod rag_search;
mod results;
mod sapi;
mod schedules;
pub mod search;
mod searchproviders;
mod tokens;
mod users;

pub use openapi::ApiDocument;

use crate::House;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;

/// All routes of the API under their declared paths, with their documentation.
pub fn router() -> OpenApiRouter<Arc<House>> {
    OpenApiRouter::with_openapi(openapi::start())
        .merge(search::router())
        .merge(results::router())
        .merge(rag_search::router())
        .merge(sapi::router())
        .merge(chat::router())
        .merge(aiproviders::router())
        .merge(prompts::router())
        .merge(searchproviders::router())
        .merge(catalogues::router())
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
        .merge(docs::router())
}

/// The routes of health and metrics alone, for a process without the web role.
pub fn monitoring_router() -> OpenApiRouter<Arc<House>> {
    OpenApiRouter::new().merge(health::router()).merge(metrics::router())
}
