//! HTML page for 404 responses. Browsers that navigate get the page; programs get the JSON error.

use super::i18n::t;
use super::notice::{self, Notice};
use super::page_context::PageContext;
use crate::browser::is_browser_navigation;
use crate::error::ApiError;
use crate::state::AppState;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use std::sync::Arc;

/// Middleware that replaces a 404 error with a page.
pub async fn html_not_found(
    State(state): State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    if !is_browser_navigation(request.method(), request.uri().path(), request.headers()) {
        return Ok(next.run(request).await);
    }
    let (parts, body) = request.into_parts();
    let mut asked = parts.clone();
    let response = next.run(Request::from_parts(parts, body)).await;
    if response.status() != StatusCode::NOT_FOUND || is_page(&response) {
        return Ok(response);
    }
    let context = PageContext::from_request_parts(&mut asked, &state).await?;
    let notice = Notice {
        title: t("Page not found"),
        sentence: t("The page may have been moved or deleted, or you may not have access."),
        href: "/",
        link: t("Go to search"),
    };
    notice::show(&state, StatusCode::NOT_FOUND, &context, notice)
}

fn is_page(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/html"))
}
