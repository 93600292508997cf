//! GET: the list of searches, one search, and searches started from URL parameters (`q`, `qs`, `rerun`, `update`).

use super::access::own_search;
use super::from_url::{RunOptions, is_prefetch, log_view};
use super::list::{ListQuery, list};
use super::mixed_json::mixed_json;
use super::view::{SearchView, versioned_view};
use crate::api::pagination::{Listing, Paging};
use crate::api::rag_search::{LenientBool, RagRequest, accepts_events, answer_stream, summarize, time_max};
use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiPath, ApiQuery, Flag};
use crate::links::Links;
use crate::preconditions::Versioned;
use crate::request_head::RequestHead;
use crate::state::AppState;
use crate::throttle::Class;
use axum::extract::State;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::ids::{AiProviderId, ProviderId, SearchId};
use domain::mixed::MixedResponse;
use domain::summary::SummaryRequest;
use federation::{EndedSearch, MixRequest};
use serde::Deserialize;
use std::sync::Arc;

#[derive(Debug, Default, Clone, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct SearchQuery {
    /// Creates a search, waits for it and redirects to its results.
    #[param(example = "river level sensors")]
    q: Option<String>,
    /// Creates a search, waits for it and returns the first page of its results.
    qs: Option<String>,
    /// Id of a search: discards its results, runs it again, waits and redirects to its results.
    rerun: Option<i64>,
    /// Id of a search: runs it again and keeps its results, waits and redirects to them. New results have `new`: 1.
    update: Option<i64>,
    /// With `q` or `qs`: names, ids or tags of providers, separated by commas.
    #[param(example = "news,3")]
    providers: Option<String>,
    /// With `q` or `qs`: the mixer; see `/svc/mixers/`.
    result_mixer: Option<String>,
    /// With `q` or `qs`: false leaves out `explain`.
    #[param(value_type = Option<bool>)]
    explain: Option<Flag>,
    /// With `q` or `qs`: only the results of this provider, by id.
    provider: Option<i64>,
    /// With `q` or `qs`: a query processor or `<name>.<type>` query transform that runs before federation.
    pre_query_processor: Option<String>,
    /// With `q` or `qs`: tags of the search, separated by commas.
    search_tags: Option<String>,
    /// With `qs` and exactly one provider id: how many results are requested from that provider.
    single_provider_results_requested: Option<u32>,
    /// With `q` or `qs`: adds an AI summary of the results. Off with `false`, `0`, `no` or `off`; on with anything
    /// else.
    #[param(value_type = Option<bool>)]
    rag: Option<LenientBool>,
    /// An alias of `rag`.
    #[param(value_type = Option<bool>)]
    do_rag: Option<LenientBool>,
    /// With `rag`: seconds that the summary may take, after the search.
    rag_timeout: Option<i64>,
    /// With `rag`: instructions for the style of the summary; at most 2,000 characters are used.
    ai_instructions: Option<String>,
    /// With `rag`: id of the AIProvider to use.
    ai_provider: Option<i64>,
    /// Paginates the list, as with `page`.
    #[param(value_type = Option<bool>)]
    search_only: Option<Flag>,
    /// Page number of the list, from 1.
    page: Option<u32>,
    /// Items on one page of the list, 1 to 100.
    items: Option<u32>,
}

/// Responses of `/svc/search/`, for the documentation.
#[derive(utoipa::ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it describes the two shapes; the handler sends either")]
enum SearchesAnswer {
    List(Listing<SearchView>),
    Mixed(Box<MixedResponse>),
}

/// Your searches, newest first; or a search started by `q`, `qs`, `rerun` or `update`.
#[utoipa::path(get, path = "/svc/search/", tag = "search", params(SearchQuery, ListQuery), responses(
    (status = 200, description = "The list; with `qs` the first page of the mixed results, and with `rag` the AI \
        summary as its first item, or `info.ai` with the reason why there is none. With `Accept: \
        text/event-stream`, `qs` and `rag`: the event `results`, then those of `/svc/rag-search/`.", body = SearchesAnswer),
    (status = 204, description = "A prefetch: nothing was started."),
    (status = 302, description = "With `q`, `rerun` or `update`: to the results."),
    (status = 400, description = "Invalid parameter.", body = ErrorBody),
    (status = 404, description = "The search to rerun is unknown, or belongs to someone else.", body = ErrorBody),
    (status = 409, description = "You have reached the maximum number of stored searches; delete some.", body = ErrorBody),
    (status = 429, description = "Too many searches started or waiting to start; `retry_after` says when to try again.", body = ErrorBody),
    (status = 503, description = "With `qs`: the search takes too long; its results follow later.", body = ErrorBody)))]
pub async fn read_searches(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    RequestHead { links, address, method, headers }: RequestHead,
    ApiQuery(query): ApiQuery<SearchQuery>,
    ApiQuery(list_query): ApiQuery<ListQuery>,
) -> Result<Response, ApiError> {
    let runs_again = query.rerun.or(query.update);
    let starts = query.q.is_some() || query.qs.is_some() || runs_again.is_some();
    if starts && (is_prefetch(&headers) || method == Method::HEAD) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let rag_request = query.rag_request(&state)?;
    if starts {
        state.throttles.take(Class::Search, caller.principal.user, address)?;
    }
    if let Some(text) = &query.q {
        let text = not_blank("q", text)?;
        charge_rag_quota(&state, &caller, address, rag_request.as_ref())?;
        return start_and_redirect(&state, &caller, &links, &query, text, rag_request).await;
    }
    if let Some(text) = &query.qs {
        let text = not_blank("qs", text)?;
        charge_rag_quota(&state, &caller, address, rag_request.as_ref())?;
        return match rag_request {
            Some(rag_request) if accepts_events(&headers) => {
                start_and_stream(&state, &caller, &links, &query, text, rag_request).await
            }
            rag_request => start_and_mix(&state, &caller, &links, &query, text, rag_request).await,
        };
    }
    if let Some(id) = runs_again {
        let search = own_search(&state, &caller.principal, SearchId(id)).await?;
        let (way, started) = match query.rerun {
            Some(_) => ("rerun", state.federation.searches.rerun(search.id).await?),
            None => ("update", state.federation.searches.update(&search).await?),
        };
        federation::log_start(&started, way);
        let ended = state.federation.waiter.wait_for_end(started).await?;
        return Ok(redirect(&links, ended.search.id, &query, None));
    }
    let paging = Paging { page: query.page, items: query.items };
    let search_only = query.search_only == Some(Flag(true));
    list(&state, &caller, &links, &list_query, search_only, paging).await
}

/// One search; poll its `status`.
#[utoipa::path(get, path = "/svc/search/{id}/", tag = "search", params(("id" = i64, Path, description = "Id of the search.")),
    responses((status = 200, description = "The search.", body = SearchView),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody)))]
pub async fn read_search(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiPath(id): ApiPath<i64>,
) -> Result<Versioned<SearchView>, ApiError> {
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    versioned_view(&state, &caller, &links, search).await
}

async fn start_and_redirect(
    state: &AppState,
    caller: &Caller,
    links: &Links,
    query: &SearchQuery,
    text: &str,
    rag_request: Option<RagRequest>,
) -> Result<Response, ApiError> {
    let (spec, unknown_mixer) = query.options().spec(state, text)?;
    let ended = state.federation.search_and_wait(caller.principal.user, spec, "search_q").await?;
    let search = ended.search;
    if let Some(rag_request) = rag_request.filter(|_| search.status.is_ready()) {
        // The results show the summary if there is one; the log has the reason if there is none.
        summarize(state, &search, &rag_request).await;
    }
    Ok(redirect(links, search.id, query, unknown_mixer))
}

async fn start_and_mix(
    state: &AppState,
    caller: &Caller,
    links: &Links,
    query: &SearchQuery,
    text: &str,
    rag_request: Option<RagRequest>,
) -> Result<Response, ApiError> {
    let (mut ended, mut request) = start_from_url(state, caller, links, query, text).await?;
    // A search that is still running is refused below, without waiting for a summary.
    if let Some(rag_request) = rag_request.filter(|_| ended.search.status.is_final()) {
        request.summary = Some(summarize(state, &ended.search, &rag_request).await);
    }
    let mixed = state.federation.mixer.mix_ended(&mut ended, &request).await?;
    log_view(&ended.search, &mixed);
    mixed_json(&mixed)
}

/// Returns the results, then streams the summary.
async fn start_and_stream(
    state: &Arc<AppState>,
    caller: &Caller,
    links: &Links,
    query: &SearchQuery,
    text: &str,
    rag_request: RagRequest,
) -> Result<Response, ApiError> {
    let permit = state.throttles.streams.enter(caller.principal.user)?;
    let (mut ended, request) = start_from_url(state, caller, links, query, text).await?;
    let mixed = state.federation.mixer.mix_ended(&mut ended, &request).await?;
    log_view(&ended.search, &mixed);
    Ok(answer_stream(state, &ended.search, &rag_request, Some(&mixed), permit))
}

/// Runs the search of `qs`, and returns the request of its first page.
async fn start_from_url(
    state: &AppState,
    caller: &Caller,
    links: &Links,
    query: &SearchQuery,
    text: &str,
) -> Result<(EndedSearch, MixRequest), ApiError> {
    if query.page.is_some() {
        return Err(ApiError::invalid_field(
            "page",
            "qs returns the first page; follow info.results.next_page.",
        ));
    }
    let (spec, unknown_mixer) = query.options().spec(state, text)?;
    let ended = state.federation.search_and_wait(caller.principal.user, spec, "search_qs").await?;
    let request = MixRequest {
        mixer: unknown_mixer,
        provider: query.provider.map(ProviderId),
        explain: query.explain.map(|flag| flag.0),
        base_url: links.base(),
        ..MixRequest::default()
    };
    Ok((ended, request))
}

/// A summary is counted in addition to the search.
fn charge_rag_quota(
    state: &AppState,
    caller: &Caller,
    address: ClientAddress,
    rag_request: Option<&RagRequest>,
) -> Result<(), ApiError> {
    match rag_request {
        Some(_) => state.throttles.take(Class::Rag, caller.principal.user, address),
        None => Ok(()),
    }
}

/// 302 to the results, under the prefix that the client used.
fn redirect(links: &Links, id: SearchId, query: &SearchQuery, mixer: Option<String>) -> Response {
    let mut parameters = url::form_urlencoded::Serializer::new(String::new());
    parameters.append_pair("search_id", &id.to_string());
    if let Some(mixer) = mixer {
        parameters.append_pair("result_mixer", &mixer);
    }
    if let Some(provider) = query.provider {
        parameters.append_pair("provider", &provider.to_string());
    }
    if let Some(Flag(explain)) = query.explain {
        parameters.append_pair("explain", &explain.to_string());
    }
    let location = format!("{}/results/?{}", links.prefix(), parameters.finish());
    (StatusCode::FOUND, [(header::LOCATION, location)]).into_response()
}

fn not_blank<'a>(field: &str, text: &'a str) -> Result<&'a str, ApiError> {
    if text.trim().is_empty() {
        Err(ApiError::invalid_field(field, "A query is needed; this one is empty."))
    } else {
        Ok(text)
    }
}

impl SearchQuery {
    /// The summary requested with the results. An invalid `rag_timeout` is refused in any case.
    fn rag_request(&self, state: &AppState) -> Result<Option<RagRequest>, ApiError> {
        let time_max = time_max(state, self.rag_timeout)?;
        if ![self.rag, self.do_rag].contains(&Some(LenientBool(true))) {
            return Ok(None);
        }
        let summary = SummaryRequest {
            instructions: self.ai_instructions.clone().unwrap_or_default(),
            ai_provider: self.ai_provider.map(AiProviderId),
            ..SummaryRequest::default()
        };
        Ok(Some(RagRequest { summary, time_max }))
    }

    fn options(&self) -> RunOptions {
        RunOptions {
            providers: self.providers.clone(),
            result_mixer: self.result_mixer.clone(),
            pre_query_processor: self.pre_query_processor.clone(),
            search_tags: self.search_tags.clone(),
            single_provider_results_requested: self.single_provider_results_requested,
        }
    }
}
