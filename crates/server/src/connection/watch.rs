//! What one connection keeps the service waiting for, and since when.

use super::Limits;
use axum::http::Version;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::{Instant, sleep_until};

pub struct Watch {
    limits: Limits,
    state: Mutex<State>,
    /// A request was answered before its body was read to the end.
    has_unread_body: AtomicBool,
}

struct State {
    is_http2: bool,
    /// Requests that are not answered to the end.
    open: usize,
    /// When the first byte of the next request came. A new connection owes its first request from the beginning.
    head_since: Option<Instant>,
    /// When there was last something to do.
    idle_since: Instant,
    /// Answers whose last piece is not taken yet, and since when.
    held: HashMap<u64, Instant>,
    next_number: u64,
}

/// Why a connection is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenUp {
    HeadTooSlow,
    Idle,
    NotTaken,
}

impl fmt::Display for GivenUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HeadTooSlow => "it sends no whole request",
            Self::Idle => "it has asked nothing for a while",
            Self::NotTaken => "it does not take what it asked for",
        })
    }
}

/// One request, until its answer has left or is dropped.
pub struct Exchange {
    watch: Arc<Watch>,
    is_http2: bool,
    number: u64,
}

impl Watch {
    pub fn new(limits: Limits) -> Self {
        let now = Instant::now();
        let state = State {
            is_http2: false,
            open: 0,
            head_since: Some(now),
            idle_since: now,
            held: HashMap::new(),
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

    pub fn begin(self: &Arc<Self>, version: Version) -> Exchange {
        let is_http2 = version == Version::HTTP_2;
        let mut state = self.lock();
        state.is_http2 = is_http2;
        state.open += 1;
        state.head_since = None;
        let number = state.next_number;
        state.next_number += 1;
        Exchange { watch: Arc::clone(self), is_http2, number }
    }

    /// HTTP/2 has other things to say than requests, so only HTTP/1 begins a head with any byte.
    pub fn bytes_came(&self) {
        let mut state = self.lock();
        if state.open == 0 && !state.is_http2 {
            state.head_since.get_or_insert_with(Instant::now);
        }
    }

    /// The end of an answer may still be on its way when the answer is done. A ping of HTTP/2 is no answer.
    pub fn bytes_went(&self) {
        let mut state = self.lock();
        if !state.is_http2 {
            state.idle_since = Instant::now();
        }
    }

    /// Returns when the connection should be dropped.
    pub async fn gives_up(&self) -> GivenUp {
        loop {
            match self.look(Instant::now()) {
                Ok(again_at) => sleep_until(again_at).await,
                Err(reason) => return reason,
            }
        }
    }

    /// When to look again, or why not to wait any longer. What begins right after a look is seen by the next, so
    /// looks are half a limit apart.
    fn look(&self, now: Instant) -> Result<Instant, GivenUp> {
        let Limits { head, idle, stall, .. } = self.limits;
        let state = self.lock();
        let (ends_at, reason) = match (state.held.values().min(), state.open, state.head_since) {
            (Some(oldest), ..) => (*oldest + stall, GivenUp::NotTaken),
            (None, 1.., _) => (now + stall, GivenUp::NotTaken),
            (None, 0, Some(since)) => (since + head, GivenUp::HeadTooSlow),
            (None, 0, None) => (state.idle_since + idle, GivenUp::Idle),
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

impl Exchange {
    pub fn is_http2(&self) -> bool {
        self.is_http2
    }

    /// A piece was handed over.
    pub fn gave(&self) {
        self.watch.lock().held.insert(self.number, Instant::now());
    }

    /// It is gone, and the next may come.
    pub fn asked_for_more(&self) {
        if self.is_http2 {
            self.watch.lock().held.remove(&self.number);
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let mut state = self.watch.lock();
        state.held.remove(&self.number);
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

    fn watch() -> Arc<Watch> {
        let limits = Limits { head: 10 * SECOND, idle: 60 * SECOND, stall: 30 * SECOND, ..Limits::default() };
        Arc::new(Watch::new(limits))
    }

    /// After how many seconds the connection is given up, if within two minutes, and why.
    async fn end(watch: &Watch) -> Option<(u64, GivenUp)> {
        let started = Instant::now();
        let ended = tokio::time::timeout(120 * SECOND, watch.gives_up()).await.ok()?;
        Some((started.elapsed().as_secs(), ended))
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_request() {
        let new = watch();
        advance(3 * SECOND).await;
        new.bytes_came();
        assert_eq!(end(&new).await, Some((7, GivenUp::HeadTooSlow)), "half a head buys no time");
        let asked = watch();
        drop(asked.begin(Version::HTTP_11));
        assert_eq!(end(&asked).await, Some((60, GivenUp::Idle)));
        let slow = watch();
        drop(slow.begin(Version::HTTP_11));
        advance(20 * SECOND).await;
        slow.bytes_came();
        advance(5 * SECOND).await;
        slow.bytes_came();
        assert_eq!(end(&slow).await, Some((5, GivenUp::HeadTooSlow)), "the second head is too slow");
        let pings = watch();
        drop(pings.begin(Version::HTTP_2));
        advance(50 * SECOND).await;
        pings.bytes_came();
        pings.bytes_went();
        assert_eq!(end(&pings).await, Some((10, GivenUp::Idle)), "a ping is no request");
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_on_its_way() {
        let quiet = watch();
        let _open = quiet.begin(Version::HTTP_2);
        assert_eq!(end(&quiet).await, None, "the service itself is slow");
        let held = watch();
        let (one, _other) = (held.begin(Version::HTTP_2), held.begin(Version::HTTP_2));
        for _ in 0..5 {
            advance(20 * SECOND).await;
            one.asked_for_more();
            one.gave();
        }
        advance(5 * SECOND).await;
        assert_eq!(end(&held).await, Some((25, GivenUp::NotTaken)));
        drop(one);
        assert_eq!(end(&held).await, None, "nothing is held any more");
        let leaving = watch();
        drop(leaving.begin(Version::HTTP_11));
        advance(50 * SECOND).await;
        leaving.bytes_went();
        assert_eq!(end(&leaving).await, Some((60, GivenUp::Idle)), "its last bytes are on their way");
    }
}
