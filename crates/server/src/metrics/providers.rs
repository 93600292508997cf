//! Labels of providers. Their number is bounded, however administrators rename providers.

use domain::ids::ProviderId;
use std::collections::{BTreeMap, BTreeSet};

/// Most provider names with their own label, and most providers whose circuit breaker is exported.
pub const PROVIDERS_MAX: usize = 200;
/// The label of all other providers.
pub const OTHERS: &str = "other";
/// Error code of a provider that was not queried, which has no latency.
pub const NOT_QUERIED: &str = "suspended";

#[derive(Debug, Default)]
pub struct ProviderNames {
    names: BTreeSet<String>,
    by_id: BTreeMap<ProviderId, String>,
}

impl ProviderNames {
    /// The label of a provider, under its present name.
    pub fn label(&mut self, id: ProviderId, name: &str) -> String {
        if self.by_id.get(&id).is_some_and(|label| label == name) {
            return name.to_owned();
        }
        if !self.names.contains(name) {
            if self.names.len() >= PROVIDERS_MAX {
                return OTHERS.to_owned();
            }
            self.names.insert(name.to_owned());
        }
        if self.by_id.contains_key(&id) || self.by_id.len() < PROVIDERS_MAX {
            self.by_id.insert(id, name.to_owned());
        }
        name.to_owned()
    }

    /// Every provider with its own label.
    pub fn known(&self) -> Vec<(ProviderId, String)> {
        self.by_id.iter().map(|(id, label)| (*id, label.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::ConnectorErrorKind;

    #[test]
    fn labels_are_bounded() {
        let mut names = ProviderNames::default();
        for number in 1..=PROVIDERS_MAX {
            let name = format!("source {number}");
            assert_eq!(names.label(ProviderId(1), &name), name, "renamed again and again");
        }
        assert_eq!(names.label(ProviderId(1), "one more"), OTHERS);
        assert_eq!(names.label(ProviderId(2), "source 7"), "source 7", "an old name stays");
        assert_eq!(names.known().len(), 2);

        let mut names = ProviderNames::default();
        for number in 1..=i64::try_from(PROVIDERS_MAX).expect("small") + 5 {
            names.label(ProviderId(number), "same name");
        }
        assert_eq!(names.known().len(), PROVIDERS_MAX);
    }

    #[test]
    fn the_code_of_a_rest_is_the_contracts() {
        assert_eq!(NOT_QUERIED, ConnectorErrorKind::Suspended.code());
    }
}
