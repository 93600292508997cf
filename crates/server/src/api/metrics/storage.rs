//! How the disk of the database fills.

use super::limits::COLLECT_TIME_MAX;
use crate::House;
use crate::storage::storage_forecast;
use domain::storage_forecast::StorageForecast;

/// None when it cannot be had in time; whether the database answers is told by others.
pub async fn collect(house: &House) -> Option<StorageForecast> {
    tokio::time::timeout(COLLECT_TIME_MAX, storage_forecast(&*house.store)).await.ok()?.ok()
}
