//! Prompts: users read shared ones and have their own; standard ones can be copied, not changed.

mod read;
mod write;

use crate::state::AppState;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(read::list_prompts, write::create_prompt)).routes(routes!(
        read::read_prompt,
        write::replace_prompt,
        write::change_prompt,
        write::delete_prompt
    ))
}
