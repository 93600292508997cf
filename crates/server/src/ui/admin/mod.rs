//! The console at `/admin/`: one table of pages. The server gives the frame and what is declared; a module of the
//! page's name fills it from the API, so that whatever the console does, a program can do too.

mod form;
mod kinds;

use super::frame::Frame;
use crate::AppState;
use crate::error::{ApiError, Refusal};
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
    /// Its path below `/admin/`, and the name of its module in `web/static/js/admin/`.
    slug: &'static str,
    title: &'static str,
    /// The heading in the list of pages that it stands under.
    group: &'static str,
}

const fn page(slug: &'static str, title: &'static str, group: &'static str) -> ConsolePage {
    ConsolePage { slug, title, group }
}

/// Every page, in the order of the list. The first one is `/admin/` itself.
const CONSOLE: &[ConsolePage] = &[
    page("dashboard", "Dashboard", ""),
    page("searchproviders", "SearchProviders", "Search"),
    page("doctor", "Add a source", "Search"),
    page("gallery", "Ready sources", "Search"),
    page("querytransforms", "Query transforms", "Search"),
    page("pipelines", "Pipelines", "Search"),
    page("breakers", "Resting sources", "Search"),
    page("cache", "Semantic cache", "Cache"),
    page("aiproviders", "AIProviders", "Answers"),
    page("prompts", "Prompts", "Answers"),
    page("users", "Users", "People"),
    page("groups", "Groups", "People"),
    page("tokens", "Tokens", "People"),
    page("authenticators", "Authenticators", "People"),
    page("activity", "Activity", "System"),
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
    /// The record that the page is about: its id, or `new`.
    record: Option<String>,
    /// What is declared of the records that the page is about.
    kind: Option<&'static serde_json::Value>,
}

pub fn router() -> Router<Arc<AppState>> {
    Router::new()
        .route("/admin/", get(dashboard))
        .route("/admin/{page}/", get(list))
        .route("/admin/{page}/{record}/", get(record))
}

async fn dashboard(frame: Frame, State(state): State<Arc<AppState>>) -> Result<Response, ApiError> {
    show(&state, &frame, "dashboard", None)
}

async fn list(
    frame: Frame,
    State(state): State<Arc<AppState>>,
    Path(slug): Path<String>,
) -> Result<Response, ApiError> {
    show(&state, &frame, &slug, None)
}

async fn record(
    frame: Frame,
    State(state): State<Arc<AppState>>,
    Path((slug, record)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    show(&state, &frame, &slug, Some(record))
}

fn show(state: &AppState, frame: &Frame, slug: &str, record: Option<String>) -> Result<Response, ApiError> {
    if !frame.is_admin {
        return super::notice::only_administrators(state, frame);
    }
    let page =
        CONSOLE.iter().find(|page| page.slug == slug).ok_or_else(|| ApiError::of(Refusal::NotFound))?;
    let kind = form::declared(page.slug, &state.document.bytes());
    state.pages.show(StatusCode::OK, "admin/page.html", frame, Console { pages: CONSOLE, page, record, kind })
}

/// All kinds as pages read them, for whoever looks at the sentences in them.
#[cfg(test)]
pub fn declared_kinds(document: &[u8]) -> Vec<&'static serde_json::Value> {
    CONSOLE.iter().filter_map(|page| form::declared(page.slug, document)).collect()
}
