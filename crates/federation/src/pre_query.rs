//! The pre-query processors: once for a search, before any provider is asked.

use crate::Federation;
use domain::contracts::QueryContext;
use domain::message;
use domain::search::Search;

impl Federation {
    /// The processed query. A processor that fails leaves a message and the query as it was.
    pub(crate) async fn pre_query(&self, search: &Search, messages: &mut Vec<String>) -> String {
        let mut query = search.draft.query_string.clone();
        let cx = QueryContext { search, provider: None, toolbox: &self.toolbox };
        for name in &search.draft.pre_query_processors {
            let Some(kind) = self.catalogues.query_processor(name) else {
                messages.push(self.stamped(&message::processor_failed(name, "it is not known any more")));
                continue;
            };
            match kind.processor.process(&query, &cx).await {
                Ok(next) if next.trim().is_empty() => {
                    messages.push(
                        self.stamped(&message::processor_failed(name, "nothing of the query was left")),
                    );
                }
                Ok(next) if next != query => {
                    messages.push(self.stamped(&message::rewrote_query(name, &next)));
                    query = next;
                }
                Ok(_unchanged) => {}
                Err(error) => messages.push(self.stamped(&message::processor_failed(name, &error.0))),
            }
        }
        query
    }
}
