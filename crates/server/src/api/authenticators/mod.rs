//! Authenticators: administrators keep the records; everybody connects accounts of their own by them.

mod connect;
mod read;
mod write;

pub use connect::redirect_uri;

use crate::AppState;
use crate::error::{ApiError, Refusal};
use domain::authenticator::Authenticator;
use domain::contracts::Corpus;
use domain::ids::AuthenticatorId;
use domain::user::Principal;
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

/// The authenticator with this id or idp.
async fn by_id_or_idp(state: &AppState, word: &str) -> Result<Authenticator, ApiError> {
    if let Ok(id) = word.parse::<i64>() {
        return Ok(state.store.authenticator(AuthenticatorId(id)).await?);
    }
    let all = state.store.authenticators().await?;
    all.into_iter().find(|one| one.spec.idp == word).ok_or_else(|| ApiError::of(Refusal::NotFound))
}

/// The active authenticators that are needed by providers which this person may see, or to scan their sent mail.
async fn needed(state: &AppState, principal: &Principal) -> Result<Vec<Authenticator>, ApiError> {
    let providers = state.store.providers().await?;
    let mut names: Vec<&str> = providers
        .iter()
        .filter(|provider| principal.may_see(provider))
        .filter_map(|provider| federation::authenticator_of(provider, &state.plugins))
        .collect();
    if state.corpus.is_open() {
        names.extend(super::egress::authenticators(&state.settings).map(|(_, name)| name));
    }
    let mut all = state.store.authenticators().await?;
    all.retain(|one| one.spec.active && names.iter().any(|name| one.is_called(name)));
    Ok(all)
}
