//! Circuit breaker per provider.

use super::health_state::HealthState;
use std::time::Duration;
use tokio::time::Instant;

/// Consecutive failures that open the breaker.
pub const FAILURES_MAX: u32 = 5;
/// How long it stays open at first; doubles with each failed probe.
pub const OPEN_FIRST: Duration = Duration::from_secs(10);
pub const OPEN_MAX: Duration = Duration::from_secs(600);
/// Longest pause that a provider may request.
pub const PAUSE_MAX: Duration = Duration::from_secs(3600);
/// A lost probe counts as failed after this time.
const PROBE_MAX: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Default)]
pub struct CircuitBreaker {
    failures: u32,
    /// When the open period ends, and its length.
    open: Option<(Instant, Duration)>,
    /// When the current probe began.
    probe: Option<Instant>,
    /// When the pause ends that the provider requested.
    paused_until: Option<Instant>,
}

/// Whether the provider may be queried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    Allowed,
    /// The provider requested a pause (HTTP 429).
    Paused(Duration),
    /// The breaker is open.
    Open(Duration),
}

impl CircuitBreaker {
    pub fn admit(&mut self, now: Instant) -> Admission {
        if let Some(until) = self.paused_until {
            if now < until {
                return Admission::Paused(until - now);
            }
            self.paused_until = None;
        }
        let Some((until, _)) = self.open else { return Admission::Allowed };
        if now < until {
            return Admission::Open(until - now);
        }
        match self.probe {
            Some(began) if now < began + PROBE_MAX => Admission::Open(began + PROBE_MAX - now),
            _ => {
                self.probe = Some(now);
                Admission::Allowed
            }
        }
    }

    pub fn succeeded(&mut self) {
        *self = Self { paused_until: self.paused_until, ..Self::default() };
    }

    pub fn failed(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        let open_for = match (self.open, self.probe.take()) {
            (Some((_, last)), Some(_)) => (last * 2).min(OPEN_MAX), // the probe failed
            (Some(_), None) => return,                              // the request began before it opened
            (None, _) if self.failures >= FAILURES_MAX => OPEN_FIRST,
            (None, _) => return,
        };
        self.open = Some((now + open_for, open_for));
    }

    /// Records that the provider requested a pause.
    pub fn pause(&mut self, now: Instant, pause: Duration) {
        self.probe = None;
        self.paused_until = Some(now + pause.min(PAUSE_MAX));
    }

    /// Ends a probe without a verdict about the provider.
    pub fn release_probe(&mut self) {
        self.probe = None;
    }

    pub fn state(&self, now: Instant) -> HealthState {
        let left = |until: Instant| until.saturating_duration_since(now);
        let (state, retry_in) = match (self.paused_until, self.open) {
            (Some(until), _) if now < until => ("suspended", left(until)),
            (_, Some((until, _))) if now < until => ("open", left(until)),
            (_, Some(_)) => ("half_open", Duration::ZERO),
            _ => ("closed", Duration::ZERO),
        };
        HealthState { state, retry_in_s: whole_seconds(retry_in), failures_in_a_row: self.failures }
    }
}

/// Rounds up, so that a remaining time is never reported as 0.
pub fn whole_seconds(duration: Duration) -> u64 {
    duration.as_millis().div_ceil(1000) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_failures_open_the_breaker_and_one_probe_closes_it() {
        let mut breaker = CircuitBreaker::default();
        let start = Instant::now();
        for _ in 0..FAILURES_MAX {
            assert_eq!(breaker.admit(start), Admission::Allowed);
            breaker.failed(start);
        }
        assert_eq!(breaker.admit(start), Admission::Open(OPEN_FIRST));
        assert_eq!(breaker.state(start).state, "open");
        let later = start + OPEN_FIRST;
        assert_eq!(breaker.state(later).state, "half_open");
        assert_eq!(breaker.admit(later), Admission::Allowed, "the probe");
        assert!(matches!(breaker.admit(later), Admission::Open(_)), "one at a time");
        breaker.failed(later);
        assert_eq!(breaker.admit(later), Admission::Open(OPEN_FIRST * 2), "longer each time");
        let much_later = later + OPEN_FIRST * 2;
        assert_eq!(breaker.admit(much_later), Admission::Allowed);
        breaker.succeeded();
        assert_eq!(breaker.admit(much_later), Admission::Allowed);
        assert_eq!(breaker.state(much_later).state, "closed");
    }

    #[test]
    fn a_success_resets_the_failures() {
        let mut breaker = CircuitBreaker::default();
        let now = Instant::now();
        for _ in 0..3 {
            (1..FAILURES_MAX).for_each(|_| breaker.failed(now));
            breaker.succeeded();
        }
        assert_eq!(breaker.admit(now), Admission::Allowed);
    }

    #[test]
    fn a_pause_is_honored_and_bounded() {
        let mut breaker = CircuitBreaker::default();
        let now = Instant::now();
        breaker.pause(now, Duration::from_secs(3));
        assert_eq!(breaker.admit(now), Admission::Paused(Duration::from_secs(3)));
        assert_eq!(breaker.admit(now + Duration::from_secs(3)), Admission::Allowed);
        breaker.pause(now, Duration::from_secs(1_000_000));
        assert_eq!(breaker.admit(now), Admission::Paused(PAUSE_MAX));
    }

    #[test]
    fn a_lost_probe_does_not_keep_the_breaker_open() {
        let mut breaker = CircuitBreaker::default();
        let now = Instant::now();
        (0..FAILURES_MAX).for_each(|_| breaker.failed(now));
        let later = now + OPEN_FIRST;
        assert_eq!(breaker.admit(later), Admission::Allowed);
        assert_eq!(breaker.admit(later + PROBE_MAX), Admission::Allowed);
        breaker.release_probe();
        assert_eq!(breaker.admit(later + PROBE_MAX), Admission::Allowed);
    }

    #[test]
    fn waits_stay_bounded() {
        let mut breaker = CircuitBreaker::default();
        let mut now = Instant::now();
        (0..FAILURES_MAX).for_each(|_| breaker.failed(now));
        for _ in 0..20 {
            now += OPEN_MAX;
            assert_eq!(breaker.admit(now), Admission::Allowed);
            breaker.failed(now);
        }
        assert_eq!(breaker.admit(now), Admission::Open(OPEN_MAX));
    }
}
