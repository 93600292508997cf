//! Ranking preferences of a user: sources and domains that are raised, lowered or blocked.

use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiJson;
use crate::preconditions::{IfMatch, Versioned, edit, versioned};
use crate::state::AppState;
use axum::extract::State;
use domain::ids::ProviderId;
use domain::ports::EditableRecord;
use domain::preferences::{DomainPreference, Preference, Preferences};
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
    domains: Vec<DomainPreference>,
    sources: Vec<SourcePreferenceView>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = SourceWishView)]
struct SourcePreferenceView {
    provider_id: ProviderId,
    /// Name of the provider.
    name: String,
    #[serde(rename = "wish")]
    preference: Preference,
}

/// Your ranking preferences. Sources that were deleted, or that you may no longer see, are left out.
#[utoipa::path(get, path = "/svc/preferences/", tag = "people",
    responses((status = 200, description = "Your preferences.", body = PreferencesView)))]
async fn read_preferences(
    caller: Caller,
    State(state): State<Arc<AppState>>,
) -> Result<Versioned<PreferencesView>, ApiError> {
    let view = async {
        let preferences = state.store.preferences(caller.principal.user).await?;
        Ok::<_, ApiError>(view_of(preferences, &visible(&state, &caller).await?))
    };
    versioned(&state, EditableRecord::Preferences(caller.principal.user), view).await
}

/// Replaces your ranking preferences. They apply to all your lists: raised results have 1.25 times their score and
/// confidence, lowered ones 0.75 times, blocked ones are hidden, and a blocked source is queried only if it is named.
#[utoipa::path(put, path = "/svc/preferences/", tag = "people", request_body = Preferences, responses(
    (status = 200, description = "Your preferences, with normalized domains.", body = PreferencesView),
    (status = 400, description = "Invalid.", body = ErrorBody)))]
async fn replace_preferences(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiJson(preferences): ApiJson<Preferences>,
) -> Result<Versioned<PreferencesView>, ApiError> {
    let preferences = preferences.checked().map_err(ApiError::invalid)?;
    let sources = visible(&state, &caller).await?;
    let mut errors = FieldErrors::default();
    for (index, one) in preferences.sources.iter().enumerate() {
        let is_known = sources.iter().any(|source| source.id == one.provider_id);
        errors.check(is_known, &format!("sources[{index}].provider_id"), || {
            "There is no such source.".to_owned()
        });
    }
    let preferences = errors.into_result(preferences).map_err(ApiError::invalid)?;
    let user = caller.principal.user;
    let (state, preferences, sources) = (&state, &preferences, &sources);
    let load = || versioned(state, EditableRecord::Preferences(user), state.store.preferences(user));
    let save = move |Versioned { version, .. }| async move {
        let (at_version, now) = (state.store.if_version(version), state.clock.now());
        at_version.save_preferences(user, preferences.clone(), now).await?;
        Ok(Versioned::after(version, view_of(preferences.clone(), sources)))
    };
    edit(&if_match, load, save).await
}

async fn visible(state: &AppState, caller: &Caller) -> Result<Vec<SearchProvider>, ApiError> {
    let mut providers = state.store.providers().await?;
    providers.retain(|provider| caller.principal.may_see(provider));
    Ok(providers)
}

fn view_of(preferences: Preferences, sources: &[SearchProvider]) -> PreferencesView {
    let named = preferences.sources.into_iter().filter_map(|one| {
        let source = sources.iter().find(|source| source.id == one.provider_id)?;
        Some(SourcePreferenceView {
            provider_id: source.id,
            name: source.spec.name.clone(),
            preference: one.preference,
        })
    });
    PreferencesView { sources: named.collect(), domains: preferences.domains }
}
