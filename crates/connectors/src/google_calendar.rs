//! GoogleCalendar connector: events in the user's primary calendar, within a range of days around today.

use crate::shared::delegated_api::{self, DelegatedApi};
use crate::shared::found_item::{FoundItem, first_text, or};
use crate::shared::found_rows::{FoundRows, ListedRows};
use crate::shared::google::{self, GOOGLE, ListRequest};
use chrono::{DateTime, Days, NaiveDate, Utc};
use domain::corpus::SourceKind;
use domain::instant::Instant;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, NormalizedPage, PluginContext,
    ProviderQuery, RequestDescription, ResultOrigin, SourceRequest, TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::search::Sort;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt;
use syntax::strip_html::readable;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "GoogleCalendar",
    module: "google_calendar",
    summary: "Events in Google Calendar, queried with the user's own token.",
    capability: Capability { page: true, date_sort: true, not: false },
    settings: &[
        "authenticator",
        "query_mappings",
        "result_mappings",
        "result_grouping_field",
        "results_per_query",
        "config",
    ],
    authenticator: Some("google"),
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Web,
    test_target: TestTarget::Fake,
    check: delegated_api::check,
    build,
};

const PATH: [&str; 5] = ["calendar", "v3", "calendars", "primary", "events"];
/// Events per page, and the most that are read to find the newest or nearest ones.
const PAGE: &str = "250";
const EVENTS_MAX: usize = 2500;
const FIELDS: &str = "nextPageToken,items(id,status,summary,description,location,htmlLink,start,end,\
    organizer(displayName,email),attendees(displayName,email))";

struct GoogleCalendar {
    api: DelegatedApi,
    back: Days,
    ahead: Days,
    has_result_mappings: bool,
    context: PluginContext,
}

impl fmt::Debug for GoogleCalendar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GoogleCalendar").field("api", &self.api).finish_non_exhaustive()
    }
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let days = provider.spec.config.google_calendar;
    Ok(GoogleCalendar {
        api: DelegatedApi::new(&GOOGLE, "calendar.readonly", provider, context)?,
        back: Days::new(u64::from(days.back)),
        ahead: Days::new(u64::from(days.ahead)),
        has_result_mappings: !provider.spec.result_mappings.trim().is_empty(),
        context: context.clone(),
    }
    .boxed())
}

impl TypedConnector for GoogleCalendar {
    type Request = EventQuery;
    type Response = FoundRows;

    fn capability(&self) -> Capability {
        Capability { page: true, date_sort: true, not: false }
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<EventQuery, ConnectorError> {
        if query.text.trim().is_empty() {
            let message = "the query contains no word to search for";
            return Err(ConnectorError::new(ConnectorErrorKind::QueryInvalid, message));
        }
        // Whole days, so that equal queries produce equal requests.
        let today = self.context.clock.now().date_naive();
        let midnight = |day: Option<NaiveDate>| format!("{}T00:00:00Z", day.unwrap_or(today));
        let ahead = today.checked_add_days(self.ahead).and_then(|day| day.succ_opt());
        let parameters = vec![
            ("q", query.text.to_owned()),
            ("timeMin", midnight(today.checked_sub_days(self.back))),
            ("timeMax", midnight(ahead)),
            ("singleEvents", "true".to_owned()),
            ("orderBy", "startTime".to_owned()),
            ("maxResults", PAGE.to_owned()),
            ("fields", FIELDS.to_owned()),
        ];
        let list = ListRequest {
            address: self.api.display_address(&PATH),
            parameters,
            rows_max: query.results_wanted,
            time_max: query.time_max,
        };
        Ok(EventQuery { list, newest_first: query.sort == Sort::Date })
    }

    /// The API returns the oldest event first and supports no other order, so all events are read and the newest, or
    /// the nearest to today, are kept.
    async fn execute(&self, query: &EventQuery) -> Result<FoundRows, ConnectorError> {
        let ListedRows { mut rows, missing } =
            google::list(&self.api, &PATH, &query.list, "items", EVENTS_MAX).await?;
        rows.retain(|event| event["status"] != "cancelled");
        let found = rows.len() as u64;
        let now = self.context.clock.now();
        if query.newest_first {
            rows.sort_by_key(|event| Reverse(start(event)));
        } else {
            rows.sort_by_key(|event| {
                start(event).map_or(i64::MAX, |start| (start - now).num_seconds().abs())
            });
        }
        rows.truncate(query.list.rows_max as usize);
        Ok(FoundRows { found, rows, missing })
    }

    fn normalize(&self, response: FoundRows) -> Result<NormalizedPage, ConnectorError> {
        let FoundRows { found, rows, missing } = response;
        let items = if self.has_result_mappings { rows } else { rows.iter().map(result).collect() };
        Ok(NormalizedPage { found: Some(found), retrieved: Some(items.len() as u64), items, missing })
    }
}

/// A list of events, and the order in which the connector returns them.
#[derive(Debug)]
struct EventQuery {
    list: ListRequest,
    newest_first: bool,
}

impl SourceRequest for EventQuery {
    fn description(&self) -> RequestDescription<'_> {
        let body = json!({"parameters": self.list.parameters_json(), "newest_first": self.newest_first});
        let rows_max = self.list.rows_max;
        RequestDescription::Command { place: &self.list.address, body: Cow::Owned(body), rows_max }
    }
}

/// When an event begins: a time with its zone, or a date.
fn start(event: &Value) -> Option<Instant> {
    if let Some(time) = event.pointer("/start/dateTime").and_then(Value::as_str) {
        return DateTime::parse_from_rfc3339(time).ok().map(|time| time.to_utc());
    }
    let day: NaiveDate = event.pointer("/start/date").and_then(Value::as_str)?.parse().ok()?;
    day.and_hms_opt(0, 0, 0).map(|time| DateTime::<Utc>::from_naive_utc_and_offset(time, Utc))
}

fn result(event: &Value) -> Value {
    let people = event["attendees"].as_array().into_iter().flatten();
    let people: Vec<String> = people.map(|person| first_text(person, &["/displayName", "/email"])).collect();
    let people = json!(people);
    let description = readable(&first_text(event, &["/description"])).into_owned();
    FoundItem {
        title: or(first_text(event, &["/summary"]), "(no title)"),
        url: first_text(event, &["/htmlLink"]),
        body: or(description, &first_text(event, &["/location"])),
        author: first_text(event, &["/organizer/displayName", "/organizer/email"]),
        date: first_text(event, &["/start/dateTime", "/start/date"]),
    }
    .with(&[
        ("id", event.get("id")),
        ("end", event.pointer("/end/dateTime").or_else(|| event.pointer("/end/date"))),
        ("location", event.get("location")),
        ("attendees", Some(&people)),
    ])
}
