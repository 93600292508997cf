//! A source that fails again and again is left alone for a while, then tried by one probe at a time.

use super::SourceState;
use std::time::Duration;
use tokio::time::Instant;

/// Failures in a row that open the breaker.
pub const FAILURES_MAX: u32 = 5;
/// How long it stays open at first; it doubles with each probe that fails.
pub const OPEN_FIRST: Duration = Duration::from_secs(10);
pub const OPEN_MAX: Duration = Duration::from_secs(600);
/// Longest rest that a source may ask for.
pub const REST_MAX: Duration = Duration::from_secs(3600);
/// A probe that was lost counts as failed after this time.
const PROBE_MAX: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Default)]
pub struct Breaker {
    failures: u32,
    /// Until when it is open, and how long it was opened for.
    open: Option<(Instant, Duration)>,
    /// When the probe that is under way began.
    probe: Option<Instant>,
    /// Until when the source asked for a rest.
    rest_until: Option<Instant>,
}

/// May the source be asked?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Ask,
    /// It asked for a rest.
    Resting(Duration),
    /// It failed too often.
    Open(Duration),
}

impl Breaker {
    pub fn admit(&mut self, now: Instant) -> Verdict {
        if let Some(until) = self.rest_until {
            if now < until {
                return Verdict::Resting(until - now);
            }
            self.rest_until = None;
        }
        let Some((until, _)) = self.open else { return Verdict::Ask };
        if now < until {
            return Verdict::Open(until - now);
        }
        match self.probe {
            Some(began) if now < began + PROBE_MAX => Verdict::Open(began + PROBE_MAX - now),
            _ => {
                self.probe = Some(now);
                Verdict::Ask
            }
        }
    }

    pub fn succeeded(&mut self) {
        *self = Self { rest_until: self.rest_until, ..Self::default() };
    }

    pub fn failed(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        let open_for = match (self.open, self.probe.take()) {
            (Some((_, last)), Some(_)) => (last * 2).min(OPEN_MAX), // the probe failed
            (Some(_), None) => return,                              // an answer from before it opened
            (None, _) if self.failures >= FAILURES_MAX => OPEN_FIRST,
            (None, _) => return,
        };
        self.open = Some((now + open_for, open_for));
    }

    /// The source asked for a rest.
    pub fn rest(&mut self, now: Instant, rest: Duration) {
        self.probe = None;
        self.rest_until = Some(now + rest.min(REST_MAX));
    }

    /// The probe told nothing of the source.
    pub fn give_back_probe(&mut self) {
        self.probe = None;
    }

    pub fn state(&self, now: Instant) -> SourceState {
        let left = |until: Instant| until.saturating_duration_since(now);
        let (state, retry_in) = match (self.rest_until, self.open) {
            (Some(until), _) if now < until => ("suspended", left(until)),
            (_, Some((until, _))) if now < until => ("open", left(until)),
            (_, Some(_)) => ("half_open", Duration::ZERO),
            _ => ("closed", Duration::ZERO),
        };
        SourceState { state, retry_in_s: whole_seconds(retry_in), failures_in_a_row: self.failures }
    }
}

/// Rounded up: "not for another 1 s", never 0 while it lasts.
pub fn whole_seconds(duration: Duration) -> u64 {
    duration.as_millis().div_ceil(1000) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_failures_open_it_and_one_probe_at_a_time_closes_it() {
        let mut breaker = Breaker::default();
        let start = Instant::now();
        for _ in 0..FAILURES_MAX {
            assert_eq!(breaker.admit(start), Verdict::Ask);
            breaker.failed(start);
        }
        assert_eq!(breaker.admit(start), Verdict::Open(OPEN_FIRST));
        assert_eq!(breaker.state(start).state, "open");
        let later = start + OPEN_FIRST;
        assert_eq!(breaker.state(later).state, "half_open");
        assert_eq!(breaker.admit(later), Verdict::Ask, "the probe");
        assert!(matches!(breaker.admit(later), Verdict::Open(_)), "one at a time");
        breaker.failed(later);
        assert_eq!(breaker.admit(later), Verdict::Open(OPEN_FIRST * 2), "longer each time");
        let much_later = later + OPEN_FIRST * 2;
        assert_eq!(breaker.admit(much_later), Verdict::Ask);
        breaker.succeeded();
        assert_eq!(breaker.admit(much_later), Verdict::Ask);
        assert_eq!(breaker.state(much_later).state, "closed");
    }

    #[test]
    fn a_success_forgets_failures() {
        let mut breaker = Breaker::default();
        let now = Instant::now();
        for _ in 0..3 {
            (1..FAILURES_MAX).for_each(|_| breaker.failed(now));
            breaker.succeeded();
        }
        assert_eq!(breaker.admit(now), Verdict::Ask);
    }

    #[test]
    fn a_rest_is_honoured_and_bounded() {
        let mut breaker = Breaker::default();
        let now = Instant::now();
        breaker.rest(now, Duration::from_secs(3));
        assert_eq!(breaker.admit(now), Verdict::Resting(Duration::from_secs(3)));
        assert_eq!(breaker.admit(now + Duration::from_secs(3)), Verdict::Ask);
        breaker.rest(now, Duration::from_secs(1_000_000));
        assert_eq!(breaker.admit(now), Verdict::Resting(REST_MAX));
    }

    #[test]
    fn a_lost_probe_does_not_close_the_door_for_ever() {
        let mut breaker = Breaker::default();
        let now = Instant::now();
        (0..FAILURES_MAX).for_each(|_| breaker.failed(now));
        let later = now + OPEN_FIRST;
        assert_eq!(breaker.admit(later), Verdict::Ask);
        assert_eq!(breaker.admit(later + PROBE_MAX), Verdict::Ask);
        breaker.give_back_probe();
        assert_eq!(breaker.admit(later + PROBE_MAX), Verdict::Ask);
    }

    #[test]
    fn waits_stay_bounded() {
        let mut breaker = Breaker::default();
        let mut now = Instant::now();
        (0..FAILURES_MAX).for_each(|_| breaker.failed(now));
        for _ in 0..20 {
            now += OPEN_MAX;
            assert_eq!(breaker.admit(now), Verdict::Ask);
            breaker.failed(now);
        }
        assert_eq!(breaker.admit(now), Verdict::Open(OPEN_MAX));
    }
}
