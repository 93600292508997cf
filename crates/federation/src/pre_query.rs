//! The pre-query processors: once for a search, before any provider is asked.

use crate::Federation;
use crate::query_step::{QuerySteps, StepError};
use crate::transforms::RunTransforms;
use domain::contracts::QueryContext;
use domain::message;
use domain::notation::query_string;
use domain::search::Search;

impl Federation {
    /// The processed query. A processor or transform that fails leaves a message and the query as it was.
    pub(crate) async fn pre_query(
        &self,
        search: &Search,
        transforms: &RunTransforms,
        messages: &mut Vec<String>,
    ) -> String {
        let mut query = query_string::without_prompt(&search.draft.query_string);
        let cx = QueryContext { search, provider: None, toolbox: &self.toolbox };
        let steps = QuerySteps { catalogues: self.catalogues, transforms, cpu: &self.cpu };
        for name in &search.draft.pre_query_processors {
            let mut tell = |line: &str| messages.push(self.stamped(line));
            let applied = match steps.take(name, &query, &cx).await {
                Ok(applied) => applied,
                Err(StepError::Unknown) => {
                    tell(&message::processor_failed(name, "it is not known any more"));
                    continue;
                }
                Err(StepError::Failed(reason)) => {
                    tell(&message::processor_failed(name, &reason));
                    continue;
                }
            };
            if applied.is_cut {
                tell(&message::transform_cut(name));
            }
            if applied.query.trim().is_empty() {
                tell(&message::processor_failed(name, "nothing of the query was left"));
            } else if applied.query != query {
                tell(&message::rewrote_query(name, &applied.query));
                query = applied.query;
            }
        }
        query
    }
}
