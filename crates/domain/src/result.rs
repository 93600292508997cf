//! Results, and the saved results of one provider in one search.

use crate::corpus::CacheStatus;
use crate::explain::{Explain, Field};
use crate::ids::{ProviderId, ResultId, SearchId, SignalId};
use crate::instant::Instant;
use crate::notice::{self, Notice};
use crate::provenance::Provenance;
use crate::record_json::push_records;
use crate::result_group::GroupPlace;
use crate::status::ProviderStatus;
use crate::summary::details::SummaryDetails;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use syntax::highlights::unmarked;
use syntax::script_url::is_script_url;

/// `date_published` of a result without a date.
pub use syntax::dates::DATE_UNKNOWN;

/// Longest title that a source gives, in characters; the rest is cut.
pub const TITLE_CHARS_MAX: usize = 1_000;

/// `new` of a result that an update added.
pub const NEW: u8 = 1;

/// A result in the schema of the interface. `swirl_rank` is 0 until a mixer has ranked it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = Result)]
pub struct ResultItem {
    /// Rank in the mixed list.
    pub swirl_rank: u32,
    /// Relevancy score.
    pub swirl_score: f64,
    /// 0 to 1, comparable between queries and sources.
    pub swirl_confidence_score: f64,
    /// Name of the provider.
    pub searchprovider: String,
    /// Rank within its provider.
    pub searchprovider_rank: u32,
    pub title: String,
    pub url: String,
    /// The URL that the provider returned, if the result was edited. Read-only: pages are fetched by it, never by an
    /// edited `url`.
    #[serde(rename = "source_url", skip_deserializing, skip_serializing_if = "Provenance::is_unedited")]
    #[schema(value_type = Option<String>, read_only)]
    pub provenance: Provenance,
    pub body: String,
    /// `YYYY-MM-DD HH:MM:SS` with an optional offset, or `unknown`.
    pub date_published: String,
    pub date_published_display: String,
    pub date_retrieved: String,
    pub author: String,
    pub title_hit_highlights: Vec<String>,
    pub body_hit_highlights: Vec<String>,
    /// Id of the saved result.
    pub swirl_id: ResultId,
    /// 1 for a result that an update added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<u8>,
    /// True for a result above the star threshold; absent otherwise. Computed anew for every list.
    #[serde(skip_deserializing, skip_serializing_if = "std::ops::Not::not")]
    pub starred: bool,
    /// Name of the block that this result belongs to, if it is not part of the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_block: Option<String>,
    /// Other results for the same document; this one is the best of them.
    // Stored by earlier versions, which did not keep the others as results of their own; otherwise made on reading.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub duplicates: Vec<Duplicate>,
    /// Its place among the results for the same document, if there are several; stored beside the results.
    #[serde(skip)]
    #[schema(ignore)]
    pub group: Option<GroupPlace>,
    /// For a summary: the `swirl_id`s of its source results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rag_query_items: Vec<String>,
    /// For a summary: its sources, its model and its warnings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional_content: Option<Box<SummaryDetails>>,
    /// For a result from the semantic cache: its document and its reliability.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<Box<CacheStatus>>,
    /// Source data that was not mapped.
    #[schema(value_type = Object)]
    pub payload: Map<String, Value>,
    /// Explanation of the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub explain: Option<Box<Explain>>,
    /// The embedding of its text, available while its search runs and never saved.
    #[serde(skip)]
    #[schema(ignore)]
    pub embedding: Option<Arc<[f32]>>,
    /// The hashes of its words for the duplicate check, available while results are processed and never saved.
    #[serde(skip)]
    #[schema(ignore)]
    pub hashed_words: Option<Arc<HashedWords>>,
}

impl ResultItem {
    /// More than the JSON of most results has, so that the memory for a list of them is allocated once.
    pub const JSON_BYTES: usize = 2 * 1024;

    /// Removes a URL that would execute what it contains, and cuts a title that is too long.
    pub fn restrict(&mut self) {
        if is_script_url(&self.url) {
            self.url.clear();
        }
        // A character has at least one byte.
        if self.title.len() > TITLE_CHARS_MAX
            && let Some((end, _)) = self.title.char_indices().nth(TITLE_CHARS_MAX)
        {
            self.title.truncate(end);
            // The tag of a highlight is whole or not there.
            if let Some(tag) = self.title.rfind('<').filter(|tag| !self.title[*tag..].contains('>')) {
                self.title.truncate(tag);
            }
            self.title.push('…');
        }
    }

    /// The text of a scored field.
    pub fn text(&self, field: Field) -> &str {
        match field {
            Field::Title => &self.title,
            Field::Body => &self.body,
            Field::Author => &self.author,
        }
    }

    pub fn text_mut(&mut self, field: Field) -> &mut String {
        match field {
            Field::Title => &mut self.title,
            Field::Body => &mut self.body,
            Field::Author => &mut self.author,
        }
    }

    /// It comes from the semantic cache, and another version of its document counts.
    pub fn is_alternate(&self) -> bool {
        self.cache.as_ref().is_some_and(|mark| mark.is_alternate())
    }

    /// Appends results in the form of the store: fields that have their default value are left out. Every search uses
    /// this, so it is compiled here once, optimized, and not at its callers.
    pub fn push_stored(items: &[Self], text: &mut Vec<u8>) -> serde_json::Result<()> {
        push_records(items, text)
    }

    /// Also reads lists with all fields, which earlier versions stored, and URLs that this one does not accept.
    pub fn list_from_json(text: &str) -> serde_json::Result<Vec<Self>> {
        let mut items: Vec<Self> = serde_json::from_str(text)?;
        for item in &mut items {
            let copies = item.duplicates.iter_mut().map(|copy| &mut copy.url);
            copies.chain([&mut item.url]).filter(|url| is_script_url(url)).for_each(|url| url.clear());
        }
        Ok(items)
    }
}

/// The hashed words of a title and a body, for the duplicate check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HashedWords {
    /// The words of the title, those of the body, and the smallest shingles, each once.
    pub values: Vec<u32>,
    /// The number of words of the title.
    pub title_words: usize,
    /// The number of words of title and body.
    pub words: usize,
    /// Hashes of the alphanumeric characters alone, so that word boundaries do not matter.
    pub title_key: u64,
    pub whole_key: u64,
    /// Of the texts, to notice that a processor changed them.
    pub text_hash: u64,
}

/// Maximum length of the `body` of a duplicate, in characters.
pub const DUPLICATE_BODY_CHARS_MAX: usize = 200;

/// A result that was grouped under a better one for the same document.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Duplicate {
    /// Id of the saved result; absent if an earlier version grouped it.
    #[serde(skip_serializing_if = "is_unsaved")]
    pub swirl_id: ResultId,
    /// Name of the provider.
    pub searchprovider: String,
    pub title: String,
    pub url: String,
    /// The beginning of the body, at most 200 characters.
    pub body: String,
    /// As in a result.
    pub date_published: String,
    /// For a result from the semantic cache: its document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal_id: Option<SignalId>,
}

fn is_unsaved(id: &ResultId) -> bool {
    id.0 == 0
}

impl Duplicate {
    pub fn of(item: &ResultItem) -> Self {
        Self {
            swirl_id: item.swirl_id,
            searchprovider: item.searchprovider.clone(),
            title: unmarked(&item.title).into_owned(),
            url: item.url.clone(),
            body: unmarked(&item.body).chars().take(DUPLICATE_BODY_CHARS_MAX).collect(),
            date_published: item.date_published.clone(),
            signal_id: item.cache.as_ref().map(|mark| mark.signal_id),
        }
    }
}

/// An error of one provider: a code for programs, a sentence for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ProviderFault)]
pub struct ProviderError {
    pub code: String,
    pub message: String,
}

/// The saved results of one provider in one search, exactly one for each pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultSet {
    pub search: SearchId,
    pub provider: ProviderId,
    /// The provider's name at the time of the query.
    pub provider_name: String,
    pub status: ProviderStatus,
    pub error: Option<ProviderError>,
    pub found: u64,
    pub retrieved: u64,
    /// The words of the query as sent to this provider.
    pub query_string_to_provider: String,
    /// The request as sent, without secrets.
    pub query_to_provider: String,
    pub query_processors: Vec<String>,
    pub result_processors: Vec<String>,
    /// Serialized as lines; their facts need a [`StoredNotices`] beside them.
    ///
    /// [`StoredNotices`]: crate::notice::StoredNotices
    #[serde(
        rename = "messages",
        serialize_with = "notice::serialize_lines",
        deserialize_with = "notice::deserialize_lines"
    )]
    pub notices: Vec<Notice>,
    pub time_s: f64,
    pub items: Vec<ResultItem>,
    pub date_created: Instant,
    pub date_updated: Instant,
}

/// A saved result that is shown only while one of these documents is visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardedResult {
    /// Its position in the list of its owner's results, from 0.
    pub place: u64,
    pub signals: Vec<SignalId>,
}

/// A result with its search and provider.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedResult {
    pub search: SearchId,
    pub provider: ProviderId,
    pub notices: Vec<Notice>,
    pub item: ResultItem,
    pub date_created: Instant,
    pub date_updated: Instant,
    /// Identifies the stored item: a changed item has another version.
    pub version: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titled(title: &str) -> String {
        let mut item = ResultItem { title: title.to_owned(), ..ResultItem::default() };
        item.restrict();
        item.title
    }

    #[test]
    fn titles_are_bounded() {
        let full = "é".repeat(TITLE_CHARS_MAX);
        assert_eq!(titled(&full), full);
        assert_eq!(titled(&format!("{full}x")), format!("{full}…"));
        let before = "x".repeat(TITLE_CHARS_MAX - 2);
        assert_eq!(titled(&format!("{before}<em>river</em>")), format!("{before}…"));
    }

    #[test]
    fn scripts_are_not_addresses() {
        let mut item = ResultItem { url: "javascript:alert(1)".to_owned(), ..ResultItem::default() };
        let copy = Duplicate { url: item.url.clone(), ..Duplicate::default() };
        item.duplicates.push(copy);
        let stored = serde_json::to_string(&[item.clone()]).expect("json");
        item.restrict();
        assert_eq!(item.url, "");
        let read = ResultItem::list_from_json(&stored).expect("results");
        assert_eq!(
            (read[0].url.as_str(), read[0].duplicates[0].url.as_str()),
            ("", ""),
            "of an earlier version"
        );
    }
}
