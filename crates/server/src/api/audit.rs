//! The audit log, for administrators: its entries, and whether it is intact.

use super::pagination::{ListRequest, Listing, Paging};
use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiQuery;
use crate::links::Links;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::audit::{AuditEntry, AuditFilter, AuditReport};
use serde::Deserialize;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(list_audit)).routes(routes!(verify_audit))
}

/// Filter of the list.
#[derive(Debug, Clone, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
struct AuditParams {
    /// `searchprovider`, `querytransform`, `pipeline`, `schedule`, `user`, `group`, `token`, `sign-in` or `database`.
    kind: Option<String>,
    /// Name or id of a user, or `command line`.
    actor: Option<String>,
    /// `created`, `replaced`, `changed`, `deleted`, `reset`, `refused`, `backed up`, `restored`,
    /// `tested` or `rekeyed`.
    action: Option<String>,
    /// Name or id of a record.
    record: Option<String>,
    /// Entries at or after this time.
    since: Option<DateTime<Utc>>,
    /// Entries before this time.
    until: Option<DateTime<Utc>>,
}

impl AuditParams {
    /// The path of the list with its filter, for the links to its pages.
    fn path(&self) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let texts = [
            ("kind", &self.kind),
            ("actor", &self.actor),
            ("action", &self.action),
            ("record", &self.record),
        ];
        query.extend_pairs(texts.iter().filter_map(|(name, value)| Some((name, value.as_ref()?))));
        let times = [("since", self.since), ("until", self.until)];
        query.extend_pairs(times.iter().filter_map(|(name, time)| Some((name, time.as_ref()?.to_rfc3339()))));
        match query.finish() {
            none if none.is_empty() => "/audit/".to_owned(),
            query => format!("/audit/?{query}"),
        }
    }
}

impl From<AuditParams> for AuditFilter {
    fn from(params: AuditParams) -> Self {
        let AuditParams { kind, actor, action, record, since, until } = params;
        Self { kind, actor, action, record, since, until }
    }
}

/// Changes by users and commands, newest first.
#[utoipa::path(get, path = "/svc/audit/", tag = "service", params(AuditParams, Paging), responses(
    (status = 200, description = "Entries.", body = Listing<AuditEntry>),
    (status = 400, description = "Invalid parameter.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
async fn list_audit(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(params): ApiQuery<AuditParams>,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging, &links, &params.path())?;
    let page = state.store.audit_entries(&params.into(), list.offset(), list.limit()).await?;
    Ok(list.answer(page.items, page.total))
}

/// Whether every entry is as it was written. Reads the whole log.
#[utoipa::path(get, path = "/svc/audit/verify/", tag = "service", responses(
    (status = 200, description = "The result; `broken_at` names the first broken entry.", body = AuditReport),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
async fn verify_audit(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
) -> Result<Json<AuditReport>, ApiError> {
    Ok(Json(state.store.verify_audit().await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_keep_the_filter() {
        let time = DateTime::from_timestamp(1_700_000_000, 0);
        let table = [
            (AuditParams::default(), "/audit/"),
            (
                AuditParams {
                    kind: Some("user".into()),
                    actor: Some("command line".into()),
                    ..AuditParams::default()
                },
                "/audit/?kind=user&actor=command+line",
            ),
            (
                AuditParams { since: time, ..AuditParams::default() },
                "/audit/?since=2023-11-14T22%3A13%3A20%2B00%3A00",
            ),
        ];
        for (params, path) in table {
            assert_eq!(params.path(), path);
        }
    }
}
