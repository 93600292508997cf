//! AIProviders: seen by everybody who may use them, written and tried by administrators, their keys shown to nobody.

mod read;
mod trial;
mod write;

use crate::AppState;
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
        .routes(routes!(trial::test_aiprovider))
}
