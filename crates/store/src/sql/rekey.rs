//! Re-encrypts everything with the current key, row by row, while others read and write.

use crate::SqlStore;
use crate::db::{on_db, rows_affected};
use domain::ports::StoreError;

/// Rows per batch.
const STEP: i64 = 100;

/// One column of encrypted texts. The selection returns id, record and text of the rows after an id; the update
/// replaces a text only if it is still the one that was read.
struct Place {
    select: &'static str,
    update: &'static str,
}

macro_rules! place {
    ($table:literal, $column:literal, $record:literal) => {
        Place {
            select: concat!(
                "SELECT id, ",
                $record,
                ", ",
                $column,
                " FROM ",
                $table,
                " WHERE id > $1 ORDER BY id LIMIT $2"
            ),
            update: concat!(
                "UPDATE ",
                $table,
                " SET ",
                $column,
                " = $1 WHERE id = $2 AND ",
                $column,
                " = $3"
            ),
        }
    };
}

const PLACES: [Place; 6] = [
    place!("providers", "credentials", "'provider:' || id"),
    place!("providers", "confidential", "'provider:' || id || ':confidential'"),
    place!("ai_providers", "draft", "'ai_provider:' || id"),
    place!("authenticators", "draft", "'authenticator:' || id"),
    place!("connections", "tokens", "'connection:' || user_id || ':' || authenticator_id"),
    place!("audit_head", "past_keys", "'audit:past_keys'"),
];

/// Result of re-encryption.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RekeyReport {
    /// Re-encrypted texts.
    pub done: u64,
    /// Texts that were changed concurrently. They may be under another key again.
    pub changed_meanwhile: u64,
    /// Records whose texts cannot be decrypted; they are left unchanged.
    pub unreadable: Vec<String>,
}

impl RekeyReport {
    /// Everything already used the current key.
    pub fn is_nothing(&self) -> bool {
        self.done == 0 && self.changed_meanwhile == 0
    }

    fn count(&mut self, rows: u64) {
        match rows {
            0 => self.changed_meanwhile += 1,
            rows => self.done += rows,
        }
    }
}

impl SqlStore {
    /// Re-encrypts texts of other keys. It can be interrupted and restarted at any time.
    pub async fn reseal(&self) -> Result<RekeyReport, StoreError> {
        let mut resealed = RekeyReport::default();
        self.start_overwriting().await?;
        let mut outcome = Ok(());
        for place in &PLACES {
            outcome = self.reseal_place(place, &mut resealed).await;
            if outcome.is_err() {
                break;
            }
        }
        if outcome.is_ok() {
            outcome = self.reseal_flows(&mut resealed).await;
        }
        self.stop_overwriting().await?;
        outcome.map(|()| resealed)
    }

    async fn reseal_place(&self, place: &Place, resealed: &mut RekeyReport) -> Result<(), StoreError> {
        let mut after = i64::MIN;
        loop {
            let rows: Vec<(i64, String, String)> = on_db!(self.db, read, db =>
                sqlx::query_as(place.select).bind(after).bind(STEP).fetch_all(db))?;
            let Some((last, ..)) = rows.last() else { return Ok(()) };
            after = *last;
            for (id, record, sealed) in rows {
                let Some(anew) = self.sealed_anew(&sealed, record, resealed)? else { continue };
                resealed.count(on_db!(self.db, write, db => rows_affected(sqlx::query(place.update)
                    .bind(anew.as_str()).bind(id).bind(sealed.as_str()).execute(db)))?);
            }
        }
    }

    /// Pending OAuth flows, which are few and short-lived.
    async fn reseal_flows(&self, resealed: &mut RekeyReport) -> Result<(), StoreError> {
        const SELECT: &str = "SELECT state_hash, sealed FROM pending_flows";
        const UPDATE: &str = "UPDATE pending_flows SET sealed = $1 WHERE state_hash = $2 AND sealed = $3";
        let rows: Vec<(String, String)> = on_db!(self.db, read, db => sqlx::query_as(SELECT).fetch_all(db))?;
        for (state_hash, sealed) in rows {
            let record = format!("flow:{state_hash}");
            let Some(anew) = self.sealed_anew(&sealed, record, resealed)? else { continue };
            resealed.count(on_db!(self.db, write, db => rows_affected(sqlx::query(UPDATE)
                .bind(anew.as_str()).bind(state_hash.as_str()).bind(sealed.as_str()).execute(db)))?);
        }
        Ok(())
    }

    /// The text under the current key; None if it already is, or cannot be decrypted.
    fn sealed_anew(
        &self,
        sealed: &str,
        record: String,
        resealed: &mut RekeyReport,
    ) -> Result<Option<String>, StoreError> {
        if self.key.is_current(sealed, &record) {
            return Ok(None);
        }
        match self.key.open(sealed, &record) {
            Ok(text) => self.key.seal(text.expose(), &record).map(Some),
            Err(_) => {
                resealed.unreadable.push(record);
                Ok(None)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_changed_meanwhile_is_not_taken_for_sealed_anew() {
        let mut resealed = RekeyReport::default();
        assert!(resealed.is_nothing());
        resealed.count(0);
        assert!(!resealed.is_nothing() && resealed.done == 0, "the next pass must look at it again");
        resealed.count(1);
        assert_eq!((resealed.done, resealed.changed_meanwhile), (1, 1));
    }
}
