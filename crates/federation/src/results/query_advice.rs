//! Advice on the query of a search that found little.

use super::mix_request::MixRequest;
use crate::federation_store::FederationStore;
use domain::mixed::SearchInfo;
use domain::owner_scope::OwnerScope;
use domain::ports::{QueryAdvisor, QueryEvidence, chain};
use domain::query_advice::QueryAdvice;
use domain::result::ResultSet;
use domain::search::{Search, SearchFilter};
use syntax::highlights::plain;

/// A search with fewer results gets advice. Others need no time for it.
const FEW_RESULTS: usize = 10;
/// Most bytes of the title, and of the body, of a result that are read.
const TEXT_BYTES_MAX: usize = 4_000;
/// Newest searches of the user whose words are considered.
const EARLIER_MAX: u64 = 100;

/// The texts of all results, if there are few. None for a part of a list, for a search that could not run, and for one
/// that no person typed.
pub(super) fn few_texts(search: &Search, request: &MixRequest, sets: &[ResultSet]) -> Option<Vec<String>> {
    let count: usize = sets.iter().map(|set| set.items.len()).sum();
    let is_part = request.page > 1 || request.provider.is_some() || !request.filter.is_none();
    let spec = &search.spec;
    if count >= FEW_RESULTS
        || is_part
        || search.status.is_error()
        || spec.is_native()
        || spec.is_by_assistant()
    {
        return None;
    }
    let start = |text: &str| plain(&text[..text.floor_char_boundary(TEXT_BYTES_MAX)]);
    let items = sets.iter().flat_map(|set| &set.items);
    Some(items.map(|item| format!("{} {}", start(&item.title), start(&item.body))).collect())
}

/// What advice is made from.
pub(super) struct AdviceSources<'a> {
    pub store: &'a dyn FederationStore,
    pub advisor: &'a dyn QueryAdvisor,
}

impl AdviceSources<'_> {
    /// Adds what may help, if there are few results.
    pub async fn add_advice(&self, search: &Search, few_texts: Option<Vec<String>>, info: &mut SearchInfo) {
        let Some(results) = few_texts else { return };
        let query = search.spec.query_string.clone();
        let is_doubtful = self.advisor.is_doubtful(&query, &results);
        let earlier = if is_doubtful { self.earlier_queries(search).await } else { Vec::new() };
        let evidence = QueryEvidence { query, results, earlier };
        let QueryAdvice { did_you_mean, language_hint } = self.advisor.advise(evidence).await;
        (info.did_you_mean, info.language_hint) = (did_you_mean, language_hint);
    }

    /// Other queries of the owner of the search, newest first. Advice is possible without them.
    async fn earlier_queries(&self, search: &Search) -> Vec<String> {
        let own = SearchFilter::owned_by(OwnerScope::Only(search.owner));
        let filter = SearchFilter { without_assistant: true, ..own };
        match self.store.find_searches(&filter, 0, EARLIER_MAX).await {
            Ok(page) => {
                let others = page.items.into_iter().filter(|other| other.id != search.id);
                others.map(|other| other.spec.query_string).collect()
            }
            Err(error) => {
                tracing::warn!("earlier searches cannot be read for advice: {}", chain(&error));
                Vec::new()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::filter::ResultFilter;
    use domain::ids::{ProviderId, SearchId, UserId};
    use domain::instant::Instant;
    use domain::result::ResultItem;
    use domain::search::{NATIVE_QUERY, SearchSpec};
    use domain::status::SearchStatus;
    use testkit::builders::result_set;

    fn search(tags: &[&str], status: SearchStatus) -> Search {
        let tags = tags.iter().map(|&tag| tag.to_owned()).collect();
        let spec = SearchSpec { tags, ..SearchSpec::of_query("flod") };
        let created = Search::created(SearchId(1), UserId(1), spec, Vec::new(), Instant::default());
        Search { status, ..created }
    }

    fn sets(count: usize) -> Vec<ResultSet> {
        let item = |number: usize| ResultItem {
            title: format!("<em>Flood</em> {number}"),
            body: "ü".repeat(TEXT_BYTES_MAX),
            ..ResultItem::default()
        };
        vec![result_set(1).items((0..count).map(item)).build()]
    }

    #[test]
    fn only_a_whole_list_of_few_results_is_read() {
        let ready = SearchStatus::FullResultsReady;
        let whole = MixRequest::default();
        for (count, expected) in [(0, Some(0)), (FEW_RESULTS - 1, Some(FEW_RESULTS - 1)), (FEW_RESULTS, None)]
        {
            let texts = few_texts(&search(&[], ready), &whole, &sets(count));
            assert_eq!(texts.map(|texts| texts.len()), expected, "{count}");
        }
        let parts = [
            MixRequest { page: 2, ..MixRequest::default() },
            MixRequest { provider: Some(ProviderId(1)), ..MixRequest::default() },
            MixRequest {
                filter: ResultFilter { starred: true, ..ResultFilter::default() },
                ..MixRequest::default()
            },
        ];
        for part in parts {
            assert_eq!(few_texts(&search(&[], ready), &part, &sets(1)), None, "{part:?}");
        }
        for (tags, status) in [
            (&["chat"][..], ready),
            (&[NATIVE_QUERY][..], ready),
            (&[][..], SearchStatus::ErrNoSearchproviders),
        ] {
            assert_eq!(few_texts(&search(tags, status), &whole, &sets(1)), None, "{tags:?} {status:?}");
        }
    }

    #[test]
    fn texts_are_cut_and_have_no_highlights() {
        let texts = few_texts(&search(&[], SearchStatus::FullResultsReady), &MixRequest::default(), &sets(1));
        let text = texts.expect("few").remove(0);
        assert!(text.starts_with("Flood 0 ü"), "{text}");
        assert!(text.len() <= TEXT_BYTES_MAX + 10, "{}", text.len());
    }
}
