//! `config.swirl.fetch_url_body`: fills short result bodies with the best window of their page.

use crate::PageFetchParts;
use crate::page::PageRequest;
use domain::ids::UserId;
use domain::ports::{DocumentRequest, chain};
use domain::provider::SearchProvider;
use domain::rag::FetchUrlBody;
use domain::result::ResultItem;
use futures_util::StreamExt;
use relevancy::passages::{best_window, count_words, first_words};
use relevancy::{Language, Query};
use std::sync::Arc;
use std::time::Duration;
use syntax::strip_html::readable_plain;
use tokio::time::{Instant, timeout_at};

/// Pages of one provider fetched in parallel.
pub const PAGES_AT_ONCE: usize = 8;

/// The query, the user and the time limit.
pub struct Wanted<'w> {
    pub query: &'w str,
    pub user: UserId,
    pub time_max: Duration,
}

/// Fills short bodies and returns their number. Bodies that are not ready in time stay unchanged.
pub async fn fill(
    parts: &PageFetchParts,
    provider: &SearchProvider,
    items: &mut [ResultItem],
    wanted: Wanted<'_>,
) -> usize {
    let Some(rules) = provider.spec.config.fetch_url_body else { return 0 };
    let until = Instant::now() + wanted.time_max;
    let language = Language::named(&parts.settings.default_query_language);
    let query = Arc::new(Query::parse_by_language(language, wanted.query));
    let filler = BodyFiller { parts, provider, query, rules, wanted: &wanted };
    let bodies = {
        let is_wanted = |item: &ResultItem| is_thin(item, &rules) && item.as_given().is_some();
        let thin = items.iter().enumerate().filter(|(_, item)| is_wanted(item));
        let pages: Vec<_> = thin.map(|(place, item)| filler.placed(place, item)).collect();
        let mut pages = futures_util::stream::iter(pages).buffer_unordered(PAGES_AT_ONCE);
        let mut bodies = Vec::new();
        while let Ok(Some((place, body))) = timeout_at(until, pages.next()).await {
            bodies.extend(body.map(|body| (place, body)));
        }
        bodies
    };
    let count = bodies.len();
    for (place, body) in bodies {
        if let Some(item) = items.get_mut(place) {
            item.body = body;
        }
    }
    count
}

fn is_thin(item: &ResultItem, rules: &FetchUrlBody) -> bool {
    count_words(&item.body, rules.min_tokens) < rules.min_tokens
}

/// What all pages of one provider share.
struct BodyFiller<'s> {
    parts: &'s PageFetchParts,
    provider: &'s SearchProvider,
    query: Arc<Query>,
    rules: FetchUrlBody,
    wanted: &'s Wanted<'s>,
}

impl BodyFiller<'_> {
    async fn placed(&self, place: usize, item: &ResultItem) -> (usize, Option<String>) {
        (place, self.body(item).await)
    }

    async fn body(&self, item: &ResultItem) -> Option<String> {
        let own = Duration::try_from_secs_f64(self.rules.timeout).unwrap_or_default();
        let time_max = own.min(self.wanted.time_max);
        let wanted = DocumentRequest::of_result(self.provider, item, self.wanted.user, time_max);
        let config = self.provider.spec.page_fetch_config_json.parsed();
        let request = PageRequest { parts: self.parts, config, wanted: &wanted, usual: time_max };
        let page = match request.run().await {
            Ok(page) => page,
            Err(error) => {
                tracing::debug!(provider = %self.provider.spec.name, "a body was not filled: {}", chain(&error));
                return None;
            }
        };
        let (rules, query) = (self.rules, Arc::clone(&self.query));
        // Long texts take time, so this runs off the async runtime.
        let body = tokio::task::spawn_blocking(move || {
            let best = best_window(&page.text, &query.for_text(&page.text), rules.method, rules.token_length);
            best.unwrap_or_else(|| first_words(&page.text, rules.fallback_token_length))
        });
        let body = body.await.ok()?;
        // The text has no markup any more: a page about HTML names tags.
        let body = readable_plain(&body);
        let words: Vec<&str> = body.split_whitespace().collect();
        (!words.is_empty()).then(|| words.join(" "))
    }
}
