//! A budget of requests: so many in so much time, in order of asking.

use domain::notation::rate::Rate;
use std::time::Duration;
use tokio::time::Instant;

/// Counts as one bucket that fills evenly: a burst of `count`, then one each `per / count`.
#[derive(Debug, Clone, Default)]
pub struct Budget {
    /// When the bucket will be full again.
    full_at: Option<Instant>,
}

impl Budget {
    /// Takes a place and says how long to wait for it.
    pub fn take(&mut self, rate: Rate, now: Instant) -> Duration {
        let each = rate.per / rate.count;
        let full_at = self.full_at.unwrap_or(now).max(now) + each;
        self.full_at = Some(full_at);
        (full_at - now).saturating_sub(rate.per)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_then_evenly() {
        let rate = Rate { count: 3, per: Duration::from_secs(3) };
        let mut budget = Budget::default();
        let now = Instant::now();
        let waits: Vec<u64> = (0..5).map(|_| budget.take(rate, now).as_secs()).collect();
        assert_eq!(waits, [0, 0, 0, 1, 2]);
        assert_eq!(budget.take(rate, now + Duration::from_secs(60)), Duration::ZERO, "it fills again");
    }
}
