//! Names that may not differ by case alone: those of providers, users and groups.

use crate::db::{Tx, on_tx};
use crate::error::failure;
use domain::ports::StoreError;
use domain::provider::is_same_name;

/// The names of all records of a kind.
pub(super) struct Names {
    /// The advisory lock of their writers in PostgreSQL; an arbitrary unique number.
    lock: i64,
    /// Selects ids and names.
    text: &'static str,
    field: &'static str,
}

pub(super) static PROVIDERS: Names =
    Names { lock: 0x7472_6962_6e61_6d65, text: "SELECT id, name FROM providers", field: "name" };
pub(super) static USERS: Names =
    Names { lock: 0x7472_6962_7573_6572, text: "SELECT id, username FROM users", field: "username" };
pub(super) static GROUPS: Names =
    Names { lock: 0x7472_6962_6772_6f75, text: "SELECT id, name FROM user_groups", field: "name" };

impl Names {
    /// Ids and names. Until the transaction ends, no other writes such a name; in SQLite it is the only writer anyway.
    pub(super) async fn hold(&self, tx: &mut Tx) -> Result<Vec<(i64, String)>, StoreError> {
        if let Tx::Postgres(tx) = tx {
            let lock = sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(self.lock);
            lock.execute(&mut **tx).await.map_err(failure)?;
        }
        on_tx!(tx, db => sqlx::query_as(self.text).fetch_all(db))
    }

    /// `Taken` if another record has this name in any case. Earlier versions accepted such names, so no index can be
    /// unique, and the record `own` may keep the name that it has.
    pub(super) async fn check_free(
        &self,
        tx: &mut Tx,
        name: &str,
        own: Option<i64>,
    ) -> Result<(), StoreError> {
        let mut same = self.hold(tx).await?;
        same.retain(|(_, other)| is_same_name(name, other));
        let is_kept = same.iter().any(|(id, _)| own == Some(*id));
        if same.is_empty() || is_kept { Ok(()) } else { Err(StoreError::Taken(self.field)) }
    }
}
