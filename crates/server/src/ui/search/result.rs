//! One result as the page shows it. Whatever a source said stays text; its address becomes a link only on the web.

use super::details::Details;
use super::kept::Kept;
use super::sources::colour;
use super::versions::Row;
use super::why::Why;
use crate::ui::words::Language;
use chrono::NaiveDate;
use domain::corpus::{Liveness, Topic};
use domain::ids::{ProviderId, ResultId, SignalId};
use domain::instant::Instant;
use domain::notation::{display, marks};
use domain::result::{DATE_UNKNOWN, Duplicate, ResultItem};
use serde::Serialize;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use url::Url;

/// How much of a result's title is shown.
const TITLE_CHARS_MAX: usize = 300;
/// How much of a result's text is shown.
const BODY_CHARS_MAX: usize = 400;
/// How much of an author's name is shown.
const AUTHOR_CHARS_MAX: usize = 120;
/// Most steps of an address that are shown after its host, and how much of each.
const STEPS_MAX: usize = 2;
const STEP_CHARS_MAX: usize = 24;
/// Most copies of a document that are listed.
const COPIES_MAX: usize = 20;

#[derive(Debug, Serialize)]
pub struct ShownResult {
    /// The same for the same result while its search runs and after, when it has an id.
    pub key: String,
    /// 0 as long as it is not saved.
    pub id: ResultId,
    rank: u32,
    title: Vec<ShownText>,
    href: Option<String>,
    /// Host and first steps of its address.
    place: String,
    body: Vec<ShownText>,
    source: String,
    colour: i64,
    source_rank: u32,
    /// For machines, then for people; empty when nobody knows.
    day: String,
    date: String,
    author: String,
    confidence: String,
    percent: f64,
    is_starred: bool,
    is_new: bool,
    copies: Vec<Copy>,
    /// Of a result from the semantic cache.
    kept: Option<Kept>,
    /// A copy of it may be asked for: it can be fetched, and none is shown here.
    can_keep: bool,
    why: Option<Why>,
    details: Details,
    retrieved: String,
    /// The first of its source in a list that is grouped by sources.
    pub opens_group: bool,
}

/// A piece of text; one that matched the query is shown with a mark.
#[derive(Debug, Serialize)]
struct ShownText {
    text: String,
    is_marked: bool,
}

/// The same document at another source.
#[derive(Debug, Clone, Serialize)]
pub struct Copy {
    source: String,
    colour: i64,
    title: String,
    href: Option<String>,
    date: String,
    /// It is in the semantic cache.
    is_kept: bool,
}

/// What a result is shown with.
pub struct Showing<'a> {
    pub language: Language,
    /// The ids of sources by their names.
    pub ids: &'a BTreeMap<String, ProviderId>,
    pub now: Instant,
    /// What was asked.
    pub topic: Topic<'a>,
}

impl ShownResult {
    /// The document, when it comes from the cache.
    fn signal(&self) -> Option<SignalId> {
        self.kept.as_ref().map(|kept| kept.signal)
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    /// Takes the row of another version in; false where it cannot stand here.
    fn take_in(&mut self, other: &ShownResult) -> bool {
        let versions = self.kept.as_mut().and_then(|kept| kept.versions.as_mut());
        let (Some(versions), Some(kept)) = (versions, &other.kept) else { return false };
        let row = Row {
            id: other.id,
            confidence: other.confidence.clone(),
            is_gone: kept.liveness == Liveness::Gone,
            is_shared_externally: kept.is_shared_externally,
            live: other.copies.clone(),
        };
        versions.take_in(kept.signal, row)
    }
}

/// Versions that do not count and come below the one that does stand folded under it. In an order that puts one of them
/// above, it keeps its row.
pub fn folded(results: Vec<ShownResult>) -> Vec<ShownResult> {
    let mut shown: Vec<ShownResult> = Vec::with_capacity(results.len());
    for result in results {
        let winner = result.kept.as_ref().and_then(|kept| kept.winner);
        let above = winner.and_then(|winner| shown.iter_mut().find(|one| one.signal() == Some(winner)));
        if !above.is_some_and(|above| above.take_in(&result)) {
            shown.push(result);
        }
    }
    shown
}

impl Showing<'_> {
    fn colour(&self, source: &str) -> i64 {
        colour(self.ids.get(source).copied().unwrap_or_default())
    }

    pub fn result(&self, item: ResultItem) -> ShownResult {
        let title = if item.title.trim().is_empty() { item.url.as_str() } else { &item.title };
        let (day, date) = self.dates(&item.date_published, &item.date_published_display);
        let href = web_link(&item.url);
        let kept = item.cache.as_deref().map(|mark| Kept::of(mark, &item.payload, self));
        let has_copy = kept.is_some() || item.duplicates.iter().any(|copy| copy.signal_id.is_some());
        ShownResult {
            key: key(&item),
            id: item.swirl_id,
            rank: item.swirl_rank,
            title: texts(if title.is_empty() { "—" } else { title }, TITLE_CHARS_MAX),
            can_keep: href.is_some() && !has_copy && item.swirl_id != ResultId::default(),
            kept,
            href,
            place: place(&item.url),
            body: texts(&item.body, BODY_CHARS_MAX),
            colour: self.colour(&item.searchprovider),
            source_rank: item.searchprovider_rank,
            day,
            date,
            author: marks::plain(&item.author).chars().take(AUTHOR_CHARS_MAX).collect(),
            confidence: format!("{:.2}", item.swirl_confidence_score),
            percent: (item.swirl_confidence_score.clamp(0.0, 1.0) * 100.0).round(),
            is_starred: item.starred,
            is_new: item.new.is_some_and(|new| new > 0),
            copies: item.duplicates.iter().take(COPIES_MAX).map(|copy| self.copy(copy)).collect(),
            why: item.explain.as_ref().and_then(Why::of),
            details: Details::of(&item.payload),
            retrieved: item.date_retrieved,
            source: item.searchprovider,
            opens_group: false,
        }
    }

    fn copy(&self, copy: &Duplicate) -> Copy {
        Copy {
            source: copy.searchprovider.clone(),
            colour: self.colour(&copy.searchprovider),
            title: shortened(&copy.title),
            href: web_link(&copy.url),
            date: self.dates(&copy.date_published, "").1,
            is_kept: copy.signal_id.is_some(),
        }
    }

    /// For machines and for people.
    pub fn dates(&self, published: &str, display: &str) -> (String, String) {
        if published == DATE_UNKNOWN || published.is_empty() {
            return (String::new(), display.to_owned());
        }
        let day = published.get(..10).and_then(|day| NaiveDate::parse_from_str(day, "%Y-%m-%d").ok());
        let form = if self.language.code == "de" { "%d.%m.%Y" } else { "%-d %b %Y" };
        match day {
            Some(day) => (day.to_string(), day.format(form).to_string()),
            None => (String::new(), published.to_owned()),
        }
    }
}

/// What a result is known by before it has an id.
fn key(item: &ResultItem) -> String {
    let mut hasher = DefaultHasher::new();
    (&item.searchprovider, item.searchprovider_rank, &item.url).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// A source's address as a link, if it may be one.
pub fn web_link(url: &str) -> Option<String> {
    display::web_link(url).map(String::from)
}

/// `library.example › materials › 2023`; empty for what is no address on the web.
fn place(url: &str) -> String {
    let Some(parsed) = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https")) else {
        return String::new();
    };
    let host = parsed.host_str().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    // The last step is the document itself, whose title says more.
    let steps: Vec<&str> =
        parsed.path_segments().into_iter().flatten().filter(|step| !step.is_empty()).collect();
    let steps = steps.iter().take(STEPS_MAX.min(steps.len().saturating_sub(1)));
    let steps = steps.map(|step| step.chars().take(STEP_CHARS_MAX).collect::<String>());
    std::iter::once(host.to_owned()).chain(steps).collect::<Vec<_>>().join(" › ")
}

/// A title without its marks.
pub fn shortened(title: &str) -> String {
    marks::parts(title, TITLE_CHARS_MAX).into_iter().map(|part| part.text).collect()
}

fn texts(text: &str, chars_max: usize) -> Vec<ShownText> {
    let parts = marks::parts(text, chars_max).into_iter();
    parts.map(|part| ShownText { text: part.text, is_marked: part.is_marked }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::words::LANGUAGES;

    #[test]
    fn only_web_addresses_become_links() {
        let table = [
            ("https://a.example/b?c=d", true, "a.example"),
            ("https://www.a.example/b/c/d/e", true, "a.example › b › c"),
            ("http://127.0.0.1:8000/x/", true, "127.0.0.1"),
            ("https://bank.example@evil.example/b", false, "evil.example"),
            ("javascript:alert(1)", false, ""),
            ("data:text/html,x", false, ""),
            ("file:///etc/passwd", false, ""),
            ("/relative", false, ""),
            ("", false, ""),
        ];
        for (url, is_link, shown) in table {
            assert_eq!((web_link(url).is_some(), place(url).as_str()), (is_link, shown), "{url}");
        }
    }

    #[test]
    fn a_key_does_not_depend_on_what_is_found_out_later() {
        let ids = BTreeMap::new();
        let showing =
            Showing { language: LANGUAGES[0], ids: &ids, now: Instant::default(), topic: Topic::default() };
        let item = |rank, title: &str, id| ResultItem {
            searchprovider_rank: rank,
            title: title.to_owned(),
            url: "https://a.example/".to_owned(),
            swirl_id: ResultId(id),
            ..ResultItem::default()
        };
        let keys =
            [item(1, "a", 0), item(1, "<em>a</em>", 9), item(2, "a", 0)].map(|item| showing.result(item).key);
        assert_eq!(keys[0], keys[1]);
        assert_ne!(keys[0], keys[2]);
    }

    #[test]
    fn days_are_shown_as_the_language_does() {
        let ids = BTreeMap::new();
        let shown = |language, date: &str| {
            let now = Instant::default();
            Showing { language, ids: &ids, now, topic: Topic::default() }.dates(date, "long ago")
        };
        let pair = |day: &str, date: &str| (day.to_owned(), date.to_owned());
        assert_eq!(shown(LANGUAGES[0], "2023-03-02 10:00:00"), pair("2023-03-02", "2 Mar 2023"));
        assert_eq!(shown(LANGUAGES[1], "2023-03-02 10:00:00+02:00"), pair("2023-03-02", "02.03.2023"));
        assert_eq!(shown(LANGUAGES[0], "unknown"), pair("", "long ago"));
        assert_eq!(shown(LANGUAGES[0], "someday é soon"), pair("", "someday é soon"));
    }
}
