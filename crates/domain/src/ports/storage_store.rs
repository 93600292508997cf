//! Size of the database and its free space.

use super::StoreError;
use crate::instant::Instant;
use crate::storage_forecast::{DatabaseSize, SizeSample};
use async_trait::async_trait;
use std::path::PathBuf;

#[async_trait]
pub trait StorageStore: Send + Sync {
    /// Path of the database file; None for a database server or an in-memory database.
    fn database_file(&self) -> Option<PathBuf>;
    async fn database_size(&self) -> Result<DatabaseSize, StoreError>;
    /// Records the size if the last sample is old enough, and removes samples that are too old.
    async fn sample_size(&self, now: Instant) -> Result<(), StoreError>;
    /// The stored samples, oldest first.
    async fn size_samples(&self) -> Result<Vec<SizeSample>, StoreError>;
    /// Returns some free space of the file to the disk, in a step short enough that nobody waits for it; true if there
    /// is more. Does nothing for databases that do so themselves.
    async fn release_space(&self) -> Result<bool, StoreError>;
}
