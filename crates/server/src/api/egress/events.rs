//! The documents found in the caller's own sent mail, and the caller's decisions on them.

use crate::api::pagination::{ListRequest, Paged, Paging};
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath, ApiQuery};
use crate::links::Links;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use domain::corpus::{EgressEvent, EventStatus};
use domain::ids::{EventId, ScanId, SignalId};
use domain::ports::EventFilter;
use serde::Deserialize;
use std::sync::Arc;
use syntax::suggest;

const RESOURCE: &str = "/egress/events/";

/// Filter of the list.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct ListParams {
    /// `candidate`, `confirmed` or `dismissed`.
    status: Option<String>,
    /// Only events of this document.
    signal_id: Option<i64>,
    /// Only events that this scan found first.
    scan_id: Option<i64>,
}

/// A decision on a match.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub struct Decision {
    /// `confirmed` or `dismissed`.
    #[schema(example = "confirmed")]
    status: String,
}

impl ListParams {
    fn filter(&self) -> Result<EventFilter, ApiError> {
        let status = match self.status.as_deref().map(str::trim).unwrap_or_default() {
            "" => None,
            name => Some(status_named(name, EventStatus::ALL)?),
        };
        Ok(EventFilter { status, signal_id: self.signal_id.map(SignalId), scan_id: self.scan_id.map(ScanId) })
    }

    /// The path of the list with its filter, for the links to its pages.
    fn path(&self) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(self.status.as_ref().map(|status| ("status", status)));
        for (name, id) in [("signal_id", self.signal_id), ("scan_id", self.scan_id)] {
            query.extend_pairs(id.map(|id| (name, id.to_string())));
        }
        match query.finish() {
            none if none.is_empty() => RESOURCE.to_owned(),
            query => format!("{RESOURCE}?{query}"),
        }
    }
}

/// The cached documents found in your mail to external recipients, last sent first.
#[utoipa::path(get, path = "/svc/egress/events/", tag = "egress", params(ListParams, Paging), responses(
    (status = 200, description = "Events.", body = Paged<EgressEvent>),
    (status = 400, description = "Invalid parameter.", body = ErrorBody)))]
pub async fn read_events(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(params): ApiQuery<ListParams>,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging.paged(), &links, &params.path())?;
    let filter = params.filter()?;
    let page = state.corpus.events(&caller.principal, &filter, list.offset(), list.limit()).await?;
    Ok(list.answer::<EgressEvent>(page.items, page.total))
}

/// Confirms or dismisses that a document was sent outside. A confirmed one is shown as shared externally to all users
/// who may see it, and counts in elections among its versions.
#[utoipa::path(patch, path = "/svc/egress/events/{id}/", tag = "egress",
    params(("id" = i64, Path, description = "`event_id` of the event.")),
    request_body(content = Decision), responses(
    (status = 200, description = "The event.", body = EgressEvent),
    (status = 400, description = "Invalid; the field is named.", body = ErrorBody),
    (status = 402, description = "`cache_unlicensed`: the license does not include the cache.", body = ErrorBody),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody),
    (status = 415, description = "The body is not JSON.", body = ErrorBody)))]
pub async fn decide_event(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
    ApiJson(input): ApiJson<Decision>,
) -> Result<Json<EgressEvent>, ApiError> {
    let status = status_named(input.status.trim(), &[EventStatus::Confirmed, EventStatus::Dismissed])?;
    Ok(Json(state.corpus.decide(&caller.principal, EventId(id), status).await?))
}

fn status_named(name: &str, known: &[EventStatus]) -> Result<EventStatus, ApiError> {
    EventStatus::parse(name).filter(|status| known.contains(status)).ok_or_else(|| {
        let words = known.iter().map(|status| status.as_str());
        ApiError::invalid_field("status", suggest::unknown("status", name, words))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_parsed_and_kept_in_links() {
        let params = |status: &str, signal_id: Option<i64>| ListParams {
            status: Some(status.to_owned()).filter(|text| !text.is_empty()),
            signal_id,
            scan_id: None,
        };
        assert_eq!(params("", None).filter().expect("a filter"), EventFilter::default());
        let read = params(" confirmed ", Some(7)).filter().expect("a filter");
        assert_eq!((read.status, read.signal_id), (Some(EventStatus::Confirmed), Some(SignalId(7))));
        assert!(params("lost", None).filter().is_err());
        assert_eq!(params("", None).path(), "/egress/events/");
        let one = ListParams { scan_id: Some(3), ..params("candidate", Some(7)) };
        assert_eq!(one.path(), "/egress/events/?status=candidate&signal_id=7&scan_id=3");
    }

    #[test]
    fn a_decision_cannot_return_to_candidate() {
        let decided = [EventStatus::Confirmed, EventStatus::Dismissed];
        assert_eq!(status_named("dismissed", &decided).expect("a status"), EventStatus::Dismissed);
        for bad in ["candidate", "", "Confirmed"] {
            assert!(status_named(bad, &decided).is_err(), "{bad}");
        }
    }
}
