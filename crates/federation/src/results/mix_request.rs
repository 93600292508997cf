//! Request for a page of mixed results.

use super::filter::ResultFilter;
use domain::ids::{ProviderId, ResultId};
use domain::mixed::AiInfo;

/// Parameters of a page of mixed results.
#[derive(Debug, Clone)]
pub struct MixRequest {
    /// None: the mixer of the search.
    pub mixer: Option<String>,
    /// From 1.
    pub page: u32,
    /// Only this provider's results.
    pub provider: Option<ProviderId>,
    /// None: the setting `SVC_EXPLAIN`.
    pub explain: Option<bool>,
    /// Scheme, host and API prefix for links, such as `http://127.0.0.1:8000/svc`; no slash at the end.
    pub base_url: String,
    /// Outcome of the AI summary that this request asked for; the summary is then also the first result.
    pub summary: Option<AiInfo>,
    /// Which results are shown.
    pub filter: ResultFilter,
    /// Whether to include `info.facets`.
    pub facets: bool,
    /// Results per page; None: the page size of the search.
    pub items: Option<usize>,
    /// The best results in the order of the second reader, if the request asked for it; empty if there is no such order.
    pub second_reader: Option<Vec<ResultId>>,
}

impl MixRequest {
    /// The results that come before all others, in this order.
    pub(super) fn first_results(&self) -> &[ResultId] {
        self.second_reader.as_deref().unwrap_or_default()
    }
}

impl Default for MixRequest {
    /// The first page of all results with the mixer of the search, without links.
    fn default() -> Self {
        Self {
            mixer: None,
            page: 1,
            provider: None,
            explain: None,
            base_url: String::new(),
            summary: None,
            filter: ResultFilter::default(),
            facets: false,
            items: None,
            second_reader: None,
        }
    }
}
