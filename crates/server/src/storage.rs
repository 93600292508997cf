//! Forecast of the database's disk usage.

use crate::metrics::Disk;
use domain::ports::{StorageStore, StoreError};
use domain::storage_forecast::StorageForecast;
use std::path::Path;

/// The size of the database, its growth over the last days, and when its disk will be full.
pub async fn storage_forecast(store: &dyn StorageStore) -> Result<StorageForecast, StoreError> {
    let (size, samples) = tokio::try_join!(store.database_size(), store.size_samples())?;
    let file = store.database_file();
    let disk = tokio::task::spawn_blocking(move || file.as_deref().and_then(Path::parent).and_then(Disk::of));
    // If the disk cannot be queried, its free space is unknown.
    let free_bytes = disk.await.ok().flatten().map(|disk| disk.free_bytes);
    Ok(StorageForecast::new(size, free_bytes, &samples))
}
