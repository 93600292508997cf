//! API documentation: the OpenAPI document, and Swagger UI embedded in the program.

use super::swagger_ui::SwaggerFile;
use crate::error::{ApiError, ErrorCode};
use crate::extract::ApiPath;
use crate::links::Links;
use crate::state::AppState;
use axum::extract::State;
use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use std::sync::Arc;
use tokio::task::spawn_blocking;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Swagger UI uses inline styles; scripts are loaded only from files.
const CSP: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                   object-src 'none'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(schema)).routes(routes!(page)).routes(routes!(file))
}

/// The OpenAPI document.
#[utoipa::path(get, path = "/svc/api/schema/", tag = "service", operation_id = "schema",
    responses((status = 200, description = "This document.", content_type = "application/json", body = Object)))]
async fn schema(State(state): State<Arc<AppState>>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], state.document.bytes()).into_response()
}

/// The interactive documentation.
#[utoipa::path(get, path = "/svc/api/docs/", tag = "service", operation_id = "docs",
    responses((status = 200, description = "A page.", content_type = "text/html", body = String)))]
async fn page(links: Links) -> Response {
    // The base URL makes relative paths work if the address has no trailing slash.
    let html = format!(
        r#"<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Tributary API</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<base href="{}/api/docs/">
<link rel="icon" href="/static/tributary.svg"><link rel="stylesheet" href="swagger-ui.css">
</head><body><div id="swagger-ui"></div>
<script src="swagger-ui-bundle.js"></script><script src="swagger-ui-standalone-preset.js"></script>
<script src="swagger-initializer.js"></script></body></html>"#,
        links.prefix()
    );
    ([(header::CONTENT_SECURITY_POLICY, CSP)], Html(html)).into_response()
}

/// A file of the interactive documentation.
#[utoipa::path(get, path = "/svc/api/docs/{file}", tag = "service", operation_id = "docs_file",
    params(("file" = String, Path, description = "The file's name.")),
    responses((status = 200, description = "A script, a style sheet or an image.")))]
async fn file(ApiPath(file): ApiPath<String>) -> Result<Response, ApiError> {
    let found = SwaggerFile::of_name(&file).ok_or_else(|| ApiError::of(ErrorCode::NotFound))?;
    let headers =
        [(header::CONTENT_TYPE, found.content_type), (header::CACHE_CONTROL, "private, max-age=3600")];
    let bytes = spawn_blocking(move || found.read()).await.map_err(ApiError::internal)?;
    Ok((headers, bytes.map_err(ApiError::internal)?).into_response())
}
