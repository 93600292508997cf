//! Authenticators: administrators keep the records; everybody connects accounts of their own by them.

mod connect;
mod read;
mod write;

pub use connect::redirect_uri;

use crate::House;
use crate::error::{ApiError, Refusal};
use domain::authenticator::Authenticator;
use domain::contracts::Corpus;
use domain::ids::AuthenticatorId;
use domain::user::Principal;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<House>> {
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

/// The authenticator with this id or idp.
async fn by_id_or_idp(house: &House, word: &str) -> Result<Authenticator, ApiError> {
    if let Ok(id) = word.parse::<i64>() {
        return Ok(house.store.authenticator(AuthenticatorId(id)).await?);
    }
    let all = house.store.authenticators().await?;
    all.into_iter().find(|one| one.draft.idp == word).ok_or_else(|| ApiError::of(Refusal::NotFound))
}

/// The active authenticators that are needed by providers which this person may see, or to scan their sent mail.
async fn needed(house: &House, principal: &Principal) -> Result<Vec<Authenticator>, ApiError> {
    let providers = house.store.providers().await?;
    let mut names: Vec<&str> = providers
        .iter()
        .filter(|provider| principal.may_see(provider))
        .filter_map(|provider| federation::authenticator_of(provider, &house.catalogues))
        .collect();
    if house.corpus.is_open() {
        names.extend(super::egress::authenticators(&house.settings).map(|(_, name)| name));
    }
    let mut all = house.store.authenticators().await?;
    all.retain(|one| one.draft.active && names.iter().any(|name| one.is_called(name)));
    Ok(all)
}
