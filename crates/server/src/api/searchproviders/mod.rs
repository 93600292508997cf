//! SearchProviders: visible by one rule, written by administrators, their secrets shown to nobody.

mod doctor;
mod read;
mod secrets;
mod state;
mod states;
mod testing;
mod write;

use crate::AppState;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(read::list_searchproviders, write::create_searchproviders))
        .routes(routes!(
            read::read_searchprovider,
            write::replace_searchprovider,
            write::change_searchprovider,
            write::delete_searchprovider
        ))
        .routes(routes!(testing::test_unsaved_searchprovider))
        .routes(routes!(doctor::examine_sample))
        .routes(routes!(states::list_states))
        .routes(routes!(testing::test_searchprovider))
        .routes(routes!(state::read_state, state::reset_state))
}
