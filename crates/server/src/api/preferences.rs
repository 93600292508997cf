//! What a person wishes for the own lists: sources and domains that are raised, lowered or blocked.

use crate::AppState;
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiJson;
use crate::preconditions::{IfMatch, Versioned, edit, versioned};
use axum::extract::State;
use domain::contracts::EditableRecord;
use domain::ids::ProviderId;
use domain::preferences::{DomainWish, Preferences, Wish};
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use serde::Serialize;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(read_preferences, replace_preferences))
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
struct PreferencesView {
    domains: Vec<DomainWish>,
    sources: Vec<SourceWishView>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
struct SourceWishView {
    provider_id: ProviderId,
    /// Name of the provider.
    name: String,
    wish: Wish,
}

/// Your wishes for your own lists. Sources that are gone, or that you may not see any more, are left out.
#[utoipa::path(get, path = "/svc/preferences/", tag = "people",
    responses((status = 200, description = "Your wishes.", body = PreferencesView)))]
async fn read_preferences(
    caller: Caller,
    State(state): State<Arc<AppState>>,
) -> Result<Versioned<PreferencesView>, ApiError> {
    let view = async {
        let wishes = state.store.preferences(caller.principal.user).await?;
        Ok::<_, ApiError>(shown(wishes, &visible(&state, &caller).await?))
    };
    versioned(&state, EditableRecord::Preferences(caller.principal.user), view).await
}

/// Replaces your wishes. They count in all your lists at once: raised results have 1.25 times their score and
/// confidence, lowered ones 0.75 times, blocked ones are hidden, and a blocked source is asked only when it is named.
#[utoipa::path(put, path = "/svc/preferences/", tag = "people", request_body = Preferences, responses(
    (status = 200, description = "Your wishes, with domains in their one form.", body = PreferencesView),
    (status = 400, description = "Not valid.", body = ErrorBody)))]
async fn replace_preferences(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiJson(wishes): ApiJson<Preferences>,
) -> Result<Versioned<PreferencesView>, ApiError> {
    let wishes = wishes.checked().map_err(ApiError::invalid)?;
    let sources = visible(&state, &caller).await?;
    let mut errors = FieldErrors::default();
    for (place, wish) in wishes.sources.iter().enumerate() {
        let is_known = sources.iter().any(|one| one.id == wish.provider_id);
        errors.check(is_known, &format!("sources[{place}].provider_id"), || {
            "There is no such source.".to_owned()
        });
    }
    let wishes = errors.into_result(wishes).map_err(ApiError::invalid)?;
    let user = caller.principal.user;
    let (state, wishes, sources) = (&state, &wishes, &sources);
    let load = || versioned(state, EditableRecord::Preferences(user), state.store.preferences(user));
    let save = move |version, _before| async move {
        let (at_version, now) = (state.store.if_version(version), state.clock.now());
        at_version.save_preferences(user, wishes.clone(), now).await?;
        Ok(Versioned::after(version, shown(wishes.clone(), sources)))
    };
    edit(&if_match, load, save).await
}

async fn visible(state: &AppState, caller: &Caller) -> Result<Vec<SearchProvider>, ApiError> {
    let mut providers = state.store.providers().await?;
    providers.retain(|provider| caller.principal.may_see(provider));
    Ok(providers)
}

fn shown(wishes: Preferences, sources: &[SearchProvider]) -> PreferencesView {
    let named = wishes.sources.into_iter().filter_map(|wish| {
        let source = sources.iter().find(|one| one.id == wish.provider_id)?;
        Some(SourceWishView { provider_id: source.id, name: source.spec.name.clone(), wish: wish.wish })
    });
    PreferencesView { sources: named.collect(), domains: wishes.domains }
}
