//! StripQuotesQueryProcessor: removes quotation marks, for sources that do not know phrases.

use async_trait::async_trait;
use domain::ports::{ProcessorError, QueryContext, QueryProcessor, QueryProcessorKind};

pub const KIND: QueryProcessorKind = QueryProcessorKind {
    name: "StripQuotesQueryProcessor",
    summary: "Removes quotation marks from a query.",
    processor: &StripQuotes,
};

struct StripQuotes;

#[async_trait]
impl QueryProcessor for StripQuotes {
    async fn process(&self, query: &str, _cx: &QueryContext<'_>) -> Result<String, ProcessorError> {
        Ok(query.replace(['"', '“', '”'], ""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::TestContext;

    #[tokio::test]
    async fn quotation_marks_are_removed() {
        let context = TestContext::default();
        let processed = StripQuotes.process("\"solid state\" “disk”", &context.query_context()).await;
        assert_eq!(processed.as_deref(), Ok("solid state disk"));
    }
}
