//! Users with the names of their groups, joined in: one row per membership.

use super::user_rows::{UserRow, fold, user_columns, with_groups};
use super::{corpus, groups, names, tokens};
use crate::SqlStore;
use crate::db::{Tx, on_db, on_tx, rows_affected};
use crate::error::failure;
use crate::json::{plain, to_column, to_count};
use crate::row::row;
use async_trait::async_trait;
use domain::audit::{AuditEvent, Kind};
use domain::ids::{GroupId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::{EditableRecord, Page, StoreError, UserEdits, UserStore};
use domain::user::{Group, GroupSpec, LOGIN_LABEL, User, UserSpec};
use serde_json::{Value, json};

row! {
    struct PasswordRow with (user: UserRow) {
        password_hash: String,
    }
}

#[async_trait]
impl UserStore for SqlStore {
    async fn create_user(
        &self,
        spec: UserSpec,
        password_hash: String,
        now: Instant,
    ) -> Result<User, StoreError> {
        const TEXT: &str = "INSERT INTO users (username, email, password_hash, is_admin, date_created, date_updated) \
             VALUES ($1, $2, $3, $4, $5, $5) RETURNING id";
        let now = to_micros(now);
        let (username, email) = (plain(&spec.username), plain(&spec.email));
        let mut tx = self.begin_change().await?;
        names::USERS.check_free(&mut tx, &username, None).await?;
        let id = on_tx!(&mut tx, db => sqlx::query_scalar(TEXT)
            .bind(username.as_str())
            .bind(email.as_str())
            .bind(password_hash.as_str())
            .bind(spec.is_admin)
            .bind(now)
            .fetch_one(db))
        .map(UserId)?;
        let groups = groups::join(&mut tx, id, &spec.groups).await?;
        let is_admin = spec.is_admin;
        let user = User { id, username, email, is_admin, groups, date_created: now, date_updated: now };
        let to = fields(&user, &password_hash);
        let event = AuditEvent::edit(Kind::User, Some(id.0), &user.username, None, Some(&to));
        self.commit_change(tx, vec![event]).await?;
        Ok(user)
    }

    async fn user(&self, id: UserId) -> Result<User, StoreError> {
        const TEXT: &str =
            concat!("SELECT ", user_columns!(), " FROM users ", with_groups!(), " WHERE users.id = $1");
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, UserRow>(TEXT).bind(id.0).fetch_all(db))?;
        fold(rows).pop().ok_or(StoreError::NotFound)
    }

    async fn user_by_name(&self, username: &str) -> Result<User, StoreError> {
        const TEXT: &str =
            concat!("SELECT ", user_columns!(), " FROM users ", with_groups!(), " WHERE users.username = $1");
        if username.contains('\0') {
            return Err(StoreError::NotFound);
        }
        let rows =
            on_db!(self.db, read, db => sqlx::query_as::<_, UserRow>(TEXT).bind(username).fetch_all(db))?;
        fold(rows).pop().ok_or(StoreError::NotFound)
    }

    async fn user_with_password_hash(&self, username: &str) -> Result<Option<(User, String)>, StoreError> {
        const TEXT: &str = concat!(
            "SELECT users.password_hash, ",
            user_columns!(),
            " FROM users ",
            with_groups!(),
            " WHERE users.username = $1"
        );
        if username.contains('\0') {
            return Ok(None);
        }
        let rows =
            on_db!(self.db, read, db => sqlx::query_as::<_, PasswordRow>(TEXT).bind(username).fetch_all(db))?;
        let hash = rows.first().map(|row| row.password_hash.clone());
        Ok(fold(rows.into_iter().map(|row| row.user)).pop().zip(hash))
    }

    async fn users(&self, offset: u64, limit: u64) -> Result<Page<User>, StoreError> {
        const TEXT: &str = concat!(
            "SELECT ",
            user_columns!(),
            " FROM users ",
            with_groups!(),
            " WHERE users.id IN (SELECT id FROM users ORDER BY id LIMIT $1 OFFSET $2) ORDER BY users.id"
        );
        let total: i64 =
            on_db!(self.db, read, db => sqlx::query_scalar("SELECT COUNT(*) FROM users").fetch_one(db))?;
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, UserRow>(TEXT)
            .bind(to_column(limit)).bind(to_column(offset)).fetch_all(db))?;
        Ok(Page { items: fold(rows), total: to_count(total) })
    }

    async fn create_group(&self, spec: GroupSpec, now: Instant) -> Result<Group, StoreError> {
        groups::create(self, spec, now).await
    }

    async fn group(&self, id: GroupId) -> Result<Group, StoreError> {
        groups::group(&self.db, id).await
    }

    async fn groups(&self, offset: u64, limit: u64) -> Result<Page<Group>, StoreError> {
        groups::groups(&self.db, offset, limit).await
    }
}

#[async_trait]
impl UserEdits for SqlStore {
    async fn replace_user(
        &self,
        id: UserId,
        spec: UserSpec,
        password_hash: Option<String>,
        now: Instant,
    ) -> Result<User, StoreError> {
        const TEXT: &str = "UPDATE users SET username = $2, email = $3, is_admin = $4, \
             password_hash = COALESCE($5, password_hash), date_updated = $6 WHERE id = $1 RETURNING date_created";
        let now = to_micros(now);
        let (username, email) = (plain(&spec.username), plain(&spec.email));
        let mut tx = self.begin_change().await?;
        // Before the lock of all users, as when a user is created, to avoid deadlocks.
        names::USERS.check_free(&mut tx, &username, Some(id.0)).await?;
        if !spec.is_admin {
            keep_an_administrator(&mut tx, id).await?;
        }
        // After the lock of all users: the holder of one user must not wait for all.
        self.lock_version(&mut tx, EditableRecord::User(id)).await?;
        let (before, old_hash) = stored(&mut tx, id).await?;
        let date_created: Instant = on_tx!(&mut tx, db => sqlx::query_scalar(TEXT)
            .bind(id.0)
            .bind(username.as_str())
            .bind(email.as_str())
            .bind(spec.is_admin)
            .bind(password_hash.as_deref())
            .bind(now)
            .fetch_one(db))?;
        let groups = groups::join(&mut tx, id, &spec.groups).await?;
        let mut events = Vec::new();
        if password_hash.is_some() {
            on_tx!(&mut tx, db => rows_affected(
                sqlx::query("DELETE FROM sessions WHERE user_id = $1").bind(id.0).execute(db)))?;
            events = tokens::revoke_all(&mut tx, id, Some(LOGIN_LABEL)).await?;
        }
        let is_admin = spec.is_admin;
        let after = User { id, username, email, is_admin, groups, date_created, date_updated: now };
        let (from, to) =
            (fields(&before, &old_hash), fields(&after, password_hash.as_ref().unwrap_or(&old_hash)));
        events.insert(0, AuditEvent::edit(Kind::User, Some(id.0), &before.username, Some(&from), Some(&to)));
        self.commit_change(tx, events).await?;
        Ok(after)
    }

    /// Shared objects of the user pass to the administrator with the lowest id, so that others keep them. Without an
    /// administrator they are deleted with the user.
    async fn delete_user(&self, id: UserId) -> Result<(), StoreError> {
        let mut tx = self.begin_change().await?;
        keep_an_administrator(&mut tx, id).await?;
        self.lock_version(&mut tx, EditableRecord::User(id)).await?;
        let (before, hash) = stored(&mut tx, id).await?;
        // Before any provider is touched, as when a provider is deleted, to avoid deadlocks.
        corpus::hold(&mut tx).await?;
        pass_on_shared(&mut tx, id).await?;
        corpus::forget_user(&mut tx, id).await?;
        on_tx!(&mut tx, db => rows_affected(sqlx::query("DELETE FROM users WHERE id = $1").bind(id.0).execute(db)))?;
        let from = fields(&before, &hash);
        let event = AuditEvent::edit(Kind::User, Some(id.0), &before.username, Some(&from), None);
        self.commit_change(tx, vec![event]).await
    }

    async fn replace_group(&self, id: GroupId, spec: GroupSpec) -> Result<Group, StoreError> {
        groups::replace(self, id, spec).await
    }

    async fn delete_group(&self, id: GroupId) -> Result<(), StoreError> {
        groups::delete(self, id).await
    }
}

/// The user and the password hash.
async fn stored(tx: &mut Tx, id: UserId) -> Result<(User, String), StoreError> {
    const TEXT: &str =
        concat!("SELECT ", user_columns!(), " FROM users ", with_groups!(), " WHERE users.id = $1");
    const HASH: &str = "SELECT password_hash FROM users WHERE id = $1";
    let rows = on_tx!(tx, db => sqlx::query_as::<_, UserRow>(TEXT).bind(id.0).fetch_all(db))?;
    let hash = on_tx!(tx, db => sqlx::query_scalar(HASH).bind(id.0).fetch_one(db))?;
    Ok((fold(rows).pop().ok_or(StoreError::NotFound)?, hash))
}

/// The fields of a user for the audit log, which masks passwords.
fn fields(user: &User, password_hash: &str) -> Value {
    let User { username, email, is_admin, groups, .. } = user;
    json!({
        "username": username,
        "email": email,
        "is_admin": is_admin,
        "groups": groups,
        "password": password_hash,
    })
}

/// Refuses if this user is the only administrator. Concurrent changes of users wait until the end of the transaction,
/// so that two administrators cannot both be removed.
async fn keep_an_administrator(tx: &mut Tx, id: UserId) -> Result<(), StoreError> {
    const TEXT: &str = "SELECT COUNT(*) FROM users WHERE id = $1 AND is_admin \
         AND NOT EXISTS (SELECT 1 FROM users WHERE is_admin AND id <> $1)";
    // SQLite has one writer; in PostgreSQL this lock allows reads and references to users.
    if let Tx::Postgres(tx) = tx {
        let lock = sqlx::query("LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE");
        lock.execute(&mut **tx).await.map_err(failure)?;
    }
    let last: i64 = on_tx!(tx, db => sqlx::query_scalar(TEXT).bind(id.0).fetch_one(db))?;
    if last == 0 { Ok(()) } else { Err(StoreError::LastAdministrator) }
}

async fn pass_on_shared(tx: &mut Tx, from: UserId) -> Result<(), StoreError> {
    let heir: Option<i64> = on_tx!(tx, db =>
        sqlx::query_scalar("SELECT MIN(id) FROM users WHERE is_admin AND id <> $1").bind(from.0).fetch_one(db))?;
    let Some(heir) = heir else {
        return Ok(());
    };
    for text in [
        "UPDATE providers SET owner = $2, version = version + 1 WHERE owner = $1 AND shared",
        "UPDATE query_transforms SET owner = $2, version = version + 1 WHERE owner = $1 AND shared",
        "UPDATE ai_providers SET owner = $2, version = version + 1 WHERE owner = $1 AND shared",
        "UPDATE prompts SET owner = $2, version = version + 1 WHERE owner = $1 AND shared",
    ] {
        on_tx!(tx, db => rows_affected(sqlx::query(text).bind(from.0).bind(heir).execute(db)))?;
    }
    Ok(())
}
