//! Scans of the caller's own sent mail: start, progress, cancel.

use crate::api::pagination::{ListRequest, Paged, Paging};
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::{ApiPath, ApiQuery, JsonOrNothing};
use crate::links::Links;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use chrono::{DateTime, NaiveDate, Utc};
use corpus::{EgressError, ScanRequest};
use domain::corpus::{Channel, MatterTag, Scan, ScanCounts, ScanStatus};
use domain::ids::ScanId;
use domain::validation::FieldErrors;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use syntax::suggest;

const RESOURCE: &str = "/egress/scan/";
/// Format of a date.
const DAY: &str = "%Y-%m-%d";
const DAY_CHARS: usize = 10;

/// Which mail is scanned. By default all mail of the connected mailbox, newest first.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct ScanInput {
    /// `outlook` or `gmail`; by default the connected one, Outlook first.
    channel: Option<String>,
    /// Only documents of this matter, with or without `matter:`.
    matter_tag: Option<String>,
    /// The first day.
    #[schema(example = "2026-01-01")]
    date_from: Option<String>,
    /// The last day.
    date_to: Option<String>,
}

/// A scan of your own sent mail.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = EgressScan)]
pub struct ScanView {
    scan_id: ScanId,
    /// Your user name.
    user: String,
    channel: Channel,
    status: ScanStatus,
    /// Empty: documents of all matters.
    matter_tag: String,
    date_from: Option<NaiveDate>,
    date_to: Option<NaiveDate>,
    #[serde(flatten)]
    counts: ScanCounts,
    created_at: DateTime<Utc>,
    started_at: Option<DateTime<Utc>>,
    finished_at: Option<DateTime<Utc>>,
    /// Why it failed; empty otherwise.
    error: String,
    /// There were more messages than the limit of a scan (`SVC_EGRESS_MAX_MESSAGES`).
    truncated: bool,
}

impl ScanView {
    fn of(caller: &Caller, scan: Scan) -> Self {
        Self {
            scan_id: scan.scan_id,
            user: caller.principal.username.clone(),
            channel: scan.channel,
            status: scan.status,
            matter_tag: scan.matter_tag,
            date_from: scan.date_from,
            date_to: scan.date_to,
            counts: scan.counts,
            created_at: scan.created_at,
            started_at: scan.started_at,
            finished_at: scan.finished_at,
            error: scan.error,
            truncated: scan.truncated,
        }
    }
}

impl ScanInput {
    fn into_request(self) -> Result<ScanRequest, ApiError> {
        let given = |text: Option<String>| text.map(|text| text.trim().to_owned()).unwrap_or_default();
        let channel = match given(self.channel).as_str() {
            "" => None,
            name => Some(Channel::parse(name).ok_or_else(|| {
                let known = Channel::ALL.iter().map(|channel| channel.as_str());
                ApiError::invalid_field("channel", suggest::unknown("channel", name, known))
            })?),
        };
        Ok(ScanRequest {
            channel,
            matter_tag: matter(&given(self.matter_tag))?,
            date_from: day("date_from", &given(self.date_from))?,
            date_to: day("date_to", &given(self.date_to))?,
        })
    }
}

/// Starts a scan of your own sent mail, with your own token: it looks for cached documents that you may see in messages
/// to external recipients. Of a message only its recipients' domains and its time are stored. The body may be omitted.
#[utoipa::path(post, path = "/svc/egress/scan/", tag = "egress",
    request_body(content = ScanInput, example = json!({"matter_tag": "smith-2026", "date_from": "2026-01-01"})),
    responses(
    (status = 202, description = "Started; poll it by its `scan_id`.", body = ScanView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 402, description = "`cache_unlicensed`: the license does not include the cache.", body = ErrorBody),
    (status = 409, description = "`scan_running`: one of your scans is still running; it is included as `scan`.", body = ErrorBody),
    (status = 415, description = "The body is not JSON.", body = ErrorBody),
    (status = 424, description = "`mailbox_not_connected`: connect your mailbox first.", body = ErrorBody),
    (status = 503, description = "Your token cannot be refreshed at the moment.", body = ErrorBody)))]
pub async fn begin_scan(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    JsonOrNothing(input): JsonOrNothing<ScanInput>,
) -> Result<(StatusCode, Json<ScanView>), ApiError> {
    let request = input.into_request()?;
    match state.corpus.begin_scan(&caller.principal, request).await {
        Ok(scan) => Ok((StatusCode::ACCEPTED, Json(ScanView::of(&caller, scan)))),
        Err(EgressError::Running(scan)) => {
            let running = serde_json::to_value(ScanView::of(&caller, *scan)).map_err(ApiError::internal)?;
            Err(ApiError::of(ErrorCode::ScanRunning).with_extra("scan", running))
        }
        Err(error) => Err(error.into()),
    }
}

/// Your scans, newest first.
#[utoipa::path(get, path = "/svc/egress/scan/", tag = "egress", params(Paging), responses(
    (status = 200, description = "Scans.", body = Paged<ScanView>),
    (status = 400, description = "Invalid parameter.", body = ErrorBody)))]
pub async fn read_scans(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging.paged(), &links, RESOURCE)?;
    let page = state.corpus.scans(&caller.principal, list.offset(), list.limit()).await?;
    let items: Vec<ScanView> = page.items.into_iter().map(|scan| ScanView::of(&caller, scan)).collect();
    Ok(list.answer(items, page.total))
}

/// One of your scans: its progress, and what it has found.
#[utoipa::path(get, path = "/svc/egress/scan/{id}/", tag = "egress",
    params(("id" = i64, Path, description = "`scan_id` of the scan.")), responses(
    (status = 200, description = "The scan.", body = ScanView),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody)))]
pub async fn read_scan(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Json<ScanView>, ApiError> {
    let scan = state.corpus.scan(&caller.principal, ScanId(id)).await?;
    Ok(Json(ScanView::of(&caller, scan)))
}

/// Cancels one of your scans. What it has found remains; a finished scan does not change.
#[utoipa::path(delete, path = "/svc/egress/scan/{id}/", tag = "egress",
    params(("id" = i64, Path, description = "`scan_id` of the scan.")), responses(
    (status = 204, description = "The scan has ended."),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody)))]
pub async fn cancel_scan(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let scan = state.corpus.cancel_scan(&caller.principal, ScanId(id)).await?;
    tracing::info!(scan.id = scan.scan_id.0, "the scan {id} is {}", scan.status.as_str());
    Ok(StatusCode::NO_CONTENT)
}

/// A prefix without a name is not all matters.
fn matter(text: &str) -> Result<Option<MatterTag>, ApiError> {
    if text.is_empty() {
        return Ok(None);
    }
    let mut errors = FieldErrors::default();
    let tag = MatterTag::read(&mut errors, "matter_tag", text);
    errors.into_result(tag).map_err(ApiError::invalid)
}

fn day(field: &str, text: &str) -> Result<Option<NaiveDate>, ApiError> {
    if text.is_empty() {
        return Ok(None);
    }
    // More lenient parsers accept signs and one-digit years.
    let read = NaiveDate::parse_from_str(text, DAY).ok();
    let is_written_so = |day: &NaiveDate| text.len() == DAY_CHARS && day.format(DAY).to_string() == text;
    let invalid = || ApiError::invalid_field(field, "Use a date such as 2026-01-31.");
    read.filter(is_written_so).map(Some).ok_or_else(invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(text: &str) -> Option<String> {
        Some(text.to_owned()).filter(|text| !text.is_empty())
    }

    fn input(channel: &str, date_from: &str) -> ScanInput {
        ScanInput {
            channel: given(channel),
            matter_tag: given(" smith "),
            date_from: given(date_from),
            date_to: None,
        }
    }

    #[test]
    fn a_scan_request_is_parsed() {
        let request = input(" gmail ", "2026-01-31").into_request().expect("a request");
        assert_eq!((request.channel, request.matter_tag), (Some(Channel::Gmail), MatterTag::parse("smith")));
        assert_eq!((request.date_from, request.date_to), (NaiveDate::from_ymd_opt(2026, 1, 31), None));
        assert_eq!(input("", " ").into_request().expect("a request").channel, None);
        for channel in ["fax", "Outlook"] {
            assert!(input(channel, "").into_request().is_err(), "{channel}");
        }
        for day in
            ["31.1.2026", "2026-02-30", "2026-1-5", "+2026-1-05", "-2026-01-05", "+12026-01-05", "26-01-05"]
        {
            assert!(input("", day).into_request().is_err(), "{day}");
        }
    }

    #[test]
    fn a_matter_without_a_name_is_not_all_documents() {
        for (tag, expected) in [
            ("", Ok(None)),
            ("smith", Ok(MatterTag::parse("smith"))),
            ("MATTER: smith", Ok(MatterTag::parse("smith"))),
            ("matter:", Err("matter_tag: Name a matter")),
            (&"x".repeat(500), Err("matter_tag: At most 200 characters")),
            ("a\u{7}b", Err("matter_tag: Line breaks")),
        ] {
            let input = ScanInput { matter_tag: given(tag), ..ScanInput::default() };
            match (input.into_request(), expected) {
                (Ok(request), Ok(expected)) => assert_eq!(request.matter_tag, expected, "{tag}"),
                (Err(error), Err(start)) => assert!(error.detail().starts_with(start), "{}", error.detail()),
                (found, expected) => panic!("{tag}: {} instead of {expected:?}", found.is_ok()),
            }
        }
    }
}
