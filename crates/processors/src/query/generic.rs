//! GenericQueryProcessor: the common cleaning of text, and nothing else.

use async_trait::async_trait;
use domain::contracts::{ProcessorError, QueryContext, QueryProcessor, QueryProcessorKind};
use domain::notation::clean::clean;

pub const KIND: QueryProcessorKind = QueryProcessorKind {
    name: "GenericQueryProcessor",
    summary: "Removes markup and most punctuation from a query.",
    processor: &Generic,
};

struct Generic;

#[async_trait]
impl QueryProcessor for Generic {
    async fn process(&self, query: &str, _cx: &QueryContext<'_>) -> Result<String, ProcessorError> {
        Ok(clean(query))
    }
}
