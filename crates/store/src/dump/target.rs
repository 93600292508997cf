//! The database that a dump is written into.

use super::error::{DumpError, of_sqlx};
use crate::bodies::FOLDER_ID;
use crate::error::migration_failure;
use crate::migrations;
use sqlx::{Executor, PgConnection, SqliteConnection};
use std::path::PathBuf;

/// The new database, of either kind.
pub(super) enum Target {
    Sqlite { connection: SqliteConnection, new: PathBuf, place: PathBuf },
    Postgres(PgConnection),
}

impl Target {
    /// Commits the rows, and runs the migrations.
    pub(super) async fn migrate(&mut self) -> Result<(), DumpError> {
        match self {
            Self::Sqlite { connection, .. } => {
                connection.execute("COMMIT").await.map_err(of_sqlx)?;
                migrations::migrator_to(migrations::SQLITE, i64::MAX).run(connection).await
            }
            Self::Postgres(connection) => {
                connection.execute("COMMIT").await.map_err(of_sqlx)?;
                migrations::migrator_to(migrations::POSTGRES, i64::MAX).run(connection).await
            }
        }
        .map_err(|error| migration_failure(error).into())
    }

    /// Texts of the dump go into a new folder.
    pub(super) async fn forget_folder(&mut self) -> Result<(), DumpError> {
        const TEXT: &str = "DELETE FROM corpus_values WHERE name = $1";
        match self {
            Self::Sqlite { connection, .. } => {
                sqlx::query(TEXT).bind(FOLDER_ID).execute(connection).await.map_err(of_sqlx)?;
            }
            Self::Postgres(connection) => {
                sqlx::query(TEXT).bind(FOLDER_ID).execute(connection).await.map_err(of_sqlx)?;
            }
        }
        Ok(())
    }
}
