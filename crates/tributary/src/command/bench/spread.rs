//! Minimum, median and 95th percentile of a series of durations.

use serde::Serialize;
use std::time::Duration;

/// In milliseconds with one decimal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Spread {
    pub min: f64,
    pub median: f64,
    pub p95: f64,
}

impl Spread {
    /// Returns zeros for an empty series.
    pub(super) fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |share: f64| ms(percentile(&times, share));
        Self { min: at(0.0), median: at(0.5), p95: at(0.95) }
    }
}

/// The time that this share of the times does not exceed; zero for an empty series.
pub(super) fn percentile(sorted: &[Duration], share: f64) -> Duration {
    let last = sorted.len().saturating_sub(1) as f64;
    sorted.get((last * share).round() as usize).copied().unwrap_or_default()
}

/// Milliseconds with one decimal.
pub(super) fn ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 10_000.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_the_times_does_not_matter() {
        let times = (1..=101).rev().map(Duration::from_millis).collect();
        assert_eq!(Spread::of(times), Spread { min: 1.0, median: 51.0, p95: 96.0 });
        let one = Spread::of(vec![Duration::from_micros(1_260)]);
        assert_eq!(one, Spread { min: 1.3, median: 1.3, p95: 1.3 });
        let sorted: Vec<Duration> = (1..=101).map(Duration::from_millis).collect();
        assert_eq!(percentile(&sorted, 0.99), Duration::from_millis(100));
        assert_eq!(Spread::of(Vec::new()), Spread { min: 0.0, median: 0.0, p95: 0.0 });
    }
}
