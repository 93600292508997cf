//! Request budgets of sources: a number of requests per period, first come, first served.

use std::time::Duration;
use syntax::rate::Rate;

/// A budget that is full later than this after its period was written before the clock was set back.
pub const AHEAD_MAX: Duration = Duration::from_secs(600);

/// A request to a rate-limited source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetRequest {
    pub rate: Rate,
    /// Maximum wait for the turn.
    pub wait_max: Duration,
}

impl BudgetRequest {
    /// How much later the budget is full because of one request.
    pub fn cost(self) -> Duration {
        self.rate.per / self.rate.count
    }
}

/// When a request may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BudgetTurn {
    /// After this wait.
    In(Duration),
    /// Not in time: it would be after this wait. No turn was taken.
    TooLate(Duration),
}
