//! GenericQueryProcessor: applies the common text cleaning and nothing else.

use async_trait::async_trait;
use domain::ports::{ProcessorError, QueryContext, QueryProcessor, QueryProcessorKind};
use syntax::query_string::clean;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::TestContext;

    #[tokio::test]
    async fn cleans() {
        let context = TestContext::default();
        let table = [
            ("a/b c_d g,h", "a b c d g h"),
            ("C++ C# .NET", "C++ C# .NET"),
            ("<b>bold</b> AT&amp;T", "bold AT&T"),
            ("a - b -- c", "a b c"),
            ("news: fed \u{201c}rate hike\u{201d} NOT ecb", "news: fed \"rate hike\" NOT ecb"),
            ("(copper OR", "copper"),
            ("हिन्दी น้ำ", "हिन्दी น้ำ"),
        ];
        for (query, want) in table {
            assert_eq!(
                Generic.process(query, &context.query_context()).await.as_deref(),
                Ok(want),
                "{query}"
            );
        }
    }
}
