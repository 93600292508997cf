//! Full texts of cached documents, compressed: in a folder, or in a bucket of an S3 server.

mod blocking;
mod claimed;
mod compression;
mod folder;
mod s3;

pub use claimed::ClaimedFolder;
pub(crate) use claimed::FOLDER_ID;
pub use compression::compressed_bytes_max;
pub use folder::FolderBodies;
pub use s3::{S3Bodies, S3Config};
