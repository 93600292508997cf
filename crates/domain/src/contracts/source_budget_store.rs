//! Budgets of requests that all processes share.

use super::StoreError;
use crate::ids::ProviderId;
use crate::source_budget::{BudgetRequest, BudgetTurn};
use async_trait::async_trait;

#[async_trait]
pub trait SourceBudgetStore: Send + Sync {
    /// Takes a turn in the budget of a provider's source, by the clock of the database. Nothing is taken of a turn that
    /// would come too late.
    async fn take_turn(&self, provider: ProviderId, request: BudgetRequest)
    -> Result<BudgetTurn, StoreError>;
}
