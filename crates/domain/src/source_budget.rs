//! A budget of requests to a source: so many in so much time, in order of asking.

use crate::notation::rate::Rate;
use std::time::Duration;

/// A budget that is whole later than this after its period was left so by a clock that has been put back.
pub const AHEAD_MAX: Duration = Duration::from_secs(600);

/// One request to a source that allows only so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetRequest {
    pub rate: Rate,
    /// Longest wait for the turn.
    pub wait_max: Duration,
}

impl BudgetRequest {
    /// How much later the budget is whole for this one request.
    pub fn cost(self) -> Duration {
        self.rate.per / self.rate.count
    }
}

/// When a request may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BudgetTurn {
    /// After this wait.
    In(Duration),
    /// Not in time: it would be after this wait. Nothing was taken.
    TooLate(Duration),
}
