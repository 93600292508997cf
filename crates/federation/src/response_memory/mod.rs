//! Memory budget for the responses of providers in this process.
//!
//! A body reserves its bytes while it is read and holds them until it is dropped. A large response reserves the memory
//! of its values before it is parsed, releases what it did not need, and holds the rest until the end of the run,
//! because its results live as long. One run gets at most a quarter of the budget.

mod estimate;
mod ledger;

pub(crate) use estimate::estimate;

use async_trait::async_trait;
use domain::notice::reason;
use domain::ports::{
    BodyMemory, BodyReservation, ConnectorError, ConnectorErrorKind, Fetch, FetchError, HttpRequest,
    HttpResponse, HttpStream,
};
use estimate::{FREE_BYTES, memory_of};
use ledger::{Ledger, Purpose, Reservation, RunLedger};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long a response waits for memory: longer than mapping other responses takes, but short, because a waiting search
/// may hold memory itself.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// Share of the budget for one run (1/4), so that a few runs with large responses leave space for others.
const RUN_SHARE: usize = 4;
/// Minimum for one run in a small budget, so that one response fits.
const RUN_BYTES_MIN: usize = 8 * MB;
const MB: usize = 1024 * 1024;

/// The budget of this process.
#[derive(Debug, Clone)]
pub(crate) struct ResponseMemory {
    ledger: Arc<Ledger>,
}

/// The memory held by the responses of one run.
#[derive(Debug)]
pub(crate) struct RunMemory {
    run: Arc<RunLedger>,
    kept: Mutex<Vec<Reservation>>,
}

/// The memory of one response while it is parsed; None for a small one.
#[derive(Debug)]
pub(crate) struct ParseReservation(Option<Reservation>);

impl ResponseMemory {
    pub fn new(bytes_max: usize) -> Self {
        let run_bytes_max = (bytes_max / RUN_SHARE).max(RUN_BYTES_MIN.min(bytes_max));
        Self { ledger: Arc::new(Ledger::new(bytes_max, run_bytes_max)) }
    }

    pub fn for_run(&self) -> Arc<RunMemory> {
        let run = Arc::new(RunLedger::new(Arc::clone(&self.ledger)));
        Arc::new(RunMemory { run, kept: Mutex::default() })
    }
}

impl RunMemory {
    /// Reserves the memory for parsing a response while its body is held.
    pub async fn reserve_parsed(
        &self,
        bytes: usize,
        body_bytes: usize,
        deadline: Instant,
    ) -> Result<ParseReservation, ConnectorError> {
        if bytes <= FREE_BYTES {
            return Ok(ParseReservation(None));
        }
        let run_max = self.run.bytes_max(Purpose::Parsed);
        let needed = bytes.saturating_add(body_bytes);
        if needed > run_max {
            let line = reason::answer_exceeds_memory(needed.div_ceil(MB), run_max / MB);
            return Err(ConnectorError::new(ConnectorErrorKind::Unreadable, line));
        }
        // Kept memory is not released before the end of the run: waiting would be in vain.
        if self.kept_bytes().saturating_add(needed) > run_max {
            let line = reason::search_exceeds_memory(run_max / MB);
            return Err(ConnectorError::new(ConnectorErrorKind::Suspended, line));
        }
        let until = deadline.min(Instant::now() + WAIT_MAX);
        match self.run.reserve(Purpose::Parsed, bytes, until).await {
            Some(reservation) => Ok(ParseReservation(Some(reservation))),
            None => Err(ConnectorError::new(ConnectorErrorKind::Suspended, reason::answers_too_large())),
        }
    }

    /// Keeps as much of a reservation as the results need, until the end of the run.
    pub fn keep(&self, parsed: ParseReservation, items: &[Value]) {
        let ParseReservation(Some(mut reservation)) = parsed else { return };
        let needed = memory_of(items);
        if needed > FREE_BYTES {
            reservation.shrink_to(needed);
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).push(reservation);
        }
    }

    fn kept_bytes(&self) -> usize {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).iter().map(Reservation::bytes).sum()
    }
}

#[async_trait]
impl BodyMemory for RunMemory {
    async fn reserve(&self, bytes: u64, body_bytes: u64) -> Result<Box<dyn BodyReservation>, FetchError> {
        let bytes_max = self.run.bytes_max(Purpose::Body) as u64;
        let exceeded = FetchError::MemoryExceeded { bytes_max };
        if bytes.max(body_bytes) > bytes_max {
            return Err(exceeded);
        }
        let bytes = usize::try_from(bytes).map_err(|_| exceeded)?;
        match self.run.reserve(Purpose::Body, bytes, Instant::now() + WAIT_MAX).await {
            Some(reservation) => Ok(Box::new(reservation)),
            None => Err(FetchError::Busy),
        }
    }
}

impl BodyReservation for Reservation {
    fn shrink_by(&mut self, bytes: u64) {
        self.shrink_to(self.bytes().saturating_sub(usize::try_from(bytes).unwrap_or(usize::MAX)));
    }
}

/// [`Fetch`] for the connectors of one run: bodies count towards its memory.
pub(crate) struct RunFetch {
    pub fetch: Arc<dyn Fetch>,
    pub memory: Arc<RunMemory>,
}

#[async_trait]
impl Fetch for RunFetch {
    async fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, FetchError> {
        self.fetch.fetch_into(request, self.memory.as_ref()).await
    }

    async fn stream(&self, request: &HttpRequest) -> Result<HttpStream, FetchError> {
        self.fetch.stream(request).await
    }
}

#[cfg(test)]
mod tests;
