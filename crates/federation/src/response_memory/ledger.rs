//! Accounts for reserved memory, of the whole process and of each run.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// What reserved memory is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The bytes of a response. Bodies take at most half of the memory, so that those waiting to be parsed never take
    /// the space that parsing needs.
    Body,
    /// The parsed values of a response, and its results.
    Parsed,
}

#[derive(Debug, Default)]
struct Counts {
    used: usize,
    bodies: usize,
}

impl Counts {
    fn admits(&self, purpose: Purpose, bytes: usize, bytes_max: usize) -> bool {
        let fits = |used: usize, max: usize| used.checked_add(bytes).is_some_and(|sum| sum <= max);
        fits(self.used, bytes_max) && (purpose == Purpose::Parsed || fits(self.bodies, bytes_max / 2))
    }

    fn add(&mut self, purpose: Purpose, bytes: usize) {
        self.used += bytes;
        if purpose == Purpose::Body {
            self.bodies += bytes;
        }
    }

    fn subtract(&mut self, purpose: Purpose, bytes: usize) {
        self.used -= bytes;
        if purpose == Purpose::Body {
            self.bodies -= bytes;
        }
    }
}

/// The memory of the process.
#[derive(Debug)]
pub(super) struct Ledger {
    bytes_max: usize,
    /// Most bytes of one run.
    pub run_bytes_max: usize,
    counts: Mutex<Counts>,
    freed: Notify,
}

/// The memory of one run. Its counts are locked after those of the process.
#[derive(Debug)]
pub(super) struct RunLedger {
    pub process: Arc<Ledger>,
    counts: Mutex<Counts>,
}

impl Ledger {
    pub fn new(bytes_max: usize, run_bytes_max: usize) -> Self {
        Self { bytes_max, run_bytes_max, counts: Mutex::default(), freed: Notify::new() }
    }

    #[cfg(test)]
    pub fn used(&self) -> usize {
        lock(&self.counts).used
    }
}

impl RunLedger {
    pub fn new(process: Arc<Ledger>) -> Self {
        Self { process, counts: Mutex::default() }
    }

    /// Most bytes that one response can reserve for this purpose.
    pub fn bytes_max(&self, purpose: Purpose) -> usize {
        match purpose {
            Purpose::Body => self.process.run_bytes_max / 2,
            Purpose::Parsed => self.process.run_bytes_max,
        }
    }

    /// Reserves memory, or waits for it. Smaller reservations may overtake larger ones.
    pub async fn reserve(
        self: &Arc<Self>,
        purpose: Purpose,
        bytes: usize,
        until: Instant,
    ) -> Option<Reservation> {
        loop {
            let mut freed = std::pin::pin!(self.process.freed.notified());
            // Registered before the check, so that no release is missed.
            freed.as_mut().enable();
            if let Some(reservation) = self.try_reserve(purpose, bytes) {
                return Some(reservation);
            }
            timeout_at(until, freed).await.ok()?;
        }
    }

    fn try_reserve(self: &Arc<Self>, purpose: Purpose, bytes: usize) -> Option<Reservation> {
        let (mut of_process, mut of_run) = (lock(&self.process.counts), lock(&self.counts));
        let fits = of_process.admits(purpose, bytes, self.process.bytes_max)
            && of_run.admits(purpose, bytes, self.process.run_bytes_max);
        if !fits {
            return None;
        }
        of_process.add(purpose, bytes);
        of_run.add(purpose, bytes);
        Some(Reservation { run: Arc::clone(self), purpose, bytes })
    }
}

/// Reserved memory, released on drop.
#[derive(Debug)]
pub(super) struct Reservation {
    run: Arc<RunLedger>,
    purpose: Purpose,
    bytes: usize,
}

impl Reservation {
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn shrink_to(&mut self, bytes: usize) {
        let returned = self.bytes.saturating_sub(bytes);
        if returned == 0 {
            return;
        }
        self.bytes -= returned;
        lock(&self.run.process.counts).subtract(self.purpose, returned);
        lock(&self.run.counts).subtract(self.purpose, returned);
        self.run.process.freed.notify_waiters();
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.shrink_to(0);
    }
}

fn lock(counts: &Mutex<Counts>) -> MutexGuard<'_, Counts> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}
