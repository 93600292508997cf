//! SearchProviders: visible by one rule, written by administrators, their secrets shown to nobody.

mod read;
mod secrets;
mod write;

use crate::House;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<House>> {
    OpenApiRouter::new().routes(routes!(read::list_searchproviders, write::create_searchproviders)).routes(
        routes!(
            read::read_searchprovider,
            write::replace_searchprovider,
            write::change_searchprovider,
            write::delete_searchprovider
        ),
    )
}
