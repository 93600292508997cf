//! Authenticators: administrators edit the records; users connect their own accounts with them.

mod connect;
mod lookup;
mod read;
mod write;

pub use connect::redirect_uri;

use crate::state::AppState;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(read::list_authenticators, write::create_authenticator))
        .routes(routes!(
            read::read_authenticator,
            write::replace_authenticator,
            write::change_authenticator,
            write::delete_authenticator
        ))
        .routes(routes!(connect::connect))
        .routes(routes!(connect::disconnect))
}
