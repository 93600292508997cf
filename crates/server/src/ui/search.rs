//! The search page: a box, the mixed list, and a line for each source that says how it ended.

use super::frame::Frame;
use crate::House;
use crate::api::search::{RunOptions, is_prefetch, log_view, own_search, run_and_wait};
use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, Refusal};
use crate::extract::ApiQuery;
use crate::links::Links;
use crate::throttle::Class;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use domain::ids::SearchId;
use domain::mixed::{Completeness, MixedResponse, ProviderInfo};
use domain::notation::marks;
use domain::result::{DATE_UNKNOWN, ResultItem};
use domain::search::Search;
use domain::status::ProviderStatus;
use federation::{FederationError, MixRequest};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use url::Url;

/// How much of a result's title is shown.
const TITLE_CHARS_MAX: usize = 300;
/// How much of a result's text is shown.
const BODY_CHARS_MAX: usize = 400;
/// Seconds after which a page whose search still runs loads again.
const RELOAD_S: &str = "1";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PageQuery {
    q: Option<String>,
    search_id: Option<i64>,
    page: Option<u32>,
}

#[derive(Default, Serialize)]
struct SearchPage {
    query: String,
    error: Option<String>,
    is_running: bool,
    page: Option<ResultPage>,
}

#[derive(Serialize)]
struct ResultPage {
    search_id: SearchId,
    retrieved_total: u64,
    found_total: u64,
    federation_time: f64,
    /// Why there is nothing, if a search could not run.
    notes: Vec<String>,
    results: Vec<ShownResult>,
    sources: Vec<ShownSource>,
    incomplete: Option<String>,
    next: Option<u32>,
    previous: Option<u32>,
}

#[derive(Serialize)]
struct ShownResult {
    title: Vec<ShownText>,
    href: Option<String>,
    body: Vec<ShownText>,
    source: String,
    date: String,
    author: String,
    confidence: String,
    /// Other sources that have the same document.
    also_in: Vec<String>,
}

/// A piece of text; one that matched the query is shown with a mark.
#[derive(Serialize)]
struct ShownText {
    text: String,
    is_marked: bool,
}

#[derive(Serialize)]
struct ShownSource {
    name: String,
    status: ProviderStatus,
    line: String,
}

/// `/`: with `q` a new search, with `search_id` its results. A reload does not search again.
pub async fn search_page(
    caller: Caller,
    frame: Frame,
    State(house): State<Arc<House>>,
    links: Links,
    address: ClientAddress,
    (method, headers): (Method, HeaderMap),
    ApiQuery(query): ApiQuery<PageQuery>,
) -> Result<Response, ApiError> {
    let mut shown = SearchPage::default();
    if let Some(text) = query.q.filter(|text| !text.trim().is_empty()) {
        if is_prefetch(&headers) || method == Method::HEAD {
            return Ok(StatusCode::NO_CONTENT.into_response());
        }
        let (draft, _) = RunOptions::default().draft(&house, &text)?;
        if let Err(error) = house.throttles.take(Class::Search, caller.principal.user, address) {
            return throttled((&house, &frame), shown, text, &error);
        }
        return match run_and_wait(&house, caller.principal.user, draft, "search_page").await {
            Ok(search) => Ok(Redirect::to(&format!("/?search_id={}", search.id)).into_response()),
            Err(error) if error.refusal() == Refusal::Invalid => {
                shown.query = text;
                shown.error = Some(error.detail().to_owned());
                house.pages.show(StatusCode::BAD_REQUEST, "search.html", &frame, shown)
            }
            Err(error) => Err(error),
        };
    }
    let Some(id) = query.search_id else {
        return house.pages.show(StatusCode::OK, "search.html", &frame, shown);
    };
    let search = match own_search(&house, &caller.principal, SearchId(id)).await {
        Ok(search) => search,
        Err(error) if error.refusal() == Refusal::NotFound => {
            shown.error = Some("There is no such search.".to_owned());
            return house.pages.show(StatusCode::NOT_FOUND, "search.html", &frame, shown);
        }
        Err(error) => return Err(error),
    };
    results_page((&house, &frame), shown, &search, (query.page.unwrap_or(1).max(1), links.base())).await
}

fn throttled(
    (house, frame): (&House, &Frame),
    mut shown: SearchPage,
    query: String,
    error: &ApiError,
) -> Result<Response, ApiError> {
    shown.query = query;
    shown.error = Some(error.detail().to_owned());
    let page = house.pages.show(StatusCode::TOO_MANY_REQUESTS, "search.html", frame, shown)?;
    let seconds = error.retry_after_s().unwrap_or_default();
    Ok(([(header::RETRY_AFTER, seconds.to_string())], page).into_response())
}

async fn results_page(
    (house, frame): (&House, &Frame),
    mut shown: SearchPage,
    search: &Search,
    (page, base_url): (u32, String),
) -> Result<Response, ApiError> {
    shown.query = search.draft.query_string.clone();
    let request =
        MixRequest { mixer: None, page, provider: None, explain: Some(false), base_url, answered: None };
    match house.federation.mix(search, &request).await {
        Ok(mixed) => {
            log_view(search, &mixed);
            shown.page = Some(ResultPage::of(search, mixed, page));
            house.pages.show(StatusCode::OK, "search.html", frame, shown)
        }
        Err(FederationError::NotReady(_)) => {
            shown.is_running = true;
            let mut response = house.pages.show(StatusCode::OK, "search.html", frame, shown)?;
            response.headers_mut().insert(header::REFRESH, HeaderValue::from_static(RELOAD_S));
            Ok(response)
        }
        Err(error) => Err(error.into()),
    }
}

impl ResultPage {
    fn of(search: &Search, mixed: MixedResponse, page: u32) -> Self {
        let info = mixed.info;
        Self {
            search_id: search.id,
            retrieved_total: info.results.retrieved_total,
            found_total: info.results.found_total,
            federation_time: info.results.federation_time,
            notes: if search.status.is_error() { search.messages.clone() } else { Vec::new() },
            results: mixed.results.into_iter().map(ShownResult::of).collect(),
            sources: info.providers.into_iter().map(|(name, one)| ShownSource::of(name, &one)).collect(),
            incomplete: incomplete(info.completeness),
            next: info.results.next_page.map(|_| page.saturating_add(1)),
            previous: (page > 1).then(|| page - 1),
        }
    }
}

impl ShownResult {
    fn of(item: ResultItem) -> Self {
        let title = if item.title.trim().is_empty() { "(no title)" } else { &item.title };
        let title = shown(title, TITLE_CHARS_MAX);
        let date = match item.date_published_display.is_empty() {
            true if item.date_published == DATE_UNKNOWN => String::new(),
            true => item.date_published.split(' ').next().unwrap_or_default().to_owned(),
            false => item.date_published_display,
        };
        Self {
            href: web_link(&item.url),
            body: shown(&item.body, BODY_CHARS_MAX),
            confidence: format!("{:.2}", item.swirl_confidence_score),
            also_in: item.duplicates.into_iter().map(|copy| copy.searchprovider).collect(),
            source: item.searchprovider,
            author: marks::plain(&item.author),
            title,
            date,
        }
    }
}

impl ShownSource {
    fn of(name: String, info: &ProviderInfo) -> Self {
        let time = format!("{:.1} s", info.search_time);
        let line = match info.status {
            ProviderStatus::Ok => format!("{} of {} · {time}", info.retrieved, info.found),
            ProviderStatus::NoResults => format!("nothing found · {time}"),
            ProviderStatus::Timeout => format!("no answer within {time}"),
            ProviderStatus::Suspended => "asked for a rest".to_owned(),
            ProviderStatus::NotConnected => "not connected".to_owned(),
            ProviderStatus::Error => {
                info.error.as_ref().map_or_else(|| "failed".to_owned(), |fault| fault.message.clone())
            }
        };
        Self { name, status: info.status, line }
    }
}

/// What is missing, in words; None when every source delivered.
fn incomplete(counts: Completeness) -> Option<String> {
    let parts: Vec<String> = [
        (counts.failed, "failed"),
        (counts.timed_out, "did not answer in time"),
        (counts.suspended, "asked for a rest"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{count} {what}"))
    .collect();
    (!parts.is_empty()).then(|| format!("Of {} sources {}.", counts.asked, parts.join(", ")))
}

/// A source's address becomes a link only if it leads to the web; a script or a file does not.
fn web_link(url: &str) -> Option<String> {
    let parsed = Url::parse(url).ok()?;
    matches!(parsed.scheme(), "http" | "https").then(|| parsed.to_string())
}

fn shown(text: &str, chars_max: usize) -> Vec<ShownText> {
    let parts = marks::parts(text, chars_max).into_iter();
    parts.map(|part| ShownText { text: part.text, is_marked: part.is_marked }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_addresses_become_links() {
        let table = [
            ("https://a.example/b?c=d", true),
            ("http://127.0.0.1:8000/x", true),
            ("javascript:alert(1)", false),
            ("data:text/html,x", false),
            ("file:///etc/passwd", false),
            ("/relative", false),
            ("", false),
        ];
        for (url, is_link) in table {
            assert_eq!(web_link(url).is_some(), is_link, "{url}");
        }
    }

    #[test]
    fn what_is_missing_is_said() {
        let all = Completeness { asked: 2, answered: 2, ..Completeness::default() };
        assert_eq!(incomplete(all), None);
        let some = Completeness { asked: 4, answered: 1, failed: 1, timed_out: 2, suspended: 0 };
        assert_eq!(incomplete(some).as_deref(), Some("Of 4 sources 1 failed, 2 did not answer in time."));
    }
}
