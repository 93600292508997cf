//! Microsoft Graph search for one entity type, with the user's own token.
//!
//! Uses version 1.0 of the API: the beta version may change at any time and is not meant for production.

use super::boolean_language::{KQL, can_negate};
use super::check::{read_notations, require_results, valid_notations};
use super::delegated_api::{DelegatedApi, ErrorCause, Service, without_credentials};
use super::http_source::config_invalid;
use super::{json_body, page};
use domain::parsed_text::ParsedText;
use domain::ports::{
    Capability, Connector, ConnectorError, HttpRequest, HttpResponse, NormalizedPage, PluginContext,
    ProviderQuery, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::search::Sort;
use domain::validation::FieldErrors;
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::{Arc, LazyLock};
use syntax::query_mappings::QueryMappings;
use syntax::query_template::{Binding, QueryEncoding};
use syntax::response_mappings::ResponseMappings;
use syntax::strip_html::readable;

/// The provider fields that a Microsoft 365 connector reads.
pub const SETTINGS: &[&str] = &[
    "authenticator",
    "query_mappings",
    "post_query_template",
    "response_mappings",
    "result_mappings",
    "result_grouping_field",
    "results_per_query",
];

/// The hits in a response, for providers without `response_mappings`.
static RESPONSE_MAPPINGS: LazyLock<ParsedText<ResponseMappings>> =
    LazyLock::new(|| "FOUND=value[0].hitsContainers[0].total,RESULTS=value[0].hitsContainers[0].hits".into());

static MICROSOFT: Service = Service {
    name: "Microsoft 365",
    setting: "SVC_MICROSOFT_GRAPH_URL",
    address: |settings| &settings.microsoft_graph_url,
    classify_error: |status, _| ErrorCause::of_status(status),
};

/// An entity type that Graph can search.
pub struct Entity {
    /// Its name in the API.
    pub name: &'static str,
    pub scope: &'static str,
    /// Most results per page.
    pub page_max: u32,
    pub order: Order,
    /// Skip folders.
    pub is_file: bool,
    /// Converts a hit for providers without `result_mappings`.
    pub result: fn(&Value) -> Value,
}

/// How Graph orders the hits of an entity type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Always newest first.
    Newest,
    /// Newest first; optionally with the most relevant ones on top.
    NewestOrTop,
    /// By relevance; optionally by this property.
    Property(&'static str),
}

struct GraphSearch {
    api: DelegatedApi,
    entity: &'static Entity,
    mappings: Arc<QueryMappings>,
    template: Map<String, Value>,
    response_mappings: Arc<ResponseMappings>,
    has_result_mappings: bool,
}

impl fmt::Debug for GraphSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GraphSearch").field("api", &self.api).field("entity", &self.entity.name).finish()
    }
}

pub fn check(provider: &SearchProvider) -> FieldErrors {
    let mut errors = FieldErrors::default();
    let notations = read_notations(&without_credentials(provider), &mut errors);
    require_results(&notations, &mut errors);
    let template = &provider.spec.post_query_template;
    if let Err(sentence) =
        json_body::bind(template, &binding(&notations.query_mappings, "x"), QueryEncoding::Raw)
    {
        errors.add("post_query_template", sentence);
    }
    errors
}

pub fn build(
    entity: &'static Entity,
    provider: &SearchProvider,
    context: &PluginContext,
) -> Result<Box<dyn Connector>, ConnectorError> {
    let notations = valid_notations(&without_credentials(provider))?;
    let spec = &provider.spec;
    let response_mappings = if spec.response_mappings.trim().is_empty() {
        RESPONSE_MAPPINGS.parsed().cloned().map_err(|error| config_invalid(error.clone()))?
    } else {
        notations.response_mappings
    };
    Ok(GraphSearch {
        api: DelegatedApi::new(&MICROSOFT, entity.scope, provider, context)?,
        entity,
        mappings: notations.query_mappings,
        template: spec.post_query_template.clone(),
        response_mappings,
        has_result_mappings: !spec.result_mappings.trim().is_empty(),
    }
    .boxed())
}

/// A summary without highlight tags.
pub fn summary(hit: &Value) -> String {
    let text = hit["summary"].as_str().unwrap_or_default();
    let text = text.replace("<ddd/>", " … ").replace("<c0>", "").replace("</c0>", "");
    let words: Vec<&str> = text.split_whitespace().collect();
    readable(&words.join(" ")).into_owned()
}

fn binding<'a>(mappings: &'a QueryMappings, query: &'a str) -> Binding<'a> {
    Binding { url: "", mappings, credentials: &[], query, sort_snippet: None, page: 0 }
}

impl TypedConnector for GraphSearch {
    type Request = HttpRequest;
    type Response = HttpResponse;

    fn capability(&self) -> Capability {
        // A request body set by the provider defines its own paging.
        let is_ours = self.template.is_empty();
        Capability { page: is_ours, date_sort: is_ours, not: can_negate(&self.mappings) }
    }

    fn pages(&self, results_wanted: u32) -> u32 {
        if self.template.is_empty() { results_wanted.div_ceil(self.size(results_wanted)) } else { 1 }
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<HttpRequest, ConnectorError> {
        let kql = self.kql(query.text)?;
        let body = if self.template.is_empty() {
            json!({"requests": [self.request(query, &kql)]})
        } else {
            json_body::bind(&self.template, &binding(&self.mappings, &kql), QueryEncoding::Raw)
                .map_err(config_invalid)?
        };
        let request = self.api.post(&["v1.0", "search", "query"], &body, query.time_max);
        Ok(request)
    }

    async fn execute(&self, request: &HttpRequest) -> Result<HttpResponse, ConnectorError> {
        self.api.send(request).await
    }

    fn normalize(&self, response: HttpResponse) -> Result<NormalizedPage, ConnectorError> {
        let answer = self.api.read(&response)?;
        // Pages are requested by number. Links are not followed; one that points elsewhere indicates a forged response.
        if let Some(link) = answer.get("@odata.nextLink").and_then(Value::as_str) {
            self.api.own_link(link)?;
        }
        let mut page = page::take_apart(answer, &self.response_mappings)?;
        if !self.has_result_mappings {
            page.items = page.items.iter().map(self.entity.result).collect();
        }
        Ok(page)
    }
}

impl GraphSearch {
    fn size(&self, results_wanted: u32) -> u32 {
        results_wanted.clamp(1, self.entity.page_max)
    }

    /// The query as KQL.
    fn kql(&self, text: &str) -> Result<String, ConnectorError> {
        let can_negate = can_negate(&self.mappings);
        if self.entity.is_file {
            return Ok(format!("({}) AND (NOT contenttype:folder)", KQL.query(text, can_negate)?));
        }
        // A template may put more beside it.
        if self.template.is_empty() { KQL.query(text, can_negate) } else { KQL.operand(text, can_negate) }
    }

    fn request(&self, query: &ProviderQuery<'_>, kql: &str) -> Value {
        let size = self.size(query.results_wanted);
        let mut request = json!({
            "entityTypes": [self.entity.name],
            "query": {"queryString": kql},
            "from": query.page.saturating_mul(size),
            "size": size,
        });
        match (self.entity.order, query.sort) {
            (Order::NewestOrTop, Sort::Relevancy) => request["enableTopResults"] = json!(true),
            (Order::Property(property), Sort::Date) => {
                let named = self.mappings.date_sort().and_then(|text| text.split_whitespace().next());
                let property = named.unwrap_or(property);
                request["sortProperties"] = json!([{"name": property, "isDescending": true}]);
            }
            _ => {}
        }
        request
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_plain() {
        let hit = json!({"summary": " <ddd/>the <c0>flood</c0> &amp; &lt;b&gt; rain <ddd/> "});
        assert_eq!(summary(&hit), "… the flood & &lt;b> rain …");
        assert_eq!(summary(&json!({})), "");
    }
}
