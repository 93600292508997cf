//! What people wish for their own lists: one row for each who wishes something.

use crate::SqlStore;
use crate::db::{changed, on_db};
use crate::json::JsonText;
use async_trait::async_trait;
use domain::contracts::{PreferenceStore, StoreError};
use domain::ids::UserId;
use domain::instant::{Instant, to_micros};
use domain::preferences::Preferences;
use sqlx::types::Json;

#[async_trait]
impl PreferenceStore for SqlStore {
    async fn preferences(&self, user: UserId) -> Result<Preferences, StoreError> {
        const TEXT: &str = "SELECT wishes FROM preferences WHERE user_id = $1";
        let wishes = on_db!(self.db, read, db =>
            sqlx::query_scalar::<_, Json<Preferences>>(TEXT).bind(user.0).fetch_optional(db))?;
        Ok(wishes.map(|wishes| wishes.0).unwrap_or_default())
    }

    async fn save_preferences(
        &self,
        user: UserId,
        wishes: Preferences,
        now: Instant,
    ) -> Result<(), StoreError> {
        const TEXT: &str = "INSERT INTO preferences (user_id, wishes, date_updated) VALUES ($1, $2, $3) \
             ON CONFLICT (user_id) DO UPDATE SET wishes = excluded.wishes, date_updated = excluded.date_updated";
        let wishes = JsonText::of(&wishes)?;
        on_db!(self.db, write, db => changed(
            sqlx::query(TEXT).bind(user.0).bind(wishes.clone()).bind(to_micros(now)).execute(db)))?;
        Ok(())
    }
}
