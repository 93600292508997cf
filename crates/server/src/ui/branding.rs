//! Logos and colours of the branding in use, for the sign-in page too.

use crate::AppState;
use crate::error::{ApiError, Refusal};
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// Pages ask with a version, so a browser may keep the answer for a while.
const KEPT: &str = "public, max-age=300";

/// The picture for `light` or `dark` pages.
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
    let picture = picture.ok_or_else(|| ApiError::of(Refusal::NotFound))?;
    Ok(([(header::CONTENT_TYPE, "image/png"), (header::CACHE_CONTROL, KEPT)], picture).into_response())
}

/// The accent as tokens; empty without one.
pub async fn colours(State(state): State<Arc<AppState>>) -> Response {
    let css = state.brand().await.colours();
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8"), (header::CACHE_CONTROL, KEPT)], css).into_response()
}
