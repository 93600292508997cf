//! Access to searches.

use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use domain::ids::SearchId;
use domain::search::Search;
use domain::user::Principal;

/// The search, if it is the caller's own: searches are private, even from administrators.
pub async fn own_search(state: &AppState, principal: &Principal, id: SearchId) -> Result<Search, ApiError> {
    let search = state.store.search(id).await?;
    if principal.owns(&search) { Ok(search) } else { Err(ApiError::of(ErrorCode::NotFound)) }
}
