//! Health of each provider in this process: circuit breaker, rate limiter, single flight.

mod circuit_breaker;
mod health_state;
mod rate_limiter;
mod request_policy;
mod single_flight;

pub use health_state::HealthState;

pub(crate) use circuit_breaker::{Admission, whole_seconds};
pub(crate) use request_policy::RequestPolicy;
pub(crate) use single_flight::FlightKey;

use circuit_breaker::CircuitBreaker;
use domain::ids::ProviderId;
use domain::ports::{ConnectorError, ConnectorErrorKind};
use rate_limiter::RateLimiter;
use single_flight::SingleFlight;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The health of all providers that this process has queried.
#[derive(Default)]
pub(crate) struct HealthRegistry {
    known: Mutex<HashMap<ProviderId, Arc<ProviderHealth>>>,
    pub single_flight: SingleFlight,
}

/// Health of one provider.
#[derive(Default)]
pub(crate) struct ProviderHealth {
    breaker: Mutex<CircuitBreaker>,
    rate_limiter: RateLimiter,
    /// Whether the last search skipped it.
    was_suspended: AtomicBool,
}

impl HealthRegistry {
    pub fn provider(&self, provider: ProviderId) -> Arc<ProviderHealth> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(provider).or_default())
    }

    /// State of the provider's circuit breaker; None if it was never queried.
    pub fn state(&self, provider: ProviderId) -> Option<HealthState> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let provider = known.get(&provider)?;
        Some(lock(&provider.breaker).state(Instant::now()))
    }

    /// Resets the health of a provider, so that it is queried again at once.
    pub fn reset(&self, provider: ProviderId) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).remove(&provider);
    }
}

impl ProviderHealth {
    /// Whether the provider may be queried now, and if not, for how long.
    pub fn admit(&self) -> Admission {
        lock(&self.breaker).admit(Instant::now())
    }

    pub fn rate_limiter(&self) -> &RateLimiter {
        &self.rate_limiter
    }

    pub fn succeeded(&self) {
        lock(&self.breaker).succeeded();
    }

    /// Records whether a search skipped the provider; returns whether that changed.
    pub fn note_suspended(&self, is_suspended: bool) -> bool {
        self.was_suspended.swap(is_suspended, Ordering::Relaxed) != is_suspended
    }

    /// Records a failure. Only failures of the provider count, not an invalid query or configuration.
    pub fn failed(&self, error: &ConnectorError, pause_default: Duration) {
        let mut breaker = lock(&self.breaker);
        match error.kind {
            ConnectorErrorKind::RateLimited => {
                breaker.pause(Instant::now(), error.retry_after.unwrap_or(pause_default));
            }
            ConnectorErrorKind::Timeout
            | ConnectorErrorKind::Unavailable
            | ConnectorErrorKind::Untrusted
            | ConnectorErrorKind::Unreadable => {
                breaker.failed(Instant::now());
            }
            ConnectorErrorKind::ConfigInvalid
            | ConnectorErrorKind::QueryInvalid
            | ConnectorErrorKind::AddressRefused
            | ConnectorErrorKind::Denied
            | ConnectorErrorKind::SecretsUnreadable
            | ConnectorErrorKind::NotConnected
            | ConnectorErrorKind::PlaceUnknown
            | ConnectorErrorKind::SourceError
            | ConnectorErrorKind::Suspended => breaker.release_probe(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
