//! GenericResultProcessor: takes the fields that already have a result's names, and nothing else.

use super::mapping::map_batch;
use domain::ports::{
    Outcome, ProcessorError, ResultBatch, ResultContext, ResultProcessor, ResultProcessorKind,
};
use syntax::result_mappings::ResultMappings;

pub const KIND: ResultProcessorKind = ResultProcessorKind {
    name: "GenericResultProcessor",
    summary: "Takes the source's fields that have the names of result fields and drops all others.",
    processor: &Generic,
};

struct Generic;

impl ResultProcessor for Generic {
    fn process(&self, batch: &mut ResultBatch, cx: &ResultContext<'_>) -> Result<Outcome, ProcessorError> {
        let by_name = ResultMappings { no_payload: true, ..ResultMappings::default() };
        Ok(map_batch(batch, &by_name, cx))
    }
}

#[cfg(test)]
mod tests {
    use crate::fixtures::TestContext;
    use serde_json::json;

    #[test]
    fn only_names_of_a_result_count() {
        let raw = json!({"title": "A", "body": "B", "author": "C", "model": "m", "date_published": "2021"});
        let context = TestContext::with_mappings("title=model");
        let batch = context.results(vec![raw], &["GenericResultProcessor"]);
        let [item] = &batch.items[..] else { panic!("one result: {:?}", batch.items) };
        assert_eq!((item.title.as_str(), item.body.as_str(), item.author.as_str()), ("A", "B", "C"));
        assert_eq!((item.searchprovider.as_str(), item.payload.len()), ("Library", 0));
    }
}
