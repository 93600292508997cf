//! The license of this installation: its owner, its end and what it includes. It is checked at each request.

use crate::auth::Admin;
use crate::error::ErrorBody;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use license::LicenseReport;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(read_license))
}

/// The contents of the license in `SVC_LICENSE`, if its signature is valid.
#[utoipa::path(get, path = "/svc/license/", tag = "service", responses(
    (status = 200, description = "The license. If it is invalid, only the reason is included.", body = LicenseReport),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
async fn read_license(_admin: Admin, State(state): State<Arc<AppState>>) -> Json<LicenseReport> {
    Json(state.corpus.license())
}
