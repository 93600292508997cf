//! The pre-query processors: once for a search, before any provider is asked.

use crate::Federation;
use crate::query_step::{QuerySteps, StepError};
use crate::transforms::RunTransforms;
use domain::contracts::QueryContext;
use domain::message;
use domain::notation::query_string;
use domain::search::Search;
use tokio::time::{Instant, timeout_at};

impl Federation {
    /// The processed query. A processor or transform that fails leaves a message and the query as it was. All of them
    /// together have as long as the sources have after them.
    pub(crate) async fn pre_query(
        &self,
        search: &Search,
        transforms: &RunTransforms,
        messages: &mut Vec<String>,
    ) -> String {
        let mut query = query_string::without_prompt(&search.spec.query_string);
        let cx = QueryContext { search, provider: None, context: &self.context };
        let steps = QuerySteps { plugins: self.plugins, transforms, cpu: &self.cpu };
        let time_max = self.context.settings.timeout.0;
        let deadline = Instant::now() + time_max;
        for name in &search.spec.pre_query_processors {
            let mut tell = |line: &str| messages.push(self.stamped(line));
            let applied = match timeout_at(deadline, steps.take(name, &query, &cx)).await {
                Ok(Ok(applied)) => applied,
                Ok(Err(StepError::Unknown)) => {
                    tell(&message::processor_failed(name, "it is not known any more"));
                    continue;
                }
                Ok(Err(StepError::Failed(reason))) => {
                    tell(&message::processor_failed(name, &reason));
                    continue;
                }
                Err(_elapsed) => {
                    let reason = format!("it was not ready within {:.1} s", time_max.as_secs_f64());
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
