//! Checkpoints of an SQLite file in the background.
//!
//! SQLite moves the log into the file inside the commit that makes the log too long, so that every twelfth search or so
//! would wait for the disk. Here, a connection of its own does it while commits go on.

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection, Executor};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::{Mutex, Notify};
use tokio::task::JoinSet;

/// How often the log is looked at.
const INTERVAL: Duration = Duration::from_millis(500);
/// A shorter log is left alone.
const LOG_BYTES_MIN: u64 = 4 * 1024 * 1024;
/// A log of this length is emptied, though writers have to wait: readers kept it from being reused.
const LOG_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Stops SQLite from doing checkpoints within commits.
pub(crate) const NO_CHECKPOINTS_IN_COMMITS: (&str, &str) = ("wal_autocheckpoint", "0");

/// The checkpoints of one file, as long as this lives.
pub(crate) struct Checkpoints {
    stop: Arc<Notify>,
    /// Ends with them.
    task: Mutex<JoinSet<()>>,
}

impl Checkpoints {
    /// Starts them for the file at `path`.
    pub fn start(path: &Path, options: SqliteConnectOptions) -> Self {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let stop = Arc::new(Notify::new());
        let mut task = JoinSet::new();
        task.spawn(run(log.into(), options, Arc::clone(&stop)));
        Self { stop, task: Mutex::new(task) }
    }

    /// Closes their connection: the last one to be closed completes the file.
    pub async fn stop(&self) {
        self.stop.notify_one();
        while self.task.lock().await.join_next().await.is_some() {}
    }
}

async fn run(log: PathBuf, options: SqliteConnectOptions, stop: Arc<Notify>) {
    let mut connection = None;
    let mut last_written = None;
    while tokio::time::timeout(INTERVAL, stop.notified()).await.is_err() {
        let Some((bytes, written)) = size_and_time(&log).await else { continue };
        // A log that was moved keeps its length, to be written again.
        if bytes < LOG_BYTES_MIN || last_written == Some(written) {
            continue;
        }
        last_written = Some(written);
        if let Err(error) = checkpoint(&mut connection, &options, bytes).await {
            tracing::warn!(%error, "cannot move the log of the database into its file: {error}");
            (connection, last_written) = (None, None);
        }
    }
    if let Some(open) = connection {
        let _closed_anyway = open.close().await;
    }
}

/// None while there is no log.
async fn size_and_time(log: &Path) -> Option<(u64, SystemTime)> {
    let file = tokio::fs::metadata(log).await.ok()?;
    Some((file.len(), file.modified().ok()?))
}

async fn checkpoint(
    connection: &mut Option<SqliteConnection>,
    options: &SqliteConnectOptions,
    log_bytes: u64,
) -> Result<(), sqlx::Error> {
    let open = match connection.take() {
        Some(open) => connection.insert(open),
        None => connection.insert(options.connect().await?),
    };
    let text = if log_bytes < LOG_BYTES_MAX {
        "PRAGMA wal_checkpoint(PASSIVE)"
    } else {
        "PRAGMA wal_checkpoint(TRUNCATE)"
    };
    open.execute(text).await.map(drop)
}

#[cfg(test)]
mod tests {
    use crate::STATEMENT_MAX;
    use crate::db::Db;
    use domain::secret::Secret;
    use std::path::Path;
    use std::time::Duration;

    async fn open(file: &Path) -> Db {
        let url = Secret::new(format!("sqlite://{}", file.display()));
        Db::open(&url, 2, STATEMENT_MAX).await.expect("opens")
    }

    async fn write_megabytes(db: &Db, count: usize) {
        let Db::Sqlite(pools) = db else { panic!("this is SQLite") };
        sqlx::query("CREATE TABLE IF NOT EXISTS texts (text BLOB)")
            .execute(&pools.write)
            .await
            .expect("creates");
        for _ in 0..count {
            let text = "INSERT INTO texts VALUES (randomblob(1048576))";
            sqlx::query(text).execute(&pools.write).await.expect("writes");
        }
    }

    fn megabytes(file: &Path) -> u64 {
        std::fs::metadata(file).map_or(0, |file| file.len()) / (1024 * 1024)
    }

    #[tokio::test]
    async fn the_log_is_moved_into_the_file_outside_of_commits() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("data.db");
        let db = open(&file).await;
        let Db::Sqlite(pools) = &db else { panic!("this is SQLite") };
        let in_commits: i64 =
            sqlx::query_scalar("PRAGMA wal_autocheckpoint").fetch_one(&pools.write).await.expect("reads");
        assert_eq!(in_commits, 0);
        write_megabytes(&db, 8).await;
        for _ in 0..200 {
            if megabytes(&file) >= 8 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert!(megabytes(&file) >= 8, "the file has {} MB", megabytes(&file));
        db.close().await;
    }

    #[tokio::test]
    async fn a_closed_database_is_one_complete_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("data.db");
        let db = open(&file).await;
        write_megabytes(&db, 5).await;
        db.close().await;
        assert!(megabytes(&file) >= 5 && !folder.path().join("data.db-wal").exists());
    }
}
