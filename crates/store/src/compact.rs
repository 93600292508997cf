//! Shrinks the file of an SQLite database while nobody else uses it.

use crate::db::bad_address;
use crate::error::{failure, failure_during};
use domain::ports::StoreError;
use domain::secret::Secret;
use sqlx::sqlite::{SqliteAutoVacuum, SqliteConnectOptions};
use sqlx::{ConnectOptions, Connection, Executor};
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

/// How long to wait for a process that holds the file.
const BUSY: Duration = Duration::from_secs(5);

/// File sizes in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compacted {
    pub before: u64,
    pub after: u64,
}

/// Rewrites the whole file, which also enables incremental vacuum. None for a database without a file: PostgreSQL
/// manages its own space.
pub async fn compact(url: &Secret) -> Result<Option<Compacted>, StoreError> {
    if !url.expose().starts_with("sqlite:") {
        return Ok(None);
    }
    let options = SqliteConnectOptions::from_str(url.expose()).map_err(|_| bad_address())?;
    let file = options.get_filename().to_owned();
    let before = size(&file)?;
    let options = options.create_if_missing(false).busy_timeout(BUSY);
    let mut connection =
        options.auto_vacuum(SqliteAutoVacuum::Incremental).connect().await.map_err(failure)?;
    connection.execute("VACUUM").await.map_err(failure_during("VACUUM"))?;
    let checkpoint = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").await;
    checkpoint.map_err(failure_during("the checkpoint after VACUUM"))?;
    connection.close().await.map_err(failure)?;
    Ok(Some(Compacted { before, after: size(&file)? }))
}

fn size(file: &Path) -> Result<u64, StoreError> {
    let read = file.metadata().map(|metadata| metadata.len());
    read.map_err(|error| StoreError::unreachable(format!("{}: {error}", file.display())).caused_by(error))
}
