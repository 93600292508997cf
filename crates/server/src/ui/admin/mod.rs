//! The console at `/admin/`. The server renders the navigation and the resource declaration; the script of the page fills
//! it through the public API.

mod form;
mod resources;
mod sections;

pub use sections::ConsoleFrame;

use super::first_run::FirstRun;
use super::page_context::PageContext;
use crate::auth::Caller;
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use serde::Serialize;
use std::sync::Arc;

#[derive(Serialize)]
struct Console {
    frame: ConsoleFrame,
    /// The record to edit: its id, or `new`.
    record: Option<String>,
    /// The declaration of the resource, if the page edits one.
    resource: Option<&'static serde_json::Value>,
    /// Only on the dashboard.
    first_run: Option<FirstRun>,
}

pub fn router() -> Router<Arc<AppState>> {
    Router::new()
        .route("/admin/", get(dashboard))
        .route("/admin/{page}/", get(list))
        .route("/admin/{page}/{record}/", get(record))
}

async fn dashboard(
    caller: Caller,
    context: PageContext,
    State(state): State<Arc<AppState>>,
) -> Result<Response, ApiError> {
    let first_run = FirstRun::read(&state, &context.language, &caller.principal).await?;
    show(&state, &context, "dashboard", None, first_run)
}

async fn list(
    context: PageContext,
    State(state): State<Arc<AppState>>,
    Path(slug): Path<String>,
) -> Result<Response, ApiError> {
    show(&state, &context, &slug, None, None)
}

async fn record(
    context: PageContext,
    State(state): State<Arc<AppState>>,
    Path((slug, record)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    show(&state, &context, &slug, Some(record), None)
}

fn show(
    state: &AppState,
    context: &PageContext,
    slug: &str,
    record: Option<String>,
    first_run: Option<FirstRun>,
) -> Result<Response, ApiError> {
    if !context.is_admin {
        return super::notice::only_administrators(state, context);
    }
    let frame = ConsoleFrame::of(slug).ok_or_else(|| ApiError::of(ErrorCode::NotFound))?;
    let resource = form::declared_resource(frame.slug(), &state.document.bytes());
    state.templates.render_page(
        StatusCode::OK,
        "admin/page.html",
        context,
        Console { frame, record, resource, first_run },
    )
}

/// The declarations of all resources, for the translation coverage test.
#[cfg(test)]
pub fn declared_resources(document: &[u8]) -> Vec<&'static serde_json::Value> {
    sections::slugs().filter_map(|slug| form::declared_resource(slug, document)).collect()
}
