//! Request budgets of sources, shared by all processes.

use super::StoreError;
use crate::ids::ProviderId;
use crate::rate_limit::{BudgetRequest, BudgetTurn};
use async_trait::async_trait;

#[async_trait]
pub trait RateLimitStore: Send + Sync {
    /// Takes a turn from the budget of a provider's source, by the clock of the database. A turn that would come too
    /// late is not taken.
    async fn take_turn(&self, provider: ProviderId, request: BudgetRequest)
    -> Result<BudgetTurn, StoreError>;
}
