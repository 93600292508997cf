//! State of a provider's circuit breaker, as reported to callers.

/// State of a provider's circuit breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HealthState {
    /// `closed` (queried as usual), `open` (not queried), `half_open` (one probe at a time), `suspended` (rate limited
    /// by the provider).
    pub state: &'static str,
    /// Seconds until it may be queried again.
    pub retry_in_s: u64,
    pub failures_in_a_row: u32,
}

impl HealthState {
    /// All states.
    pub const ALL: [&str; 4] = ["closed", "open", "half_open", "suspended"];
}
