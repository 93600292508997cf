//! Searches: created, followed, changed and run again only by their owner.

mod access;
mod change;
mod create;
mod events;
mod from_url;
mod history;
mod list;
mod mixed_json;
mod read;
mod search_stream;
mod suggestions;
mod view;

pub use access::own_search;
pub use from_url::{is_prefetch, log_view};
pub use mixed_json::mixed_json;
pub use search_stream::{EventEncoder, SearchStream, Subscription, event};
pub use suggestions::SUGGESTIONS_MAX;

use crate::state::AppState;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(read::read_searches, create::create_search))
        .routes(routes!(suggestions::read_suggestions))
        .routes(routes!(
            read::read_search,
            change::replace_search,
            change::change_search,
            change::delete_search
        ))
        .routes(routes!(events::follow_search))
        .routes(routes!(history::read_runs))
        .routes(routes!(history::read_diff))
}
