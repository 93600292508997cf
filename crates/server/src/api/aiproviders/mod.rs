//! AIProviders: visible to users who may use them, edited and tested by administrators. Keys are never shown.

mod read;
mod test;
mod write;

use crate::state::AppState;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(read::list_aiproviders, write::create_aiprovider))
        .routes(routes!(
            read::read_aiprovider,
            write::replace_aiprovider,
            write::change_aiprovider,
            write::delete_aiprovider
        ))
        .routes(routes!(test::test_aiprovider))
}
