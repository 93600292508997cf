//! Result processors: they work on one provider's results before they are saved.

mod cosine_relevancy;
mod date_finder;
mod mapping;
mod shared;

use domain::contracts::ResultProcessorKind;

/// Every result processor of the house, in the order of the manual.
pub const CATALOGUE: &[ResultProcessorKind] = &[mapping::KIND, date_finder::KIND, cosine_relevancy::KIND];
