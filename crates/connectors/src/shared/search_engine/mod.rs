//! What the connectors of search engines with a JSON API share.

mod access;
mod clause;
pub mod dsl;
mod error_message;
mod lucene;
pub mod missing;
mod python_literal;
mod template;

pub use access::KeyHeader;
pub use clause::mentions;
pub use error_message::{ReadError, source_error};

use super::check::{add_error, read_notations};
use super::http_check;
use super::http_source::HttpSource;
use super::response;
use domain::parsed_text::ParsedText;
use domain::ports::{
    Clock, ConnectorError, ConnectorErrorKind, HttpRequest, HttpResponse, PluginContext, ProviderQuery,
};
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::Arc;
use syntax::error::SyntaxError;
use syntax::query_filter::refuse_filter;
use syntax::query_mappings::QueryMappings;
use syntax::query_template::{Binding, QueryEncoding, bind_text};

/// The placeholder of the words.
pub const WORDS: &str = "{query_string}";

/// One engine at one path.
pub struct Engine {
    source: HttpSource,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

impl Engine {
    pub fn new(
        provider: &SearchProvider,
        context: &PluginContext,
        path: &str,
        key: &KeyHeader,
    ) -> Result<Self, ConnectorError> {
        let (plain, tls) = plain(provider, path)?;
        let mut source = HttpSource::new(&plain, context)?;
        if let Some((name, value)) = key.header(source.credentials())? {
            source.carry(name, value);
        }
        if let Some(tls) = tls {
            source.set_tls(tls);
        }
        Ok(Self { source, clock: Arc::clone(&context.clock) })
    }

    pub fn post(&self, query: &ProviderQuery<'_>, body: &Value) -> Result<HttpRequest, ConnectorError> {
        self.source.post(query, body.to_string().as_bytes())
    }

    pub async fn send(&self, request: &HttpRequest) -> Result<HttpResponse, ConnectorError> {
        self.source.send(request).await
    }

    /// The response as JSON; an error contains the engine's own message.
    pub fn answer(&self, http: &HttpResponse, read_error: ReadError) -> Result<Value, ConnectorError> {
        response::read(http, self.clock.now())
            .map_err(|error| error_message::explain(error, http, read_error))
    }
}

/// All errors in a provider, including those that `read` finds in its template and mappings.
pub fn check<T>(
    provider: &SearchProvider,
    key: &KeyHeader,
    read: impl FnOnce(&SearchProvider, &QueryMappings) -> Result<(String, T), ConnectorError>,
) -> FieldErrors {
    let mut errors = FieldErrors::default();
    // The credentials are validated below, without the certificate options that their parser does not know.
    let shown = SearchProvider { credentials: Default::default(), ..provider.clone() };
    let mappings = read_notations(&shown, &mut errors).query_mappings;
    let path = match read(provider, &mappings) {
        Ok((path, _)) => path,
        Err(error) => {
            add_error(&mut errors, error);
            String::new()
        }
    };
    match plain(provider, &path) {
        Ok((plain, _)) => {
            let (notations, mistakes) = http_check::check(&plain);
            let known: Vec<String> = errors.iter().map(|(field, _)| field.to_owned()).collect();
            for (field, sentence) in
                mistakes.iter().filter(|(field, _)| !known.iter().any(|one| one == field))
            {
                errors.add(field, sentence);
            }
            if let Err(error) = key.header(&notations.credentials) {
                add_error(&mut errors, error);
            }
        }
        Err(error) => add_error(&mut errors, error),
    }
    errors
}

/// The query mappings of a valid provider.
pub fn mappings(provider: &SearchProvider) -> Result<Arc<QueryMappings>, ConnectorError> {
    let mappings = provider.spec.query_mappings.parsed().cloned();
    mappings.map_err(|error| ConnectorError::of_syntax("query_mappings", error.clone()))
}

/// The mapping `OPERATORS`: users may write the engine's own operators.
pub fn has_operators(mappings: &QueryMappings) -> bool {
    mappings.has_flag("OPERATORS")
        || mappings.get("OPERATORS").is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
}

/// A name that becomes a path segment or part of the engine's query language: an index, a collection, a field.
pub fn plain_name<'a>(key: &str, name: &'a str, more: &[char]) -> Result<&'a str, ConnectorError> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.') || more.contains(&c);
    let name = name.trim();
    if name.is_empty() || name.starts_with('.') && !name.contains(char::is_alphanumeric) {
        return Err(ConnectorError::in_field("query_mappings", format!("{key} needs a name.")));
    }
    match name.chars().find(|&c| !is_part(c)) {
        Some(c) => Err(ConnectorError::in_field("query_mappings", format!("{key} must not contain '{c}'."))),
        None => Ok(name),
    }
}

/// The name in a required mapping.
pub fn required_name<'a>(
    mappings: &'a QueryMappings,
    key: &str,
    more: &[char],
) -> Result<&'a str, ConnectorError> {
    let value = mappings
        .get(key)
        .ok_or_else(|| ConnectorError::in_field("query_mappings", format!("{key}=<name> is needed.")))?;
    plain_name(key, value, more)
}

/// The field in `sort_by_date`.
pub fn date_field(mappings: &QueryMappings) -> Result<Option<String>, ConnectorError> {
    let name = mappings.get("sort_by_date").filter(|name| !name.trim().is_empty());
    name.map(|name| plain_name("sort_by_date", name, &[]).map(str::to_owned)).transpose()
}

/// Inserts the mappings into a text of the configuration.
pub fn configured(text: &str, mappings: &QueryMappings, words: &str) -> Result<String, SyntaxError> {
    let binding = Binding { url: "", mappings, credentials: &[], query: words, sort_snippet: None, page: 0 };
    bind_text(text, &binding, QueryEncoding::Raw)
}

/// The members that a provider adds to every request. The words are allowed in `words` only, because the other members
/// have their own syntax; `ours` are set by the connector.
pub fn members(
    provider: &SearchProvider,
    mappings: &QueryMappings,
    words: &str,
    ours: &[&str],
) -> Result<Map<String, Value>, ConnectorError> {
    let field = "query_template_json";
    let mut template = provider.spec.query_template_json.clone();
    if let Some(name) = ours.iter().find(|name| template.contains_key(**name)) {
        return Err(ConnectorError::in_field(
            field,
            format!("{name} is set by the connector; leave it out."),
        ));
    }
    refuse_filter(&json!(template).to_string()).map_err(|error| ConnectorError::of_syntax(field, error))?;
    let text = template.remove(words);
    if mentions(&Value::Object(template.clone()), WORDS) {
        return Err(ConnectorError::in_field(field, format!("{WORDS} is allowed in {words} only.")));
    }
    let mut bound = super::json_body::bind(
        &template,
        &Binding { url: "", mappings, credentials: &[], query: "", sort_snippet: None, page: 0 },
        QueryEncoding::Raw,
    )
    .map_err(|error| ConnectorError::of_syntax(field, error))?;
    let members = bound.as_object_mut().map(std::mem::take).unwrap_or_default();
    match text {
        None => Ok(members),
        Some(Value::String(text)) if text.contains(WORDS) => {
            // The placeholder of the words stays; it is filled for each query.
            let text = configured(&text, mappings, WORDS)
                .map_err(|error| ConnectorError::of_syntax(field, error))?;
            Ok(std::iter::once((words.to_owned(), Value::String(text))).chain(members).collect())
        }
        Some(_) => Err(ConnectorError::in_field(field, format!("{words} must contain {WORDS}."))),
    }
}

/// The value of the member with the words: the provider's template with the query in it, or the query.
pub fn query_value(members: &Map<String, Value>, name: &str, query: &str) -> Value {
    let template = members.get(name).and_then(Value::as_str).unwrap_or(WORDS);
    Value::String(template.replace(WORDS, query))
}

/// Number of pages of `size`, if the engine returns at most `window` results.
pub fn pages(results_wanted: u32, size: u32, window: u32) -> u32 {
    results_wanted.min(window).div_ceil(size).max(1)
}

/// The document's fields as an item, with the engine's own members beside them; the document's fields take precedence.
/// If the provider's mappings name `inside`, the hit stays unchanged.
pub fn item(hit: &Value, inside: &str, beside: &[&str], is_raw: bool) -> Value {
    let (Some(members), false) = (hit.as_object(), is_raw) else { return hit.clone() };
    let mut item = members.get(inside).and_then(Value::as_object).cloned().unwrap_or_default();
    for name in beside {
        if let Some(value) = members.get(*name).filter(|value| !value.is_null() && !item.contains_key(*name))
        {
            item.insert((*name).to_owned(), value.clone());
        }
    }
    Value::Object(item)
}

/// Whether the provider's result mappings address the raw hit.
pub fn names_inside(provider: &SearchProvider, inside: &str) -> bool {
    let texts = [provider.spec.result_mappings.as_str(), &provider.spec.result_grouping_field];
    texts.iter().any(|text| text.contains(&format!("{inside}.")) || text.contains(&format!("{inside}[")))
}

/// Whole seconds for the engine's time limit, so that equal queries produce equal requests.
pub fn seconds(query: &ProviderQuery<'_>) -> u64 {
    query.time_max.as_secs().saturating_add(1)
}

pub fn unreadable(what: &str) -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::Unreadable, format!("the source's answer has no {what}"))
}

/// The provider as a plain HTTP source at a path, and its TLS options.
fn plain(
    provider: &SearchProvider,
    path: &str,
) -> Result<(SearchProvider, Option<domain::ports::TlsOptions>), ConnectorError> {
    let (tls, credentials) = access::part(&provider.credentials)?;
    let mut plain = provider.clone();
    plain.spec.url = format!("{}{path}", base(&provider.spec.url)?);
    plain.spec.query_template = "{url}".to_owned();
    plain.spec.query_mappings = ParsedText::default();
    plain.credentials = credentials;
    Ok((plain, tls))
}

/// The address of the engine, also in the form of a client argument: `hosts='https://…'`.
fn base(url: &str) -> Result<&str, ConnectorError> {
    let url = url.trim();
    let url = url.strip_prefix("hosts=").unwrap_or(url).trim();
    let url = url.strip_prefix('[').and_then(|list| list.strip_suffix(']')).unwrap_or(url);
    let url = url.split(',').next().unwrap_or(url).trim().trim_matches(['\'', '"']).trim_end_matches('/');
    if url.is_empty() {
        return Err(ConnectorError::in_field(
            "url",
            "The address of the engine is needed, such as https://host:9200.",
        ));
    }
    if url.contains(['?', '#']) {
        return Err(ConnectorError::in_field(
            "url",
            "The address must not contain ? or #; the connector adds the path.",
        ));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let table = [
            ("https://h:9200", Some("https://h:9200")),
            (" https://h:9200/es/ ", Some("https://h:9200/es")),
            ("hosts='https://h:9200'", Some("https://h:9200")),
            ("hosts=[\"https://a\", \"https://b\"]", Some("https://a")),
            ("", None),
            ("https://h/?x=1", None),
        ];
        for (url, want) in table {
            assert_eq!(base(url).ok(), want, "{url}");
        }
    }

    #[test]
    fn names_are_plain() {
        for name in ["logs", "logs-2024.01", "größe", "a_b"] {
            assert_eq!(plain_name("index_name", name, &[]).ok(), Some(name));
        }
        for name in ["", "..", "a/b", "a?b", "a b", "a,b", "a%2f", "a{b}"] {
            assert!(plain_name("index_name", name, &[]).is_err(), "{name}");
        }
        assert_eq!(plain_name("index_name", "a*,b", &['*', ',']).ok(), Some("a*,b"));
    }

    #[test]
    fn documents_come_to_the_top() {
        let hit = json!({"_id": "7", "_score": null, "x": 1, "_source": {"title": "t", "x": 2}});
        assert_eq!(
            item(&hit, "_source", &["_id", "_score", "x"], false),
            json!({"title": "t", "x": 2, "_id": "7"})
        );
        assert_eq!(item(&hit, "_source", &["_id"], true), hit);
        assert_eq!(item(&json!("text"), "_source", &["_id"], false), json!("text"));
    }

    #[test]
    fn pages_end_at_the_window() {
        let table = [(0, 1), (1, 1), (100, 1), (101, 2), (1000, 10), (5000, 10)];
        for (wanted, want) in table {
            assert_eq!(pages(wanted, 100, 1000), want, "{wanted}");
        }
    }
}
