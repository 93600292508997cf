//! The better order of a list: its request, and the offer on the page.

use super::query::{Fields, ListQuery};
use crate::api::results::{find_order, in_second_order};
use crate::api::search::own_search;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::extract::ApiPath;
use crate::state::AppState;
use axum::Json;
use axum::extract::{RawQuery, State};
use domain::ids::SearchId;
use domain::search::Search;
use federation::MixRequest;
use serde::Serialize;
use std::sync::Arc;

/// The address of a list in a better order; none if there is no such order.
#[derive(Serialize)]
pub struct OfferedOrder {
    href: Option<String>,
}

/// The request for a list, in the order of the second reader if the address asks for it.
pub async fn list_request(
    state: &AppState,
    search: &Search,
    query: &ListQuery,
    base_url: String,
) -> MixRequest {
    let request = query.request(base_url);
    if query.second_reader { in_second_order(state, search, request).await } else { request }
}

/// `GET /search/{id}/better/`: the address of the list in a better order, if there is one that has other first results.
pub async fn offer_order(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
    RawQuery(query): RawQuery,
) -> Result<Json<OfferedOrder>, ApiError> {
    let query = ListQuery::parse(&Fields::parse(&query.unwrap_or_default()))?;
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    if query.page > 1 || query.second_reader {
        return Ok(Json(OfferedOrder { href: None }));
    }
    let order = find_order(&state, &search, &query.request(String::new())).await;
    let is_offered = order.is_some_and(|order| order.has_new_leaders);
    let better = ListQuery { second_reader: true, ..query };
    Ok(Json(OfferedOrder { href: is_offered.then(|| better.href(search.id)) }))
}
