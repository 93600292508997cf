//! RequestsGet connector: any HTTP GET endpoint that returns JSON or XML.

use crate::shared::http_check;
use crate::shared::http_source::HttpSource;
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorKind, HttpRequest, HttpResponse, NormalizedPage,
    PluginContext, ProviderQuery, ResultOrigin, TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "RequestsGet",
    module: "requests_get",
    summary: "Any HTTP GET endpoint that returns JSON or XML.",
    capability: Capability { page: true, date_sort: true, not: true },
    settings: &[
        "url",
        "query_template",
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
    check: |provider| http_check::check(provider).1,
    build,
};

#[derive(Debug)]
struct RequestsGet {
    source: HttpSource,
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    Ok(RequestsGet { source: HttpSource::new(provider, context)? }.boxed())
}

impl TypedConnector for RequestsGet {
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
        self.source.get(query)
    }

    async fn execute(&self, request: &HttpRequest) -> Result<HttpResponse, ConnectorError> {
        self.source.send(request).await
    }

    fn normalize(&self, response: HttpResponse) -> Result<NormalizedPage, ConnectorError> {
        self.source.normalize(&response)
    }
}
