//! Engines of the Elasticsearch family: Query DSL requests and their hits.

use super::clause::{self, LuceneText, Words};
use super::template::{Template, WINDOW, read};
use super::{
    Engine, KeyHeader, check as check_engine, has_operators, item, mappings, missing, names_inside, pages,
    seconds, unreadable,
};
use crate::shared::boolean_language::can_negate;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, HttpRequest, HttpResponse, NormalizedPage,
    PluginContext, ProviderQuery, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::search::Sort;
use domain::validation::FieldErrors;
use serde_json::{Value, json};
use std::sync::Arc;
use syntax::query_mappings::QueryMappings;

pub const CAPABILITY: Capability = Capability { page: true, date_sort: true, not: true };

pub const SETTINGS: &[&str] = &[
    "url",
    "query_template",
    "query_template_json",
    "query_mappings",
    "result_mappings",
    "credentials",
    "eval_credentials",
    "http_request_headers",
    "results_per_query",
];

const KEY: KeyHeader = KeyHeader { name: "Authorization", prefix: "ApiKey ", has_users: true };

const BESIDE: [&str; 4] = ["_id", "_index", "_score", "highlight"];

#[derive(Debug)]
struct Dsl {
    engine: Engine,
    template: Template,
    mappings: Arc<QueryMappings>,
    can_negate: bool,
    lucene_text: LuceneText,
    is_raw: bool,
}

pub fn check(provider: &SearchProvider) -> FieldErrors {
    check_engine(provider, &KEY, read)
}

pub fn build(
    provider: &SearchProvider,
    context: &PluginContext,
) -> Result<Box<dyn Connector>, ConnectorError> {
    let mappings = mappings(provider)?;
    let (path, template) = read(provider, &mappings)?;
    let can_negate = can_negate(&mappings);
    Ok(Dsl {
        engine: Engine::new(provider, context, &path, &KEY)?,
        template,
        can_negate,
        lucene_text: if has_operators(&mappings) {
            LuceneText::WithOperators
        } else {
            LuceneText::Escaped { can_negate }
        },
        is_raw: names_inside(provider, "_source"),
        mappings,
    }
    .boxed())
}

impl TypedConnector for Dsl {
    type Request = HttpRequest;
    type Response = HttpResponse;

    fn capability(&self) -> Capability {
        Capability {
            page: true,
            date_sort: self.template.date_field.is_some(),
            // Only a query string can exclude words.
            not: self.can_negate && clause::has_query_string(&self.template.body),
        }
    }

    fn pages(&self, results_wanted: u32) -> u32 {
        pages(results_wanted, self.template.hits_per_page, WINDOW)
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<HttpRequest, ConnectorError> {
        let words = Words::of(query.text, self.lucene_text);
        let mut body = clause::bind(&self.template.body, &self.mappings, &words).map_err(|error| {
            ConnectorError::new(ConnectorErrorKind::QueryInvalid, error.message()).caused_by(error)
        })?;
        let from = query.page.saturating_mul(self.template.hits_per_page).min(WINDOW - 1);
        let size = query.results_wanted.saturating_sub(from).clamp(1, self.template.hits_per_page);
        body.insert("from".to_owned(), from.into());
        body.insert("size".to_owned(), size.min(WINDOW - from).into());
        body.insert("timeout".to_owned(), format!("{}s", seconds(query)).into());
        if let (Sort::Date, Some(field)) = (query.sort, &self.template.date_field) {
            body.insert("sort".to_owned(), json!([{field.as_str(): {"order": "desc"}}]));
            body.insert("track_scores".to_owned(), true.into());
        }
        self.engine.post(query, &Value::Object(body))
    }

    async fn execute(&self, request: &HttpRequest) -> Result<HttpResponse, ConnectorError> {
        self.engine.send(request).await
    }

    fn normalize(&self, response: HttpResponse) -> Result<NormalizedPage, ConnectorError> {
        let answer = self.engine.answer(&response, refused)?;
        let hits =
            answer.pointer("/hits/hits").and_then(Value::as_array).ok_or_else(|| unreadable("hits"))?;
        let missing = missing::of_shards(&answer);
        if let (true, Some(error)) = (hits.is_empty(), &missing) {
            return Err(error.clone());
        }
        let total = &answer["hits"]["total"];
        Ok(NormalizedPage {
            found: total.as_u64().or_else(|| total.get("value")?.as_u64()),
            retrieved: Some(hits.len() as u64),
            items: hits.iter().map(|hit| self.item(hit)).collect(),
            missing,
        })
    }
}

impl Dsl {
    fn item(&self, hit: &Value) -> Value {
        // A search for `fields` without `_source` has its values there.
        let inside = if hit.get("_source").is_none() { "fields" } else { "_source" };
        item(hit, inside, &BESIDE, self.is_raw)
    }
}

/// Reads the error of a rejected request.
fn refused(status: u16, body: &Value) -> Option<(Option<ConnectorErrorKind>, String)> {
    let error = body.get("error")?;
    if let Some(sentence) = error.as_str() {
        return Some((None, sentence.to_owned()));
    }
    // The cause in a shard is more specific than the overall failure.
    let cause = error.pointer("/root_cause/0").unwrap_or(error);
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let (name, reason) = (text(cause, "type")?, text(cause, "reason").unwrap_or_default());
    let index = text(cause, "index").unwrap_or_default();
    let kind = match name.as_str() {
        "index_not_found_exception" => {
            return Some((
                Some(ConnectorErrorKind::PlaceUnknown),
                format!("the index '{index}' does not exist"),
            ));
        }
        "index_closed_exception" | "cluster_block_exception" => Some(ConnectorErrorKind::PlaceUnknown),
        "security_exception" => Some(ConnectorErrorKind::Denied),
        "query_shard_exception" if reason.starts_with("Failed to parse query") => {
            Some(ConnectorErrorKind::QueryInvalid)
        }
        "parse_exception" | "number_format_exception" | "too_many_clauses" | "too_many_nested_clauses" => {
            Some(ConnectorErrorKind::QueryInvalid)
        }
        _ if status == 400 => Some(ConnectorErrorKind::ConfigInvalid),
        _ => None,
    };
    let deeper = error.pointer("/failed_shards/0/reason/caused_by/reason").and_then(Value::as_str);
    let more = deeper.filter(|deeper| !reason.contains(deeper)).map(|deeper| format!(": {deeper}"));
    Some((kind, format!("{reason}{}", more.unwrap_or_default())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_have_their_kinds() {
        let table = [
            (
                404,
                json!({"root_cause": [{"type": "index_not_found_exception", "reason": "no such index [x]", "index": "x"}]}),
                Some(ConnectorErrorKind::PlaceUnknown),
                "the index 'x' does not exist",
            ),
            (
                400,
                json!({"root_cause": [{"type": "query_shard_exception", "reason": "Failed to parse query [a\"]"}], "failed_shards": [{"reason": {"caused_by": {"reason": "Cannot parse 'a\"'"}}}]}),
                Some(ConnectorErrorKind::QueryInvalid),
                "Failed to parse query [a\"]: Cannot parse 'a\"'",
            ),
            (
                400,
                json!({"root_cause": [{"type": "query_shard_exception", "reason": "No mapping found for [d] in order to sort on"}]}),
                Some(ConnectorErrorKind::ConfigInvalid),
                "No mapping found for [d] in order to sort on",
            ),
            (
                400,
                json!({"type": "parsing_exception", "reason": "unknown query [x]"}),
                Some(ConnectorErrorKind::ConfigInvalid),
                "unknown query [x]",
            ),
            (503, json!({"type": "other", "reason": "oh"}), None, "oh"),
            (400, json!("plain"), None, "plain"),
        ];
        for (status, error, kind, sentence) in table {
            assert_eq!(refused(status, &json!({"error": error})), Some((kind, sentence.to_owned())));
        }
        assert_eq!(refused(400, &json!({"message": "x"})), None);
    }
}
