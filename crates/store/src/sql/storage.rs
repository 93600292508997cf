//! Size of the database, and release of free space.

use crate::SqlStore;
use crate::db::{Db, on_connection, on_db, rows_affected};
use crate::json::{to_column, to_count};
use async_trait::async_trait;
use domain::instant::{Instant, to_micros};
use domain::ports::{StorageStore, StoreError};
use domain::storage_forecast::{DatabaseSize, SAMPLED_EVERY, SAMPLES_KEPT_FOR, SizeSample};
use sqlx::SqliteConnection;
use std::path::PathBuf;

/// Free pages that stay in the file for new searches.
const FREE_PAGES_KEPT: i64 = 1024;

#[async_trait]
impl StorageStore for SqlStore {
    fn database_file(&self) -> Option<PathBuf> {
        let Db::Sqlite(pools) = &self.db else { return None };
        Some(pools.write.connect_options().get_filename().to_owned()).filter(|file| file.exists())
    }

    async fn database_size(&self) -> Result<DatabaseSize, StoreError> {
        match &self.db {
            Db::Sqlite(pools) => {
                let text = "SELECT page_count, freelist_count, page_size \
                     FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()";
                let (pages, free, page_size): (i64, i64, i64) = on_connection!(pools.read, connection =>
                    sqlx::query_as(text).fetch_one(connection))?;
                let bytes = |pages: i64| to_count(pages).saturating_mul(to_count(page_size));
                Ok(DatabaseSize { bytes: bytes(pages), used_bytes: bytes(pages - free) })
            }
            Db::Postgres(pools) => {
                let text = "SELECT pg_database_size(current_database())";
                let bytes: i64 = on_connection!(pools.read, connection =>
                    sqlx::query_scalar(text).fetch_one(connection))?;
                Ok(DatabaseSize { bytes: to_count(bytes), used_bytes: to_count(bytes) })
            }
        }
    }

    async fn sample_size(&self, now: Instant) -> Result<(), StoreError> {
        const IS_SAMPLED: &str = "SELECT COUNT(*) FROM database_sizes WHERE taken > $1 AND taken <= $2";
        const INSERT: &str =
            "INSERT INTO database_sizes (taken, used_bytes) VALUES ($1, $2) ON CONFLICT (taken) DO NOTHING";
        // A time in the future comes from a wrong clock.
        const FORGET: &str = "DELETE FROM database_sizes WHERE taken <= $1 OR taken > $2";
        let now = to_micros(now);
        let recently = now - SAMPLED_EVERY;
        let recent: i64 = on_db!(self.db, read, db =>
            sqlx::query_scalar(IS_SAMPLED).bind(recently).bind(now).fetch_one(db))?;
        if recent > 0 {
            return Ok(());
        }
        let used = to_column(self.database_size().await?.used_bytes);
        on_db!(self.db, write, db => rows_affected(sqlx::query(INSERT).bind(now).bind(used).execute(db)))?;
        let too_old = now - SAMPLES_KEPT_FOR;
        on_db!(self.db, write, db => rows_affected(sqlx::query(FORGET).bind(too_old).bind(now).execute(db)))?;
        Ok(())
    }

    async fn size_samples(&self) -> Result<Vec<SizeSample>, StoreError> {
        const TEXT: &str = "SELECT taken, used_bytes FROM database_sizes ORDER BY taken";
        let rows: Vec<(Instant, i64)> = on_db!(self.db, read, db => sqlx::query_as(TEXT).fetch_all(db))?;
        let sample = |(taken, used): (Instant, i64)| SizeSample { taken, used_bytes: to_count(used) };
        Ok(rows.into_iter().map(sample).collect())
    }

    async fn release_space(&self) -> Result<bool, StoreError> {
        match &self.db {
            Db::Sqlite(pools) => on_connection!(pools.write, connection => release(connection)),
            Db::Postgres(_) => Ok(false),
        }
    }
}

/// One step of a megabyte. Files of earlier versions (`auto_vacuum` 0) cannot shrink until `tributary database
/// compact`.
async fn release(file: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    if free_pages(file).await? <= FREE_PAGES_KEPT {
        return Ok(false);
    }
    sqlx::query("PRAGMA incremental_vacuum(256)").execute(&mut *file).await?;
    if free_pages(file).await? > FREE_PAGES_KEPT {
        return Ok(true);
    }
    // The file shrinks when its log is checkpointed, which does not wait for readers.
    sqlx::query("PRAGMA wal_checkpoint(PASSIVE)").execute(file).await?;
    Ok(false)
}

/// Pages that can be released.
async fn free_pages(file: &mut SqliteConnection) -> Result<i64, sqlx::Error> {
    const TEXT: &str =
        "SELECT freelist_count FROM pragma_freelist_count(), pragma_auto_vacuum() WHERE auto_vacuum = 2";
    Ok(sqlx::query_scalar(TEXT).fetch_optional(file).await?.unwrap_or(0))
}
