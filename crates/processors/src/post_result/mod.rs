//! Post-result processors: they work on all results of a search.

mod cosine_relevancy;
mod dedupe_by_field;
mod dedupe_by_similarity;
mod drop_irrelevant;
mod per_provider;
mod redact_pii;
mod rerank;
mod shared;
mod version_clustering;

#[cfg(test)]
pub(crate) use shared::fixtures;

use domain::ports::PostResultProcessorKind;

/// All post-result processors, in the order of the manual.
pub const CATALOGUE: &[PostResultProcessorKind] = &[
    cosine_relevancy::KIND,
    dedupe_by_field::KIND,
    dedupe_by_similarity::KIND,
    version_clustering::KIND,
    drop_irrelevant::KIND,
    per_provider::DATE_FINDER,
    redact_pii::KIND,
    rerank::KIND,
];

/// The default pipeline, in order. Deduplication keeps the best of a group by its scores, so scoring comes first.
/// Versions are clustered among the remaining results.
pub const SYSTEM_DEFAULT: &[&str] = &[
    "CosineRelevancyPostResultProcessor",
    "DedupeByFieldPostResultProcessor",
    "DedupeBySimilarityPostResultProcessor",
    version_clustering::KIND.name,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_pipeline_is_in_the_catalogue() {
        for name in SYSTEM_DEFAULT {
            assert!(CATALOGUE.iter().any(|kind| kind.name == *name), "{name}");
        }
    }
}
