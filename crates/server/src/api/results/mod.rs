//! Results: the mixed list of a search, and single saved results.

mod export;
mod filter;
mod mixer_name;
mod second_order;

pub use filter::FilterQuery;
pub use mixer_name::named_mixer;
pub use second_order::{find_order, in_second_order};

use super::merge_patch::merge;
use super::pagination::{ListRequest, Listing, Paging};
use super::search::{is_prefetch, log_view, mixed_json, own_search};
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::{ApiJson, ApiPath, ApiQuery, Flag};
use crate::links::Links;
use crate::preconditions::{IfMatch, Versioned, edit};
use crate::request_head::RequestHead;
use crate::state::AppState;
use axum::extract::State;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::ids::{ProviderId, ResultId, SearchId};
use domain::mixed::MixedResponse;
use domain::notice;
use domain::result::{NEW, ResultItem, SavedResult, TITLE_CHARS_MAX};
use domain::validation::FieldErrors;
use federation::MixRequest;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use syntax::script_url::is_script_url;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(read_results))
        .routes(routes!(export::export_results))
        .routes(routes!(read_result, replace_result, change_result, delete_result))
}

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
struct ResultsQuery {
    /// The search whose results are mixed. Without it, all your Results are listed.
    search_id: Option<i64>,
    /// Another mixer than the search's own; see `/svc/mixers/`.
    #[param(example = "RelevancyMixer")]
    result_mixer: Option<String>,
    /// Page number, from 1.
    page: Option<u32>,
    /// Only the results of this provider, by id; ignored with `providers`.
    provider: Option<i64>,
    /// False leaves out `explain`.
    #[param(value_type = Option<bool>)]
    explain: Option<Flag>,
    /// Adds `info.facets`: the values that the list can be filtered by, with counts.
    #[param(value_type = Option<bool>)]
    facets: Option<Flag>,
    /// True puts the best results into the order of the second reader, if it is on, the mixer orders by relevancy, and
    /// they are read in time; `info.results.second_reader` says whether they are.
    #[param(value_type = Option<bool>)]
    second_reader: Option<Flag>,
    /// Any value, with a NewItems mixer: marks all results of the search as read, after this response.
    mark_all_read: Option<String>,
    /// Items on one page of the list of Results, 1 to 100; not with `search_id`.
    items: Option<u32>,
}

/// One saved result.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = SavedResult)]
struct ResultView {
    /// Equal to `swirl_id`.
    id: ResultId,
    search_id: SearchId,
    provider_id: ProviderId,
    /// Notices of its provider's run.
    messages: Vec<String>,
    #[serde(flatten)]
    item: ResultItem,
    date_created: DateTime<Utc>,
    date_updated: DateTime<Utc>,
}

impl From<SavedResult> for ResultView {
    fn from(saved: SavedResult) -> Self {
        Self {
            id: saved.item.swirl_id,
            search_id: saved.search,
            provider_id: saved.provider,
            messages: notice::lines(&saved.notices),
            item: saved.item,
            date_created: saved.date_created,
            date_updated: saved.date_updated,
        }
    }
}

/// The mixed results of a search, or the list of all your Results.
#[utoipa::path(get, path = "/svc/results/", tag = "results", params(ResultsQuery, FilterQuery), responses(
    (status = 200, description = "With `search_id`: a page of the mixed list. A search that ended in an error has an \
        empty list and the reason. Without: your Results, newest first.", body = ResultsAnswer),
    (status = 400, description = "Invalid parameter.", body = ErrorBody),
    (status = 404, description = "Unknown search, or it belongs to someone else.", body = ErrorBody),
    (status = 503, description = "The search is still running; try again after `Retry-After`.", body = ErrorBody)))]
async fn read_results(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    RequestHead { links, method, headers, .. }: RequestHead,
    ApiQuery(query): ApiQuery<ResultsQuery>,
    ApiQuery(filter): ApiQuery<FilterQuery>,
) -> Result<Response, ApiError> {
    let Some(id) = query.search_id else {
        let paging = Paging { page: query.page, items: query.items };
        let list = ListRequest::read(paging, &links, "/results/")?;
        let own = caller.principal.user;
        let page = state.federation.reader.saved_results(own, list.offset(), list.limit()).await?;
        let items: Vec<ResultView> = page.items.into_iter().map(ResultView::from).collect();
        return Ok(list.answer(items, page.total));
    };
    if query.items.is_some() {
        return Err(ApiError::invalid_field(
            "items",
            "A page of a search holds results_requested results; items is for lists only.",
        ));
    }
    let mut request = MixRequest { filter: filter.filter()?, ..mix_request(&query, &links)? };
    if !request.filter.providers.is_empty() {
        request.provider = None;
    }
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    if query.second_reader == Some(Flag(true)) {
        request = in_second_order(&state, &search, request).await;
    }
    // A prefetch does not mark results as read.
    let is_read = method == Method::GET && !is_prefetch(&headers);
    let mixed = match query.mark_all_read.as_deref() {
        Some(value) if !value.is_empty() && is_read => {
            state.federation.mixer.mix_and_mark(&search, &request).await?
        }
        _ => state.federation.mixer.mix(&search, &request).await?,
    };
    log_view(&search, &mixed);
    mixed_json(&mixed)
}

fn mix_request(query: &ResultsQuery, links: &Links) -> Result<MixRequest, ApiError> {
    if query.page == Some(0) {
        return Err(ApiError::invalid_field("page", "Pages are counted from 1."));
    }
    Ok(MixRequest {
        mixer: named_mixer(query.result_mixer.as_deref())?,
        page: query.page.unwrap_or(1),
        provider: query.provider.map(ProviderId),
        explain: query.explain.map(|flag| flag.0),
        base_url: links.base(),
        facets: query.facets == Some(Flag(true)),
        ..MixRequest::default()
    })
}

/// Responses of `/svc/results/`, for the documentation.
#[derive(utoipa::ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it describes the two shapes; the handler sends either")]
enum ResultsAnswer {
    Mixed(Box<MixedResponse>),
    List(Listing<ResultView>),
}

/// One result.
#[utoipa::path(get, path = "/svc/results/{id}/", tag = "results", params(("id" = i64, Path, description = "`swirl_id` of the result.")),
    responses((status = 200, description = "The result.", body = ResultView),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody)))]
async fn read_result(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Versioned<ResultView>, ApiError> {
    let saved = own_result(&state, &caller, ResultId(id)).await?;
    view(&state, saved).await
}

/// The result with its duplicates, which are made from the other results of the search.
async fn view(state: &AppState, mut saved: SavedResult) -> Result<Versioned<ResultView>, ApiError> {
    state.federation.reader.list_duplicates(&mut saved).await?;
    Ok(Versioned::new(saved.version, saved.into()))
}

/// Replaces one result; its id, provider, block, rank at the provider, duplicates, cache status and the sources of a
/// summary remain, and so does the address that the provider returned: pages are fetched by `source_url`, not by an
/// edited `url`.
#[utoipa::path(put, path = "/svc/results/{id}/", tag = "results", params(("id" = i64, Path, description = "`swirl_id` of the result.")),
    request_body = ResultItem, responses(
    (status = 200, description = "Replaced.", body = ResultView),
    (status = 400, description = "Invalid.", body = ErrorBody),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody)))]
async fn replace_result(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(item): ApiJson<ResultItem>,
) -> Result<Versioned<ResultView>, ApiError> {
    let load = || load(&state, &caller, ResultId(id));
    let save = |stored| save(&state, stored, item.clone());
    edit(&if_match, load, save).await
}

/// Changes the given fields of one result.
#[utoipa::path(patch, path = "/svc/results/{id}/", tag = "results", params(("id" = i64, Path, description = "`swirl_id` of the result.")),
    request_body = ResultItem, responses(
    (status = 200, description = "Changed.", body = ResultView),
    (status = 400, description = "Invalid.", body = ErrorBody),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody)))]
async fn change_result(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Versioned<ResultView>, ApiError> {
    let (state, given) = (&state, &given);
    let load = || load(state, &caller, ResultId(id));
    let save = move |stored: Versioned<ResultItem>| async move {
        let item = merge(&stored.body, given.clone())?;
        save(state, stored, item).await
    };
    edit(&if_match, load, save).await
}

/// Deletes one result; its search remains.
#[utoipa::path(delete, path = "/svc/results/{id}/", tag = "results", params(("id" = i64, Path, description = "`swirl_id` of the result.")),
    responses((status = 204, description = "Deleted."),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody)))]
async fn delete_result(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let saved = own_result(&state, &caller, ResultId(id)).await?;
    match if_match.guard(saved.version)? {
        Some(version) => state.store.if_version(version).delete_result(saved.item.swirl_id).await?,
        None => state.store.delete_result(saved.item.swirl_id).await?,
    }
    Ok(StatusCode::NO_CONTENT)
}

async fn load(state: &AppState, caller: &Caller, id: ResultId) -> Result<Versioned<ResultItem>, ApiError> {
    let saved = own_result(state, caller, id).await?;
    Ok(Versioned::new(saved.version, saved.item))
}

/// A result belongs to the owner of its search.
async fn own_result(state: &AppState, caller: &Caller, id: ResultId) -> Result<SavedResult, ApiError> {
    let (saved, search) = state.federation.reader.saved_result(id).await?;
    if caller.principal.owns(&search) { Ok(saved) } else { Err(ApiError::of(ErrorCode::NotFound)) }
}

/// Checks what a user changed: older results may have what is no longer accepted.
fn check_item(item: &ResultItem, stored: &ResultItem) -> Result<(), ApiError> {
    let mut errors = FieldErrors::default();
    errors.check(item.url == stored.url || !is_script_url(&item.url), "url", || {
        "This address would execute what it contains; use the address of a page or document.".to_owned()
    });
    let is_short = item.title == stored.title || item.title.chars().count() <= TITLE_CHARS_MAX;
    errors.check(is_short, "title", || format!("At most {TITLE_CHARS_MAX} characters are allowed."));
    errors.into_result(()).map_err(ApiError::invalid)
}

async fn save(
    state: &AppState,
    Versioned { version, body: stored }: Versioned<ResultItem>,
    item: ResultItem,
) -> Result<Versioned<ResultView>, ApiError> {
    let item = ResultItem {
        swirl_id: stored.swirl_id,
        searchprovider: stored.searchprovider.clone(),
        searchprovider_rank: stored.searchprovider_rank,
        // Users cannot edit who may see it.
        cache: stored.cache.clone(),
        duplicates: stored.duplicates.clone(),
        rag_query_items: stored.rag_query_items.clone(),
        additional_content: stored.additional_content.clone(),
        result_block: stored.result_block.clone(),
        new: item.new.filter(|mark| *mark > 0).map(|_| NEW),
        ..item
    };
    check_item(&item, &stored)?;
    let (at_version, now) = (state.store.if_version(version), state.clock.now());
    view(state, at_version.replace_result(stored.swirl_id, item, now).await?).await
}
