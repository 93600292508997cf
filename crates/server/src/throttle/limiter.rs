//! Rate limiter for many keys: the generic cell rate algorithm, with a few bytes for each key.
//!
//! A key may make `count` uses at once; each is paid back after `per / count`. Only the time at which everything is
//! paid back is stored. The clock is tokio's, which is monotonic and which tests can pause.

use moka::ops::compute::Op;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use std::time::Duration;
use syntax::rate::Rate;
use tokio::time::Instant;

/// Most keys of one limiter; the least recently used key is evicted first.
pub const KEYS_MAX: u64 = 50_000;

pub struct Limiter {
    /// The largest debt.
    per: Duration,
    /// The cost of one use.
    cost: Duration,
    /// When the debt of each key is paid back.
    paid_at: Cache<u64, Instant>,
}

impl Limiter {
    pub fn new(rate: Rate) -> Self {
        let paid_at = Cache::builder().max_capacity(KEYS_MAX).eviction_policy(EvictionPolicy::lru()).build();
        Self { per: rate.per, cost: rate.per / rate.count.max(1), paid_at }
    }

    /// Charges one use, or returns how long to wait. A refused use is not charged.
    pub fn take(&self, key: u64) -> Result<(), Duration> {
        let now = Instant::now();
        let mut refused = None;
        self.paid_at.entry(key).and_compute_with(|kept| {
            let paid_at = kept.map(moka::Entry::into_value);
            refused = self.wait_at(now, paid_at);
            if refused.is_some() { Op::Nop } else { Op::Put(self.charged(now, paid_at)) }
        });
        refused.map_or(Ok(()), Err)
    }

    /// How long the key must wait, if it must. Charges nothing.
    pub fn wait(&self, key: u64) -> Option<Duration> {
        self.wait_at(Instant::now(), self.paid_at.get(&key))
    }

    /// Charges one use, allowed or not. The debt never exceeds one period.
    pub fn charge(&self, key: u64) {
        let now = Instant::now();
        self.paid_at.entry(key).and_compute_with(|kept| {
            let paid_at = self.charged(now, kept.map(moka::Entry::into_value));
            Op::Put(paid_at.min(now + self.per))
        });
    }

    pub fn forget(&self, key: u64) {
        self.paid_at.invalidate(&key);
    }

    pub fn forget_all(&self) {
        self.paid_at.invalidate_all();
    }

    fn charged(&self, now: Instant, paid_at: Option<Instant>) -> Instant {
        paid_at.unwrap_or(now).max(now) + self.cost
    }

    fn wait_at(&self, now: Instant, paid_at: Option<Instant>) -> Option<Duration> {
        let owed = paid_at?.saturating_duration_since(now) + self.cost;
        owed.checked_sub(self.per).filter(|wait| !wait.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    const SECOND: Duration = Duration::from_secs(1);

    fn per_minute(count: u32) -> Limiter {
        Limiter::new(Rate { count, per: Duration::from_secs(60) })
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_and_then_one_by_one() {
        let limiter = per_minute(15);
        for number in 1..=15 {
            assert_eq!(limiter.take(1), Ok(()), "{number}");
        }
        assert_eq!(limiter.take(1), Err(4 * SECOND));
        assert_eq!(limiter.take(1), Err(4 * SECOND), "a refusal costs nothing");
        assert_eq!(limiter.take(2), Ok(()), "another key is not concerned");
        advance(3 * SECOND).await;
        assert_eq!(limiter.take(1), Err(SECOND));
        advance(SECOND).await;
        assert_eq!(limiter.take(1), Ok(()));
        assert_eq!(limiter.take(1), Err(4 * SECOND));
        advance(60 * SECOND).await;
        for number in 1..=15 {
            assert_eq!(limiter.take(1), Ok(()), "{number}: all is paid back after the period");
        }
        assert!(limiter.take(1).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn charges_are_looked_at_and_forgotten() {
        let limiter = per_minute(2);
        for _ in 0..2 {
            assert_eq!(limiter.wait(1), None);
            limiter.charge(1);
        }
        assert_eq!(limiter.wait(1), Some(30 * SECOND));
        for _ in 0..100 {
            limiter.charge(1);
        }
        assert_eq!(limiter.wait(1), Some(30 * SECOND), "late charges do not add up");
        limiter.forget(1);
        assert_eq!(limiter.wait(1), None);
    }

    #[tokio::test(start_paused = true)]
    async fn rates_at_the_edges() {
        let once = per_minute(1);
        assert_eq!((once.take(1), once.take(1)), (Ok(()), Err(60 * SECOND)));
        let endless = per_minute(u32::MAX);
        assert!((0..1000).all(|_| endless.take(1).is_ok()));
    }

    #[test]
    fn at_once_means_at_once_for_all_threads_together() {
        let limiter = per_minute(50);
        let allowed: usize = std::thread::scope(|scope| {
            let take = || (0..100).filter(|_| limiter.take(7).is_ok()).count();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(take)).collect();
            threads.into_iter().map(|thread| thread.join().expect("a count")).sum()
        });
        assert_eq!(allowed, 50);
    }

    #[tokio::test(start_paused = true)]
    async fn the_key_used_longest_ago_is_forgotten() {
        let limiter = per_minute(1);
        let beyond = 1000;
        for key in 0..KEYS_MAX + beyond {
            assert_eq!(limiter.take(key), Ok(()));
        }
        limiter.paid_at.run_pending_tasks();
        assert!(limiter.paid_at.entry_count() <= KEYS_MAX, "{}", limiter.paid_at.entry_count());
        assert!(limiter.wait(KEYS_MAX + beyond - 1).is_some(), "the newest is kept");
        assert_eq!(limiter.wait(0), None, "the oldest is gone");
    }
}
