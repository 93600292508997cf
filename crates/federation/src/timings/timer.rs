//! Timers of the steps of a run. They do nothing unless the run is recorded.

use super::record::{RunRecord, SpanPlace, StepName, TimeSpan};
use domain::provider::SearchProvider;
use domain::result::ResultSet;
use std::sync::Arc;
use std::time::Duration;

/// Times the steps of one run.
#[derive(Default)]
pub(crate) struct RunTimer(Option<Arc<RunRecord>>);

impl RunTimer {
    pub(super) fn of(record: Arc<RunRecord>) -> Self {
        Self(Some(record))
    }

    pub(super) fn record(&self) -> Option<&Arc<RunRecord>> {
        self.0.as_ref()
    }

    /// Ends a step, which began when the last one ended.
    pub fn end_step(&self, name: StepName) {
        if let Some(record) = &self.0 {
            record.end_step(name);
        }
    }

    /// Ends the step `sources`, which began when the last one ended.
    pub fn end_sources(&self) {
        if let Some(record) = &self.0 {
            record.end_sources();
        }
    }

    /// Times a part of a step.
    pub async fn time_part<T>(&self, name: StepName, part: impl Future<Output = T>) -> T {
        let _until_returned = SpanTimer::begin(self.0.as_ref(), SpanPlace::Part(name));
        part.await
    }

    /// The timer of the next provider. Providers are added in the order of their positions.
    pub fn add_provider(&self, provider: &SearchProvider) -> ProviderTimer {
        let add = |record: &Arc<RunRecord>| {
            (Arc::clone(record), record.add_provider(provider.id, &provider.spec.name))
        };
        ProviderTimer(self.0.as_ref().map(add))
    }

    pub fn provider_ended(&self, position: usize, set: &ResultSet) {
        if let Some(record) = &self.0 {
            record.provider_ended(position, set);
        }
    }
}

/// Times the work of one provider.
#[derive(Default)]
pub(crate) struct ProviderTimer(Option<(Arc<RunRecord>, usize)>);

impl ProviderTimer {
    /// Times the requests and responses until the timer is dropped.
    pub fn begin_fetch(&self) -> SpanTimer {
        self.begin(SpanPlace::Fetch)
    }

    /// Times mapping and scoring until the timer is dropped.
    pub fn begin_processing(&self) -> SpanTimer {
        self.begin(SpanPlace::Processing)
    }

    fn begin(&self, place: impl FnOnce(usize) -> SpanPlace) -> SpanTimer {
        match &self.0 {
            Some((record, position)) => SpanTimer::begin(Some(record), place(*position)),
            None => SpanTimer(None),
        }
    }
}

/// Times a span until it is dropped, also if the work fails or is cut off.
#[must_use = "it ends when it is dropped"]
pub(crate) struct SpanTimer(Option<OpenSpan>);

struct OpenSpan {
    record: Arc<RunRecord>,
    place: SpanPlace,
    begin: Duration,
}

impl SpanTimer {
    pub(super) fn begin(record: Option<&Arc<RunRecord>>, place: SpanPlace) -> Self {
        let open =
            |record: &Arc<RunRecord>| OpenSpan { record: Arc::clone(record), place, begin: record.elapsed() };
        Self(record.map(open))
    }
}

impl Drop for SpanTimer {
    fn drop(&mut self) {
        if let Some(OpenSpan { record, place, begin }) = self.0.take() {
            let end = record.elapsed();
            record.add_span(place, TimeSpan { begin, end });
        }
    }
}
