//! Checkpoints of an SQLite file in the background.
//!
//! SQLite moves the log into the file inside the commit that makes the log too long, so that every twelfth search or so
//! would wait for the disk. Here, a connection of its own does it while commits go on.

use crate::sqlite_connections::SqliteConnections;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::{Mutex, Notify};
use tokio::task::JoinSet;
use tokio::time::Instant;

/// How often the log is looked at.
const INTERVAL: Duration = Duration::from_millis(500);
/// A shorter log is left alone.
const LOG_BYTES_MIN: u64 = 4 * MB;
/// Pages that one checkpoint should move. The first commit after a complete checkpoint waits for the disk, so there
/// should be few of them.
const PAGES_WANTED: u32 = 1_000;
/// The longest pause between checkpoints of a log that is written slowly.
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// A log that grew by this much is moved without a further pause.
const GROWTH_MAX: u64 = 16 * MB;
/// A log of this length is emptied: readers kept it from being reused.
const LOG_BYTES_MAX: u64 = 256 * MB;
/// How long emptying waits for readers, because writers wait meanwhile; and the pause until the next attempt.
const EMPTYING_TIME_MAX: Duration = Duration::from_millis(100);
const EMPTYING_PAUSE: Duration = Duration::from_secs(10);
/// Attempts to empty the log on request.
const EMPTYING_ATTEMPTS_MAX: u32 = 20;
const MB: u64 = 1024 * 1024;
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
        let options = options.busy_timeout(EMPTYING_TIME_MAX);
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

/// SQLite's modes of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mode {
    /// Moves the log as far as readers allow.
    Passive,
    /// Waits for readers, and empties the log.
    Truncate,
}

impl Mode {
    fn statement(self) -> &'static str {
        match self {
            Self::Passive => "PRAGMA wal_checkpoint(PASSIVE)",
            Self::Truncate => "PRAGMA wal_checkpoint(TRUNCATE)",
        }
    }
}

/// What SQLite reports of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Outcome {
    /// A reader, a writer or another checkpoint was in the way.
    is_incomplete: bool,
    /// Pages of the log that are in the file.
    pages: i64,
}

/// When the log is moved next.
struct Pace {
    /// The last checkpoint, the time of the last write then, and the length of the log.
    last: Instant,
    written: Option<SystemTime>,
    log_bytes: u64,
    pause: Duration,
    empty_after: Instant,
}

impl Pace {
    fn new(now: Instant) -> Self {
        Self { last: now, written: None, log_bytes: 0, pause: INTERVAL, empty_after: now }
    }

    fn is_due(&self, log_bytes: u64, written: SystemTime, now: Instant) -> bool {
        // A log that was moved keeps its length, to be written again.
        log_bytes >= LOG_BYTES_MIN
            && self.written != Some(written)
            && (now >= self.last + self.pause || log_bytes >= self.log_bytes.saturating_add(GROWTH_MAX))
    }

    /// Emptying is tried only now and then.
    fn choose_mode(&mut self, log_bytes: u64, now: Instant) -> Mode {
        if log_bytes < LOG_BYTES_MAX || now < self.empty_after {
            return Mode::Passive;
        }
        self.empty_after = now + EMPTYING_PAUSE;
        Mode::Truncate
    }

    /// Notes a checkpoint. At the same rate, the next one will move as many pages as it should.
    fn note(&mut self, outcome: Outcome, log_bytes: u64, written: SystemTime, now: Instant) {
        let moved = u32::try_from(outcome.pages).unwrap_or(0).max(1);
        self.pause = (now - self.last).saturating_mul(PAGES_WANTED).div_f64(f64::from(moved));
        self.pause = self.pause.clamp(INTERVAL, PAUSE_MAX);
        (self.last, self.written, self.log_bytes) = (now, Some(written), log_bytes);
    }
}

async fn run(log: PathBuf, options: SqliteConnectOptions, stop: Arc<Notify>) {
    let mut connection = None;
    let mut pace = Pace::new(Instant::now());
    let mut has_failed = false;
    while tokio::time::timeout(INTERVAL, stop.notified()).await.is_err() {
        let Some((log_bytes, written)) = size_and_time(&log).await else { continue };
        let now = Instant::now();
        if !pace.is_due(log_bytes, written, now) {
            continue;
        }
        let mode = pace.choose_mode(log_bytes, now);
        match checkpoint(&mut connection, &options, mode).await {
            Ok(outcome) => {
                has_failed = false;
                pace.note(outcome, log_bytes, written, now);
            }
            // The next attempt may succeed; until then, one line is enough.
            Err(error) => {
                if !std::mem::replace(&mut has_failed, true) {
                    tracing::warn!(%error, "cannot move the log of the database into its file: {error}");
                }
                (connection, pace.last, pace.pause) = (None, now, PAUSE_MAX);
            }
        }
    }
    if let Some(open) = connection {
        let _closed_anyway = SqliteConnection::close(open).await;
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
    mode: Mode,
) -> Result<Outcome, sqlx::Error> {
    let open = match connection.take() {
        Some(open) => connection.insert(open),
        None => connection.insert(options.connect().await?),
    };
    read_outcome(sqlx::query_as(mode.statement()).fetch_one(open)).await
}

async fn read_outcome(
    row: impl Future<Output = Result<(i64, i64, i64), sqlx::Error>>,
) -> Result<Outcome, sqlx::Error> {
    let (busy, _log, pages) = row.await?;
    Ok(Outcome { is_incomplete: busy != 0, pages })
}

/// Empties the log, so that nothing deleted remains in it. False if others prevented it all the time.
pub(crate) async fn empty_log(file: &SqliteConnections) -> Result<bool, sqlx::Error> {
    for _ in 0..EMPTYING_ATTEMPTS_MAX {
        let mut connection = file.acquire().await?;
        let outcome = sqlx::query_as(Mode::Truncate.statement()).fetch_one(&mut *connection);
        if !read_outcome(outcome).await?.is_incomplete {
            return Ok(true);
        }
        drop(connection);
        // Another checkpoint is in the way, which SQLite does not wait for.
        tokio::time::sleep(EMPTYING_TIME_MAX).await;
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::STATEMENT_MAX;
    use crate::db::Db;
    use domain::secret::Secret;

    async fn open(file: &Path) -> Db {
        let url = Secret::new(format!("sqlite://{}", file.display()));
        Db::open(&url, 2, STATEMENT_MAX).await.expect("opens")
    }

    async fn write_megabytes(db: &Db, count: usize) {
        let Db::Sqlite(pools) = db else { panic!("this is SQLite") };
        let mut connection = pools.write.acquire().await.expect("a connection");
        sqlx::query("CREATE TABLE IF NOT EXISTS texts (text BLOB)")
            .execute(&mut *connection)
            .await
            .expect("creates");
        for _ in 0..count {
            let text = "INSERT INTO texts VALUES (randomblob(1048576))";
            sqlx::query(text).execute(&mut *connection).await.expect("writes");
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
        let mut connection = pools.write.acquire().await.expect("a connection");
        let in_commits: i64 =
            sqlx::query_scalar("PRAGMA wal_autocheckpoint").fetch_one(&mut *connection).await.expect("reads");
        drop(connection);
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

    #[test]
    fn a_slow_log_is_moved_rarely_and_a_fast_one_at_once() {
        let (start, second) = (Instant::now(), Duration::from_secs(1));
        let at = |seconds: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let moved = |pages| Outcome { is_incomplete: false, pages };
        let mut pace = Pace::new(start);
        assert!(!pace.is_due(LOG_BYTES_MIN - 1, at(1), start + second), "it is short");
        assert!(pace.is_due(LOG_BYTES_MIN, at(1), start + second));
        pace.note(moved(100), LOG_BYTES_MIN, at(1), start + second);
        let now = start + second * 60;
        assert!(!pace.is_due(LOG_BYTES_MIN, at(1), now), "nothing was written");
        assert!(
            !pace.is_due(LOG_BYTES_MIN, at(2), start + second * 10),
            "100 pages in a second, 900 in nine"
        );
        assert!(pace.is_due(LOG_BYTES_MIN, at(2), start + second * 11));
        assert!(pace.is_due(LOG_BYTES_MIN + GROWTH_MAX, at(2), start + second * 2), "it grows");
        pace.note(moved(0), LOG_BYTES_MIN, at(2), now);
        assert_eq!(pace.pause, PAUSE_MAX);
        pace.note(moved(50_000), LOG_BYTES_MIN, at(3), now + second);
        assert_eq!(pace.pause, INTERVAL);
        assert_eq!(pace.choose_mode(LOG_BYTES_MAX - 1, now), Mode::Passive);
        let tries = [now, now + second, now + EMPTYING_PAUSE];
        let modes = tries.map(|now| pace.choose_mode(LOG_BYTES_MAX, now));
        assert_eq!(modes, [Mode::Truncate, Mode::Passive, Mode::Truncate]);
    }

    /// Emptying a log must not keep writers waiting for a long reader, such as a backup.
    #[tokio::test]
    async fn a_long_reader_delays_writers_for_a_moment_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("data.db");
        let db = open(&file).await;
        let Db::Sqlite(pools) = &db else { panic!("this is SQLite") };
        write_megabytes(&db, 1).await;
        let mut reader = pools.read.begin_with("BEGIN").await.expect("reads");
        let count = "SELECT COUNT(*) FROM texts";
        let _one: i64 = sqlx::query_scalar(count).fetch_one(&mut *reader).await.expect("reads");
        write_megabytes(&db, 1).await;
        let options: SqliteConnectOptions = format!("sqlite://{}", file.display()).parse().expect("options");
        let options = options.busy_timeout(EMPTYING_TIME_MAX);
        let outcome = checkpoint(&mut None, &options, Mode::Truncate).await.expect("is no error");
        assert!(outcome.is_incomplete, "{outcome:?}");
        write_megabytes(&db, 1).await;
        drop(reader);
        assert!(empty_log(&pools.write).await.expect("is no error"));
        assert_eq!(std::fs::metadata(folder.path().join("data.db-wal")).expect("a log").len(), 0);
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
