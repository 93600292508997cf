//! The route of static files.

use super::assets::takes_gzip;
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// A file under its digest never changes.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";
const REVALIDATE: &str = "no-cache";

/// `/static/<digest>/<file>`, or `/static/<file>` for clients that do not know the digest.
pub async fn serve(
    State(state): State<Arc<AppState>>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let assets = &state.assets;
    let (name, kept) = match path.split_once('/') {
        Some((digest, name)) if digest == assets.digest => {
            (name, if assets.is_folder() { REVALIDATE } else { IMMUTABLE })
        }
        _ => (path.as_str(), REVALIDATE),
    };
    let name = if name.starts_with("words/") { name.to_owned() } else { format!("static/{name}") };
    let content_type = content_type(&name).ok_or_else(|| ApiError::of(ErrorCode::NotFound))?;
    let mut response = match assets.compressed.get(&name).filter(|_| takes_gzip(&headers)) {
        Some(bytes) => ([(header::CONTENT_ENCODING, "gzip")], bytes.clone()).into_response(),
        None => assets
            .served(&name)
            .ok_or_else(|| ApiError::of(ErrorCode::NotFound))?
            .into_owned()
            .into_response(),
    };
    let own = response.headers_mut();
    own.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    own.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    own.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    Ok(response)
}

/// None for files that are not served.
fn content_type(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        _ => return None,
    })
}
