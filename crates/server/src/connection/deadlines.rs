//! Deadlines of one connection: what the service waits for, and since when.

use super::limits::Limits;
use axum::http::Version;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::{Instant, sleep_until};

pub struct Deadlines {
    limits: Limits,
    state: Mutex<State>,
    /// A response was sent before its request's body was read to the end.
    has_unread_body: AtomicBool,
}

struct State {
    is_http2: bool,
    /// Requests whose responses are not complete.
    open: usize,
    /// When the first byte of the next request arrived. For a new connection, when it was opened.
    head_since: Option<Instant>,
    /// When the connection was last active.
    idle_since: Instant,
    /// Responses whose last chunk is not taken yet, and since when.
    untaken: HashMap<u64, Instant>,
    next_number: u64,
}

/// Why a connection is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropReason {
    HeadTooSlow,
    Idle,
    Stalled,
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HeadTooSlow => "the request head did not arrive in time",
            Self::Idle => "it was idle for too long",
            Self::Stalled => "it does not read the response",
        })
    }
}

/// One request, until its response is complete or dropped.
pub struct RequestGuard {
    deadlines: Arc<Deadlines>,
    is_http2: bool,
    number: u64,
}

impl Deadlines {
    pub fn new(limits: Limits) -> Self {
        let now = Instant::now();
        let state = State {
            is_http2: false,
            open: 0,
            head_since: Some(now),
            idle_since: now,
            untaken: HashMap::new(),
            next_number: 0,
        };
        Self { limits, state: Mutex::new(state), has_unread_body: AtomicBool::new(false) }
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    pub fn body_left_unread(&self) {
        self.has_unread_body.store(true, Ordering::Relaxed);
    }

    pub fn has_unread_body(&self) -> bool {
        self.has_unread_body.load(Ordering::Relaxed)
    }

    pub fn begin(self: &Arc<Self>, version: Version) -> RequestGuard {
        let is_http2 = version == Version::HTTP_2;
        let mut state = self.lock();
        state.is_http2 = is_http2;
        state.open += 1;
        state.head_since = None;
        let number = state.next_number;
        state.next_number += 1;
        RequestGuard { deadlines: Arc::clone(self), is_http2, number }
    }

    /// HTTP/2 also sends other frames than requests, so only on HTTP/1 any byte starts a request head.
    pub fn bytes_received(&self) {
        let mut state = self.lock();
        if state.open == 0 && !state.is_http2 {
            state.head_since.get_or_insert_with(Instant::now);
        }
    }

    /// The end of a response may still be in transit when the response is complete. An HTTP/2 ping is not a response.
    pub fn bytes_sent(&self) {
        let mut state = self.lock();
        if !state.is_http2 {
            state.idle_since = Instant::now();
        }
    }

    /// Returns when the connection should be dropped.
    pub async fn expired(&self) -> DropReason {
        loop {
            match self.check(Instant::now()) {
                Ok(again_at) => sleep_until(again_at).await,
                Err(reason) => return reason,
            }
        }
    }

    /// When to check again, or why the connection is dropped. What begins right after a check is noticed by the next
    /// one, so checks are half a limit apart.
    fn check(&self, now: Instant) -> Result<Instant, DropReason> {
        let Limits { head, idle, stall, .. } = self.limits;
        let state = self.lock();
        let (ends_at, reason) = match (state.untaken.values().min(), state.open, state.head_since) {
            (Some(oldest), ..) => (*oldest + stall, DropReason::Stalled),
            (None, 1.., _) => (now + stall, DropReason::Stalled),
            (None, 0, Some(since)) => (since + head, DropReason::HeadTooSlow),
            (None, 0, None) => (state.idle_since + idle, DropReason::Idle),
        };
        if now >= ends_at {
            return Err(reason);
        }
        Ok(ends_at.min(now + head.min(idle).min(stall) / 2))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RequestGuard {
    pub fn is_http2(&self) -> bool {
        self.is_http2
    }

    /// A chunk was given to the connection.
    pub fn chunk_sent(&self) {
        self.deadlines.lock().untaken.insert(self.number, Instant::now());
    }

    /// The chunk was taken, and the next one is requested.
    pub fn chunk_taken(&self) {
        if self.is_http2 {
            self.deadlines.lock().untaken.remove(&self.number);
        }
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let mut state = self.deadlines.lock();
        state.untaken.remove(&self.number);
        state.open = state.open.saturating_sub(1);
        state.idle_since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::time::advance;

    const SECOND: Duration = Duration::from_secs(1);

    fn deadlines() -> Arc<Deadlines> {
        let limits = Limits { head: 10 * SECOND, idle: 60 * SECOND, stall: 30 * SECOND, ..Limits::default() };
        Arc::new(Deadlines::new(limits))
    }

    /// After how many seconds the connection is dropped, if within two minutes, and why.
    async fn end(deadlines: &Deadlines) -> Option<(u64, DropReason)> {
        let started = Instant::now();
        let ended = tokio::time::timeout(120 * SECOND, deadlines.expired()).await.ok()?;
        Some((started.elapsed().as_secs(), ended))
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_request() {
        let new = deadlines();
        advance(3 * SECOND).await;
        new.bytes_received();
        assert_eq!(end(&new).await, Some((7, DropReason::HeadTooSlow)), "half a head buys no time");
        let asked = deadlines();
        drop(asked.begin(Version::HTTP_11));
        assert_eq!(end(&asked).await, Some((60, DropReason::Idle)));
        let slow = deadlines();
        drop(slow.begin(Version::HTTP_11));
        advance(20 * SECOND).await;
        slow.bytes_received();
        advance(5 * SECOND).await;
        slow.bytes_received();
        assert_eq!(end(&slow).await, Some((5, DropReason::HeadTooSlow)), "the second head is too slow");
        let pings = deadlines();
        drop(pings.begin(Version::HTTP_2));
        advance(50 * SECOND).await;
        pings.bytes_received();
        pings.bytes_sent();
        assert_eq!(end(&pings).await, Some((10, DropReason::Idle)), "a ping is no request");
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_on_its_way() {
        let quiet = deadlines();
        let _open = quiet.begin(Version::HTTP_2);
        assert_eq!(end(&quiet).await, None, "the service itself is slow");
        let untaken = deadlines();
        let (one, _other) = (untaken.begin(Version::HTTP_2), untaken.begin(Version::HTTP_2));
        for _ in 0..5 {
            advance(20 * SECOND).await;
            one.chunk_taken();
            one.chunk_sent();
        }
        advance(5 * SECOND).await;
        assert_eq!(end(&untaken).await, Some((25, DropReason::Stalled)));
        drop(one);
        assert_eq!(end(&untaken).await, None, "nothing is held any more");
        let leaving = deadlines();
        drop(leaving.begin(Version::HTTP_11));
        advance(50 * SECOND).await;
        leaving.bytes_sent();
        assert_eq!(end(&leaving).await, Some((60, DropReason::Idle)), "its last bytes are on their way");
    }
}
