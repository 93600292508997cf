//! Scoring configuration, from the settings.

use crate::language::Language;
use domain::explain::PerField;
use domain::settings::{FieldWeights, PluginSettings};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoringConfig {
    /// The language of queries, and so of the words that are matched.
    pub language: Language,
    /// The weight of a match in each field.
    pub weights: PerField<f64>,
    /// The lowest similarity that counts.
    pub min_similarity: f64,
    /// Most matches of one target in one field that count.
    pub max_matches: usize,
}

impl ScoringConfig {
    pub fn of(settings: &PluginSettings) -> Self {
        let FieldWeights { title, body, author } = settings.relevancy_config;
        Self {
            language: Language::named(&settings.default_query_language),
            weights: [title, body, author],
            min_similarity: settings.min_similarity.0,
            max_matches: usize::try_from(settings.max_matches).unwrap_or(usize::MAX),
        }
    }
}

impl Default for ScoringConfig {
    fn default() -> Self {
        Self::of(&PluginSettings::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_are_heard() {
        let mut settings = PluginSettings::default();
        let config = ScoringConfig::default();
        assert_eq!((config.weights, config.language), ([1.5, 1.0, 1.0], Language::ENGLISH));
        assert_eq!((config.min_similarity, config.max_matches), (0.01, 5));
        settings.default_query_language = "German".to_owned();
        settings.relevancy_config.body = 3.0;
        settings.max_matches = 2;
        let config = ScoringConfig::of(&settings);
        assert_eq!((config.weights, config.language), ([1.5, 3.0, 1.0], Language::named("de")));
        assert_eq!(config.max_matches, 2);
    }
}
