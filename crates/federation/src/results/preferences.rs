//! Applies a user's preferences to results: raise, lower or block.

use domain::explain::{PreferenceEffect, PreferenceSubject};
use domain::preferences::{Preference, Preferences};
use domain::result::{ResultItem, ResultSet};

/// Adjusts scores and confidences, records it in `explain.personal`, and removes blocked results. Returns how many were
/// removed. A block does not apply to providers that the search names.
pub(super) fn apply(
    preferences: &Preferences,
    sets: &mut [ResultSet],
    is_named: impl Fn(&ResultSet) -> bool,
) -> usize {
    let mut hidden = 0;
    for set in sets {
        let source = preferences
            .of_source(set.provider)
            .filter(|preference| *preference != Preference::Block || !is_named(set));
        set.items.retain_mut(|item| {
            let is_kept = item.result_block.is_some() || apply_to_item(preferences, source, item);
            // The list does not show duplicates.
            hidden += usize::from(!is_kept && !item.is_copy());
            is_kept
        });
    }
    hidden
}

/// False if the result is blocked.
fn apply_to_item(preferences: &Preferences, source: Option<Preference>, item: &mut ResultItem) -> bool {
    let domain = preferences.of_url(&item.url);
    let mut factor = 1.0;
    let mut effects = Vec::new();
    if let Some(preference) = source {
        let Some(own) = preference.factor() else { return false };
        factor *= own;
        let subject = PreferenceSubject::Source(item.searchprovider.clone());
        effects.push(PreferenceEffect { subject, preference, factor: own });
    }
    if let Some(found) = domain {
        let Some(own) = found.preference.factor() else { return false };
        factor *= own;
        let subject = PreferenceSubject::Domain(found.domain.clone());
        effects.push(PreferenceEffect { subject, preference: found.preference, factor: own });
    }
    if effects.is_empty() {
        return true;
    }
    item.swirl_score *= factor;
    item.swirl_confidence_score = (item.swirl_confidence_score * factor).min(1.0);
    item.explain.get_or_insert_default().personal = effects;
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::ProviderId;
    use domain::preferences::{DomainPreference, SourcePreference};
    use serde_json::json;
    use testkit::builders::{item, result_set};

    fn set(provider: i64, urls: &[&str]) -> ResultSet {
        let name = format!("P{provider}");
        let scored = |url: &&str| item("").url(*url).score(100.0).confidence(0.9).provider(&name);
        result_set(provider).named(&name).items(urls.iter().map(scored)).build()
    }

    fn preferences() -> Preferences {
        let domain = |domain: &str, preference| DomainPreference { domain: domain.to_owned(), preference };
        let source = |id, preference| SourcePreference { provider_id: ProviderId(id), preference };
        Preferences {
            domains: vec![
                domain("good.example", Preference::Raise),
                domain("dull.example", Preference::Lower),
                domain("bad.example", Preference::Block),
            ],
            sources: vec![source(2, Preference::Raise), source(3, Preference::Block)],
        }
    }

    #[test]
    fn preferences_change_scores_and_are_explained() {
        let urls =
            ["https://good.example/", "https://dull.example/", "https://bad.example/", "https://x.example/"];
        let mut sets = [set(1, &urls), set(2, &urls), set(3, &urls)];
        assert_eq!(apply(&preferences(), &mut sets, |_| false), 1 + 1 + 4);
        let shown = |set: &ResultSet| -> Vec<(f64, f64, usize)> {
            let personal =
                |item: &ResultItem| item.explain.as_ref().map_or(0, |explain| explain.personal.len());
            let round = |number: f64| (number * 1000.0).round() / 1000.0;
            set.items
                .iter()
                .map(|item| (round(item.swirl_score), round(item.swirl_confidence_score), personal(item)))
                .collect()
        };
        assert_eq!(shown(&sets[0]), [(125.0, 1.0, 1), (75.0, 0.675, 1), (100.0, 0.9, 0)]);
        assert_eq!(shown(&sets[1]), [(156.25, 1.0, 2), (93.75, 0.844, 2), (125.0, 1.0, 1)]);
        assert_eq!(shown(&sets[2]), []);
        let explain = sets[1].items[1].explain.as_ref().expect("an explanation").to_map();
        let expected = json!([
            {"source": "P2", "wish": "raise", "factor": 1.25},
            {"domain": "dull.example", "wish": "lower", "factor": 0.75},
        ]);
        assert_eq!(explain["personal"], expected);
    }

    #[test]
    fn a_blocked_provider_is_shown_if_it_is_named() {
        let mut sets = [set(3, &["https://x.example/", "https://bad.example/"])];
        assert_eq!(apply(&preferences(), &mut sets, |set| set.provider == ProviderId(3)), 1);
        assert_eq!((sets[0].items.len(), sets[0].items[0].swirl_score), (1, 100.0));
    }
}
