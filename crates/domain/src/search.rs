//! Searches: what a client may send, and what is stored.

use crate::corpus::{self, MatterTag, Topic};
use crate::ids::{RunNumber, SearchId, UserId};
use crate::instant::Instant;
use crate::notice::Notice;
use crate::owner_scope::OwnerScope;
use crate::retention::Retention;
use crate::status::SearchStatus;
use crate::validation::FieldErrors;
use serde::{Deserialize, Serialize};
use syntax::query_mappings::QueryMappings;

/// Maximum length of `query_string`, in characters.
pub const QUERY_CHARS_MAX: usize = corpus::QUERY_CHARS_MAX;
/// Maximum of `results_requested`; larger values are clamped, with a message.
pub const RESULTS_REQUESTED_MAX: u32 = 1000;
/// Maximum number of entries in any list of a search.
pub const LIST_MAX: usize = 500;
/// Maximum length of an entry of a list (a provider, a tag, a processor), in characters.
pub const LIST_ITEM_CHARS_MAX: usize = 255;

/// The tag that skips a result processor: `SW_RESULT_PROCESSOR_SKIP:<name>`.
const RESULT_PROCESSOR_SKIP: &str = "SW_RESULT_PROCESSOR_SKIP";
/// The tag of a search whose query is in the language of its sources: no query processor changes it, and its words with
/// colons select no providers.
pub const NATIVE_QUERY: &str = "SW_QUERY_NATIVE";

/// The tag of a saved search.
pub const SAVED_TAG: &str = "saved";
/// The tag of a subscribed search with alerts.
pub const ALERT_TAG: &str = "alert";
/// The first tag of searches by the Assistant.
pub const ASSISTANT_TAG: &str = "chat";
/// Maximum length of the text of a filter, in characters.
pub const FILTER_CHARS_MAX: usize = 255;

/// `relevancy`, or `date` for chronological order from providers that support it. Case-insensitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase", try_from = "String")]
pub enum Sort {
    #[default]
    Relevancy,
    Date,
}

impl TryFrom<String> for Sort {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.to_ascii_lowercase().as_str() {
            "relevancy" => Ok(Self::Relevancy),
            "date" => Ok(Self::Date),
            _ => Err("use relevancy or date"),
        }
    }
}

impl Sort {
    /// The parameter that makes a source return its results in this order, if it has one.
    pub fn snippet(self, mappings: &QueryMappings) -> Option<&str> {
        match self {
            Self::Relevancy => mappings.relevancy_sort(),
            Self::Date => mappings.date_sort(),
        }
    }
}

/// A reference to providers by id, name or tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum ProviderRef {
    Id(i64),
    Text(String),
}

/// A number is an id; anything else is a name or a tag.
impl From<&str> for ProviderRef {
    fn from(text: &str) -> Self {
        match text.parse::<i64>() {
            // `007` is a name.
            Ok(id) if id.to_string() == text => Self::Id(id),
            _ => Self::Text(text.to_owned()),
        }
    }
}

impl std::fmt::Display for ProviderRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

/// The writable fields of a Search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = SearchInput)]
pub struct SearchSpec {
    /// The query. May contain `NOT term`, `-term` and `tag:term`.
    #[schema(example = "river level sensors")]
    pub query_string: String,
    /// `relevancy` or `date`.
    pub sort: Sort,
    /// Results per page, 1 to 1000.
    pub results_requested: u32,
    /// Provider names, ids or tags; empty means the active default providers.
    pub searchprovider_list: Vec<ProviderRef>,
    /// The mixer that orders the results.
    pub result_mixer: String,
    /// Query processors or `<name>.<type>` query transforms that run once, before federation.
    pub pre_query_processors: Vec<String>,
    /// Query processors that run for each provider, after the provider's own.
    pub query_processors: Vec<String>,
    /// Result processors that run for each provider, after the provider's own.
    pub result_processors: Vec<String>,
    /// Post-result processors; empty means the system default pipeline.
    pub post_result_processors: Vec<String>,
    /// 0 forever, 1 one hour, 2 one day, 3 one month, 4 five minutes; defaults to `SVC_DEFAULT_RETENTION`. Saved and
    /// subscribed searches are always kept.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "crate::retention::named")]
    #[schema(value_type = u8, default = 0)]
    pub retention: Option<u8>,
    /// Run again periodically.
    pub subscribe: bool,
    /// Free-form tags; some have a meaning for processors.
    pub tags: Vec<String>,
    /// With exactly one provider, given by id: number of results to request from it, regardless of its configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub single_provider_results_requested: Option<u32>,
}

/// The mixer of a request that names an unknown one.
pub const FALLBACK_MIXER: &str = "RelevancyMixer";
/// The default mixer.
pub const DEFAULT_MIXER: &str = "RelevancyConfidenceMixer";

impl Default for SearchSpec {
    fn default() -> Self {
        Self {
            query_string: String::new(),
            sort: Sort::Relevancy,
            results_requested: 10,
            searchprovider_list: Vec::new(),
            result_mixer: DEFAULT_MIXER.to_owned(),
            pre_query_processors: Vec::new(),
            query_processors: Vec::new(),
            result_processors: Vec::new(),
            post_result_processors: Vec::new(),
            retention: None,
            subscribe: false,
            tags: Vec::new(),
            single_provider_results_requested: None,
        }
    }
}

impl SearchSpec {
    pub fn of_query(query_string: impl Into<String>) -> Self {
        Self { query_string: query_string.into(), ..Self::default() }
    }

    /// Whether a tag `SW_RESULT_PROCESSOR_SKIP:<name>` skips this result processor.
    pub fn skips_result_processor(&self, name: &str) -> bool {
        let mut pairs = self.tags.iter().filter_map(|tag| tag.split_once(':'));
        pairs.any(|(key, value)| key.trim() == RESULT_PROCESSOR_SKIP && value.trim() == name)
    }

    /// Whether the query is sent to the sources unchanged.
    pub fn is_native(&self) -> bool {
        self.tags.iter().any(|tag| tag.trim() == NATIVE_QUERY)
    }

    /// Whether the search is saved.
    pub fn is_saved(&self) -> bool {
        self.tags.iter().any(|tag| tag.trim().eq_ignore_ascii_case(SAVED_TAG))
    }

    /// Whether it is a search of the Assistant.
    pub fn is_by_assistant(&self) -> bool {
        self.tags.first().is_some_and(|tag| tag == ASSISTANT_TAG)
    }

    /// Whether the owner wants to know of new results at once.
    pub fn has_alerts(&self) -> bool {
        self.subscribe && self.tags.iter().any(|tag| tag.trim().eq_ignore_ascii_case(ALERT_TAG))
    }

    /// Checks what does not depend on the plug-in registry, which checks the names of plug-ins.
    pub fn check(&self) -> FieldErrors {
        let mut errors = FieldErrors::default();
        errors.check(!self.query_string.trim().is_empty(), "query_string", || {
            "A query is needed; this one is empty.".to_owned()
        });
        errors.check_text("query_string", &self.query_string, QUERY_CHARS_MAX);
        errors.check(self.results_requested > 0, "results_requested", || "At least 1 is needed.".to_owned());
        let is_known = |number: u8| Retention::from_number(number).is_some();
        errors.check(self.retention.is_none_or(is_known), "retention", || {
            "Use 0 (for ever), 1 (one hour), 2 (one day), 3 (one month) or 4 (five minutes).".to_owned()
        });
        let providers: Vec<String> = self.searchprovider_list.iter().map(ProviderRef::to_string).collect();
        for (field, list) in [
            ("searchprovider_list", &providers),
            ("pre_query_processors", &self.pre_query_processors),
            ("query_processors", &self.query_processors),
            ("result_processors", &self.result_processors),
            ("post_result_processors", &self.post_result_processors),
            ("tags", &self.tags),
        ] {
            check_list(&mut errors, field, list);
        }
        MatterTag::check_search_tags(&mut errors, "tags", &self.tags);
        errors
    }

    /// Whether two specs have the same results: only an edit of the query, the providers or the processors runs the
    /// search again. `sort` is not compared, because an update sets it, and sending the old one back should not discard
    /// results.
    pub fn runs_like(&self, other: &Self) -> bool {
        self.query_string == other.query_string
            && self.searchprovider_list == other.searchprovider_list
            && self.pre_query_processors == other.pre_query_processors
            && self.query_processors == other.query_processors
            && self.result_processors == other.result_processors
            && self.post_result_processors == other.post_result_processors
    }

    /// The requested page size, within its limit.
    pub fn page_size(&self) -> u32 {
        self.results_requested.clamp(1, RESULTS_REQUESTED_MAX)
    }
}

/// Checks the length of a list and of its texts.
pub fn check_list(errors: &mut FieldErrors, field: &str, list: &[String]) {
    errors.check(list.len() <= LIST_MAX, field, || format!("At most {LIST_MAX} entries are allowed."));
    for item in list.iter().take(LIST_MAX) {
        errors.check_text(field, item, LIST_ITEM_CHARS_MAX);
    }
}

/// Filter for searches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchFilter {
    pub owner: OwnerScope,
    /// Only saved ones.
    pub saved: bool,
    /// Only subscribed ones.
    pub subscribed: bool,
    /// Without those of the Assistant.
    pub without_assistant: bool,
    /// Only those whose query contains this text, in any case.
    pub text: Option<String>,
}

impl SearchFilter {
    pub fn owned_by(owner: OwnerScope) -> Self {
        Self { owner, saved: false, subscribed: false, without_assistant: false, text: None }
    }
}

/// A stored search.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    pub id: SearchId,
    pub owner: UserId,
    pub spec: SearchSpec,
    /// The query after the pre-query processors.
    pub query_string_processed: String,
    pub status: SearchStatus,
    pub notices: Vec<Notice>,
    /// Seconds from start to the end of post-processing.
    pub time_s: f64,
    /// Number of the newest run; a worker of an older run writes nothing.
    pub run: RunNumber,
    pub date_created: Instant,
    pub date_updated: Instant,
}

impl Search {
    /// A new search without a run.
    pub fn created(
        id: SearchId,
        owner: UserId,
        spec: SearchSpec,
        notices: Vec<Notice>,
        now: Instant,
    ) -> Self {
        Self {
            id,
            owner,
            spec,
            query_string_processed: String::new(),
            status: SearchStatus::NewSearch,
            notices,
            time_s: 0.0,
            run: RunNumber::FIRST,
            date_created: now,
            date_updated: now,
        }
    }

    /// Its topic, before any processor.
    pub fn topic(&self) -> Topic<'_> {
        Topic { query: &self.spec.query_string, tags: &self.spec.tags }
    }

    /// Changes with every write, which sets `date_updated`.
    pub fn version(&self) -> i64 {
        self.date_updated.timestamp_micros()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_name_the_field() {
        let bad = SearchSpec {
            query_string: " ".into(),
            retention: Some(5),
            results_requested: 0,
            tags: vec!["x".repeat(300)],
            ..SearchSpec::default()
        };
        let fields: Vec<String> = bad.check().into_map().into_keys().collect();
        assert_eq!(fields, ["query_string", "results_requested", "retention", "tags"]);
        assert!(SearchSpec::of_query("fine").check().is_empty());
        assert!(!SearchSpec::of_query("x".repeat(QUERY_CHARS_MAX + 1)).check().is_empty());
        for (tag, is_valid) in
            [("matter:acme", true), ("MATTER: acme", true), ("news", true), ("matter:", false)]
        {
            let spec = SearchSpec { tags: vec![tag.to_owned()], ..SearchSpec::of_query("fine") };
            assert_eq!(spec.check().is_empty(), is_valid, "{tag}");
        }
    }

    #[test]
    fn a_search_that_names_no_retention_is_told_from_one_that_is_kept_for_ever() {
        let read = |text: &str| serde_json::from_str::<SearchSpec>(text).map(|spec| spec.retention);
        assert_eq!(read(r#"{"query_string":"q"}"#).expect("a spec"), None);
        assert_eq!(read(r#"{"query_string":"q","retention":0}"#).expect("a spec"), Some(0));
        assert!(read(r#"{"query_string":"q","retention":null}"#).is_err(), "null is no value of it");
        let kept = |retention| SearchSpec { retention, ..SearchSpec::of_query("q") };
        assert_eq!(serde_json::to_value(kept(Some(0))).expect("json")["retention"], 0);
        assert_eq!(serde_json::to_value(kept(None)).expect("json").get("retention"), None);
    }

    #[test]
    fn a_tag_leaves_out_a_result_processor() {
        let tags = ["SW_RESULT_PROCESSOR_SKIP:DateFinderResultProcessor", "SW_RESULT_PROCESSOR_SKIP", "a:b"];
        let spec = SearchSpec { tags: tags.map(str::to_owned).to_vec(), ..SearchSpec::default() };
        assert!(spec.skips_result_processor("DateFinderResultProcessor"));
        for name in ["MappingResultProcessor", "b", ""] {
            assert!(!spec.skips_result_processor(name), "{name}");
        }
    }

    #[test]
    fn a_sort_is_read_in_any_case_and_written_in_one() {
        for (text, expected) in [("date", "date"), ("DATE", "date"), ("Relevancy", "relevancy")] {
            let sort: Sort = serde_json::from_value(text.into()).expect("a sort");
            assert_eq!(serde_json::to_value(sort).expect("json"), expected, "{text}");
        }
        for text in ["", "size", " date"] {
            assert!(serde_json::from_value::<Sort>(text.into()).is_err(), "{text}");
        }
    }

    #[test]
    fn the_order_selects_a_mapping() {
        let mappings = QueryMappings::parse("DATE_SORT=s=d,RELEVANCY_SORT=s=r").expect("mappings");
        assert_eq!(Sort::Date.snippet(&mappings), Some("s=d"));
        assert_eq!(Sort::Relevancy.snippet(&mappings), Some("s=r"));
        assert_eq!(Sort::Date.snippet(&QueryMappings::default()), None);
    }

    #[test]
    fn lists_take_names_and_numbers() {
        let spec: SearchSpec =
            serde_json::from_str(r#"{"query_string":"q","searchprovider_list":[1,"news"]}"#).expect("a spec");
        assert_eq!(spec.searchprovider_list, [ProviderRef::Id(1), ProviderRef::Text("news".into())]);
    }
}
