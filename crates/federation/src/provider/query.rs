//! The query of a provider: processed text, and an embedding if the connector needs one.

use super::errors::unknown_processor;
use super::provider_run::ProviderRun;
use crate::deadline::time_left;
use crate::provider_health::RequestPolicy;
use crate::search::processor_failure::{NamedBy, skipped, with_owners};
use crate::search::query_pipeline::QueryPipeline;
use domain::notice::{Notice, NoticeKind};
use domain::ports::{
    Connector, ConnectorError, ConnectorErrorKind, EmbeddingError, PreparedRequest, ProcessorErrorKind,
    ProviderQuery, QueryContext,
};
use std::sync::Arc;

pub(crate) struct ProviderQueryInput {
    /// After all query processors.
    pub text: String,
    /// From the connector's embedding model, if it has one.
    pub vector: Option<Vec<f32>>,
}

impl ProviderRun {
    /// Applies the provider's query processors, then those of the search.
    pub(crate) async fn process_query(&self, notices: &mut Vec<Notice>) -> Result<String, ConnectorError> {
        let mut query = self.query.clone();
        if self.search.spec.is_native() {
            return Ok(query);
        }
        let cx =
            QueryContext { search: &self.search, provider: Some(&self.provider), context: &self.context };
        let pipeline = QueryPipeline { plugins: self.plugins, transforms: &self.transforms, cpu: &self.cpu };
        let names = with_owners(&self.provider.spec.query_processors, &self.search.spec.query_processors);
        for (named_by, name) in names {
            let applied = match pipeline.apply(name, &query, &cx).await {
                Ok(applied) => applied,
                Err(error) if error.kind == ProcessorErrorKind::Unknown && named_by == NamedBy::Provider => {
                    return Err(unknown_processor(name));
                }
                Err(error) => {
                    notices.push(self.notice(skipped(name, &error, &self.search)));
                    continue;
                }
            };
            if applied.is_cut {
                notices.push(self.notice(NoticeKind::TransformCut { transform: name.clone() }));
            }
            if applied.query.trim().is_empty() {
                return Err(ConnectorError::new(
                    ConnectorErrorKind::QueryInvalid,
                    format!("{name} removed all of the query"),
                ));
            }
            if applied.query != query {
                query = applied.query;
                notices.push(self.notice(NoticeKind::ProviderQueryRewritten {
                    processor: name.clone(),
                    provider: self.provider.spec.name.clone(),
                    query: query.clone(),
                }));
            }
        }
        Ok(query)
    }

    /// Computes the embedding once for all pages.
    pub(crate) async fn query_input(
        &self,
        connector: &Arc<dyn Connector>,
        text: String,
    ) -> Result<ProviderQueryInput, ConnectorError> {
        let vector = match connector.reader_model() {
            None => None,
            Some(model) => {
                Some(self.context.embedding_models.embed(model, &text).await.map_err(embedding_error)?)
            }
        };
        Ok(ProviderQueryInput { text, vector })
    }

    /// The request for one page.
    pub(crate) fn prepare_request(
        &self,
        connector: &Arc<dyn Connector>,
        query_input: &ProviderQueryInput,
        page: u32,
    ) -> Result<Box<dyn PreparedRequest>, ConnectorError> {
        let policy = RequestPolicy::of(&self.provider);
        let time_left = time_left(self.deadline);
        connector.prepare(&ProviderQuery {
            text: &query_input.text,
            sort: self.search.spec.sort,
            page,
            results_wanted: self.results_wanted,
            asker: self.search.owner,
            topic: self.search.topic(),
            vector: query_input.vector.as_deref(),
            time_max: policy.timeout.map_or(time_left, |timeout| timeout.min(time_left)),
        })
    }
}

fn embedding_error(error: EmbeddingError) -> ConnectorError {
    let kind = match error {
        EmbeddingError::Unknown { .. } => ConnectorErrorKind::ConfigInvalid,
        EmbeddingError::Failed { .. } => ConnectorErrorKind::Unavailable,
    };
    ConnectorError::new(kind, error.to_string()).caused_by(error)
}
