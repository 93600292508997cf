//! View model of a result. Values from sources remain text; only web URLs become links.

use super::cache_badge::CacheBadge;
use super::copy::Copy;
use super::details::Details;
use super::explain::Explanation;
use super::result_text::{TITLE_CHARS_MAX, place, web_link};
use super::sources::initials;
use super::time_text::time_text;
use super::versions::Row;
use super::view_context::ViewContext;
use domain::corpus::Liveness;
use domain::ids::{ResultId, SignalId};
use domain::result::ResultItem;
use serde::Serialize;
use std::hash::{DefaultHasher, Hash, Hasher};
use syntax::highlights;

/// Length at which a text is cut.
const BODY_CHARS_MAX: usize = 400;
/// Length at which an author is cut.
const AUTHOR_CHARS_MAX: usize = 120;
/// Most copies listed.
const COPIES_MAX: usize = 20;

#[derive(Debug, Serialize)]
pub struct ResultView {
    /// Stable key of the result, while the search runs and afterwards.
    pub key: String,
    /// 0 until it is saved.
    pub id: ResultId,
    rank: u32,
    title: Vec<TextPart>,
    href: Option<String>,
    /// Host and first path segments.
    place: String,
    body: Vec<TextPart>,
    source: String,
    initials: String,
    color: i64,
    source_rank: u32,
    /// Machine-readable, then for display; empty if unknown.
    day: String,
    date: String,
    author: String,
    confidence: String,
    is_starred: bool,
    is_new: bool,
    copies: Vec<Copy>,
    /// Set for results from the semantic cache.
    cached: Option<CacheBadge>,
    /// Whether a copy can be saved: it is on the web, and no copy is shown.
    can_save_copy: bool,
    explanation: Option<Explanation>,
    details: Details,
    retrieved: String,
    /// Whether it is the first of its source in a grouped list.
    pub opens_group: bool,
}

/// A part of a text; matches of the query are highlighted.
#[derive(Debug, Serialize)]
struct TextPart {
    text: String,
    is_marked: bool,
}

impl ResultView {
    /// The cached document, if the result comes from the cache.
    fn signal(&self) -> Option<SignalId> {
        self.cached.as_ref().map(|cached| cached.signal)
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    /// Folds the row of another version into this one; false if it does not belong here.
    fn fold_in(&mut self, other: &ResultView) -> bool {
        let versions = self.cached.as_mut().and_then(|cached| cached.versions.as_mut());
        let (Some(versions), Some(cached)) = (versions, &other.cached) else { return false };
        let row = Row {
            id: other.id,
            confidence: other.confidence.clone(),
            is_gone: cached.liveness == Liveness::Gone,
            is_shared_externally: cached.is_shared_externally,
            live: other.copies.clone(),
        };
        versions.fold_in(cached.signal, row)
    }
}

/// Folds the other versions of a document under the winner. A version that is sorted above the winner keeps its row.
pub fn folded(results: Vec<ResultView>) -> Vec<ResultView> {
    let mut shown: Vec<ResultView> = Vec::with_capacity(results.len());
    for result in results {
        let winner = result.cached.as_ref().and_then(|cached| cached.winner);
        let above = winner.and_then(|winner| shown.iter_mut().find(|one| one.signal() == Some(winner)));
        if !above.is_some_and(|above| above.fold_in(&result)) {
            shown.push(result);
        }
    }
    shown
}

impl ViewContext<'_> {
    pub fn result(&self, item: ResultItem) -> ResultView {
        let title = if item.title.trim().is_empty() { item.url.as_str() } else { &item.title };
        let date = self.date(&item.date_published, &item.date_published_display);
        let href = web_link(&item.url);
        let cached = item.cache.as_deref().map(|mark| CacheBadge::of(mark, &item.payload, self));
        let has_copy = cached.is_some() || item.duplicates.iter().any(|copy| copy.signal_id.is_some());
        ResultView {
            key: key(&item),
            id: item.swirl_id,
            rank: item.swirl_rank,
            title: texts(if title.is_empty() { "—" } else { title }, TITLE_CHARS_MAX),
            can_save_copy: href.is_some() && !has_copy && item.swirl_id != ResultId::default(),
            cached,
            href,
            place: place(&item.url),
            body: texts(&item.body, BODY_CHARS_MAX),
            initials: initials(&item.searchprovider),
            color: self.color(&item.searchprovider),
            source_rank: item.searchprovider_rank,
            day: date.day,
            date: date.text,
            author: highlights::plain(&item.author).chars().take(AUTHOR_CHARS_MAX).collect(),
            confidence: format!("{:.2}", item.swirl_confidence_score),
            is_starred: item.starred,
            is_new: item.new.is_some_and(|new| new > 0),
            copies: item.duplicates.iter().take(COPIES_MAX).map(|copy| self.copy(copy)).collect(),
            explanation: item.explain.as_deref().and_then(Explanation::of),
            details: Details::of(&item.payload, item.cache.is_some(), self.language),
            retrieved: time_text(&item.date_retrieved, self.language)
                .unwrap_or_else(|| to_the_second(&item.date_retrieved)),
            source: item.searchprovider,
            opens_group: false,
        }
    }
}

/// Identifies a result before it has an id.
fn key(item: &ResultItem) -> String {
    let mut hasher = DefaultHasher::new();
    (&item.searchprovider, item.searchprovider_rank, &item.url).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// A time without fractions of a second.
fn to_the_second(time: &str) -> String {
    time.split('.').next().unwrap_or_default().to_owned()
}

fn texts(text: &str, chars_max: usize) -> Vec<TextPart> {
    let parts = highlights::parts(text, chars_max).into_iter();
    parts.map(|part| TextPart { text: part.text, is_marked: part.is_marked }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::i18n::Language;
    use domain::corpus::Topic;
    use domain::instant::Instant;
    use std::collections::BTreeMap;

    #[test]
    fn times_have_no_fractions() {
        assert_eq!(to_the_second("2026-11-16 05:54:35.226708"), "2026-11-16 05:54:35");
        assert_eq!(to_the_second(""), "");
    }

    #[test]
    fn keys_do_not_depend_on_later_fields() {
        let (ids, language) = (BTreeMap::new(), Language::default());
        let view_context =
            ViewContext { language: &language, ids: &ids, now: Instant::default(), topic: Topic::default() };
        let item = |rank, title: &str, id| ResultItem {
            searchprovider_rank: rank,
            title: title.to_owned(),
            url: "https://a.example/".to_owned(),
            swirl_id: ResultId(id),
            ..ResultItem::default()
        };
        let keys = [item(1, "a", 0), item(1, "<em>a</em>", 9), item(2, "a", 0)]
            .map(|item| view_context.result(item).key);
        assert_eq!(keys[0], keys[1]);
        assert_ne!(keys[0], keys[2]);
    }
}
