//! Runs the pre-query processors, once per search, before any provider is queried.

use crate::notice_now::notice_now;
use crate::search::processor_failure::skipped;
use crate::search::query_pipeline::QueryPipeline;
use crate::search::runner::SearchRunner;
use crate::search::transform_loader::RunTransforms;
use domain::notice::{Notice, NoticeKind};
use domain::ports::{ProcessorError, ProcessorErrorKind, QueryContext};
use domain::search::Search;
use syntax::query_string;
use tokio::time::{Instant, timeout_at};

impl SearchRunner {
    /// Returns the processed query. A failed processor or transform leaves a message and the query as it was. All of
    /// them together have as much time as the providers after them.
    pub(crate) async fn pre_query(
        &self,
        search: &Search,
        transforms: &RunTransforms,
        notices: &mut Vec<Notice>,
    ) -> String {
        let mut query = query_string::without_prompt(&search.spec.query_string);
        let cx = QueryContext { search, provider: None, context: &self.context };
        let pipeline = QueryPipeline { plugins: self.plugins, transforms, cpu: &self.cpu };
        let time_max = self.settings.timeout.0;
        let deadline = Instant::now() + time_max;
        for name in &search.spec.pre_query_processors {
            let mut push_notice = |kind| notices.push(notice_now(&self.context, kind));
            let applied = match timeout_at(deadline, pipeline.apply(name, &query, &cx)).await {
                Ok(Ok(applied)) => applied,
                Ok(Err(error)) => {
                    push_notice(skipped(name, &error, search));
                    continue;
                }
                Err(late) => {
                    let reason = format!("it did not finish within {:.1} s", time_max.as_secs_f64());
                    let error = ProcessorError::new(ProcessorErrorKind::Unavailable, reason);
                    push_notice(skipped(name, &error.caused_by(late), search));
                    continue;
                }
            };
            if applied.is_cut {
                push_notice(NoticeKind::TransformCut { transform: name.clone() });
            }
            if applied.query.trim().is_empty() {
                push_notice(NoticeKind::processor_failed(name, "the query would be empty"));
            } else if applied.query != query {
                query = applied.query;
                push_notice(NoticeKind::QueryRewritten { processor: name.clone(), query: query.clone() });
            }
        }
        query
    }
}
