//! What the second reader reads of each result: its text, or the best passage of its page if the text is short.

use super::BetterOrders;
use crate::answerability::text_of;
use crate::query::query_language;
use domain::ids::{ProviderId, ResultId};
use domain::ports::{DocumentRequest, chain};
use domain::provider::SearchProvider;
use domain::result::{ResultItem, ResultSet};
use domain::search::Search;
use futures_util::future::join_all;
use relevancy::Query;
use relevancy::passages::best_windows;
use std::collections::BTreeMap;
use std::time::Duration;
use syntax::strip_html::readable;
use tokio::time::{Instant, timeout_at};

/// The first results whose pages may be fetched.
const PAGES_MAX: usize = 10;
/// Time limit for the pages of one list; late ones are not used.
const PAGES_TIME_MAX: Duration = Duration::from_secs(4);
/// Number of words of a passage. The pages of results with a text of this length are not fetched.
const PASSAGE_WORDS: usize = 120;
/// Maximum length of a page that is read, in bytes.
const PAGE_BYTES_MAX: usize = 200_000;

/// The providers whose pages may be fetched, and which of them returned a result.
#[derive(Default)]
struct PageProviders {
    providers: BTreeMap<ProviderId, SearchProvider>,
    of_results: BTreeMap<ResultId, ProviderId>,
}

impl PageProviders {
    fn of(&self, result: ResultId) -> Option<&SearchProvider> {
        self.providers.get(self.of_results.get(&result)?)
    }
}

impl BetterOrders {
    pub(super) async fn texts(&self, search: &Search, query: &str, results: &[ResultItem]) -> Vec<String> {
        let mut texts: Vec<String> = results.iter().map(text_of).collect();
        for (place, passage) in self.passages(search, query, results).await {
            texts[place] = format!("{}\n{passage}", readable(&results[place].title));
        }
        texts
    }

    /// The best passages of the pages that are fetched in time, by the positions of their results.
    async fn passages(&self, search: &Search, query: &str, results: &[ResultItem]) -> Vec<(usize, String)> {
        let first = results.iter().enumerate().take(PAGES_MAX);
        let short: Vec<(usize, &ResultItem)> = first.filter(|(_, item)| is_short(item)).collect();
        if short.is_empty() {
            return Vec::new();
        }
        let providers = self.page_providers(search).await;
        let until = Instant::now() + PAGES_TIME_MAX;
        let mut reading = Vec::with_capacity(short.len());
        for (place, item) in short {
            if let Some(provider) = providers.of(item.swirl_id) {
                let wanted = DocumentRequest::of_result(provider, item, search.owner, PAGES_TIME_MAX);
                reading.push(self.page(place, wanted, until));
            }
        }
        let pages: Vec<(usize, String)> = join_all(reading).await.into_iter().flatten().collect();
        if pages.is_empty() {
            return Vec::new();
        }
        let query = Query::parse_by_language(query_language(&self.settings), query);
        let best = move || -> Vec<(usize, String)> {
            let passage = |(place, text): (usize, String)| Some((place, best_passage(&query, &text)?));
            pages.into_iter().filter_map(passage).collect()
        };
        self.federation.cpu.run(best).await.unwrap_or_default()
    }

    /// The text of a page, with the position of its result; `None` if it is late or cannot be read.
    async fn page(
        &self,
        place: usize,
        wanted: DocumentRequest<'_>,
        until: Instant,
    ) -> Option<(usize, String)> {
        let page = timeout_at(until, self.pages.read(&wanted)).await.ok()?.ok()?;
        Some((place, page.text))
    }

    /// The providers that the owner may search, and that allow their pages to be fetched. If they cannot be read, no
    /// page is fetched.
    async fn page_providers(&self, search: &Search) -> PageProviders {
        let of_search = self.federation.selector.selected_providers(search).await;
        let of_search = of_search.inspect_err(|error| {
            tracing::warn!("the sources of search {} cannot be read: {}", search.id, chain(error));
        });
        let allows = |provider: &SearchProvider| provider.spec.page_fetch_config_json.parsed().is_enabled;
        let allowed = of_search.unwrap_or_default().into_iter().filter(allows);
        let providers: BTreeMap<ProviderId, SearchProvider> =
            allowed.map(|provider| (provider.id, provider)).collect();
        if providers.is_empty() {
            return PageProviders::default();
        }
        let sets = self.federation.reader.saved_sets(search).await.unwrap_or_default();
        let of_set = |set: &ResultSet| -> Vec<(ResultId, ProviderId)> {
            set.items.iter().map(|item| (item.swirl_id, set.provider)).collect()
        };
        PageProviders { of_results: sets.iter().flat_map(of_set).collect(), providers }
    }
}

fn is_short(item: &ResultItem) -> bool {
    readable(&item.body).split_whitespace().nth(PASSAGE_WORDS).is_none()
}

fn best_passage(query: &Query, text: &str) -> Option<String> {
    let text = &text[..text.floor_char_boundary(PAGE_BYTES_MAX)];
    best_windows(text, &query.for_text(text), PASSAGE_WORDS, 1).pop()
}

#[cfg(test)]
mod tests {
    use super::*;
    use relevancy::Language;

    #[test]
    fn long_texts_need_no_page() {
        let item = |words: usize| ResultItem { body: "word ".repeat(words), ..ResultItem::default() };
        assert!(is_short(&item(0)) && is_short(&item(PASSAGE_WORDS)) && !is_short(&item(PASSAGE_WORDS + 1)));
    }

    #[test]
    fn the_best_passage_of_a_page_has_the_words_of_the_query() {
        let query = Query::parse_in(Language::ENGLISH, "otter burrow");
        let page = format!("{} The otter dug a burrow. {}", "before ".repeat(300), "after ".repeat(300));
        let passage = best_passage(&query, &page).unwrap();
        assert!(passage.contains("otter dug a burrow"), "{passage}");
        assert!(passage.split_whitespace().count() <= PASSAGE_WORDS);
        assert_eq!(best_passage(&query, ""), None);
    }
}
