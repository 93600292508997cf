//! The effective settings, each with the origin of its value. They are read-only: set them in the file or the
//! environment.

use crate::auth::Admin;
use crate::error::ErrorBody;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use domain::settings::{EffectiveSetting, SettingRow, Settings};
use serde::Serialize;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(list_settings))
}

/// A setting of this installation.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Setting)]
struct SettingView {
    #[schema(example = "SVC_PORT")]
    name: &'static str,
    /// A secret is shown as `***`.
    #[schema(example = "8000")]
    value: String,
    #[schema(example = "8000")]
    default: String,
    /// `default`, `file`, `environment` or `program`.
    #[schema(example = "environment")]
    origin: &'static str,
    meaning: String,
    /// `text`, `whole number`, `secret`, …
    kind: &'static str,
}

impl SettingView {
    fn of(row: &SettingRow, in_force: &EffectiveSetting) -> Self {
        Self {
            name: row.name,
            value: in_force.value.clone(),
            default: (row.default)(),
            origin: in_force.origin.as_str(),
            meaning: row.meaning(),
            kind: row.kind,
        }
    }
}

/// Every setting with its value, its default and the origin of the value.
#[utoipa::path(get, path = "/svc/settings/", tag = "service", responses(
    (status = 200, description = "Settings in the order of the documentation.", body = [SettingView]),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
async fn list_settings(_admin: Admin, State(state): State<Arc<AppState>>) -> Json<Vec<SettingView>> {
    let of_row = |row: &SettingRow| {
        let in_force = state.instance_info.settings.iter().find(|one| one.name == row.name)?;
        Some(SettingView::of(row, in_force))
    };
    Json(Settings::TABLE.iter().filter_map(of_row).collect())
}
