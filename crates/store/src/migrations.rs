//! Brings a database to this version. The files are compiled in; each exists once for each database.

use crate::db::Db;
use crate::error::migration_failure;
use domain::contracts::StoreError;
use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

macro_rules! files {
    ($folder:literal) => {
        files!(
            $folder, 1 "0001_people", 2 "0002_providers", 3 "0003_searches", 4 "0004_tasks", 5 "0005_life",
            6 "0006_similarity", 7 "0007_pings", 8 "0008_schedules", 9 "0009_confidential", 10 "0010_audit",
            11 "0011_authenticators", 12 "0012_answers", 13 "0013_lists", 14 "0014_operations",
            15 "0015_corpus", 16 "0016_canonical", 17 "0017_askers"
        )
    };
    ($folder:literal, $($version:literal $name:literal),*) => {
        [$(($version, $name, include_str!(concat!("../migrations/", $folder, "/", $name, ".sql")))),*]
    };
}

pub(crate) type File = (i64, &'static str, &'static str);

pub(crate) const SQLITE: &[File] = &files!("sqlite");
pub(crate) const POSTGRES: &[File] = &files!("postgres");

/// Runs what has not run yet. On PostgreSQL the migrator holds a lock, so that processes may start together.
pub(crate) async fn run(db: &Db) -> Result<(), StoreError> {
    match db {
        Db::Sqlite(pools) => migrator(SQLITE).run(&pools.write).await,
        Db::Postgres(pools) => migrator(POSTGRES).run(&pools.write).await,
    }
    .map_err(migration_failure)
}

/// The names of all migrations of this version, which `run` has brought to the database.
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

/// The migrations up to this version, for a database that holds an older copy.
pub(crate) fn migrator_to(files: &[File], version: i64) -> Migrator {
    let until: Vec<File> = files.iter().copied().filter(|(number, ..)| *number <= version).collect();
    migrator(&until)
}

fn migrator(files: &[File]) -> Migrator {
    let migrations = files.iter().map(|&(version, name, sql)| {
        Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), false)
    });
    Migrator::with_migrations(migrations.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

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

    #[test]
    fn versions_are_the_numbers_of_the_files() {
        for (version, name, _) in SQLITE.iter().chain(POSTGRES) {
            assert!(name.starts_with(&format!("{version:04}_")), "{name}");
        }
    }
}
