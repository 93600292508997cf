//! The mixed results response: messages, info, results and blocks.

use crate::ids::{ProviderId, SearchId};
use crate::notice::{self, Notice};
use crate::query_advice::{DidYouMean, LanguageHint};
use crate::record_json;
use crate::result::{ProviderError, ResultItem};
use crate::search::ProviderRef;
use crate::status::ProviderStatus;
use serde::Serialize;
use std::collections::BTreeMap;

/// The block that is always present, possibly empty.
pub const SUMMARY_BLOCK: &str = "ai_summary";

#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct MixedResponse {
    /// The banner first; the last one names the mixer.
    #[serde(rename = "messages", serialize_with = "notice::serialize_lines")]
    #[schema(value_type = Vec<String>)]
    pub notices: Vec<Notice>,
    pub info: MixedInfo,
    pub results: Vec<ResultItem>,
    /// Result blocks such as `ai_summary`, each a top-level list.
    #[serde(flatten)]
    #[schema(additional_properties)]
    pub blocks: BTreeMap<String, Vec<ResultItem>>,
}

impl MixedResponse {
    /// Serializes the response. Every search uses this, so it is compiled here once, optimized, and not at its callers.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        record_json::to_bytes(self, (1 + self.results.len()) * ResultItem::JSON_BYTES)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct MixedInfo {
    /// One entry for each queried provider, by name.
    #[serde(flatten)]
    #[schema(additional_properties)]
    pub providers: BTreeMap<String, ProviderInfo>,
    pub search: SearchInfo,
    pub results: ResultsInfo,
    pub completeness: Completeness,
    /// Facets of the list, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facets: Option<Facets>,
    /// Outcome of the AI summary, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ai: Option<AiInfo>,
}

/// The number of results that each filter would show, combined with all other filters of the request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, utoipa::ToSchema)]
pub struct Facets {
    /// Most results first.
    pub sources: Vec<SourceFacet>,
    /// Most results first.
    pub authors: Vec<AuthorFacet>,
    /// From `week` to `undated`; `month` includes `week`, and `year` includes both.
    pub dates: Vec<DateFacet>,
    /// By year, for the pages; years without results are left out.
    #[serde(skip)]
    #[schema(ignore)]
    pub years: Vec<YearFacet>,
    /// Results with a star.
    pub starred: u64,
    /// Results added by an update.
    pub new: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct SourceFacet {
    pub provider_id: ProviderId,
    pub name: String,
    pub count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct AuthorFacet {
    pub name: String,
    pub count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct DateFacet {
    /// `week`, `month`, `year`, `older` or `undated`: a value of the parameter `date`.
    pub key: String,
    pub count: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct YearFacet {
    pub year: i32,
    pub count: u64,
}

/// Outcome of the AI summary.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct AiInfo {
    /// `ok` or `error`.
    pub status: String,
    /// The error code, such as `no_ai_provider`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl AiInfo {
    pub fn ok() -> Self {
        Self { status: "ok".to_owned(), code: None, message: None }
    }

    pub fn is_ok(&self) -> bool {
        self.code.is_none()
    }

    pub fn error(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { status: "error".to_owned(), code: Some(code.into()), message: Some(message.into()) }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct ProviderInfo {
    pub found: u64,
    pub retrieved: u64,
    /// URL of this provider's results only.
    pub filter_url: String,
    pub query_string_to_provider: String,
    pub query_to_provider: String,
    pub query_processors: Vec<String>,
    pub result_processors: Vec<String>,
    /// Seconds.
    pub search_time: f64,
    pub status: ProviderStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ProviderError>,
}

#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct SearchInfo {
    pub id: SearchId,
    pub query_string: String,
    pub query_string_processed: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub searchprovider_list: Vec<ProviderRef>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Runs the search again.
    pub rerun_url: String,
    /// Another spelling, if little was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<DidYouMean>,
    /// If little was found and the query seems to be in another language than the results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language_hint: Option<LanguageHint>,
}

#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct ResultsInfo {
    pub found_total: u64,
    pub retrieved_total: u64,
    /// On this page.
    pub retrieved: u64,
    /// Seconds, rounded to 0.1; without the mixer.
    pub federation_time: f64,
    pub result_blocks: Vec<String>,
    /// Whether the best results are in the order of the second reader; only if the request asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_reader: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_page: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_page: Option<String>,
}

/// The queried providers by outcome.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, utoipa::ToSchema)]
pub struct Completeness {
    pub asked: u32,
    /// Delivered everything.
    pub answered: u32,
    /// Delivered a part: a later page failed or was late.
    pub partial: u32,
    pub failed: u32,
    pub timed_out: u32,
    pub suspended: u32,
    /// Which sources were asked after the others, if not all were asked at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<SourceOrder>,
}

/// The sources that were not among those that a search asks first (`SVC_SOURCE_CHOICE`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct SourceOrder {
    /// Number of earlier searches of the user by which the sources to ask first were chosen.
    pub similar_searches: usize,
    /// Names of the sources that were asked after the others.
    pub asked_later: Vec<String>,
    /// Why they were asked later.
    pub reason: String,
    pub not_asked: Vec<SourceNotAsked>,
}

/// A source that was to be asked after the others and was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct SourceNotAsked {
    pub source: String,
    /// `no_time`, or the code of the source's error, such as `suspended`.
    pub code: String,
    pub reason: String,
}

impl SourceNotAsked {
    /// The code of a source for which no time was left.
    pub const NO_TIME: &str = "no_time";
}

impl Completeness {
    pub fn of(statuses: impl IntoIterator<Item = ProviderStatus>) -> Self {
        let mut counts = Self::default();
        for status in statuses {
            counts.asked += 1;
            match status {
                ProviderStatus::Ok | ProviderStatus::NoResults => counts.answered += 1,
                ProviderStatus::Partial => counts.partial += 1,
                ProviderStatus::Error | ProviderStatus::NotConnected => counts.failed += 1,
                ProviderStatus::Timeout => counts.timed_out += 1,
                ProviderStatus::Suspended => counts.suspended += 1,
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::NAMES_RESERVED;
    use serde_json::Value;
    use std::collections::BTreeSet;
    use syntax::result_mappings::BLOCKS_RESERVED;

    fn keys(value: &Value) -> BTreeSet<&str> {
        value.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect()
    }

    /// A provider or a block with such a name would be a duplicate key of the same object.
    #[test]
    fn no_provider_and_no_block_has_the_name_of_a_part() {
        let search = SearchInfo {
            id: SearchId(1),
            query_string: String::new(),
            query_string_processed: String::new(),
            searchprovider_list: Vec::new(),
            tags: Vec::new(),
            rerun_url: String::new(),
            did_you_mean: None,
            language_hint: None,
        };
        let results = ResultsInfo {
            found_total: 0,
            retrieved_total: 0,
            retrieved: 0,
            federation_time: 0.0,
            result_blocks: Vec::new(),
            second_reader: None,
            next_page: None,
            prev_page: None,
        };
        let info = MixedInfo {
            providers: BTreeMap::new(),
            search,
            results,
            completeness: Completeness::default(),
            facets: Some(Facets::default()),
            ai: Some(AiInfo::ok()),
        };
        let response =
            MixedResponse { notices: Vec::new(), info, results: Vec::new(), blocks: BTreeMap::new() };
        let shown = serde_json::to_value(response).expect("json");
        assert_eq!(keys(&shown["info"]), BTreeSet::from(NAMES_RESERVED));
        assert_eq!(keys(&shown), BTreeSet::from(BLOCKS_RESERVED));
    }
}
