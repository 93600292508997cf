//! SearchProviders: visible to users with access, edited by administrators. Secrets are never shown.

mod doctor;
mod health;
mod read;
mod secrets;
mod test;
mod write;

use crate::state::AppState;
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
        .routes(routes!(test::test_unsaved_searchprovider))
        .routes(routes!(doctor::examine_sample))
        .routes(routes!(health::list_states))
        .routes(routes!(test::test_searchprovider))
        .routes(routes!(health::read_state, health::reset_state))
}
