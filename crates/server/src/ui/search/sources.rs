//! Status of each source of a search.

use crate::error::ApiError;
use crate::state::AppState;
use domain::ids::ProviderId;
use domain::mixed::{MixedInfo, ProviderInfo};
use domain::provider::SearchProvider;
use domain::result::{ProviderError, ResultSet};
use domain::status::ProviderStatus;
use domain::user::Principal;
use serde::Serialize;

/// Number of source colors.
const COLORS: i64 = 8;

/// The color of a source, everywhere on the page.
pub fn color(id: ProviderId) -> i64 {
    id.0.rem_euclid(COLORS)
}

/// The active providers that the user may see, ordered by id.
pub async fn visible_providers(
    state: &AppState,
    person: &Principal,
) -> Result<Vec<SearchProvider>, ApiError> {
    let mut providers = state.store.providers().await?;
    providers.retain(|provider| provider.spec.active && person.may_see(provider));
    Ok(providers)
}

/// The status line of a source.
#[derive(Debug, Clone, Serialize)]
pub struct SourceView {
    pub id: ProviderId,
    pub name: String,
    color: i64,
    /// None while the source is queried.
    status: Option<ProviderStatus>,
    found: u64,
    retrieved: u64,
    seconds: String,
    /// The error message.
    fault: String,
    /// Seconds until it is queried again, and whether the source asked for the pause.
    rests_s: Option<u64>,
    wants_rest: bool,
}

/// What a source delivered, or why it failed.
struct SourceOutcome<'a> {
    id: ProviderId,
    name: &'a str,
    status: ProviderStatus,
    error: Option<&'a ProviderError>,
    found: u64,
    retrieved: u64,
    seconds: f64,
}

impl SourceView {
    pub fn asking(provider: &SearchProvider) -> Self {
        Self {
            id: provider.id,
            name: provider.spec.name.clone(),
            color: color(provider.id),
            status: None,
            found: 0,
            retrieved: 0,
            seconds: String::new(),
            fault: String::new(),
            rests_s: None,
            wants_rest: false,
        }
    }

    pub fn of_set(state: &AppState, set: &ResultSet) -> Self {
        let outcome = SourceOutcome {
            id: set.provider,
            name: &set.provider_name,
            status: set.status,
            error: set.error.as_ref(),
            found: set.found,
            retrieved: set.retrieved,
            seconds: set.time_s,
        };
        Self::ended(state, &outcome)
    }

    fn ended(state: &AppState, outcome: &SourceOutcome<'_>) -> Self {
        let is_missing = !outcome.status.has_delivered();
        let state = state.federation.prober.health(outcome.id).filter(|_| is_missing);
        Self {
            id: outcome.id,
            name: outcome.name.to_owned(),
            color: color(outcome.id),
            status: Some(outcome.status),
            found: outcome.found,
            retrieved: outcome.retrieved,
            seconds: format_seconds(outcome.seconds),
            fault: outcome.error.map(|error| error.message.clone()).unwrap_or_default(),
            rests_s: state.map(|state| state.retry_in_s).filter(|seconds| *seconds > 0),
            wants_rest: state.is_some_and(|state| state.state == "suspended"),
        }
    }

    pub fn is_asking(&self) -> bool {
        self.status.is_none()
    }

    /// Whether it failed.
    pub fn is_missing(&self) -> bool {
        self.status.is_some_and(|status| !status.has_delivered())
    }
}

/// The status of every source of a search, ordered by id.
pub fn rail(state: &AppState, info: &MixedInfo, asked: &[SearchProvider]) -> Vec<SourceView> {
    let mut lines: Vec<SourceView> = Vec::new();
    for (name, one) in &info.providers {
        let outcome = SourceOutcome {
            id: id_of(one),
            name,
            status: one.status,
            error: one.error.as_ref(),
            found: one.found,
            retrieved: one.retrieved,
            seconds: one.search_time,
        };
        lines.push(SourceView::ended(state, &outcome));
    }
    for provider in asked {
        if !lines.iter().any(|line| line.id == provider.id) {
            lines.push(SourceView::asking(provider));
        }
    }
    lines.sort_by_key(|line| line.id);
    lines
}

/// Seconds with one decimal place; `<0.1` below that.
pub fn format_seconds(seconds: f64) -> String {
    if seconds < 0.05 { "<0.1".to_owned() } else { format!("{seconds:.1}") }
}

/// The id of a provider, from the link to its results.
pub fn id_of(info: &ProviderInfo) -> ProviderId {
    let id = info.filter_url.rsplit_once("provider=").and_then(|(_, id)| id.parse().ok());
    ProviderId(id.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_colors() {
        for (seconds, text) in [(0.0, "<0.1"), (0.1, "0.1"), (12.34, "12.3")] {
            assert_eq!(format_seconds(seconds), text);
        }
        for (id, expected) in [(0, 0), (7, 7), (8, 0), (1_000_001, 1), (-1, 7)] {
            assert_eq!(color(ProviderId(id)), expected, "{id}");
        }
    }
}
