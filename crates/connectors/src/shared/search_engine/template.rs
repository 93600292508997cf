//! The template of a search body: JSON, the text of a client call, or the default.

use super::clause::{self, LuceneText, Words};
use super::{configured, date_field, plain_name, python_literal};
use domain::ports::ConnectorError;
use domain::provider::SearchProvider;
use serde_json::{Map, Value, json};
use syntax::error::SyntaxError;
use syntax::query_mappings::QueryMappings;

/// Hits per request, unless the template sets `size`.
const HITS_PER_PAGE: u32 = 100;
/// The engine returns no hits beyond this (`index.max_result_window`).
pub const WINDOW: u32 = 10_000;

/// Members of a search body; any other member alone is a query clause.
const BODY_MEMBERS: [&str; 8] =
    ["query", "knn", "retriever", "highlight", "_source", "fields", "sort", "size"];

#[derive(Debug)]
pub struct Template {
    pub body: Map<String, Value>,
    pub hits_per_page: u32,
    pub date_field: Option<String>,
}

/// The path of the index and the template of the body.
pub fn read(
    provider: &SearchProvider,
    mappings: &QueryMappings,
) -> Result<(String, Template), ConnectorError> {
    let (index, mut body) = template(provider, mappings)?;
    let field =
        if provider.spec.query_template_json.is_empty() { "query_template" } else { "query_template_json" };
    let wrong = |error: SyntaxError| ConnectorError::of_syntax(field, error);
    clause::check(&body).map_err(wrong)?;
    if body.contains_key("from") {
        return Err(wrong("from is set by the connector; leave it out.".into()));
    }
    let hits_per_page = match body.remove("size") {
        None => HITS_PER_PAGE,
        Some(size) => size
            .as_u64()
            .and_then(|size| u32::try_from(size).ok())
            .filter(|size| (1..=WINDOW).contains(size))
            .ok_or_else(|| wrong(format!("size is a number from 1 to {WINDOW}.").into()))?,
    };
    // A dry run finds templates that grow too large.
    clause::bind(&body, mappings, &Words::of("one", LuceneText::Escaped { can_negate: true }))
        .map_err(wrong)?;
    let index = match index {
        Some(text) => configured(&text, mappings, "").map_err(wrong)?,
        None => mappings
            .get("index_name")
            .ok_or_else(|| ConnectorError::in_field("query_mappings", "index_name=<name> is needed."))?
            .to_owned(),
    };
    let index = plain_name("index_name", &index, &['*', ',', ':', '+'])?;
    // Names that begin with an underscore are API endpoints of the engine.
    if index.starts_with('_') && index != "_all" {
        return Err(ConnectorError::in_field("query_mappings", "index_name must not begin with '_'."));
    }
    Ok((format!("/{index}/_search"), Template { body, hits_per_page, date_field: date_field(mappings)? }))
}

/// The index, if the template names it, and the search body.
fn template(
    provider: &SearchProvider,
    mappings: &QueryMappings,
) -> Result<(Option<String>, Map<String, Value>), ConnectorError> {
    let (text, given) = (provider.spec.query_template.trim(), &provider.spec.query_template_json);
    if !given.is_empty() {
        return Ok((None, whole(given.clone(), mappings)));
    }
    let wrong = |error: SyntaxError| ConnectorError::of_syntax("query_template", error);
    // The default template of a new provider; `{url}` and similar placeholders belong to other connectors.
    if text.is_empty() || text.starts_with("{url}") {
        return Ok((None, whole(Map::new(), mappings)));
    }
    if text.starts_with('{') {
        let Value::Object(body) = python_literal::value(text).map_err(wrong)? else {
            return Ok((None, Map::new()));
        };
        return Ok((None, whole(body, mappings)));
    }
    let (mut index, mut body) = (None, Map::new());
    for (name, value) in python_literal::arguments(text).map_err(wrong)? {
        match (name.as_str(), value) {
            ("index", Value::String(text)) => index = Some(text),
            ("index", _) => return Err(wrong("index is a text in quotes.".into())),
            ("query", value @ Value::Object(_)) => drop(body.insert(name, value)),
            ("query", _) => return Err(wrong("query is an object.".into())),
            ("size" | "highlight" | "sort" | "_source" | "fields", value) => drop(body.insert(name, value)),
            _ => {
                let known = "index, query, size, sort, highlight, fields, _source";
                return Err(wrong(format!("'{name}' is not known. Known: {known}.").into()));
            }
        }
    }
    Ok((index, whole(body, mappings)))
}

/// A complete body: a lone clause becomes its query, and without one the words are a query string.
fn whole(given: Map<String, Value>, mappings: &QueryMappings) -> Map<String, Value> {
    let has_query = ["query", "knn", "retriever"].iter().any(|name| given.contains_key(*name));
    let is_clause = given.len() == 1 && given.keys().all(|name| !BODY_MEMBERS.contains(&name.as_str()));
    if has_query {
        return given;
    }
    let (query, mut body) =
        if is_clause { (Value::Object(given), Map::new()) } else { (usual(mappings), given) };
    body.insert("query".to_owned(), query);
    body
}

fn usual(mappings: &QueryMappings) -> Value {
    match mappings.get("default_field") {
        Some(_) => json!({"query_string": {"query": super::WORDS, "default_field": "{default_field}"}}),
        None => json!({"query_string": {"query": super::WORDS}}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::provider::ProviderSpec;

    fn spec(query_template: &str, json: Value, query_mappings: &str) -> SearchProvider {
        let spec = ProviderSpec {
            url: "https://h:9200".into(),
            query_template: query_template.into(),
            query_template_json: json.as_object().cloned().unwrap_or_default(),
            query_mappings: query_mappings.into(),
            ..ProviderSpec::default()
        };
        SearchProvider::unsaved(spec, Default::default(), Default::default())
    }

    fn read_of(provider: &SearchProvider) -> Result<(String, Value), ConnectorError> {
        let (path, template) =
            read(provider, &crate::shared::search_engine::mappings(provider).expect("mappings"))?;
        Ok((path, Value::Object(template.body)))
    }

    #[test]
    fn templates_are_read_in_each_form() {
        let string = json!({"query": {"query_string": {"query": "{query_string}", "default_field": "{default_field}"}}});
        let matched = json!({"query": {"match": {"t": "{query_string}"}}});
        let index = "index_name=mail,default_field=content";
        let table = [
            (
                "index='{index_name}', query={'query_string': {'query': '{query_string}', 'default_field': '{default_field}'}}",
                json!({}),
                index,
                "/mail/_search",
                string.clone(),
            ),
            (
                "index='a*,b', query={'match': {'t': '{query_string}'}}, size=10",
                json!({}),
                "",
                "/a*,b/_search",
                matched.clone(),
            ),
            ("", json!({}), index, "/mail/_search", string.clone()),
            ("{url}?q={query_string}", json!({}), index, "/mail/_search", string.clone()),
            ("", matched.clone(), index, "/mail/_search", matched.clone()),
            ("", json!({"match": {"t": "{query_string}"}}), index, "/mail/_search", matched.clone()),
            (
                r#"{"query": {"match": {"t": "{query_string}"}}}"#,
                json!({}),
                index,
                "/mail/_search",
                matched.clone(),
            ),
            (
                "",
                json!({"highlight": {"fields": {}}}),
                "index_name=mail",
                "/mail/_search",
                json!({"highlight": {"fields": {}}, "query": {"query_string": {"query": "{query_string}"}}}),
            ),
        ];
        for (text, json, mappings, path, body) in table {
            let read = read_of(&spec(text, json, mappings)).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(read, (path.to_owned(), body), "{text}");
        }
    }

    #[test]
    fn mistakes_name_their_field() {
        let table = [
            ("", json!({}), "", "query_mappings"),
            ("", json!({}), "index_name=a/b", "query_mappings"),
            ("", json!({}), "index_name=_cluster", "query_mappings"),
            ("", json!({}), "index_name=a,sort_by_date=a b", "query_mappings"),
            ("index='a', query={'match_all': {}}", json!({}), "", "query_template"),
            ("index='a', query='x'", json!({}), "", "query_template"),
            ("index='a', other=1", json!({}), "", "query_template"),
            ("select 1", json!({}), "index_name=a", "query_template"),
            ("", json!({"match_all": {}}), "index_name=a", "query_template_json"),
            (
                "",
                json!({"query": {"match": {"t": "{query_string}"}}, "from": 3}),
                "index_name=a",
                "query_template_json",
            ),
            (
                "",
                json!({"query": {"match": {"t": "{query_string}"}}, "size": 0}),
                "index_name=a",
                "query_template_json",
            ),
        ];
        for (text, json, mappings, field) in table {
            let read = read_of(&spec(text, json.clone(), mappings));
            assert_eq!(read.expect_err("a mistake").field, Some(field), "{text} {json} {mappings}");
        }
    }
}
