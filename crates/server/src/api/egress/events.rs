//! The documents that were found in the caller's own sent mail, and what the caller says of them.

use crate::AppState;
use crate::api::listing::{ListRequest, Paged, Paging};
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath, ApiQuery};
use crate::links::Links;
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use domain::contracts::EventFilter;
use domain::corpus::{EgressEvent, EventStatus};
use domain::ids::{EventId, ScanId, SignalId};
use domain::names;
use serde::Deserialize;
use std::sync::Arc;

const RESOURCE: &str = "/egress/events/";

/// Which events are wanted.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct Wanted {
    /// `candidate`, `confirmed` or `dismissed`.
    status: Option<String>,
    /// Only those of this document.
    signal_id: Option<i64>,
    /// Only those that this scan found first.
    scan_id: Option<i64>,
}

/// What you say of a match.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub struct Decision {
    /// `confirmed` or `dismissed`.
    #[schema(example = "confirmed")]
    status: String,
}

impl Wanted {
    fn filter(&self) -> Result<EventFilter, ApiError> {
        let status = match self.status.as_deref().map(str::trim).unwrap_or_default() {
            "" => None,
            name => Some(status_named(name, EventStatus::ALL)?),
        };
        Ok(EventFilter { status, signal_id: self.signal_id.map(SignalId), scan_id: self.scan_id.map(ScanId) })
    }

    /// The list's own address, so that its pages keep the filter.
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

/// The documents of the cache that were found in your sent mail to the outside, newest sent first.
#[utoipa::path(get, path = "/svc/egress/events/", tag = "egress", params(Wanted, Paging), responses(
    (status = 200, description = "Events.", body = Paged<EgressEvent>),
    (status = 400, description = "A parameter is not valid.", body = ErrorBody)))]
pub async fn read_events(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(wanted): ApiQuery<Wanted>,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging.paged(), &links, &wanted.path())?;
    let filter = wanted.filter()?;
    let page = state.corpus.events(&caller.principal, &filter, list.offset(), list.limit()).await?;
    Ok(list.answer::<EgressEvent>(page.items, page.total))
}

/// Confirms that a document was sent outside, or says that it was not. A confirmed one is shown as shared externally to
/// all who may see it, and counts in elections among its versions.
#[utoipa::path(patch, path = "/svc/egress/events/{id}/", tag = "egress",
    params(("id" = i64, Path, description = "`event_id` of the event.")),
    request_body(content = Decision), responses(
    (status = 200, description = "The event.", body = EgressEvent),
    (status = 400, description = "Not valid; the field is named.", body = ErrorBody),
    (status = 402, description = "`cache_unlicensed`: the license does not open the cache.", body = ErrorBody),
    (status = 404, description = "Unknown, or somebody else's.", body = ErrorBody),
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
        ApiError::invalid_field("status", names::unknown("status", name, words))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_is_read_and_kept() {
        let wanted = |status: &str, signal_id: Option<i64>| Wanted {
            status: Some(status.to_owned()).filter(|text| !text.is_empty()),
            signal_id,
            scan_id: None,
        };
        assert_eq!(wanted("", None).filter().expect("a filter"), EventFilter::default());
        let read = wanted(" confirmed ", Some(7)).filter().expect("a filter");
        assert_eq!((read.status, read.signal_id), (Some(EventStatus::Confirmed), Some(SignalId(7))));
        assert!(wanted("lost", None).filter().is_err());
        assert_eq!(wanted("", None).path(), "/egress/events/");
        let one = Wanted { scan_id: Some(3), ..wanted("candidate", Some(7)) };
        assert_eq!(one.path(), "/egress/events/?status=candidate&signal_id=7&scan_id=3");
    }

    #[test]
    fn nobody_goes_back_to_a_candidate() {
        let decided = [EventStatus::Confirmed, EventStatus::Dismissed];
        assert_eq!(status_named("dismissed", &decided).expect("a status"), EventStatus::Dismissed);
        for bad in ["candidate", "", "Confirmed"] {
            assert!(status_named(bad, &decided).is_err(), "{bad}");
        }
    }
}
