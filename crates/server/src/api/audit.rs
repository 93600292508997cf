//! The audit log, for administrators: who changed what, and whether the log is as it was written.

use super::listing::{ListRequest, Listing, Paging};
use crate::AppState;
use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiQuery;
use crate::links::Links;
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

/// Which entries are wanted.
#[derive(Debug, Clone, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
struct Wanted {
    /// `searchprovider`, `querytransform`, `pipeline`, `schedule`, `user`, `group`, `token`, `sign-in` or `database`.
    kind: Option<String>,
    /// A user's name or id, or `command line`.
    actor: Option<String>,
    /// `created`, `replaced`, `changed`, `deleted`, `reset`, `refused`, `backed up`, `restored`,
    /// `tested` or `rekeyed`.
    action: Option<String>,
    /// A record's name or id.
    record: Option<String>,
    /// Entries from this time on.
    since: Option<DateTime<Utc>>,
    /// Entries before this time.
    until: Option<DateTime<Utc>>,
}

impl Wanted {
    /// The list's own address, so that its pages keep the filter.
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

impl From<Wanted> for AuditFilter {
    fn from(wanted: Wanted) -> Self {
        let Wanted { kind, actor, action, record, since, until } = wanted;
        Self { kind, actor, action, record, since, until }
    }
}

/// Changes by people and commands, newest first.
#[utoipa::path(get, path = "/svc/audit/", tag = "service", params(Wanted, Paging), responses(
    (status = 200, description = "Entries.", body = Listing<AuditEntry>),
    (status = 400, description = "A parameter is not valid.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
async fn list_audit(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(wanted): ApiQuery<Wanted>,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging, &links, &wanted.path())?;
    let page = state.store.audit_entries(&wanted.into(), list.offset(), list.limit()).await?;
    Ok(list.answer(page.items, page.total))
}

/// Whether every entry is as it was written. Reads the whole log.
#[utoipa::path(get, path = "/svc/audit/verify/", tag = "service", responses(
    (status = 200, description = "The verdict; `broken_at` names the first entry at fault.", body = AuditReport),
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
            (Wanted::default(), "/audit/"),
            (
                Wanted { kind: Some("user".into()), actor: Some("command line".into()), ..Wanted::default() },
                "/audit/?kind=user&actor=command+line",
            ),
            (Wanted { since: time, ..Wanted::default() }, "/audit/?since=2023-11-14T22%3A13%3A20%2B00%3A00"),
        ];
        for (wanted, path) in table {
            assert_eq!(wanted.path(), path);
        }
    }
}
