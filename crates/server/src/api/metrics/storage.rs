//! How the disk of the database fills.

use super::limits::COLLECT_TIME_MAX;
use crate::AppState;
use crate::storage::storage_forecast;
use domain::storage_forecast::StorageForecast;

/// None when it cannot be had in time; whether the database answers is told by others.
pub async fn collect(state: &AppState) -> Option<StorageForecast> {
    tokio::time::timeout(COLLECT_TIME_MAX, storage_forecast(&*state.store)).await.ok()?.ok()
}
