//! A search, a provider and a toolbox, for the tests of the processors.

use crate::post_result::samples::search;
use async_trait::async_trait;
use domain::contracts::{
    Fetch, FetchError, HttpRequest, HttpResponse, QueryContext, ResultBatch, ResultContext, SystemClock,
    Toolbox,
};
use domain::ids::UserId;
use domain::instant::Instant;
use domain::provider::{ProviderDraft, SearchProvider};
use domain::search::Search;
use domain::settings::Settings;
use serde_json::Value;
use std::sync::Arc;

/// What the processors of one provider see. A test changes what it is about.
pub struct Room {
    pub search: Search,
    pub provider: SearchProvider,
    pub toolbox: Toolbox,
    pub results_wanted: u32,
}

struct NoFetch;

#[async_trait]
impl Fetch for NoFetch {
    async fn fetch(&self, _request: &HttpRequest) -> Result<HttpResponse, FetchError> {
        Err(FetchError::Invalid("nothing is fetched here".to_owned()))
    }
}

impl Default for Room {
    fn default() -> Self {
        let draft = ProviderDraft { name: "Library".to_owned(), ..ProviderDraft::default() };
        Self {
            search: search("solid state"),
            provider: SearchProvider::unsaved(draft, UserId(1), Instant::UNIX_EPOCH),
            toolbox: Toolbox::new(Arc::new(NoFetch), Arc::new(SystemClock), Arc::new(Settings::default())),
            results_wanted: 10,
        }
    }
}

impl Room {
    pub fn with_mappings(result_mappings: &str) -> Self {
        let mut room = Self::default();
        room.provider.draft.result_mappings = result_mappings.to_owned();
        room
    }

    pub fn settings(&mut self) -> &mut Settings {
        Arc::make_mut(&mut self.toolbox.settings)
    }

    pub fn query_context(&self) -> QueryContext<'_> {
        QueryContext { search: &self.search, provider: Some(&self.provider), toolbox: &self.toolbox }
    }

    /// What the named result processors make of an answer.
    pub async fn results(&self, raw: Vec<Value>, processors: &[&str]) -> ResultBatch {
        let mut batch = ResultBatch { raw, ..ResultBatch::default() };
        let cx = ResultContext {
            search: &self.search,
            provider: &self.provider,
            query: &self.search.draft.query_string,
            results_wanted: self.results_wanted,
            toolbox: &self.toolbox,
        };
        for name in processors {
            let kind = crate::result::CATALOGUE.iter().find(|kind| kind.name == *name).expect("a processor");
            kind.processor.process(&mut batch, &cx).await.expect("an outcome");
        }
        batch
    }
}
