//! Runs a result processor in the post-result pipeline, on the saved results of each provider in turn.

use crate::result;
use async_trait::async_trait;
use domain::ports::{
    Outcome, PostResultContext, PostResultProcessor, PostResultProcessorKind, ProcessorError,
    ProcessorErrorKind, ResultBatch, ResultContext,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::result::ResultSet;

pub const DATE_FINDER: PostResultProcessorKind = PostResultProcessorKind {
    name: "DateFinderResultProcessor",
    summary: "Takes the dates of undated results from their bodies.",
    finds_versions: false,
    only_at_end: false,
    processor: &PerProvider("DateFinderResultProcessor"),
};

/// The name of the result processor.
struct PerProvider(&'static str);

#[async_trait]
impl PostResultProcessor for PerProvider {
    async fn process(
        &self,
        sets: &mut [ResultSet],
        cx: &PostResultContext<'_>,
    ) -> Result<Outcome, ProcessorError> {
        let kind = result::CATALOGUE.iter().find(|kind| kind.name == self.0).ok_or_else(|| {
            ProcessorError::new(ProcessorErrorKind::Unknown, "there is no such result processor")
        })?;
        let mut all = Outcome::default();
        for set in sets.iter_mut().filter(|set| !set.items.is_empty()) {
            let provider = as_remembered(set, cx);
            let mut batch = ResultBatch { items: std::mem::take(&mut set.items), ..ResultBatch::default() };
            let provider_cx = ResultContext {
                search: cx.search,
                provider: &provider,
                query: &set.query_string_to_provider,
                results_wanted: u32::try_from(batch.items.len()).unwrap_or(u32::MAX),
                context: cx.context,
            };
            let outcome = kind.processor.process(&mut batch, &provider_cx);
            // A failed processor also returns the results.
            set.items = batch.items;
            let outcome = outcome?;
            all.updated += outcome.updated;
            all.deleted += outcome.deleted;
            all.grouped += outcome.grouped;
        }
        Ok(all)
    }
}

/// The provider as far as its saved results describe it: it may have changed or been deleted since.
fn as_remembered(set: &ResultSet, cx: &PostResultContext<'_>) -> SearchProvider {
    let spec = ProviderSpec {
        name: set.provider_name.clone(),
        query_processors: set.query_processors.clone(),
        result_processors: set.result_processors.clone(),
        ..ProviderSpec::default()
    };
    let mut provider = SearchProvider::unsaved(spec, cx.search.owner, set.date_created);
    provider.id = set.provider;
    provider
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::post_result::shared::fixtures::{search, set};
    use domain::ports::{Fetch, FetchError, HttpRequest, HttpResponse, PluginContext, RunStage, SystemClock};
    use domain::result::{DATE_UNKNOWN, ResultItem};
    use domain::settings::PluginSettings;
    use std::sync::Arc;

    struct NoFetch;

    #[async_trait]
    impl Fetch for NoFetch {
        async fn fetch(&self, _request: &HttpRequest) -> Result<HttpResponse, FetchError> {
            unreachable!("nothing is fetched here")
        }
    }

    fn item(date: &str, body: &str) -> ResultItem {
        ResultItem { date_published: date.to_owned(), body: body.to_owned(), ..ResultItem::default() }
    }

    #[tokio::test]
    async fn every_set_is_processed_by_itself() {
        let context =
            PluginContext::new(Arc::new(NoFetch), Arc::new(SystemClock), Arc::new(PluginSettings::default()));
        let search = search("rivers");
        let cx = PostResultContext {
            search: &search,
            context: &context,
            finds_versions: false,
            stage: RunStage::Ending,
        };
        let given = "2020-01-01 00:00:00";
        let mut sets = [
            set(1, "rivers", vec![item(DATE_UNKNOWN, "on 3/4/2021"), item(given, "on 5/6/2022")]),
            set(2, "rivers", vec![]),
            set(3, "rivers", vec![item(DATE_UNKNOWN, "May 6, 2022"), item(DATE_UNKNOWN, "no date")]),
        ];
        let outcome = DATE_FINDER.processor.process(&mut sets, &cx).await.expect("an outcome");
        assert_eq!(outcome, Outcome::updated(2));
        let dates: Vec<&str> =
            sets.iter().flat_map(|set| &set.items).map(|item| item.date_published.as_str()).collect();
        assert_eq!(dates, ["2021-03-04 00:00:00", given, "2022-05-06 00:00:00", DATE_UNKNOWN]);
        let missing = PerProvider("NobodyResultProcessor").process(&mut sets, &cx).await;
        assert!(missing.is_err());
        assert_eq!(sets[0].items.len(), 2, "nothing is lost");
    }
}
