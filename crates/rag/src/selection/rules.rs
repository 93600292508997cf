//! The rules by which results are selected.

use domain::ids::{ProviderId, ResultId};
use domain::rag::{InclusionField, Strategy};
use std::collections::{BTreeMap, BTreeSet};

/// Selection rules unless a provider overrides them.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SelectionRules {
    pub field: InclusionField,
    pub threshold: f64,
    pub strategy: Strategy,
    pub max: usize,
    /// Providers with generated results, which are never sources.
    pub generated: BTreeSet<ProviderId>,
    /// How likely a result contains an answer. It is compared with the threshold of the settings instead of the
    /// confidence; a provider's own threshold is one of the confidence.
    pub answerability: BTreeMap<ResultId, f64>,
    /// The second reader has read the results: `sorted` orders them by answerability instead of confidence.
    pub by_answerability: bool,
    /// The mixed list of the search, best first. If no requested number is a `swirl_id`, all are ranks in this list.
    pub order: Vec<ResultId>,
}
