//! Searches: created, followed, changed and run again by their owner, and by nobody else.

mod change;
mod create;
mod events;
mod list;
mod read;
mod run;
mod runs;
mod view;
mod watch;

pub use run::{is_prefetch, log_start, log_view};
pub use watch::{Tell, Watch, event};

use crate::AppState;
use crate::error::{ApiError, Refusal};
use domain::ids::SearchId;
use domain::search::Search;
use domain::user::Principal;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(read::read_searches, create::create_search))
        .routes(routes!(
            read::read_search,
            change::replace_search,
            change::change_search,
            change::delete_search
        ))
        .routes(routes!(events::follow_search))
        .routes(routes!(runs::read_runs))
        .routes(routes!(runs::read_diff))
}

/// The search, if it is the caller's own: searches are private, also to administrators.
pub async fn own_search(state: &AppState, principal: &Principal, id: SearchId) -> Result<Search, ApiError> {
    let search = state.store.search(id).await?;
    if search.owner == principal.user { Ok(search) } else { Err(ApiError::of(Refusal::NotFound)) }
}
