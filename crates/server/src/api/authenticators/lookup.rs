//! Which authenticator is named, and which ones a user needs.

use crate::api::egress;
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use domain::authenticator::Authenticator;
use domain::ids::AuthenticatorId;
use domain::ports::Corpus;
use domain::user::Principal;

/// The authenticator with this id or idp.
pub async fn by_id_or_idp(state: &AppState, word: &str) -> Result<Authenticator, ApiError> {
    if let Ok(id) = word.parse::<i64>() {
        return Ok(state.store.authenticator(AuthenticatorId(id)).await?);
    }
    let all = state.store.authenticators().await?;
    all.into_iter().find(|one| one.spec.idp == word).ok_or_else(|| ApiError::of(ErrorCode::NotFound))
}

/// The active authenticators that are needed by providers which this user may see, or to scan their sent mail.
pub async fn needed(state: &AppState, principal: &Principal) -> Result<Vec<Authenticator>, ApiError> {
    let providers = state.store.providers().await?;
    let mut names: Vec<&str> = providers
        .iter()
        .filter(|provider| principal.may_see(provider))
        .filter_map(|provider| state.plugins.authenticator_of(provider))
        .collect();
    if state.corpus.is_open() {
        names.extend(egress::authenticators(&state.settings).map(|(_, name)| name));
    }
    let mut all = state.store.authenticators().await?;
    all.retain(|one| one.spec.active && names.iter().any(|name| one.is_called(name)));
    Ok(all)
}
