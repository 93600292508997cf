//! RequestsGet connector: any HTTP GET endpoint that returns JSON or XML.

use crate::shared::http_check;
use crate::shared::http_source::HttpSource;
use async_trait::async_trait;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorKind, NormalizedPage, PluginContext, ProviderQuery,
    ResultOrigin, SourceQuery, SourceResponse, TestTarget,
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
    test_target: TestTarget::Fake,
    check: |provider| http_check::check(provider).1,
    build,
};

#[derive(Debug)]
struct RequestsGet {
    source: HttpSource,
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    Ok(Box::new(RequestsGet { source: HttpSource::new(provider, context)? }))
}

#[async_trait]
impl Connector for RequestsGet {
    fn capability(&self) -> Capability {
        self.source.capability()
    }

    fn pages(&self, results_wanted: u32) -> u32 {
        self.source.mappings().pages(results_wanted)
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<SourceQuery, ConnectorError> {
        Ok(SourceQuery::Http(Box::new(self.source.get(query)?)))
    }

    async fn execute(&self, built: &SourceQuery) -> Result<SourceResponse, ConnectorError> {
        self.source.execute(built).await
    }

    fn normalize(&self, response: SourceResponse) -> Result<NormalizedPage, ConnectorError> {
        self.source.normalize(response)
    }
}
