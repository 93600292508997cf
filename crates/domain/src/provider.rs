//! SearchProvider: the configuration of one searchable source.

use crate::bounded_json::{self, FIELD_VALUES_MAX};
use crate::ids::{ProviderId, UserId};
use crate::instant::Instant;
use crate::page_fetch::PageFetchConfigJson;
use crate::parsed_text::ParsedText;
use crate::provider_config::ProviderConfig;
use crate::search::check_list;
use crate::secret::Secret;
use crate::unreadable_secrets::UnreadableSecrets;
use crate::validation::FieldErrors;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use syntax::credentials::session_name;
use syntax::query_mappings::QueryMappings;
use syntax::response_mappings::ResponseMappings;
use syntax::result_mappings::ResultMappings;

pub const NAME_CHARS_MAX: usize = 200;
pub const DESCRIPTION_CHARS_MAX: usize = 2000;
pub const TEXT_CHARS_MAX: usize = 2048;
pub const CREDENTIALS_CHARS_MAX: usize = 4096;
pub const EVAL_CREDENTIALS_CHARS_MAX: usize = 100;
pub const GROUPING_FIELD_CHARS_MAX: usize = 1024;
pub const RESULTS_PER_QUERY_MAX: u32 = 1000;
pub const HEADERS_MAX: usize = 50;
/// The suffix of a session value that denotes the token of an authenticator.
const TOKEN_SUFFIX: &str = "_access_token";
/// Keys of `info` in a mixed response besides the names of providers.
pub const NAMES_RESERVED: [&str; 5] = ["search", "results", "completeness", "facets", "ai"];
/// Maximum number of providers in one POST of a list.
pub const PROVIDERS_PER_POST_MAX: usize = 500;

/// The writable fields of a SearchProvider.
#[derive(Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = SearchProviderInput)]
pub struct ProviderSpec {
    /// The name shown with each result. Unique.
    #[schema(example = "Articles - arXiv")]
    pub name: String,
    /// A sentence for people and models: what the source contains, and when to search it.
    pub description: String,
    /// The source may be searched. False: never, even if a search names it.
    pub active: bool,
    /// Included in every search. False: only in searches that name it, its id or one of its tags.
    pub default: bool,
    /// Visible to all users. False: only to members of its groups, and administrators.
    pub shared: bool,
    /// Names of the groups whose members may see the source if it is not shared.
    pub groups: Vec<String>,
    /// The connector. `RequestsGet` suits most JSON APIs; `/svc/connectors/` lists all.
    pub connector: String,
    /// Name of the OAuth 2.0 authenticator that provides the user's token, if the source needs one.
    pub authenticator: String,
    /// The constant part of the request, such as `https://api.example.com/search`; a file or DSN for a database
    /// connector.
    #[schema(example = "https://api.example.com/search")]
    pub url: String,
    /// The request, or the SQL statement. `{url}` and `{query_string}` are filled in, and `{<key>}` from the query
    /// mappings: `{url}?q={query_string}&lang={lang}`.
    pub query_template: String,
    /// The query as JSON, for connectors that use JSON queries, such as `{"$text": {"$search": "{query_string}"}}`.
    #[schema(value_type = Object)]
    #[serde(deserialize_with = "object_or_text")]
    pub query_template_json: Map<String, Value>,
    /// Body of `RequestsPost`, such as `{"query": "{query_string}", "size": 10}`.
    #[schema(value_type = Object)]
    #[serde(deserialize_with = "object_or_text")]
    pub post_query_template: Map<String, Value>,
    /// Additional request headers. Values of headers whose names denote a secret (`Authorization`, `Cookie`, names with
    /// `key`, `token`, `secret`, `password`, `auth` or `session`) are returned masked; sending the masked text back
    /// keeps the stored value.
    pub http_request_headers: BTreeMap<String, String>,
    /// How the pages of results are fetched. Secrets in it are masked like those of `http_request_headers`.
    #[schema(value_type = Object)]
    pub page_fetch_config_json: PageFetchConfigJson,
    /// Applied to the query before the source is searched. Executed in order.
    pub query_processors: Vec<String>,
    /// Comma-separated `key=value` text: values for the template, and capabilities of the source, such as
    /// `lang=en,PAGE=start=RESULT_INDEX,NOT=True`.
    #[schema(value_type = String)]
    pub query_mappings: ParsedText<QueryMappings>,
    /// The field that `DedupeByFieldResultProcessor` compares, such as `conversationId`: of results with the same
    /// value, only the first is kept.
    pub result_grouping_field: String,
    /// Applied to the results of this source. Executed in order.
    pub result_processors: Vec<String>,
    /// Paths in the response: `FOUND=<path>,RETRIEVED=<path>,RESULTS=<path>,RESULT=<path>`, such as
    /// `FOUND=total,RESULTS=items`.
    #[schema(value_type = String)]
    pub response_mappings: ParsedText<ResponseMappings>,
    /// Maps fields of the source to fields of a result, comma-separated:
    /// `title=name,body=abstract,url=links.html,date_published=created`.
    #[schema(value_type = String)]
    pub result_mappings: ParsedText<ResultMappings>,
    /// Number of results to request, 1 to 1000. Larger numbers are fetched page by page.
    pub results_per_query: u32,
    /// Credentials for the source: `bearer=<token>`, `HTTPBasicAuth('user','password')`, or `key=<value>` for the
    /// template. Returned masked; sending the masked text back, an empty text or nothing keeps the stored secret.
    pub credentials: String,
    /// Name of the session value that replaces `{credentials}` in `credentials`.
    pub eval_credentials: String,
    /// Words by which a search selects several sources at once, such as `news` in `news:river`.
    pub tags: Vec<String>,
    /// `config.swirl` contains the provider's `rag`, `fetch_url_body` and `connector_use` blocks, such as `{"swirl":
    /// {"connector_use": {"rate_limit": "30/minute"}}}`.
    #[schema(value_type = Object)]
    pub config: ProviderConfig,
}

impl Default for ProviderSpec {
    fn default() -> Self {
        let texts = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect::<Vec<String>>();
        Self {
            name: String::new(),
            description: String::new(),
            active: true,
            default: true,
            shared: true,
            groups: Vec::new(),
            connector: "RequestsGet".to_owned(),
            authenticator: String::new(),
            url: String::new(),
            query_template: "{url}?q={query_string}".to_owned(),
            query_template_json: Map::new(),
            post_query_template: Map::new(),
            http_request_headers: BTreeMap::new(),
            page_fetch_config_json: PageFetchConfigJson::default(),
            query_processors: texts(&["AdaptiveQueryProcessor"]),
            query_mappings: ParsedText::default(),
            result_grouping_field: String::new(),
            result_processors: texts(&[
                "MappingResultProcessor",
                "DateFinderResultProcessor",
                "CosineRelevancyResultProcessor",
            ]),
            response_mappings: ParsedText::default(),
            result_mappings: ParsedText::default(),
            results_per_query: 10,
            credentials: String::new(),
            eval_credentials: String::new(),
            tags: Vec::new(),
            config: ProviderConfig::default(),
        }
    }
}

impl ProviderSpec {
    /// Checks what does not depend on the plug-in registry: presence, lengths, ranges.
    pub fn check(&self) -> FieldErrors {
        let mut errors = FieldErrors::default();
        errors.check(!self.name.trim().is_empty(), "name", || "A name is needed.".to_owned());
        errors.check(!NAMES_RESERVED.contains(&self.name.as_str()), "name", || {
            format!("This name is reserved; choose another one than {}.", NAMES_RESERVED.join(", "))
        });
        errors.check_name("name", &self.name, NAME_CHARS_MAX);
        for (field, text, chars_max) in [
            ("description", self.description.as_str(), DESCRIPTION_CHARS_MAX),
            ("authenticator", &self.authenticator, NAME_CHARS_MAX),
            ("url", &self.url, TEXT_CHARS_MAX),
            ("query_template", &self.query_template, TEXT_CHARS_MAX),
            ("query_mappings", &self.query_mappings, TEXT_CHARS_MAX),
            ("result_grouping_field", &self.result_grouping_field, GROUPING_FIELD_CHARS_MAX),
            ("response_mappings", &self.response_mappings, TEXT_CHARS_MAX),
            ("result_mappings", &self.result_mappings, TEXT_CHARS_MAX),
            ("credentials", &self.credentials, CREDENTIALS_CHARS_MAX),
            ("eval_credentials", &self.eval_credentials, EVAL_CREDENTIALS_CHARS_MAX),
        ] {
            errors.check_text(field, text, chars_max);
        }
        for (field, list) in [
            ("groups", &self.groups),
            ("query_processors", &self.query_processors),
            ("result_processors", &self.result_processors),
            ("tags", &self.tags),
        ] {
            check_list(&mut errors, field, list);
        }
        let in_range = (1..=RESULTS_PER_QUERY_MAX).contains(&self.results_per_query);
        errors.check(in_range, "results_per_query", || format!("Use 1 to {RESULTS_PER_QUERY_MAX}."));
        errors.check(self.http_request_headers.len() <= HEADERS_MAX, "http_request_headers", || {
            format!("At most {HEADERS_MAX} headers are allowed.")
        });
        for (name, value) in &self.http_request_headers {
            let ok = is_header_name(name) && value.chars().all(|c| !c.is_control());
            errors.check(ok, "http_request_headers", || format!("'{name}' is not a valid header."));
        }
        self.config.check(&mut errors);
        self.page_fetch_config_json.check(&mut errors);
        errors
    }
}

/// What identifies a name: a search that names a provider ignores case and surrounding blanks.
pub fn name_key(name: &str) -> String {
    name.trim().to_lowercase()
}

/// Whether a search cannot tell one name from the other.
pub fn is_same_name(one: &str, other: &str) -> bool {
    name_key(one) == name_key(other)
}

/// Parses an object, or a text that contains one, most often `"{}"`, as many configurations have it.
fn object_or_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    let value = match Value::deserialize(deserializer)? {
        Value::String(text) if text.trim().is_empty() => Value::Null,
        Value::String(text) => {
            bounded_json::parse(text.as_bytes(), FIELD_VALUES_MAX).map_err(D::Error::custom)?
        }
        other => other,
    };
    match value {
        Value::Object(object) => Ok(object),
        Value::Null => Ok(Map::new()),
        _ => Err(D::Error::custom("an object is needed")),
    }
}

fn is_header_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c))
}

/// A stored SearchProvider. `spec.credentials` is empty: the secret is separate.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchProvider {
    pub id: ProviderId,
    pub owner: UserId,
    pub spec: ProviderSpec,
    pub credentials: Secret,
    /// Stored secrets that are missing here because they cannot be decrypted.
    pub unreadable: UnreadableSecrets,
    /// The searching user's own token for the source, set for one run; never stored.
    pub user_token: Option<Secret>,
    pub date_created: Instant,
    pub date_updated: Instant,
}

impl SearchProvider {
    /// A spec as a provider, for checks before anything is stored.
    pub fn unsaved(spec: ProviderSpec, owner: UserId, now: Instant) -> Self {
        let credentials = Secret::new(spec.credentials.clone());
        let spec = ProviderSpec { credentials: String::new(), ..spec };
        Self {
            id: ProviderId(0),
            owner,
            spec,
            credentials,
            unreadable: UnreadableSecrets::default(),
            user_token: None,
            date_created: now,
            date_updated: now,
        }
    }

    /// The authenticator whose token the provider uses, by its name or idp: the one it names, else the one in its
    /// `eval_credentials` (`session['microsoft_access_token']`).
    pub fn named_authenticator(&self) -> Option<&str> {
        let named = self.spec.authenticator.trim();
        if !named.is_empty() {
            return Some(named);
        }
        session_name(&self.spec.eval_credentials).ok().flatten()?.strip_suffix(TOKEN_SUFFIX)
    }

    /// Number of results to fetch. If a search has only this provider, it may request more; `asked` is the number in
    /// the search.
    pub fn results_wanted(&self, is_only_provider: bool, asked: Option<u32>) -> u32 {
        if is_only_provider {
            self.results_wanted_alone(asked)
        } else {
            self.spec.results_per_query.clamp(1, RESULTS_PER_QUERY_MAX)
        }
    }

    /// Number of results to fetch without other providers. The number in the search (`asked`) takes precedence over
    /// the provider's own configuration.
    pub fn results_wanted_alone(&self, asked: Option<u32>) -> u32 {
        let single = asked.or(self.spec.config.connector_use.single_provider_results_requested);
        single.unwrap_or(self.spec.results_per_query).clamp(1, RESULTS_PER_QUERY_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_template_may_be_written_as_text() {
        let table = [
            (json!({"a": 1}), Some(json!({"a": 1}))),
            (json!("{\"a\": {\"b\": \"{query_string}\"}}"), Some(json!({"a": {"b": "{query_string}"}}))),
            (json!("{}"), Some(json!({}))),
            (json!(" "), Some(json!({}))),
            (json!(null), Some(json!({}))),
            (json!([1]), None),
            (json!("[1]"), None),
            (json!("text"), None),
            (json!(7), None),
        ];
        for (given, want) in table {
            for field in ["post_query_template", "query_template_json"] {
                let read = serde_json::from_value::<ProviderSpec>(json!({field: given})).ok();
                let shown = read.map(|spec| json!(spec)[field].clone());
                assert_eq!(shown, want, "{field}: {given}");
            }
        }
    }

    /// A text counts as one value of a request, whatever it contains.
    #[test]
    fn a_template_written_as_text_has_a_bound() {
        let text = |count: usize| format!(r#"{{"a": [{}0]}}"#, "0,".repeat(count));
        for (count, is_read) in [(1_000, true), (FIELD_VALUES_MAX, false)] {
            for field in ["post_query_template", "query_template_json"] {
                let read = serde_json::from_value::<ProviderSpec>(json!({field: text(count)}));
                assert_eq!(read.is_ok(), is_read, "{field}: {count}");
            }
        }
    }

    fn using(usage: Value) -> ProviderSpec {
        let config = serde_json::json!({"swirl": {"connector_use": usage}});
        ProviderSpec {
            name: "A".to_owned(),
            config: serde_json::from_value(config).expect("an object"),
            ..ProviderSpec::default()
        }
    }

    #[test]
    fn a_wrong_budget_is_refused() {
        let right = serde_json::json!({
            "rate_limit": "15/minute", "timeout": 2.5, "retry_count": 2, "backoff_seconds": 0.5,
            "single_provider_results_requested": 100_000,
        });
        assert!(using(right).check().is_empty());
        for (key, value) in [
            ("rate_limit", serde_json::json!("often")),
            ("rate_limit", serde_json::json!(15)),
            ("timeout", serde_json::json!("2")),
            ("timeout", serde_json::json!(-1)),
            ("retry_count", serde_json::json!(6)),
            ("single_provider_results_requested", serde_json::json!("many")),
        ] {
            let errors = using(serde_json::json!({ key: value })).check();
            assert!(
                errors.to_string().contains(&format!("swirl.connector_use.{key}: ")),
                "{key} {value}: {errors}"
            );
        }
    }

    #[test]
    fn a_provider_alone_may_be_asked_for_more() {
        let spec = using(serde_json::json!({"single_provider_results_requested": 50}));
        let provider = SearchProvider::unsaved(spec, UserId(1), Instant::default());
        let cases = [
            (false, None, 10),
            (false, Some(70), 10),
            (true, None, 50),
            (true, Some(70), 70),
            (true, Some(0), 1),
            (true, Some(99_999), RESULTS_PER_QUERY_MAX),
        ];
        for (is_only, asked, wanted) in cases {
            assert_eq!(provider.results_wanted(is_only, asked), wanted, "{is_only} {asked:?}");
        }
        for (own, wanted) in [
            (json!(0), 1),
            (json!(u32::MAX), RESULTS_PER_QUERY_MAX),
            (json!(u64::MAX), RESULTS_PER_QUERY_MAX),
            (json!("50"), 10),
            (json!(50.0), 10),
            (json!(null), 10),
        ] {
            let spec = using(json!({"single_provider_results_requested": own}));
            let provider = SearchProvider::unsaved(spec, UserId(1), Instant::default());
            assert_eq!(provider.results_wanted_alone(None), wanted, "{own}");
        }
    }
}
