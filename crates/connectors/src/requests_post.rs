//! RequestsPost connector: any HTTP POST endpoint that takes a JSON body and returns JSON or XML.

use crate::shared::http_source::{HttpSource, config_invalid};
use crate::shared::{http_check, json_body};
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorKind, HttpRequest, HttpResponse, NormalizedPage,
    PluginContext, ProviderQuery, ResultOrigin, TestTarget, TypedConnector,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::validation::FieldErrors;
use serde_json::{Map, Value};
use syntax::query_mappings::QueryMappings;
use syntax::query_template::QueryEncoding;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "RequestsPost",
    module: "requests_post",
    summary: "Any HTTP POST endpoint that takes a JSON body and returns JSON or XML.",
    capability: Capability { page: true, date_sort: true, not: true },
    settings: &[
        "url",
        "query_template",
        "post_query_template",
        "query_template_json",
        "query_mappings",
        "response_mappings",
        "result_mappings",
        "credentials",
        "eval_credentials",
        "http_request_headers",
        "results_per_query",
    ],
    authenticator: None,
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Web,
    test_target: TestTarget::Fake,
    check,
    build,
};

/// The query is put into the body unchanged; without this flag it is form-encoded, as in a URL.
const RAW_FLAG: &str = "NO_URL_ENCODE";

#[derive(Debug)]
struct RequestsPost {
    source: HttpSource,
    template: Map<String, Value>,
}

fn check(provider: &SearchProvider) -> FieldErrors {
    let (notations, mut errors) = http_check::check(provider);
    let (field, template) = body_template(&provider.spec);
    let sample = http_check::sample_binding(provider, &notations, "one");
    if let Err(sentence) = json_body::bind(template, &sample, encoding(&notations.query_mappings)) {
        errors.add(field, sentence);
    }
    errors
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let source = HttpSource::new(provider, context)?;
    Ok(RequestsPost { source, template: body_template(&provider.spec).1.clone() }.boxed())
}

/// The template of the body and the field that holds it.
fn body_template(spec: &ProviderSpec) -> (&'static str, &Map<String, Value>) {
    if spec.post_query_template.is_empty() {
        ("query_template_json", &spec.query_template_json)
    } else {
        ("post_query_template", &spec.post_query_template)
    }
}

fn encoding(mappings: &QueryMappings) -> QueryEncoding {
    let is_raw = mappings.has_flag(RAW_FLAG)
        || mappings.get(RAW_FLAG).is_some_and(|value| !value.trim().eq_ignore_ascii_case("false"));
    if is_raw { QueryEncoding::Raw } else { QueryEncoding::Form }
}

impl RequestsPost {
    /// Without a template, the query itself is the body.
    fn body(&self, query: &ProviderQuery<'_>) -> Result<Value, ConnectorError> {
        if self.template.is_empty() {
            return Ok(Value::String(query.text.to_owned()));
        }
        let binding = self.source.binding(query, query.text);
        json_body::bind(&self.template, &binding, encoding(self.source.mappings())).map_err(config_invalid)
    }
}

impl TypedConnector for RequestsPost {
    type Request = HttpRequest;
    type Response = HttpResponse;

    fn capability(&self) -> Capability {
        self.source.capability()
    }

    fn pages(&self, results_wanted: u32) -> u32 {
        self.source.mappings().pages(results_wanted)
    }

    fn page_size(&self) -> Option<u32> {
        Some(self.source.mappings().page_size())
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<HttpRequest, ConnectorError> {
        let body = self.body(query)?.to_string();
        self.source.post(query, body.as_bytes())
    }

    async fn execute(&self, request: &HttpRequest) -> Result<HttpResponse, ConnectorError> {
        self.source.send(request).await
    }

    fn normalize(&self, response: HttpResponse) -> Result<NormalizedPage, ConnectorError> {
        self.source.normalize(&response)
    }
}
