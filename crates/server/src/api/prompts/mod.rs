//! Prompts: everybody reads what is shared and keeps some of their own; the standard ones are copied, not changed.

mod read;
mod write;

use crate::AppState;
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
