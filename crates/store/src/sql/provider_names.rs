//! Names of providers, which searches compare without regard to case.

use crate::db::{Tx, on_tx};
use crate::error::failure;
use domain::ids::ProviderId;
use domain::ports::StoreError;
use domain::provider::is_same_name;

/// The advisory lock of writers of names in PostgreSQL; an arbitrary unique number.
const LOCK: i64 = 0x7472_6962_6e61_6d65;

/// `Taken` if another provider has a name that a search cannot tell from this one. Until the transaction ends, no other
/// writes a name; in SQLite it is the only writer anyway. Names of earlier versions may be equal, so no index can be
/// unique.
pub(super) async fn check_free(tx: &mut Tx, name: &str, own: Option<ProviderId>) -> Result<(), StoreError> {
    if let Tx::Postgres(tx) = tx {
        let lock = sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK);
        lock.execute(&mut **tx).await.map_err(failure)?;
    }
    let names: Vec<(i64, String)> =
        on_tx!(tx, db => sqlx::query_as("SELECT id, name FROM providers").fetch_all(db))?;
    let is_other = |id: i64| own.is_none_or(|own| own.0 != id);
    if names.iter().any(|(id, other)| is_other(*id) && is_same_name(name, other)) {
        return Err(StoreError::Taken("name"));
    }
    Ok(())
}
