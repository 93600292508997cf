//! Browser sessions: only the hashes of their keys are stored.

use super::user_rows::{UserRow, fold, user_columns, with_groups};
use crate::SqlStore;
use crate::db::{on_db, on_tx, rows_affected};
use crate::row::row;
use async_trait::async_trait;
use domain::instant::{Instant, to_micros};
use domain::ports::{NewSession, Session, SessionStore, StoreError};

row! {
    struct SessionRow with (user: UserRow) {
        csrf: String,
    }
}

#[async_trait]
impl SessionStore for SqlStore {
    async fn create_session(&self, session: NewSession) -> Result<(), StoreError> {
        const TEXT: &str = "INSERT INTO sessions (key_hash, user_id, csrf, expires, date_created) \
             VALUES ($1, $2, $3, $4, $5)";
        let now = to_micros(session.now);
        let mut tx = self.db.begin().await?;
        on_tx!(&mut tx, db => rows_affected(
            sqlx::query("DELETE FROM sessions WHERE expires <= $1").bind(now).execute(db)))?;
        on_tx!(&mut tx, db => rows_affected(sqlx::query(TEXT)
            .bind(session.key_hash.as_str())
            .bind(session.user.0)
            .bind(session.csrf.as_str())
            .bind(to_micros(session.expires))
            .bind(now)
            .execute(db)))?;
        tx.commit().await
    }

    async fn session(&self, key_hash: &str, now: Instant) -> Result<Option<Session>, StoreError> {
        const TEXT: &str = concat!(
            "SELECT sessions.csrf, ",
            user_columns!(),
            " FROM sessions JOIN users ON users.id = sessions.user_id ",
            with_groups!(),
            " WHERE sessions.key_hash = $1 AND sessions.expires > $2"
        );
        let rows = on_db!(self.db, read, db =>
            sqlx::query_as::<_, SessionRow>(TEXT).bind(key_hash).bind(to_micros(now)).fetch_all(db))?;
        let csrf = rows.first().map(|row| row.csrf.clone());
        let user = fold(rows.into_iter().map(|row| row.user)).pop();
        Ok(user.zip(csrf).map(|(user, csrf)| Session { user, csrf }))
    }

    async fn delete_session(&self, key_hash: &str) -> Result<(), StoreError> {
        on_db!(self.db, write, db => rows_affected(
            sqlx::query("DELETE FROM sessions WHERE key_hash = $1").bind(key_hash).execute(db)))?;
        Ok(())
    }
}
