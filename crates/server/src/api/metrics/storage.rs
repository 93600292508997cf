//! Forecast of the database's disk usage.

use super::limits::COLLECT_TIME_MAX;
use crate::state::AppState;
use crate::storage::storage_forecast;
use domain::storage_forecast::StorageForecast;

/// None if it is not available in time; other metrics report whether the database responds.
pub async fn collect(state: &AppState) -> Option<StorageForecast> {
    tokio::time::timeout(COLLECT_TIME_MAX, storage_forecast(&*state.store)).await.ok()?.ok()
}
