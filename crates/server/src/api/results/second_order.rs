//! The order of the second reader, for requests that ask for it.

use crate::state::AppState;
use domain::ids::ResultId;
use domain::search::Search;
use federation::MixRequest;
use rag::BetterOrder;

/// The request with the best results of its list in the order of the second reader, if there is one.
pub async fn in_second_order(state: &AppState, search: &Search, request: MixRequest) -> MixRequest {
    let order = find_order(state, search, &request).await;
    let ids: Vec<ResultId> = order.map(|order| order.ids).unwrap_or_default();
    MixRequest { second_reader: Some(ids), ..request }
}

/// The better order of a list; `None` if the second reader is off or finds none in time.
pub async fn find_order(state: &AppState, search: &Search, request: &MixRequest) -> Option<BetterOrder> {
    state.summaries.better_orders()?.find(search, request).await
}
