//! How the disk of the database fills.

use crate::metrics::Disk;
use domain::contracts::{Store, StoreError};
use domain::storage_forecast::StorageForecast;
use std::path::Path;

/// The size of the database, its growth over the last days, and when its disk is full.
pub async fn storage_forecast(store: &dyn Store) -> Result<StorageForecast, StoreError> {
    let (size, samples) = tokio::try_join!(store.database_size(), store.size_samples())?;
    let file = store.database_file();
    let disk = tokio::task::spawn_blocking(move || file.as_deref().and_then(Path::parent).and_then(Disk::of));
    // A disk that cannot be asked is told as one whose free space is not known.
    let free_bytes = disk.await.ok().flatten().map(|disk| disk.free_bytes);
    Ok(StorageForecast::new(size, free_bytes, &samples))
}
