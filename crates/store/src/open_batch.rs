//! Undoes what an unfinished batch has left open.

use sqlx::SqliteConnection;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// SQLite's code for a statement that makes no sense now, such as `ROLLBACK` outside of a transaction.
const ERROR_CODE: &str = "1";

/// Whether the connection that writes may be inside of the transaction of a batch, which failed or whose caller stopped
/// waiting. The driver knows nothing of such a transaction.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenBatch(Arc<AtomicBool>);

impl OpenBatch {
    pub(crate) fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn end(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Makes the connection usable for the next caller; false if it has to be replaced, which undoes the batch too.
    pub(crate) async fn close(&self, connection: &mut SqliteConnection) -> bool {
        if !self.0.load(Ordering::Relaxed) {
            return true;
        }
        let rolled_back = sqlx::query("ROLLBACK").execute(connection).await;
        self.end();
        rolled_back.err().is_none_or(|error| is_outside_of_transaction(&error))
    }
}

/// The batch had ended, or SQLite has undone it by itself.
fn is_outside_of_transaction(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == ERROR_CODE)
}
