//! The fragments of a list for an open page.

use super::better_order::list_request;
use super::list::{ListView, Listing};
use super::query::{Fields, ListQuery};
use super::result::ResultView;
use super::sources::closed_providers;
use crate::api::search::{log_view, own_search};
use crate::auth::Caller;
use crate::error::ApiError;
use crate::extract::ApiPath;
use crate::links::Links;
use crate::state::AppState;
use crate::ui::page_context::PageContext;
use axum::Json;
use axum::extract::{RawQuery, State};
use domain::ids::SearchId;
use serde::Serialize;
use std::sync::Arc;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListFragments {
    search: SearchId,
    /// The keys of the results, in order.
    ids: Vec<String>,
    results: Vec<ResultFragment>,
    head: String,
    facets: String,
    pages: String,
    is_final: bool,
}

#[derive(Debug, Serialize)]
pub struct ResultFragment {
    id: String,
    html: String,
}

impl ListFragments {
    /// `is_new` decides whether the fragment of a result is sent.
    pub fn of(
        state: &AppState,
        context: &PageContext,
        list: &ListView,
        mut is_new: impl FnMut(&str, &str) -> bool,
    ) -> Result<Self, ApiError> {
        #[derive(Serialize)]
        struct OneResult<'a> {
            result: &'a ResultView,
        }
        #[derive(Serialize)]
        struct WholeList<'a> {
            list: &'a ListView,
        }
        let piece = |name: &str| state.templates.render(name, context, WholeList { list });
        let mut results = Vec::new();
        for result in &list.results {
            let html = state.templates.render("search/result.html", context, OneResult { result })?;
            if is_new(&result.key, &html) {
                results.push(ResultFragment { id: result.key.clone(), html });
            }
        }
        Ok(Self {
            search: list.search_id,
            ids: list.results.iter().map(|result| result.key.clone()).collect(),
            results,
            head: piece("search/head.html")?,
            facets: piece("search/facets.html")?,
            pages: piece("search/pages.html")?,
            is_final: !list.is_running,
        })
    }
}

/// `/search/{id}/list/`: the fragments of the list of a finished search. 503 while it runs; use the stream then.
pub async fn read_list(
    caller: Caller,
    context: PageContext,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiPath(id): ApiPath<i64>,
    RawQuery(query): RawQuery,
) -> Result<Json<ListFragments>, ApiError> {
    let query = ListQuery::parse(&Fields::parse(&query.unwrap_or_default()))?;
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    let request = list_request(&state, &search, &query, links.base()).await;
    let mixed = state.federation.mixer.mix(&search, &request).await?;
    log_view(&search, &mixed);
    let closed = closed_providers(&state).await?;
    let (state, search, query) = (&*state, &search, &query);
    let list = Listing { state, context: &context, search, query, asked: &[], closed: &closed }.view(mixed);
    ListFragments::of(state, &context, &list, |_, _| true).map(Json)
}
