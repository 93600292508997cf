//! The rail: a line for each source that is asked, and what is missing because of some of them.

use crate::AppState;
use domain::ids::ProviderId;
use domain::mixed::{MixedInfo, ProviderInfo};
use domain::provider::SearchProvider;
use domain::result::{ProviderFault, ResultSet};
use domain::status::ProviderStatus;
use serde::Serialize;

/// Sources have this many colours.
const COLOURS: i64 = 8;

/// The colour of a source, everywhere on the page.
pub fn colour(id: ProviderId) -> i64 {
    id.0.rem_euclid(COLOURS)
}

/// One line of the rail.
#[derive(Debug, Clone, Serialize)]
pub struct ShownSource {
    pub id: ProviderId,
    pub name: String,
    colour: i64,
    /// None: it is still being asked.
    status: Option<ProviderStatus>,
    found: u64,
    retrieved: u64,
    seconds: String,
    /// What went wrong, in the source's words.
    fault: String,
    /// Seconds until it may be asked again, and whether it asked for that itself.
    rests_s: Option<u64>,
    wants_rest: bool,
}

impl ShownSource {
    pub fn asking(provider: &SearchProvider) -> Self {
        Self {
            id: provider.id,
            name: provider.spec.name.clone(),
            colour: colour(provider.id),
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
        let counts = (set.found, set.retrieved, set.time_s);
        Self::ended(state, (set.provider, &set.provider_name), (set.status, set.error.as_ref()), counts)
    }

    fn ended(
        state: &AppState,
        (id, name): (ProviderId, &str),
        (status, fault): (ProviderStatus, Option<&ProviderFault>),
        (found, retrieved, seconds): (u64, u64, f64),
    ) -> Self {
        let state = state.federation.source_state(id).filter(|_| !status.has_delivered());
        Self {
            id,
            name: name.to_owned(),
            colour: colour(id),
            status: Some(status),
            found,
            retrieved,
            seconds: shown_seconds(seconds),
            fault: fault.map(|fault| fault.message.clone()).unwrap_or_default(),
            rests_s: state.map(|state| state.retry_in_s).filter(|seconds| *seconds > 0),
            wants_rest: state.is_some_and(|state| state.state == "suspended"),
        }
    }

    pub fn is_asking(&self) -> bool {
        self.status.is_none()
    }

    /// It gave nothing because something went wrong.
    pub fn is_missing(&self) -> bool {
        self.status.is_some_and(|status| !status.has_delivered())
    }
}

/// Every source of a search, in the order of their ids: how it ended, or that it is still being asked.
pub fn rail(state: &AppState, info: &MixedInfo, asked: &[SearchProvider]) -> Vec<ShownSource> {
    let mut lines: Vec<ShownSource> = Vec::new();
    for (name, one) in &info.providers {
        let counts = (one.found, one.retrieved, one.search_time);
        lines.push(ShownSource::ended(state, (id_of(one), name), (one.status, one.error.as_ref()), counts));
    }
    for provider in asked {
        if !lines.iter().any(|line| line.id == provider.id) {
            lines.push(ShownSource::asking(provider));
        }
    }
    lines.sort_by_key(|line| line.id);
    lines
}

/// Times are known to a tenth of a second; what took less was not done in no time.
pub fn shown_seconds(seconds: f64) -> String {
    if seconds < 0.05 { "<0.1".to_owned() } else { format!("{seconds:.1}") }
}

/// The id of a provider stands at the end of the link to its own results.
pub fn id_of(info: &ProviderInfo) -> ProviderId {
    let id = info.filter_url.rsplit_once("provider=").and_then(|(_, id)| id.parse().ok());
    ProviderId(id.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_colours() {
        for (seconds, text) in [(0.0, "<0.1"), (0.1, "0.1"), (12.34, "12.3")] {
            assert_eq!(shown_seconds(seconds), text);
        }
        for (id, expected) in [(0, 0), (7, 7), (8, 0), (1_000_001, 1), (-1, 7)] {
            assert_eq!(colour(ProviderId(id)), expected, "{id}");
        }
    }
}
