//! The console at `/admin/`. The server renders the navigation and the resource declaration; the script of the page fills
//! it through the public API.

mod form;
mod resources;

use super::page_context::PageContext;
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use serde::Serialize;
use std::sync::Arc;

/// A page of the console.
#[derive(Debug, Serialize)]
pub struct ConsolePage {
    /// Its path below `/admin/`, and the name of its script in `web/static/js/admin/`.
    slug: &'static str,
    title: &'static str,
    /// Its heading in the navigation.
    group: &'static str,
}

const fn page(slug: &'static str, title: &'static str, group: &'static str) -> ConsolePage {
    ConsolePage { slug, title, group }
}

/// Every page, in the order of the navigation. The first one is `/admin/` itself.
const CONSOLE: &[ConsolePage] = &[
    page("dashboard", "Dashboard", ""),
    page("searchproviders", "SearchProviders", "Search"),
    page("doctor", "Add a source", "Search"),
    page("gallery", "Ready-made sources", "Search"),
    page("querytransforms", "Query transforms", "Search"),
    page("pipelines", "Pipelines", "Search"),
    page("breakers", "Paused sources", "Search"),
    page("cache", "Semantic cache", "Cache"),
    page("aiproviders", "AIProviders", "Answers"),
    page("prompts", "Prompts", "Answers"),
    page("users", "Users", "People"),
    page("groups", "Groups", "People"),
    page("tokens", "Tokens", "People"),
    page("authenticators", "Authenticators", "People"),
    page("activity", "Activity", "System"),
    page("timings", "Search times", "System"),
    page("schedules", "Schedules", "System"),
    page("logs", "Logs", "System"),
    page("audit", "Audit log", "System"),
    page("settings", "Settings", "System"),
    page("branding", "Branding", "System"),
    page("license", "License", "System"),
];

#[derive(Serialize)]
struct Console {
    pages: &'static [ConsolePage],
    page: &'static ConsolePage,
    /// The record to edit: its id, or `new`.
    record: Option<String>,
    /// The declaration of the resource, if the page edits one.
    resource: Option<&'static serde_json::Value>,
}

pub fn router() -> Router<Arc<AppState>> {
    Router::new()
        .route("/admin/", get(dashboard))
        .route("/admin/{page}/", get(list))
        .route("/admin/{page}/{record}/", get(record))
}

async fn dashboard(context: PageContext, State(state): State<Arc<AppState>>) -> Result<Response, ApiError> {
    show(&state, &context, "dashboard", None)
}

async fn list(
    context: PageContext,
    State(state): State<Arc<AppState>>,
    Path(slug): Path<String>,
) -> Result<Response, ApiError> {
    show(&state, &context, &slug, None)
}

async fn record(
    context: PageContext,
    State(state): State<Arc<AppState>>,
    Path((slug, record)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    show(&state, &context, &slug, Some(record))
}

fn show(
    state: &AppState,
    context: &PageContext,
    slug: &str,
    record: Option<String>,
) -> Result<Response, ApiError> {
    if !context.is_admin {
        return super::notice::only_administrators(state, context);
    }
    let page =
        CONSOLE.iter().find(|page| page.slug == slug).ok_or_else(|| ApiError::of(ErrorCode::NotFound))?;
    let resource = form::declared_resource(page.slug, &state.document.bytes());
    state.templates.render_page(
        StatusCode::OK,
        "admin/page.html",
        context,
        Console { pages: CONSOLE, page, record, resource },
    )
}

/// The declarations of all resources, for the translation coverage test.
#[cfg(test)]
pub fn declared_resources(document: &[u8]) -> Vec<&'static serde_json::Value> {
    CONSOLE.iter().filter_map(|page| form::declared_resource(page.slug, document)).collect()
}
