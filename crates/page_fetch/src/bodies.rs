//! `config.swirl.fetch_url_body`: results whose source says little of them get the best window of their page.

use crate::PageFetchParts;
use crate::page::Errand;
use domain::contracts::PageWanted;
use domain::ids::UserId;
use domain::notation::markup::readable;
use domain::page_fetch::PageFetchConfig;
use domain::provider::SearchProvider;
use domain::rag::FetchUrlBody;
use domain::result::ResultItem;
use futures_util::StreamExt;
use relevancy::passages::{best_window, count_words, first_words};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Pages of one provider that are fetched side by side.
pub const PAGES_AT_ONCE: usize = 8;

/// For whom bodies are filled, and how long that may take.
pub struct Wanted<'w> {
    pub query: &'w str,
    pub user: UserId,
    pub time_max: Duration,
}

/// How many bodies changed. What is not there when the time is up stays as it was.
pub async fn fill(
    parts: &PageFetchParts,
    provider: &SearchProvider,
    items: &mut [ResultItem],
    wanted: Wanted<'_>,
) -> usize {
    let Some(rules) = FetchUrlBody::of(&provider.spec) else { return 0 };
    let until = Instant::now() + wanted.time_max;
    let config = PageFetchConfig::of(&provider.spec);
    let shelf = Shelf { parts, provider, config: &config, rules, wanted: &wanted };
    let bodies = {
        let is_wanted = |item: &ResultItem| is_thin(item, &rules) && item.as_given().is_some();
        let thin = items.iter().enumerate().filter(|(_, item)| is_wanted(item));
        let pages: Vec<_> = thin.map(|(place, item)| shelf.placed(place, item)).collect();
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

/// What the pages of one provider have in common.
struct Shelf<'s> {
    parts: &'s PageFetchParts,
    provider: &'s SearchProvider,
    config: &'s PageFetchConfig,
    rules: FetchUrlBody,
    wanted: &'s Wanted<'s>,
}

impl Shelf<'_> {
    async fn placed(&self, place: usize, item: &ResultItem) -> (usize, Option<String>) {
        (place, self.body(item).await)
    }

    async fn body(&self, item: &ResultItem) -> Option<String> {
        let own = Duration::try_from_secs_f64(self.rules.timeout).unwrap_or_default();
        let time_max = own.min(self.wanted.time_max);
        let wanted = PageWanted::of_result(self.provider, item, self.wanted.user, time_max);
        let errand = Errand { parts: self.parts, config: self.config, wanted: &wanted, usual: time_max };
        let page = match errand.run().await {
            Ok(page) => page,
            Err(error) => {
                tracing::debug!(provider = %self.provider.spec.name, "a body stays as it is: {error}");
                return None;
            }
        };
        let (rules, query) = (self.rules, self.wanted.query.to_owned());
        // Long texts take their time, which nobody else should wait for.
        let body = tokio::task::spawn_blocking(move || {
            let best = best_window(&page.text, &query, rules.method, rules.token_length);
            best.unwrap_or_else(|| first_words(&page.text, rules.fallback_token_length))
        });
        let body = body.await.ok()?;
        let body = readable(&body);
        let words: Vec<&str> = body.split_whitespace().collect();
        (!words.is_empty()).then(|| words.join(" "))
    }
}
