//! Logos and colors of the active branding; public, because the sign-in page uses them.

use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// Pages add a version to the URL, so browsers may cache the response for a while.
const CACHE_CONTROL_VALUE: &str = "public, max-age=300";

/// The logo for the `light` or `dark` theme.
pub async fn logo(
    State(state): State<Arc<AppState>>,
    Path(theme): Path<String>,
) -> Result<Response, ApiError> {
    let brand = state.brand().await;
    let picture = match theme.as_str() {
        "light" => brand.logo_light.clone(),
        "dark" => brand.logo_dark.clone(),
        _ => None,
    };
    let picture = picture.ok_or_else(|| ApiError::of(ErrorCode::NotFound))?;
    Ok(([(header::CONTENT_TYPE, "image/png"), (header::CACHE_CONTROL, CACHE_CONTROL_VALUE)], picture)
        .into_response())
}

/// The accent color as CSS variables; empty if none is set.
pub async fn colors_css(State(state): State<Arc<AppState>>) -> Response {
    let css = state.brand().await.colors();
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8"), (header::CACHE_CONTROL, CACHE_CONTROL_VALUE)], css)
        .into_response()
}
