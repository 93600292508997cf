//! The size of the database, and its free space.

use super::StoreError;
use crate::instant::Instant;
use crate::storage_forecast::{DatabaseSize, SizeSample};
use async_trait::async_trait;
use std::path::PathBuf;

#[async_trait]
pub trait StorageStore: Send + Sync {
    /// Where the database is on this machine; None for a server and for what is in memory only.
    fn database_file(&self) -> Option<PathBuf>;
    async fn database_size(&self) -> Result<DatabaseSize, StoreError>;
    /// Samples the size if the last sample is old enough, and forgets samples that are too old.
    async fn sample_size(&self, now: Instant) -> Result<(), StoreError>;
    /// The samples that are kept, the oldest first.
    async fn size_samples(&self) -> Result<Vec<SizeSample>, StoreError>;
    /// Gives some free space of the file back to the disk, in a step so short that nobody waits for it; true if there is
    /// more to give. Databases that do so by themselves have nothing to give.
    async fn release_space(&self) -> Result<bool, StoreError>;
}
