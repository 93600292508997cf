//! The summary card above the list: for the whole page, and as a fragment for an open page.

use super::query::{Fields, ListQuery};
use crate::api::rag_search::RESULT_LIST_MAX;
use crate::api::sapi::usable_models;
use crate::api::search::own_search;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::extract::ApiPath;
use crate::state::AppState;
use crate::ui::answer::{AnswerBasis, AnswerCard, AnswerView, prompts_for};
use crate::ui::page_context::PageContext;
use axum::extract::{RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use domain::ai_provider::Role;
use domain::ids::{ResultId, SearchId};
use domain::prompt::SEARCH_RAG;
use domain::result::ResultSet;
use domain::result_group::remove_copies;
use domain::search::Search;
use domain::summary::INSTRUCTIONS_CHARS_MAX;
use federation::MixRequest;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Serialize)]
struct AnswerFragment {
    card: AnswerCard,
}

/// `GET /search/{id}/answer/`: the card beside this list; 204 if there is neither a summary nor a model.
pub async fn answer_fragment(
    caller: Caller,
    context: PageContext,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let query = ListQuery::parse(&Fields::parse(&query.unwrap_or_default()))?;
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    let Some(card) = answer_card(&state, &caller, &search, &query).await? else {
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    let text = state.templates.render("answer_card.html", &context, AnswerFragment { card })?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Html(text)).into_response())
}

/// The card of a search; None if there is neither a summary nor a model.
pub async fn answer_card(
    state: &AppState,
    caller: &Caller,
    search: &Search,
    query: &ListQuery,
) -> Result<Option<AnswerCard>, ApiError> {
    let stored =
        state.federation.reader.saved_summary(search).await?.filter(|answer| answer.run == search.run);
    let models = usable_models(state, caller).await?;
    let can_ask = models.iter().any(|model| model.spec.serves(Role::Rag));
    if !can_ask && stored.is_none() {
        return Ok(None);
    }
    let (mut answer, mut rating, mut basis) = (None, None, None);
    if let Some(stored) = stored {
        let sets = used_sets(state, search).await?;
        rating = state.store.answer_rating(search.id, stored.date_created).await?;
        basis = Some(answer_basis(state, search, query, &stored.request.items, &sets).await?);
        let ids = sets.into_iter().map(|set| (set.provider_name, set.provider)).collect();
        answer = Some(AnswerView::of(stored, &ids));
    }
    Ok(Some(AnswerCard {
        search_id: search.id,
        is_final: search.status.is_final(),
        can_ask,
        prompts: prompts_for(state, caller.principal.user, &[SEARCH_RAG]).await?,
        instructions_max: INSTRUCTIONS_CHARS_MAX,
        time_max: state.settings.rag_timeout.0.as_secs(),
        answer,
        rating: rating.map(|own| own.rating).unwrap_or_default(),
        basis,
    }))
}

/// `items` are the results that the summary was requested for; none means all.
async fn answer_basis(
    state: &AppState,
    search: &Search,
    query: &ListQuery,
    items: &[i64],
    sets: &[ResultSet],
) -> Result<AnswerBasis, ApiError> {
    let results = sets.iter().flat_map(|set| &set.items);
    let all = results.filter(|item| item.result_block.is_none()).count();
    let mut filtered = Vec::new();
    if !query.filter.is_none() && search.status.is_final() {
        filtered = filtered_results(state, search, query).await?;
    }
    let wanted: BTreeSet<i64> = filtered.iter().map(|id| id.0).collect();
    if filtered.len() > RESULT_LIST_MAX || wanted == items.iter().copied().collect::<BTreeSet<_>>() {
        filtered.clear();
    }
    let used = if items.is_empty() { all } else { items.len().min(all) };
    Ok(AnswerBasis { used, all, filtered })
}

/// The results that a summary of the whole search is made from.
async fn used_sets(state: &AppState, search: &Search) -> Result<Vec<ResultSet>, ApiError> {
    let mut sets = state.federation.reader.saved_sets(search).await?;
    state.federation.mixer.apply_preferences(search, &mut sets).await?;
    remove_copies(&mut sets);
    Ok(sets)
}

/// The results of the filtered list; one more than can be selected at most.
async fn filtered_results(
    state: &AppState,
    search: &Search,
    query: &ListQuery,
) -> Result<Vec<ResultId>, ApiError> {
    let request = MixRequest {
        mixer: query.sort.clone(),
        explain: Some(false),
        filter: query.filter.clone(),
        items: Some(RESULT_LIST_MAX + 1),
        ..MixRequest::default()
    };
    let mixed = state.federation.mixer.mix(search, &request).await?;
    Ok(mixed.results.iter().map(|item| item.swirl_id).collect())
}
