//! Status of each source of a search.

use crate::error::ApiError;
use crate::state::AppState;
use domain::ids::ProviderId;
use domain::mixed::{MixedInfo, ProviderInfo, SourceOrder};
use domain::ports::Corpus;
use domain::provider::SearchProvider;
use domain::result::{ProviderError, ResultSet};
use domain::status::ProviderStatus;
use domain::user::Principal;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// Number of source colors.
const COLORS: i64 = 8;
/// Sources that the page shows at once; the others are folded.
const SOURCES_AT_FIRST: usize = 8;

/// The color of a source, everywhere on the page.
pub fn color(id: ProviderId) -> i64 {
    id.0.rem_euclid(COLORS)
}

/// The active providers that the user may see and that can have results, ordered by id.
pub async fn visible_providers(
    state: &AppState,
    person: &Principal,
) -> Result<Vec<SearchProvider>, ApiError> {
    let mut providers = state.store.providers().await?;
    providers.retain(|provider| {
        provider.spec.active && person.may_see(provider) && state.can_have_results(provider)
    });
    Ok(providers)
}

/// The providers that cannot have results, although searches query them.
pub async fn closed_providers(state: &AppState) -> Result<Vec<ProviderId>, ApiError> {
    if state.corpus.is_open() {
        return Ok(Vec::new());
    }
    let providers = state.store.providers().await?;
    Ok(providers.iter().filter(|provider| !state.can_have_results(provider)).map(|one| one.id).collect())
}

/// The line of a source: its status, and the filter by it.
#[derive(Debug, Clone, Serialize)]
pub struct SourceView {
    pub id: ProviderId,
    pub name: String,
    initials: String,
    color: i64,
    /// None while the source is queried.
    status: Option<ProviderStatus>,
    found: u64,
    retrieved: u64,
    seconds: String,
    /// The code of the error, and its message.
    code: String,
    fault: String,
    /// Seconds until it is queried again, and whether the source asked for the pause.
    rests_s: Option<u64>,
    wants_rest: bool,
    /// Whether it was asked after other sources.
    asked_later: bool,
    /// Why it was left out after it had waited for others: `no_time`, or the code of an error.
    not_asked: Option<String>,
    /// None if the list has no results of this source.
    pub choice: Option<SourceChoice>,
}

/// The filter by a source.
#[derive(Debug, Clone, Serialize)]
pub struct SourceChoice {
    pub count: u64,
    pub is_on: bool,
    pub is_without: bool,
    /// Link that excludes the source, or no longer excludes it.
    pub without: String,
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
            initials: initials(&provider.spec.name),
            color: color(provider.id),
            status: None,
            found: 0,
            retrieved: 0,
            seconds: String::new(),
            code: String::new(),
            fault: String::new(),
            rests_s: None,
            wants_rest: false,
            asked_later: false,
            not_asked: None,
            choice: None,
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
            initials: initials(outcome.name),
            color: color(outcome.id),
            status: Some(outcome.status),
            found: outcome.found,
            retrieved: outcome.retrieved,
            seconds: format_seconds(outcome.seconds),
            code: outcome.error.map(|error| error.code.clone()).unwrap_or_default(),
            fault: outcome.error.map(|error| error.message.clone()).unwrap_or_default(),
            rests_s: state.map(|state| state.retry_in_s).filter(|seconds| *seconds > 0),
            wants_rest: state.is_some_and(|state| state.state == "suspended"),
            asked_later: false,
            not_asked: None,
            choice: None,
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

/// Puts a long list of finished sources in a useful order: those that failed, then those with most results. The order
/// does not depend on the filter, and running sources keep their places.
pub fn sort_finished(lines: &mut [SourceView]) {
    if lines.len() > SOURCES_AT_FIRST && !lines.iter().any(SourceView::is_asking) {
        lines.sort_by_key(|line| (!line.is_missing(), Reverse(line.retrieved), line.id));
    }
}

/// Characters that stand for a source: the first of each of its first two words, or the first two of a number, so that
/// numbered sources differ. `web/static/js/initials.js` does the same.
pub fn initials(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = |word: &str| {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        word.chars().take(if is_number { 2 } else { 1 }).collect::<String>()
    };
    words.take(2).map(first).collect::<String>().to_uppercase()
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
    if let Some(order) = &info.completeness.order {
        add_order(&mut lines, order);
    }
    for provider in asked {
        if !lines.iter().any(|line| line.id == provider.id) {
            lines.push(SourceView::asking(provider));
        }
    }
    lines.sort_by_key(|line| line.id);
    lines
}

/// Leaves out the closed sources, unless the search has no others.
pub fn leave_out(lines: &mut Vec<SourceView>, closed: &[ProviderId]) {
    let is_open = |line: &SourceView| !closed.contains(&line.id);
    if lines.iter().any(is_open) {
        lines.retain(is_open);
    }
}

/// Marks the sources that were asked after others, or not at all.
fn add_order(lines: &mut [SourceView], order: &SourceOrder) {
    let later: HashSet<&str> = order.asked_later.iter().map(String::as_str).collect();
    let codes: HashMap<&str, &str> =
        order.not_asked.iter().map(|one| (one.source.as_str(), one.code.as_str())).collect();
    for line in lines {
        line.asked_later = later.contains(line.name.as_str());
        line.not_asked = codes.get(line.name.as_str()).map(|code| (*code).to_owned());
    }
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
#[path = "sources_tests.rs"]
mod tests;
