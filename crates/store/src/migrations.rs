//! Schema migrations. The files are compiled in, one per database.

use crate::db::Db;
use crate::error::{failure, migration_failure};
use domain::ports::StoreError;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{PgPool, SqlSafeStr};
use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

macro_rules! files {
    ($folder:literal) => {
        files!(
            $folder, 1 "0001_people", 2 "0002_providers", 3 "0003_searches", 4 "0004_tasks", 5 "0005_life",
            6 "0006_similarity", 7 "0007_pings", 8 "0008_schedules", 9 "0009_confidential", 10 "0010_audit",
            11 "0011_authenticators", 12 "0012_answers", 13 "0013_lists", 14 "0014_operations",
            15 "0015_corpus", 16 "0016_canonical", 17 "0017_askers", 19 "0019_records", 20 "0020_task_owners",
            22 "0022_rekey", 23 "0023_versions", 24 "0024_accounts",
            25 "0025_own_tags", 26 "0026_own_failures", 27 "0027_open_searches", 29 "0029_keys_and_sizes",
            31 "0031_attribution", 32 "0032_source_budgets", 33 "0033_notices", 34 "0034_final_statuses",
            35 "0035_matter_tags", 36 "0036_assistant"
        )
    };
    ($folder:literal, $($version:literal $name:literal),*) => {
        [$(($version, $name, include_str!(concat!("../migrations/", $folder, "/", $name, ".sql")))),*]
    };
}

pub(crate) type MigrationFile = (i64, &'static str, &'static str);

pub(crate) const SQLITE: &[MigrationFile] = &files!("sqlite");
pub(crate) const POSTGRES: &[MigrationFile] = &files!("postgres");

/// Longest wait for another process that migrates the same SQLite file.
const LOCK_WAIT: Duration = Duration::from_secs(300);
/// Polling interval.
const LOCK_ASKED_EVERY: Duration = Duration::from_millis(20);

/// Runs pending migrations, one process at a time, so that processes may start together.
pub(crate) async fn run(db: &Db) -> Result<(), StoreError> {
    match db {
        Db::Sqlite(pools) => {
            let _lock = lock_file(pools.write.connect_options().get_filename()).await?;
            let mut connection = pools.write.acquire().await.map_err(failure)?;
            migrator(SQLITE).run_direct(None, &mut *connection, false).await
        }
        Db::Postgres(pools) => run_on_postgres(pools.write.pool()).await,
    }
    .map_err(migration_failure)
}

/// The migrator locks PostgreSQL, but not SQLite: there a file next to the database is locked until it is dropped. An
/// in-memory database needs no lock.
async fn lock_file(database: &Path) -> Result<Option<File>, StoreError> {
    if !database.exists() {
        return Ok(None);
    }
    let mut path = database.as_os_str().to_owned();
    path.push(".lock");
    let failed = |error: std::io::Error| {
        let message = format!("{} cannot be locked: {error}", Path::new(&path).display());
        StoreError::unreachable(message).caused_by(error)
    };
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&path).map_err(failed)?;
    leave_to_owner_of(database, Path::new(&path)).map_err(failed)?;
    let started = std::time::Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Err(TryLockError::WouldBlock) if started.elapsed() < LOCK_WAIT => {
                tokio::time::sleep(LOCK_ASKED_EVERY).await;
            }
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::unreachable(
                    "another process has been bringing it to this version for five minutes",
                ));
            }
        }
    }
}

/// If root runs a command, the file is given to the service's user, as SQLite does with its own files.
#[cfg(unix)]
fn leave_to_owner_of(database: &Path, file: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{MetadataExt, chown};
    let (wanted, own) = (database.metadata()?, file.metadata()?);
    if wanted.uid() == own.uid() { Ok(()) } else { chown(file, Some(wanted.uid()), Some(wanted.gid())) }
}

#[cfg(not(unix))]
fn leave_to_owner_of(_database: &Path, _file: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Changing a large table, or waiting for the process that does, may exceed the statement limit.
async fn run_on_postgres(pool: &PgPool) -> Result<(), MigrateError> {
    let options = PgConnectOptions::clone(&pool.connect_options()).options([("statement_timeout", 0)]);
    let patient = PgPoolOptions::new().max_connections(1).connect_with(options).await?;
    let done = migrator(POSTGRES).run(&patient).await;
    patient.close().await;
    done
}

/// The names of all migrations of this version.
pub(crate) fn names() -> Vec<&'static str> {
    SQLITE.iter().map(|(_, name, _)| *name).collect()
}

/// The number of the newest migration of this version.
pub(crate) fn newest() -> i64 {
    SQLITE.iter().map(|(version, ..)| *version).max().unwrap_or(0)
}

/// The texts of all migrations, oldest first; both databases make the same tables.
pub(crate) fn texts() -> impl Iterator<Item = &'static str> {
    SQLITE.iter().map(|(.., text)| *text)
}

/// The migrations up to this version, for a database with an older dump.
pub(crate) fn migrator_to(files: &[MigrationFile], version: i64) -> Migrator {
    let until: Vec<MigrationFile> = files.iter().copied().filter(|(number, ..)| *number <= version).collect();
    migrator(&until)
}

fn migrator(files: &[MigrationFile]) -> Migrator {
    let migrations = files.iter().map(|&(version, name, sql)| {
        Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), false)
    });
    Migrator::with_migrations(migrations.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::secret::Secret;

    #[test]
    fn every_file_is_listed_for_both_databases() {
        for (folder, files) in [("sqlite", SQLITE), ("postgres", POSTGRES)] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(folder);
            let mut found: Vec<String> = std::fs::read_dir(path)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            found.sort();
            let listed: Vec<String> = files.iter().map(|(_, name, _)| format!("{name}.sql")).collect();
            assert_eq!(found, listed, "{folder}");
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 8)]
    async fn processes_that_start_together_migrate_one_after_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let url = Secret::new(format!("sqlite://{}/store.db", folder.path().display()));
        let mut starting = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let url = url.clone();
            starting.spawn(async move {
                let db = Db::open(&url, 1, crate::STATEMENT_MAX).await?;
                run(&db).await?;
                db.close().await;
                Ok::<(), StoreError>(())
            });
        }
        while let Some(process) = starting.join_next().await {
            process.unwrap().expect("its tables");
        }
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_command_of_root_leaves_its_lock_to_the_service() {
        use std::os::unix::fs::{MetadataExt, chown};
        let folder = tempfile::tempdir().unwrap();
        let (file, service) = (folder.path().join("store.db"), 61_234);
        std::fs::write(&file, "").unwrap();
        if chown(&file, Some(service), Some(service)).is_err() {
            testkit::skip("the lock of a command of root", "only root can give a file to another user");
            return;
        }
        let url = Secret::new(format!("sqlite://{}", file.display()));
        let db = Db::open(&url, 1, crate::STATEMENT_MAX).await.expect("opens");
        run(&db).await.expect("tables");
        assert_eq!(folder.path().join("store.db.lock").metadata().unwrap().uid(), service);
        db.close().await;
    }

    /// Another process holds the list of migrations for a second; a statement may take a fifth of that.
    #[tokio::test(flavor = "multi_thread")]
    async fn migrations_may_take_longer_than_statements() {
        const STATEMENT_MAX: Duration = Duration::from_millis(200);
        let Some(server) = testkit::postgres::server("migrations that wait") else { return };
        testkit::postgres::with_database(&server, |url| async move {
            let db = Db::open(&Secret::new(url), 4, STATEMENT_MAX).await.expect("opens");
            run(&db).await.expect("tables");
            let Db::Postgres(pools) = &db else { panic!("this is PostgreSQL") };
            let mut other = pools.write.begin().await.expect("begun");
            let lock = "LOCK TABLE _sqlx_migrations IN ACCESS EXCLUSIVE MODE";
            sqlx::query(lock).execute(&mut *other).await.expect("nobody else has it");
            let leave = async {
                tokio::time::sleep(STATEMENT_MAX * 5).await;
                other.rollback().await.expect("left");
            };
            let (done, ()) = tokio::join!(run(&db), leave);
            done.expect("it waited");
            let slow = sqlx::query("SELECT pg_sleep(1)").execute(pools.write.pool()).await;
            assert!(slow.is_err(), "a statement of the service may not take that long");
            db.close().await;
        })
        .await;
    }

    #[test]
    fn versions_are_the_numbers_of_the_files() {
        for (version, name, _) in SQLITE.iter().chain(POSTGRES) {
            assert!(name.starts_with(&format!("{version:04}_")), "{name}");
        }
    }
}
