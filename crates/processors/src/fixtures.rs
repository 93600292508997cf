//! Test fixtures: a search, a provider and a plug-in context.

use crate::post_result::fixtures::search;
use async_trait::async_trait;
use domain::ids::UserId;
use domain::instant::Instant;
use domain::ports::{
    Fetch, FetchError, HttpRequest, HttpResponse, PluginContext, QueryContext, ResultBatch, ResultContext,
    SystemClock,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::search::Search;
use domain::settings::PluginSettings;
use serde_json::Value;
use std::sync::Arc;

/// The context of the processors of one provider.
pub struct TestContext {
    pub search: Search,
    pub provider: SearchProvider,
    pub context: PluginContext,
    pub results_wanted: u32,
}

struct NoFetch;

#[async_trait]
impl Fetch for NoFetch {
    async fn fetch(&self, _request: &HttpRequest) -> Result<HttpResponse, FetchError> {
        Err(FetchError::invalid("nothing is fetched here"))
    }
}

impl Default for TestContext {
    fn default() -> Self {
        let spec = ProviderSpec { name: "Library".to_owned(), ..ProviderSpec::default() };
        Self {
            search: search("solid state"),
            provider: SearchProvider::unsaved(spec, UserId(1), Instant::UNIX_EPOCH),
            context: PluginContext::new(
                Arc::new(NoFetch),
                Arc::new(SystemClock),
                Arc::new(PluginSettings::default()),
            ),
            results_wanted: 10,
        }
    }
}

impl TestContext {
    pub fn with_mappings(result_mappings: &str) -> Self {
        let mut context = Self::default();
        context.provider.spec.result_mappings = result_mappings.into();
        context
    }

    pub fn settings(&mut self) -> &mut PluginSettings {
        Arc::make_mut(&mut self.context.settings)
    }

    pub fn query_context(&self) -> QueryContext<'_> {
        QueryContext { search: &self.search, provider: Some(&self.provider), context: &self.context }
    }

    pub fn result_context(&self) -> ResultContext<'_> {
        ResultContext {
            search: &self.search,
            provider: &self.provider,
            query: &self.search.spec.query_string,
            results_wanted: self.results_wanted,
            context: &self.context,
        }
    }

    /// Runs the named result processors on a response.
    pub fn results(&self, raw: Vec<Value>, processors: &[&str]) -> ResultBatch {
        let mut batch = ResultBatch { raw, ..ResultBatch::default() };
        let cx = self.result_context();
        for name in processors {
            let kind = crate::result::CATALOGUE.iter().find(|kind| kind.name == *name).expect("a processor");
            kind.processor.process(&mut batch, &cx).expect("an outcome");
        }
        batch
    }
}
