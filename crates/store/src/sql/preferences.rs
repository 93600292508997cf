//! Preferences: one row per person who has any.

use super::versions;
use crate::SqlStore;
use crate::db::{on_db, on_tx, rows_affected};
use crate::json::JsonText;
use async_trait::async_trait;
use domain::ids::UserId;
use domain::instant::{Instant, to_micros};
use domain::ports::{EditableRecord, PreferenceEdits, PreferenceStore, StoreError};
use domain::preferences::Preferences;
use sqlx::types::Json;

#[async_trait]
impl PreferenceStore for SqlStore {
    async fn preferences(&self, user: UserId) -> Result<Preferences, StoreError> {
        const TEXT: &str = "SELECT wishes FROM preferences WHERE user_id = $1";
        let preferences = on_db!(self.db, read, db =>
            sqlx::query_scalar::<_, Json<Preferences>>(TEXT).bind(user.0).fetch_optional(db))?;
        Ok(preferences.map(|preferences| preferences.0).unwrap_or_default())
    }
}

#[async_trait]
impl PreferenceEdits for SqlStore {
    async fn save_preferences(
        &self,
        user: UserId,
        preferences: Preferences,
        now: Instant,
    ) -> Result<(), StoreError> {
        const TEXT: &str = "UPDATE preferences SET wishes = $2, date_updated = $3 WHERE user_id = $1";
        let (preferences, now) = (JsonText::of(&preferences)?, to_micros(now));
        let mut tx = self.db.begin().await?;
        versions::ensure_preferences(&mut tx, user, now).await?;
        self.lock_version(&mut tx, EditableRecord::Preferences(user)).await?;
        on_tx!(&mut tx, db => rows_affected(
            sqlx::query(TEXT).bind(user.0).bind(preferences.clone()).bind(now).execute(db)))?;
        tx.commit().await
    }
}
