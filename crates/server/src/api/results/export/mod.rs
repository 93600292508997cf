//! `GET /svc/results/export/`: the list of a search as a file, one module for each format.

mod bibtex;
mod content;
mod csv;
mod json;
mod rss;

use super::filter::FilterQuery;
use super::mixer_name::named_mixer;
use crate::api::search::{log_view, own_search};
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiQuery;
use crate::links::Links;
use crate::state::AppState;
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use content::Export;
use domain::ids::SearchId;
use domain::search::Search;
use federation::MixRequest;
use serde::Deserialize;
use std::sync::Arc;

/// Most results in one file; `X-Total-Count` has the number of results in the list.
const RESULTS_MAX: usize = 5_000;
/// Longest part of the query in a file name.
const NAME_CHARS_MAX: usize = 40;
const TOTAL: HeaderName = HeaderName::from_static("x-total-count");

#[derive(Debug, Clone, Copy, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    Csv,
    Json,
    Bibtex,
    Rss,
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ExportQuery {
    /// The search to export.
    search_id: i64,
    /// `csv`, `json`, `bibtex` or `rss`.
    #[param(inline)]
    format: Format,
    /// Another mixer than the search's own; see `/svc/mixers/`.
    #[serde(default)]
    result_mixer: Option<String>,
}

/// The whole list of a search as a file, in its order and with the same filters; at most 5,000 results.
#[utoipa::path(get, path = "/svc/results/export/", tag = "results", params(ExportQuery, FilterQuery), responses(
    (status = 200, description = "The file. `X-Total-Count` is the number of results in the list.", content(
        (String = "text/csv"), (Object = "application/json"), (String = "text/x-bibtex"), (String = "application/rss+xml"))),
    (status = 400, description = "A parameter is missing or invalid.", body = ErrorBody),
    (status = 404, description = "Unknown search, or it belongs to someone else.", body = ErrorBody),
    (status = 503, description = "The search is still running; try again after `Retry-After`.", body = ErrorBody)))]
pub async fn export_results(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(query): ApiQuery<ExportQuery>,
    ApiQuery(filter): ApiQuery<FilterQuery>,
) -> Result<Response, ApiError> {
    let request = MixRequest {
        mixer: named_mixer(query.result_mixer.as_deref())?,
        filter: filter.filter()?,
        explain: Some(false),
        base_url: links.base(),
        items: Some(RESULTS_MAX),
        ..MixRequest::default()
    };
    let search = own_search(&state, &caller.principal, SearchId(query.search_id)).await?;
    let mixed = state.federation.mixer.mix(&search, &request).await?;
    log_view(&search, &mixed);
    let mixer = request.mixer.as_deref().unwrap_or(&search.spec.result_mixer);
    let export = Export {
        search: &search,
        results: &mixed.results,
        link: links.results(search.id, mixer),
        now: state.clock.now(),
    };
    let (text, kind, ending) = match query.format {
        Format::Csv => (csv::written(&export), "text/csv; charset=utf-8", "csv"),
        Format::Json => (json::written(&export), "application/json", "json"),
        Format::Bibtex => (bibtex::written(&export), "text/x-bibtex; charset=utf-8", "bib"),
        Format::Rss => (rss::written(&export), "application/rss+xml; charset=utf-8", "rss"),
    };
    let mut response = text.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(TOTAL, mixed.info.results.retrieved_total.into());
    if let Ok(name) = HeaderValue::try_from(attachment(&search, ending)) {
        headers.insert(CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

/// `attachment` with a name of ASCII alphanumerics and hyphens.
fn attachment(search: &Search, ending: &str) -> String {
    let mut name = String::from("results");
    let words = search.spec.query_string.split(|c: char| !c.is_ascii_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        if name.len() + 1 + word.len() > NAME_CHARS_MAX {
            break;
        }
        name.push('-');
        name.push_str(&word.to_ascii_lowercase());
    }
    format!("attachment; filename=\"{name}-{}.{ending}\"", search.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::{RunNumber, UserId};
    use domain::instant::Instant;
    use domain::result::ResultItem;
    use domain::search::SearchSpec;
    use domain::status::SearchStatus;

    pub(super) fn search(query: &str) -> Search {
        Search {
            id: SearchId(7),
            owner: UserId(1),
            spec: SearchSpec::of_query(query),
            query_string_processed: query.to_owned(),
            status: SearchStatus::FullResultsReady,
            notices: Vec::new(),
            time_s: 0.0,
            run: RunNumber::FIRST,
            date_created: Instant::UNIX_EPOCH,
            date_updated: Instant::UNIX_EPOCH,
        }
    }

    /// The file of one result.
    pub(super) fn of_one(item: ResultItem, written: fn(&Export<'_>) -> String) -> String {
        let search = search("deep <rivers> & \"lakes\"");
        let link = "http://service/svc/results/?search_id=7&result_mixer=DateMixer".to_owned();
        written(&Export { search: &search, results: &[item], link, now: Instant::UNIX_EPOCH })
    }

    #[test]
    fn names_of_files_are_safe() {
        let cases = [
            ("River levels", "results-river-levels-7.csv"),
            ("\"; filename=\"x\r\n../../etc", "results-filename-x-etc-7.csv"),
            ("日本", "results-7.csv"),
            ("aaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbb cc", "results-aaaaaaaaaaaaaaaaaaaa-7.csv"),
        ];
        for (query, expected) in cases {
            let header = format!("attachment; filename=\"{expected}\"");
            assert_eq!(attachment(&search(query), "csv"), header, "{query}");
        }
    }
}
