//! The response with mixed results.

use crate::error::ApiError;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use domain::mixed::MixedResponse;

/// The response in JSON. `axum::Json` would compile its serializer here, where code is built for size.
pub fn mixed_json(mixed: &MixedResponse) -> Result<Response, ApiError> {
    let json = mixed.to_json().map_err(ApiError::internal)?;
    Ok(([(CONTENT_TYPE, "application/json")], json).into_response())
}
