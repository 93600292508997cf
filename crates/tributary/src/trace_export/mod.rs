//! Export of the steps of searches as OpenTelemetry traces, in batches, to the collector of `SVC_OTLP_ENDPOINT`.
//!
//! A search never waits for it: what the collector does not accept in time is dropped and counted.

mod otlp;
mod response;
mod target;

use bytes::Bytes;
use domain::instant::Instant as WallInstant;
use domain::ports::{Fetch, FetchError, HttpRequest, chain};
use domain::settings::Settings;
use federation::{RunRecord, SearchTiming, SearchTimings};
use response::RejectedSpans;
use std::sync::Arc;
use std::time::Duration;
use target::ExportTarget;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tracing::Instrument;

/// How long searches are gathered before they are sent.
const GATHER_TIME: Duration = Duration::from_secs(1);
/// Most searches in one request.
const BATCH_MAX: usize = 64;
/// Most searches that wait here, apart from the queue, until their responses are recorded.
const WAITING_MAX: usize = 1024;
/// How long after a passing failure a request is sent again, once.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// How often dropped searches are logged, at most.
const REPORT_EVERY: Duration = Duration::from_secs(5 * 60);
/// How long the shutdown waits until the rest is sent.
const FLUSH_TIME_MAX: Duration = Duration::from_secs(5);

/// The configured export.
pub struct TraceExport {
    target: ExportTarget,
    fetch: Arc<dyn Fetch>,
    timings: Arc<SearchTimings>,
}

impl TraceExport {
    /// None if no collector is configured.
    pub fn of(
        settings: &Settings,
        fetch: &Arc<dyn Fetch>,
        timings: &Arc<SearchTimings>,
    ) -> anyhow::Result<Option<Self>> {
        let of = |target| Self { target, fetch: Arc::clone(fetch), timings: Arc::clone(timings) };
        Ok(ExportTarget::of(settings)?.map(of))
    }

    /// Exports every search that ends from now on. None if that was started before.
    pub fn start(&self, now: WallInstant) -> Option<RunningExport> {
        let exporter = Exporter {
            target: self.target.clone(),
            fetch: Arc::clone(&self.fetch),
            timings: Arc::clone(&self.timings),
            runs: self.timings.export(now)?,
            waiting: Vec::new(),
            failure: None,
            reported: 0,
            reported_at: None,
        };
        let (stop, stopped) = oneshot::channel();
        let mut task = JoinSet::new();
        task.spawn(exporter.run(stopped).instrument(tracing::info_span!("trace_export")));
        Some(RunningExport { stop, task })
    }
}

/// An export that runs until it is stopped or dropped.
pub struct RunningExport {
    stop: oneshot::Sender<()>,
    task: JoinSet<()>,
}

impl RunningExport {
    /// Sends the rest, within a few seconds.
    pub async fn stop(mut self) {
        let _has_ended = self.stop.send(());
        if timeout(FLUSH_TIME_MAX, self.task.join_next()).await.is_err() {
            tracing::warn!("the last traces could not be exported in time");
        }
    }
}

struct Exporter {
    target: ExportTarget,
    fetch: Arc<dyn Fetch>,
    timings: Arc<SearchTimings>,
    runs: mpsc::Receiver<Arc<RunRecord>>,
    /// Received and not yet sent.
    waiting: Vec<Arc<RunRecord>>,
    /// The failed requests that are not yet logged.
    failure: Option<UnreportedFailure>,
    /// Dropped searches that were logged.
    reported: u64,
    reported_at: Option<Instant>,
}

/// Searches that were dropped because requests failed, and why the last of them did.
struct UnreportedFailure {
    searches: u64,
    reason: String,
}

/// Which of the waiting searches are sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Due {
    /// Those whose responses are recorded, or come too late.
    Settled,
    All,
}

/// Why a request failed, and whether it may succeed later.
struct SendFailure {
    reason: String,
    is_passing: bool,
}

impl Exporter {
    async fn run(mut self, mut stopped: oneshot::Receiver<()>) {
        loop {
            tokio::select! {
                () = self.gather() => self.send_waiting(Due::Settled).await,
                _ = &mut stopped => break,
            }
        }
        self.runs.close();
        self.send_waiting(Due::All).await;
    }

    /// Waits for a search, and then for others. Nothing is lost if it is cancelled.
    async fn gather(&mut self) {
        if self.waiting.is_empty() {
            match self.runs.recv().await {
                Some(run) => self.waiting.push(run),
                None => return std::future::pending().await,
            }
        }
        sleep(GATHER_TIME).await;
    }

    async fn send_waiting(&mut self, due: Due) {
        loop {
            let batch = self.take_batch(due);
            if batch.is_empty() {
                break;
            }
            self.send_batch(&batch).await;
            self.report_dropped();
        }
    }

    /// The next searches to send, the oldest first.
    fn take_batch(&mut self, due: Due) -> Vec<Arc<RunRecord>> {
        while self.waiting.len() < WAITING_MAX
            && let Ok(run) = self.runs.try_recv()
        {
            self.waiting.push(run);
        }
        let is_due = |run: &mut Arc<RunRecord>| due == Due::All || run.is_settled();
        self.waiting.extract_if(.., is_due).take(BATCH_MAX).collect()
    }

    async fn send_batch(&mut self, batch: &[Arc<RunRecord>]) {
        let searches: Vec<SearchTiming> = batch.iter().filter_map(|run| run.timing()).collect();
        let sent = match otlp::encode(&searches, rand::random) {
            Ok(body) => self.send(body.into()).await,
            Err(error) => Err(chain(&error)),
        };
        let (dropped, reason) = match sent {
            // Each of the rejected spans may be of another search.
            Ok(rejected) => {
                let spans = usize::try_from(rejected.spans).unwrap_or(usize::MAX);
                let reason = format!("{} rejected spans: {}", self.target.host(), rejected.reason);
                (spans.min(searches.len()), reason)
            }
            Err(reason) => (searches.len(), reason),
        };
        self.timings.count_exported(searches.len() - dropped);
        if dropped > 0 {
            self.timings.count_dropped(dropped);
            let before = self.failure.as_ref().map_or(0, |failure| failure.searches);
            self.failure = Some(UnreportedFailure { searches: before + dropped as u64, reason });
        }
    }

    /// Sends a body; after a passing failure, once more.
    async fn send(&self, body: Bytes) -> Result<RejectedSpans, String> {
        let request = self.target.request(body);
        let sent = match self.try_send(&request).await {
            Err(failure) if failure.is_passing => {
                sleep(RETRY_PAUSE).await;
                self.try_send(&request).await
            }
            sent => sent,
        };
        sent.map_err(|failure| failure.reason)
    }

    async fn try_send(&self, request: &HttpRequest) -> Result<RejectedSpans, SendFailure> {
        let response = self.fetch.fetch(request).await.map_err(|error| SendFailure {
            reason: chain(&error),
            is_passing: matches!(
                error,
                FetchError::UnknownHost { .. }
                    | FetchError::Connect { .. }
                    | FetchError::Timeout { .. }
                    | FetchError::Broken { .. }
            ),
        })?;
        match response.status {
            200..=299 => {
                response::read_success(&response, &self.target.secrets()).ok_or_else(|| SendFailure {
                    reason: format!("the response of {} is not that of a collector", self.target.host()),
                    is_passing: false,
                })
            }
            status => Err(SendFailure {
                reason: format!("{} answered {status}", self.target.host()),
                is_passing: matches!(status, 429 | 502..=504),
            }),
        }
    }

    /// Logs dropped searches now and then; the metrics count all of them.
    fn report_dropped(&mut self) {
        let dropped = self.timings.export_counts().dropped;
        let is_due = self.reported_at.is_none_or(|at| at.elapsed() >= REPORT_EVERY);
        if dropped == self.reported || !is_due {
            return;
        }
        let count = dropped - self.reported;
        let reason = reason_of(count, self.failure.take());
        tracing::warn!(dropped = count, "the traces of {count} searches were not exported: {reason}");
        (self.reported, self.reported_at) = (dropped, Some(Instant::now()));
    }
}

/// Why this many searches were dropped. Those without a failed request did not fit into the queue.
fn reason_of(dropped: u64, failure: Option<UnreportedFailure>) -> String {
    match failure {
        None => "too many searches at once".to_owned(),
        Some(failure) if failure.searches >= dropped => failure.reason,
        Some(UnreportedFailure { searches, reason }) => {
            format!("{searches} of them: {reason}; the others: too many searches at once")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;
    use domain::ports::HttpResponse;
    use std::collections::VecDeque;
    use std::sync::Mutex;

    /// Answers with these statuses, one after the other; without one, the connection fails.
    struct Script {
        statuses: Mutex<VecDeque<u16>>,
        requests: Mutex<usize>,
    }

    #[async_trait]
    impl Fetch for Script {
        async fn fetch(&self, _request: &HttpRequest) -> Result<HttpResponse, FetchError> {
            *self.requests.lock().unwrap() += 1;
            match self.statuses.lock().unwrap().pop_front() {
                Some(status) => Ok(HttpResponse { status, headers: Vec::new(), body: Bytes::new() }),
                None => Err(FetchError::Timeout { host: "collector".to_owned() }),
            }
        }
    }

    #[tokio::test]
    async fn only_a_passing_failure_is_retried_and_only_once() {
        for (statuses, is_sent, requests) in [
            (vec![200], true, 1),
            (vec![202], true, 1),
            (vec![503, 200], true, 2),
            (vec![429, 503, 200], false, 2),
            (vec![], false, 2),
            (vec![400, 200], false, 1),
            (vec![401, 200], false, 1),
        ] {
            let script =
                Arc::new(Script { statuses: Mutex::new(statuses.clone().into()), requests: Mutex::new(0) });
            let settings = Settings { otlp_endpoint: "http://collector".to_owned(), ..Settings::default() };
            let fetch: Arc<dyn Fetch> = script.clone();
            let timings = Arc::new(SearchTimings::default());
            let export = TraceExport::of(&settings, &fetch, &timings).unwrap().unwrap();
            let exporter = Exporter {
                target: export.target.clone(),
                fetch,
                runs: timings.export(WallInstant::UNIX_EPOCH).unwrap(),
                timings,
                waiting: Vec::new(),
                failure: None,
                reported: 0,
                reported_at: None,
            };
            let sent = exporter.send(Bytes::new()).await;
            assert_eq!((sent.is_ok(), *script.requests.lock().unwrap()), (is_sent, requests), "{statuses:?}");
        }
    }

    #[test]
    fn a_failure_is_named_only_for_the_searches_that_it_cost() {
        let failure = |searches| Some(UnreportedFailure { searches, reason: "it failed".to_owned() });
        assert_eq!(reason_of(3, None), "too many searches at once");
        assert_eq!(reason_of(3, failure(3)), "it failed");
        assert_eq!(reason_of(3, failure(1)), "1 of them: it failed; the others: too many searches at once");
    }

    #[test]
    fn nothing_is_exported_by_default() {
        let script = Script { statuses: Mutex::default(), requests: Mutex::new(0) };
        let fetch: Arc<dyn Fetch> = Arc::new(script);
        assert!(TraceExport::of(&Settings::default(), &fetch, &Arc::default()).unwrap().is_none());
    }
}
