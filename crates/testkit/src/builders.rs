//! Builders of searches, result sets and results, for tests without a database.

use chrono::{DateTime, TimeDelta};
use domain::ids::{ProviderId, ResultId, RunNumber, SearchId, UserId};
use domain::instant::Instant;
use domain::notice::{Notice, NoticeKind};
use domain::result::{ResultItem, ResultSet};
use domain::search::{Search, SearchSpec};
use domain::status::{ProviderStatus, SearchStatus};

/// A notice with this text. It has a kind and a time that its line alone does not give back.
pub fn notice(text: &str) -> Notice {
    let at = DateTime::UNIX_EPOCH + TimeDelta::microseconds(1_234_567);
    Notice::new(at, NoticeKind::ProviderRemark { remark: text.to_owned() })
}

/// A search whose results are being processed.
pub fn search(query: &str) -> Search {
    Search {
        id: SearchId(1),
        owner: UserId(1),
        spec: SearchSpec::of_query(query),
        query_string_processed: query.to_owned(),
        status: SearchStatus::PostResultProcessing,
        notices: Vec::new(),
        time_s: 0.0,
        run: RunNumber::FIRST,
        date_created: DateTime::UNIX_EPOCH,
        date_updated: DateTime::UNIX_EPOCH,
    }
}

/// Begins the result set of a provider for [`search`]: empty, successful and at the start of the Unix epoch.
///
/// ```
/// use testkit::builders::{item, result_set};
/// let set = result_set(7).named("Library").item(item("Rivers").url("https://library.example/1")).build();
/// assert_eq!((set.provider_name.as_str(), set.found, set.retrieved), ("Library", 1, 1));
/// assert_eq!(set.items[0].title, "Rivers");
/// ```
pub fn result_set(provider: i64) -> ResultSetBuilder {
    ResultSetBuilder(ResultSet {
        search: SearchId(1),
        provider: ProviderId(provider),
        provider_name: format!("Provider {provider}"),
        status: ProviderStatus::Ok,
        error: None,
        found: 0,
        retrieved: 0,
        query_string_to_provider: String::new(),
        query_to_provider: String::new(),
        query_processors: Vec::new(),
        result_processors: Vec::new(),
        notices: Vec::new(),
        time_s: 0.0,
        items: Vec::new(),
        date_created: DateTime::UNIX_EPOCH,
        date_updated: DateTime::UNIX_EPOCH,
    })
}

/// An unfinished result set.
#[must_use]
pub struct ResultSetBuilder(ResultSet);

impl ResultSetBuilder {
    pub fn search(mut self, id: SearchId) -> Self {
        self.0.search = id;
        self
    }

    /// Sets the name of the provider.
    pub fn named(mut self, name: &str) -> Self {
        self.0.provider_name = name.to_owned();
        self
    }

    /// Sets the words that the provider received.
    pub fn query(mut self, words: &str) -> Self {
        self.0.query_string_to_provider = words.to_owned();
        self
    }

    /// Adds a notice whose line is this text.
    pub fn notice(mut self, text: &str) -> Self {
        self.0.notices.push(notice(text));
        self
    }

    /// Sets when it was created and updated.
    pub fn at(mut self, time: Instant) -> Self {
        (self.0.date_created, self.0.date_updated) = (time, time);
        self
    }

    pub fn item(mut self, item: impl Into<ResultItem>) -> Self {
        self.0.items.push(item.into());
        self
    }

    pub fn items(mut self, items: impl IntoIterator<Item = impl Into<ResultItem>>) -> Self {
        self.0.items.extend(items.into_iter().map(Into::into));
        self
    }

    /// The result set; as many results were found and retrieved as it has.
    pub fn build(mut self) -> ResultSet {
        let count = u64::try_from(self.0.items.len()).unwrap_or(u64::MAX);
        (self.0.found, self.0.retrieved) = (count, count);
        self.0
    }
}

/// Begins a result; every other field has its default.
pub fn item(title: impl Into<String>) -> ItemBuilder {
    ItemBuilder(ResultItem { title: title.into(), ..ResultItem::default() })
}

/// An unfinished result.
#[must_use]
pub struct ItemBuilder(ResultItem);

impl ItemBuilder {
    pub fn id(mut self, id: i64) -> Self {
        self.0.swirl_id = ResultId(id);
        self
    }

    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.0.url = url.into();
        self
    }

    pub fn body(mut self, text: impl Into<String>) -> Self {
        self.0.body = text.into();
        self
    }

    pub fn author(mut self, name: impl Into<String>) -> Self {
        self.0.author = name.into();
        self
    }

    /// Sets the date of publication.
    pub fn date(mut self, text: impl Into<String>) -> Self {
        self.0.date_published = text.into();
        self
    }

    /// Sets the name of the provider.
    pub fn provider(mut self, name: impl Into<String>) -> Self {
        self.0.searchprovider = name.into();
        self
    }

    /// Sets the rank in the list of its provider.
    pub fn rank(mut self, rank: u32) -> Self {
        self.0.searchprovider_rank = rank;
        self
    }

    pub fn score(mut self, score: f64) -> Self {
        self.0.swirl_score = score;
        self
    }

    pub fn confidence(mut self, confidence: f64) -> Self {
        self.0.swirl_confidence_score = confidence;
        self
    }

    pub fn build(self) -> ResultItem {
        self.0
    }
}

impl From<ItemBuilder> for ResultItem {
    fn from(builder: ItemBuilder) -> Self {
        builder.build()
    }
}
