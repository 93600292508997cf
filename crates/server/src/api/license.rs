//! The license of this installation: whose it is, how long it lasts and what it allows. It is looked at afresh each time.

use crate::AppState;
use crate::auth::Admin;
use crate::error::ErrorBody;
use axum::Json;
use axum::extract::State;
use domain::license::LicenseReport;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(read_license))
}

/// What the license in `SVC_LICENSE` says, if its signature is the issuer's.
#[utoipa::path(get, path = "/svc/license/", tag = "service", responses(
    (status = 200, description = "The license. Of one that is not valid nothing but the reason is told.", body = LicenseReport),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
async fn read_license(_admin: Admin, State(state): State<Arc<AppState>>) -> Json<LicenseReport> {
    Json(state.corpus.license())
}
