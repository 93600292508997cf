//! Memory for the answers of sources: one budget for all that are being processed in this process.
//!
//! A body reserves its bytes while it is read and holds them until it is dropped. A large answer reserves the memory of
//! its values before it is parsed, returns what it did not need, and holds the rest until the run of its search is
//! over, because its results live as long. One run has a quarter of the budget at most.

mod estimate;
mod ledger;

pub(crate) use estimate::estimate;

use async_trait::async_trait;
use domain::contracts::{
    BodyMemory, BodyReservation, ConnectorError, ConnectorErrorKind, Fetch, FetchError, HttpRequest,
    HttpResponse, HttpStream,
};
use domain::message;
use estimate::memory_of;
use ledger::{Ledger, Purpose, Reservation, RunLedger};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Values that take less need no part of the budget.
const FREE_BYTES: usize = MB;
/// How long an answer waits for memory. Longer than others need to be mapped, and short, because a search that waits
/// may hold a part itself.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// One run has this part of the budget at most, so that a few runs with large answers leave space for others.
const RUN_PART: usize = 4;
/// A run has so much of a small budget, so that one answer fits.
const RUN_BYTES_MIN: usize = 8 * MB;
const MB: usize = 1024 * 1024;

/// The budget of this process.
#[derive(Debug, Clone)]
pub(crate) struct AnswerMemory {
    ledger: Arc<Ledger>,
}

/// What the answers of one run hold.
#[derive(Debug)]
pub(crate) struct RunMemory {
    run: Arc<RunLedger>,
    kept: Mutex<Vec<Reservation>>,
}

/// The memory of one answer while it is parsed.
#[derive(Debug)]
pub(crate) struct Part(Option<Reservation>);

impl AnswerMemory {
    pub fn new(bytes_max: usize) -> Self {
        let run_bytes_max = (bytes_max / RUN_PART).max(RUN_BYTES_MIN.min(bytes_max));
        Self { ledger: Arc::new(Ledger::new(bytes_max, run_bytes_max)) }
    }

    pub fn for_run(&self) -> Arc<RunMemory> {
        let run = Arc::new(RunLedger::new(Arc::clone(&self.ledger)));
        Arc::new(RunMemory { run, kept: Mutex::default() })
    }
}

impl RunMemory {
    /// Reserves the memory that an answer needs when it is parsed, while its body is held.
    pub async fn reserve_parsed(
        &self,
        bytes: usize,
        body_bytes: usize,
        deadline: Instant,
    ) -> Result<Part, ConnectorError> {
        if bytes <= FREE_BYTES {
            return Ok(Part(None));
        }
        let run_max = self.run.bytes_max(Purpose::Parsed);
        let needed = bytes.saturating_add(body_bytes);
        if needed > run_max {
            let line = message::answer_exceeds_memory(needed.div_ceil(MB), run_max / MB);
            return Err(ConnectorError::new(ConnectorErrorKind::Unreadable, line));
        }
        // What is kept stays until the run is over: waiting for it would be in vain.
        if self.kept_bytes().saturating_add(needed) > run_max {
            let line = message::search_exceeds_memory(run_max / MB);
            return Err(ConnectorError::new(ConnectorErrorKind::Suspended, line));
        }
        let until = deadline.min(Instant::now() + WAIT_MAX);
        match self.run.reserve(Purpose::Parsed, bytes, until).await {
            Some(reservation) => Ok(Part(Some(reservation))),
            None => Err(ConnectorError::new(ConnectorErrorKind::Suspended, message::answers_too_large())),
        }
    }

    /// Keeps as much of a part as the results of the answer need, until the run is over.
    pub fn keep(&self, part: Part, items: &[Value]) {
        let Part(Some(mut reservation)) = part else { return };
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

/// The way out for the connectors of one run: bodies are read into its memory.
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
