//! Query transforms: used by users with access, written by administrators, with a preview.

mod preview;
mod read;
mod write;

use crate::state::AppState;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(read::list_querytransforms, write::create_querytransform))
        .routes(routes!(preview::preview_querytransform))
        .routes(routes!(
            read::read_querytransform,
            write::replace_querytransform,
            write::change_querytransform,
            write::delete_querytransform
        ))
}
