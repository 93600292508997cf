//! Chats: conversations over the sources, each private to one user.

mod access;
mod export;
mod messages;
mod rating;
mod read;
mod view;
mod write;

pub use access::{messages_of, own_chat};

use crate::state::AppState;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(read::list_chats, write::create_chat, write::delete_chats))
        .routes(routes!(read::read_chat, write::change_chat, write::delete_chat))
        .routes(routes!(messages::send_message))
        .routes(routes!(rating::rate_message))
        .routes(routes!(export::export_chat))
}
