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
pub(crate) use shared::samples;

use domain::contracts::PostResultProcessorKind;
use domain::pipeline_record::FINDS_VERSIONS;

/// Every post-result processor , in the order of the manual.
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

/// What runs, in this order, for a search that names none itself. Grouping chooses the best of a group by its
/// scores, so the scores come first. Versions are looked for among what is left.
pub const SYSTEM_DEFAULT: &[&str] = &[
    "CosineRelevancyPostResultProcessor",
    "DedupeByFieldPostResultProcessor",
    "DedupeBySimilarityPostResultProcessor",
    FINDS_VERSIONS,
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
