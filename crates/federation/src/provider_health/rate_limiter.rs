//! Rate limiter per provider, shared by all processes through the store. Requests of an unsaved provider are counted in
//! this process only.

use domain::ids::ProviderId;
use domain::ports::{RateLimitStore, chain};
use domain::rate_limit::{BudgetRequest, BudgetTurn};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Retry delay if the requests could not be counted.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Token bucket: a burst of `count`, then one request per `per / count`.
#[derive(Debug, Default)]
pub struct RateLimiter {
    /// When the bucket of this process is full again.
    full_at: Mutex<Option<Instant>>,
}

impl RateLimiter {
    /// Takes a slot of the shared rate limit. An unsaved provider shares none.
    pub async fn take_turn(
        &self,
        shared: &dyn RateLimitStore,
        provider: ProviderId,
        request: BudgetRequest,
    ) -> BudgetTurn {
        if provider == ProviderId(0) {
            return self.take_own_turn(request, Instant::now());
        }
        match shared.take_turn(provider, request).await {
            Ok(turn) => turn,
            Err(error) => {
                // Without the shared count, a request might exceed the limit; and results could not be stored either.
                tracing::warn!(
                    "provider {provider} is skipped: its requests cannot be counted: {}",
                    chain(&error)
                );
                BudgetTurn::TooLate(RETRY_AFTER)
            }
        }
    }

    fn take_own_turn(&self, request: BudgetRequest, now: Instant) -> BudgetTurn {
        let mut known = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        let full_at = known.unwrap_or(now).max(now) + request.cost();
        let wait = (full_at - now).saturating_sub(request.rate.per);
        if wait > request.wait_max {
            return BudgetTurn::TooLate(wait);
        }
        *known = Some(full_at);
        BudgetTurn::In(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syntax::rate::Rate;

    const SECOND: Duration = Duration::from_secs(1);

    fn three_in_three_seconds(wait_max: Duration) -> BudgetRequest {
        BudgetRequest { rate: Rate { count: 3, per: 3 * SECOND }, wait_max }
    }

    #[test]
    fn a_burst_then_evenly() {
        let request = three_in_three_seconds(60 * SECOND);
        let (limiter, now) = (RateLimiter::default(), Instant::now());
        for wait in [0, 0, 0, 1, 2] {
            assert_eq!(limiter.take_own_turn(request, now), BudgetTurn::In(wait * SECOND));
        }
        let later = now + 60 * SECOND;
        assert_eq!(
            limiter.take_own_turn(request, later),
            BudgetTurn::In(Duration::ZERO),
            "the bucket is full again"
        );
    }

    #[test]
    fn a_request_that_does_not_wait_takes_no_slot() {
        let hasty = three_in_three_seconds(Duration::ZERO);
        let (limiter, now) = (RateLimiter::default(), Instant::now());
        let served = |second: u32| {
            let now = now + second * SECOND;
            (0..10).filter(|_| matches!(limiter.take_own_turn(hasty, now), BudgetTurn::In(_))).count()
        };
        let served: Vec<usize> = (0..4).map(served).collect();
        assert_eq!(served, [3, 1, 1, 1], "ten requests per second, limited to the rate");
    }
}
