//! The full texts of cached documents, packed: in a folder, or in a bucket of an S3 server.

mod claimed;
mod folder;
mod pack;
mod s3;

pub use claimed::ClaimedFolder;
pub(crate) use claimed::FOLDER_ID;
pub use folder::FolderBodies;
pub use pack::packed_bytes_max;
pub use s3::{S3Bodies, S3Config};

use domain::contracts::BodyError;

/// Work that keeps a processor or a disk busy, beside the runtime's own threads.
async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BodyError> + Send + 'static,
) -> Result<T, BodyError> {
    let ended = tokio::task::spawn_blocking(work).await;
    ended.unwrap_or_else(|_| Err(BodyError::Unreachable("the work on it was broken off".to_owned())))
}
